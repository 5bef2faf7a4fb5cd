// Making queries, and the functions that read their terms, variables and fields.
// Declared in include/kith/detail/query_ops.hpp; runs are in query/run/query_run.cpp.
#include <kith/query.hpp>

#include "api/query_text.hpp"
#include "api/world_impl.hpp"
#include "base/assert.hpp"
#include "base/scope_exit.hpp"
#include "events/track.hpp"
#include "mutate/context/recorder.hpp"
#include "mutate/context/wide_tables.hpp"
#include "mutate/ops/add_remove.hpp"
#include "names/entity_name.hpp"
#include "names/id_text.hpp"
#include "query/plan_text.hpp"
#include "query/query_block.hpp"
#include "query/run/choose_run.hpp"
#include "query/run/refresh_groups.hpp"
#include "query/validate/describe.hpp"
#include "query/validate/validate.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <new>

namespace kith::detail {

using api::impl_of;
using api::world_impl;
using queries::compiled;
using queries::compiled_query;
using queries::term;

namespace {

// Looks up a name of a term, from the current scope on.
entity_t find_path(world_t* world, const char* path) {
    std::string_view text{path};
    std::string_view separator = text.find("::") != std::string_view::npos ? "::" : ".";
    return lookup_path(world, get_scope(world), text, separator, "::", true);
}

// Looks up a name of a comparison, from the root. Pending names are not found, because the entities
// do not have them yet.
entity_t find_from_root(world_t* world, const char* path) {
    std::string_view text{path};
    std::string_view separator = text.find("::") != std::string_view::npos ? "::" : ".";
    return lookup_stored(world, text, separator);
}

std::string_view read_name(world_t* world, entity_t entity) {
    string_view name = name_of(world, entity, Name);
    return {name.c_str(), name.size()};
}

void describe_id(world_t* world, id_t id, base::text& out) {
    mutate::stage& owner = mutate::stage_of(world);
    names::describe_id(owner.data, id, out);
}

// Marks the entity as used in a query, so that its deletion is noticed. The mark is written once: a
// second query about the entity only reads, so other threads may read meanwhile.
void mark_element(storage::store& data, entity_t element) noexcept {
    std::uint32_t& state = data.entities.at(index_of(element)).state;
    if (!(state & storage::record_used_as_id)) {
        state |= storage::record_used_as_id;
    }
}
// Marks the entities that the terms name.
void mark_elements(storage::store& data, const queries::query_model& model) noexcept {
    auto mark = [&](const term& term) {
        for (entity_t element : {term.first, term.second, term.relation, term.first_by.relation,
                                 term.second_by.relation}) {
            if (element != 0) {
                mark_element(data, element);
            }
        }
    };
    std::for_each(model.begin(), model.end(), mark);
    for (const auto& condition : model.conditions) {
        mark(condition->operand);
    }
}

// Makes a query of the given terms followed by the terms of the text.
query_head* make_query_of_text(world_t* world, const query_desc& desc) {
    term_list terms;
    for (std::uint32_t i = 0; i < desc.count; ++i) {
        terms.add() = desc.terms[i];
    }
    parse_terms(world, desc.expr, terms);
    query_desc whole = desc;
    whole.terms = terms.data();
    whole.count = terms.size();
    whole.expr = {};
    return make_query(world, whole);
}

// The comparison of a term whose variables have other names in a subquery.
struct renamed_value {
    explicit renamed_value(const value_desc& from) : value(from), other(*from.other) {
        value.other = &other;
    }
    renamed_value(const renamed_value&) = delete;
    value_desc value;
    term_desc other;
};

// Appends the terms of the parent of a subquery. Its variables get names of their own, and its
// order is left out.
void add_parent_terms(const compiled_query& parent, std::vector<term_desc>& terms,
                      std::deque<std::string>& names, std::deque<renamed_value>& values) {
    auto rename = [&](term_part_desc& part) {
        if (part.flags & IsVariable && part.name != parent.model.variables[0]) {
            part.name = names.emplace_back(std::string("parent ") + part.name).c_str();
        }
        if (part.flags & Cascade) {
            part.flags = (part.flags & ~(Cascade | Desc)) | Up;
        }
    };
    for (term_desc desc : queries::describe_terms(parent.model, 0, parent.model.count)) {
        rename(desc.src);
        rename(desc.first);
        rename(desc.second);
        if (desc.value && desc.value->other) {
            renamed_value& kept = values.emplace_back(*desc.value);
            rename(kept.other.src);
            desc.value = &kept.value;
        }
        desc.type = 0;
        desc.is_filter = true;
        desc.by_with = true;
        desc.inout = InOutNone;
        terms.push_back(desc);
    }
}

// Makes a subquery: a query of the given terms and of the parent's terms, about the same $this.
query_head* make_subquery(world_t* world, const query_desc& desc) {
    const compiled_query& parent = compiled(desc.parent);
    if (world_of(desc.parent) != world) {
        base::raise(errc::invalid_query, "observable: the other query is of another world");
    }
    std::vector<term_desc> terms(desc.terms, desc.terms + desc.count);
    if (!terms.empty() && terms.back().oper == Or) {
        terms.back().oper = And;  // terms of the parent do not continue the Or chain
    }
    std::deque<std::string> names;
    std::deque<renamed_value> values;
    add_parent_terms(parent, terms, names, values);
    query_desc whole = desc;
    whole.terms = terms.data();
    whole.count = static_cast<std::uint32_t>(terms.size());
    whole.flags |= (parent.model.shows_prefabs ? FilterMatchPrefab : 0) |
                   (parent.model.shows_disabled ? FilterMatchDisabled : 0);
    whole.parent = nullptr;
    query_head* head = make_query(world, whole);
    compiled(head).life.depend_on(parent.life);
    return head;
}

}  // namespace

// The parent's life outlives the parent, and is shared with its subqueries.
bool is_orphaned(const query_head* query) noexcept {
    return query && compiled(query).life.is_orphaned();
}

namespace {

// Throws if the name looks like terms or is that of a component: the program meant expr().
void check_query_name(const world_t* world, std::string_view name, std::uint32_t term_count) {
    base::text message;
    if (name.find_first_of("()[]{},|!?=~$\"") != std::string_view::npos) {
        message << "\"" << name << "\" cannot be the name of a query. With component types, and in "
                << "builders, a text is a name: expr() adds terms";
        base::raise(errc::invalid_query, message);
    }
    if (term_count == 0) {
        message << "the query named \"" << name << "\" has no terms. In builders a text is the "
                << "name of the query: expr(\"" << name << "\") adds a term";
        base::raise(errc::invalid_query, message);
    }
    const entity_t entity = lookup_path(world, get_scope(world), name, "::", "::", false);
    const storage::id_record* record = entity ? impl_of(world).data.ids.find(entity) : nullptr;
    if (record && record->hook_type) {
        message << "\"" << name << "\" is a component, so it cannot be the name of a query. With "
                << "component types, and in builders, a text is a name: expr(\"" << name
                << "\") adds a term";
        base::raise(errc::invalid_query, message);
    }
}

// Throws if the description cannot be that of a query, whatever its terms are.
void check_desc(const world_t* world, const query_desc& desc) {
    if (desc.name.size != 0) {
        check_query_name(world, desc.name, desc.count);
    }
    constexpr std::uint32_t known_flags =
        FilterMatchPrefab | FilterMatchDisabled | FilterIsInstanced;
    if (desc.flags & ~known_flags) {
        base::raise(errc::invalid_query, "filter_flags: there is no such flag");
    }
    if (desc.count > queries::max_terms) {
        base::raise(errc::limit, "a query has at most 64 terms");
    }
}

// Makes the model and the order of the query; mistakes are refused. The world stays as it is.
void check_query(world_impl& owner, const query_desc& desc, const queries::model_buffers& room,
                 compiled_query& query) {
    const queries::resolver names{&owner, find_path, describe_id};
    queries::validate(owner.data, names, desc, room, query.model);
    query.order = queries::make_result_order(owner.data, names, desc, query.model);
    query.names = {&owner, find_from_root, read_name};
    query.field_count = query.model.field_count;
    query.has_this = query.model.has_this;
    query.is_instanced = query.model.instanced;
    query.is_ordered_by_group = query.model.is_ordered_by_group();
    query.prepared.attach(query.model, query.terms(), owner.memos);
    query.plans_of_world = &owner.planned;
}

// Makes the world follow the query: marks the entities that it names, records the changes that its
// order depends on, and gives it an entity if it has a name.
void enter_world(world_impl& owner, const query_desc& desc, compiled_query& query) {
    mark_elements(owner.data, query.model);
    if (query.model.grouped && !query.order->by.func) {
        mark_element(owner.data, query.order->by.by);
    }
    if (query.order) {
        queries::track_order(owner.data, query.model, *query.order);
    }
    // The rows of each run of a query without a cache are ranked anew.
    if (desc.cache == cache_policy::tables && query.model.cascade >= 0 && !query.model.grouped &&
        queries::kept_ranks::track(owner.data, query.model)) {
        query.ranks = std::make_unique<queries::kept_ranks>();
    }
    if (desc.name.size != 0) {
        query.entity = ensure_path(&owner, get_scope(&owner), desc.name, "::", "::");
        mutate::add_id(owner, query.entity, Query, true);
    }
}

// Lists the query with its world. Cannot fail.
void link_to_world(world_impl& owner, compiled_query& query) noexcept {
    // A query with a cache or an order holds data of the world.
    if (query.cache() || query.order) {
        queries::add_to_list(owner.listed_queries, query);
    }
    // The order tracks entities without ids, so operations on them have to count changes.
    if (query.order && events::is_tracked(owner.data, 0)) {
        owner.mode |= mode_tracks_empty;
    }
    query.link = owner.link;
    query.link->owners.increment();
    query.owners.store(1);
}

}  // namespace

// Makes a query, all or nothing: description, checked model, then plan and cache. A query without a
// cache is planned by its first run.
query_head* make_query(world_t* world, const query_desc& desc) {
    if (desc.expr.size != 0) {
        return make_query_of_text(world, desc);
    }
    if (desc.parent) {
        return make_subquery(world, desc);
    }
    check_desc(world, desc);
    if (desc.cache == cache_policy::tables || desc.name.size != 0) {
        mutate::check_not_recording(mutate::stage_of(world), "making a cached or named query");
    }
    world_impl& owner = impl_of(world);
    queries::model_buffers room;
    compiled_query& query = queries::make_block(desc, room);
    base::scope_exit unfinished([&] { queries::end_block(query); });
    check_query(owner, desc, room, query);
    enter_world(owner, desc, query);
    if (desc.cache == cache_policy::tables && query.model.cascade < 0 && query.model.has_this) {
        mutate::sleep_idle_tables(owner);
        queries::make_cache(query, owner.data, owner.caches);
        queries::refresh(query, owner.data);
    }
    link_to_world(owner, query);
    unfinished.release();
    return &query;
}

namespace {

// Reports an error about a field, with the text of the query.
[[noreturn]] void raise_field(const query_head* head, world_t* world, std::int32_t index,
                              const char* sentence, id_t id = 0) {
    base::text message;
    message << "field " << std::int64_t{index};
    if (id != 0) {
        message << " (";
        describe_id(world, id, message);
        message << ")";
    }
    std::string terms;
    queries::append_terms(world, api::write_query_id, compiled(head).model, terms);
    message << " of the query \"" << std::string_view{terms} << "\": " << sentence;
    base::raise(errc::invalid_query, message);
}

}  // namespace

// The field with this index, counted from 1. Throws unless values of the C++ type can be read, or
// written (`writes`), through it; type 0 checks the index only.
const field_data& checked_field(const query_head* head, world_t* world, const result& result,
                                std::int32_t index, std::uint32_t type, bool writes) {
    if (!head || index < 1 || static_cast<std::uint32_t>(index) > result.field_count) {
        if (!head) {
            base::raise(errc::invalid_query, "this iterator has no fields");
        }
        base::text message;
        message << "there is no such field; the query has " << std::uint32_t{result.field_count}
                << ", counted from 1";
        raise_field(head, world, index, message.c_str());
    }
    const field_data& field = result.fields[index - 1];
    if (type == 0) {
        return field;
    }
    const storage::store& data = impl_of(world).data;
    id_t id = field.id;
    const types::component_type* value_type =
        is_wildcard(id) ? nullptr : traits::describe_id(data, id).value_type;
    if (!(field.flags & field_set)) {
        // A field that is not set gives an empty view.
        if (value_type && value_type->component != type) {
            raise_field(head, world, index, "its values are of another type", id);
        }
        return field;
    }
    if (!value_type) {
        raise_field(head, world, index, "it is a tag, and has no values", id);
    }
    if (value_type->component != type) {
        base::text message;
        message << "its values are of type ";
        describe_id(world, value_type->component, message);
        message << ", not ";
        describe_id(world, type, message);
        raise_field(head, world, index, message.c_str(), id);
    }
    if (writes && field.flags & field_readonly) {
        raise_field(head, world, index,
                    "it may only be read here: ask for a const type, or state inout for the term",
                    id);
    }
    // The write would change the value of a base.
    if (writes && field.source != 0) [[unlikely]] {
        warn_of_inherited(head, result, std::uint64_t{1} << (index - 1));
    }
    return field;
}

// The index of the only field with values of this type.
std::int32_t find_field(const query_head* head, world_t* world, std::uint32_t type) {
    const storage::store& data = impl_of(world).data;
    std::int32_t index = 0;
    for (const term& term : compiled(head).model) {
        const storage::id_info info = traits::describe_id(data, term.id);
        const types::component_type* value_type =
            traits::is_enum_pair(info) ? info.hook_type : info.value_type;
        if (!value_type || value_type->component != type || term.oper == Not ||
            index == term.field + 1) {
            continue;
        }
        if (index != 0) {
            base::text message;
            describe_id(world, type, message);
            message << " is in several fields of the query: say which, by its index";
            base::raise(errc::invalid_query, message);
        }
        index = term.field + 1;
    }
    if (index == 0) {
        base::text message;
        describe_id(world, type, message);
        message << " is in no field of the query";
        base::raise(errc::invalid_query, message);
    }
    return index;
}

std::size_t field_size(const query_head* head, world_t* world, const result& result,
                       std::int32_t index) {
    const field_data& field = checked_field(head, world, result, index, 0, false);
    if (is_wildcard(field.id)) {
        return 0;
    }
    const types::component_type* type =
        traits::describe_id(impl_of(world).data, field.id).value_type;
    return type ? type->info.size : 0;
}

void raise_share(std::int32_t index, std::int32_t count) {
    base::text message;
    message << "there is no share " << std::int64_t{index} << " of " << std::int64_t{count};
    base::raise(errc::invalid_query, message);
}

void raise_page(std::int32_t offset, std::int32_t limit) {
    base::text message;
    message << "page(" << std::int64_t{offset} << ", " << std::int64_t{limit}
            << "): both must be at least 0";
    base::raise(errc::invalid_query, message);
}

void raise_no_this(const query_head* head) {
    std::string terms;
    queries::append_terms(world_of(head), api::write_query_id, compiled(head).model, terms);
    base::text message;
    message << "the query \"" << std::string_view{terms}
            << "\" has fixed sources only: there is no entity to hand out";
    base::raise(errc::invalid_query, message);
}

void raise_no_result(bool started) {
    base::raise(errc::invalid_query,
                started ? "this run of a query has no more results: next() returned false"
                        : "this run of a query has no result yet: call next() first, and read it "
                          "where that returns true");
}
void raise_unset_reference() {
    base::raise(errc::invalid_query,
                "nothing was found for an optional term, and the callback takes a reference: take "
                "a pointer");
}

void raise_unset_field(const query_head* head, std::int32_t index) {
    raise_field(head, world_of(head), index,
                "nothing was found for it, and the callback takes a reference: take a pointer");
}

std::uint32_t term_count(const query_head* head) {
    world_of(head);
    return compiled(head).model.count;
}

namespace {

// Inherited values belong to the row like its own ones.
term_subject subject_of(const term& term) noexcept {
    if (term.from == queries::source_kind::none) {
        return term_subject::none;
    }
    const bool searches = term.follows() && (term.trav != IsA || (term.flags & Self) == 0);
    return term.from == queries::source_kind::self && !searches ? term_subject::own
                                                                : term_subject::others;
}

}  // namespace

term_info term_at(const query_head* head, std::int32_t index) {
    const queries::query_model& model = compiled(head).model;
    if (index < 0 || static_cast<std::uint32_t>(index) >= model.count) {
        base::text message;
        message << "the query has no term " << std::int64_t{index} << "; it has " << model.count
                << ", counted from 0";
        base::raise(errc::invalid_query, message);
    }
    const term& term = model.terms[index];
    auto element = [](entity_t entity, std::uint32_t raw) {
        return entity != 0 ? entity : entity_t{raw};
    };
    bool pair = is_pair(term.id);
    return {term.id,
            term.from == queries::source_kind::self    ? This
            : term.from == queries::source_kind::fixed ? term.source
                                                       : 0,
            element(term.first, pair ? pair_first(term.id) : index_of(term.id)),
            pair ? element(term.second, pair_second(term.id)) : 0,
            term.access,
            term.oper,
            subject_of(term),
            term.kind == queries::term_kind::ids,
            term.value != nullptr,
            term.value && term.value->has_operand ? term.value->operand.id : 0};
}

entity_t query_entity(const query_head* head) noexcept {
    return head ? compiled(head).entity : 0;
}

// The number of a variable, with or without `$`; -1 if the query has none of this name.
std::int32_t find_variable(const query_head* head, text_view name) {
    world_of(head);
    const queries::query_model& model = compiled(head).model;
    std::string_view text = name;
    text.remove_prefix(text.substr(0, 1) == "$");
    // Older spellings of $this.
    if (text == "This" || text == "THIS") {
        return 0;
    }
    for (std::uint32_t i = 0; i < model.variable_count; ++i) {
        if (text == model.variables[i]) {
            return static_cast<std::int32_t>(i);
        }
    }
    return -1;
}

std::int32_t checked_variable(const query_head* head, text_view name) {
    std::int32_t variable = find_variable(head, name);
    if (variable < 0) {
        base::text message;
        message << "the query has no variable \"" << std::string_view(name) << "\"";
        base::raise(errc::invalid_query, message);
    }
    return variable;
}

// The variable for the entity parameter with this number of a callback: $this first, then the
// others as they occur in the text of the query, `$first($source, $second)`.
std::int32_t variable_in_order(const query_head* head, std::size_t number) {
    const queries::query_model& model = compiled(head).model;
    const std::size_t first = model.has_this ? 0 : 1;
    std::uint64_t seen = 1;
    std::size_t left = number;
    if (model.has_this && left-- == 0) {
        return 0;
    }
    for (const term& term : model) {
        const std::uint8_t source = term.from == queries::source_kind::variable
                                        ? term.source_variable
                                        : queries::no_variable;
        for (std::uint8_t variable : {term.first_variable, source, term.second_variable}) {
            if (variable == queries::no_variable || (seen >> variable) & 1) {
                continue;
            }
            seen |= std::uint64_t{1} << variable;
            if (left-- == 0) {
                return variable;
            }
        }
    }
    std::string terms;
    queries::append_terms(world_of(head), api::write_query_id, model, terms);
    base::text message;
    message << "a callback takes " << std::uint64_t{number + 1}
            << " entities or more, and the query \"" << std::string_view{terms} << "\" has "
            << std::uint64_t{model.variable_count - first}
            << (model.variable_count - first == 1 ? " variable" : " variables")
            << (first == 0 ? " with $this" : "");
    base::raise(errc::invalid_query, message);
}

const char* variable_name(const query_head* head, std::int32_t index) {
    world_of(head);
    const queries::query_model& model = compiled(head).model;
    if (index < 0 || static_cast<std::uint32_t>(index) >= model.variable_count) {
        base::text message;
        message << "the query has no variable " << std::int64_t{index} << "; it has "
                << model.variable_count << ", counted from 0, which is $this";
        base::raise(errc::invalid_query, message);
    }
    return model.variables[index];
}

std::uint32_t variable_count(const query_head* head) {
    world_of(head);
    return compiled(head).model.variable_count;
}

// Up to `few` values lie in the object; more are allocated together.
void preset::set(const query_head* head, std::int32_t index, entity_t value) {
    world_t* world = world_of(head);
    const char* name = variable_name(head, index);
    if (!impl_of(world).data.entities.find(value)) {
        base::text message;
        message << "the variable $" << name << " cannot be set: the entity is not alive";
        base::raise(errc::invalid_entity, message);
    }
    if (static_cast<std::uint32_t>(index) >= few && !more_) {
        more_ = new entity_t[queries::max_variables];
        std::copy(few_, few_ + few, more_);
    }
    KITH_ASSERT(static_cast<std::uint32_t>(index) < queries::max_variables,
                "variable_name() has checked the index");
    (more_ ? more_ : few_)[index] = value;
    set_ |= std::uint64_t{1} << index;
}

preset::preset(const preset& other) : set_(other.set_) {
    if (other.more_) {
        more_ = new entity_t[queries::max_variables];
        std::copy(other.more_, other.more_ + queries::max_variables, more_);
    } else {
        std::copy(other.few_, other.few_ + few, few_);
    }
}

void preset::apply(const query_head* head, run_options& options) const {
    if (set_ & 1) {
        // The row is looked up for each run: the entity may have moved, or may be deleted.
        options.given = true;
        options.row_count = 0;
        find_entity_range(world_of(head), (more_ ? more_ : few_)[0], options);
    }
    options.variables = more_ ? more_ : few_;
    options.variable_set = set_ & ~std::uint64_t{1};
}

// Restricts $this to rows of a table; rows beyond the end of the table are left out.
void give_rows(const query_head* head, std::int32_t variable, const table_range& rows,
               run_options& options) {
    variable_name(head, variable);
    if (variable != 0) {
        base::raise(errc::invalid_query, "only $this can be set to rows of a table");
    }
    const storage::store& data = impl_of(world_of(head)).data;
    const auto* shape = reinterpret_cast<const table_shape*>(static_cast<table_t*>(rows));
    if (!shape || shape->number >= data.tables.number_limit() ||
        data.shapes[shape->number] != shape || rows.offset() < 0 || rows.count() < 0) {
        base::raise(errc::invalid_query, "$this is set to rows of no table of this world");
    }
    const std::uint32_t row_count = data.tables.rows(shape->number).count;
    options.given = true;
    options.table = shape->number;
    options.first_row = std::min(static_cast<std::uint32_t>(rows.offset()), row_count);
    options.row_count =
        std::min(static_cast<std::uint32_t>(rows.count()), row_count - options.first_row);
}

void raise_not_grouped(const query_head* head) {
    std::string terms;
    queries::append_terms(world_of(head), api::write_query_id, compiled(head).model, terms);
    base::text message;
    message << "the query \"" << std::string_view{terms}
            << "\" has no groups: it has neither group_by nor cascade";
    base::raise(errc::invalid_query, message);
}

// The context that the program has attached to a group, null for unknown groups.
void* group_context(const query_head* head, std::uint64_t group) {
    check_grouped(head);
    const compiled_query& query = compiled(head);
    world_t* world = world_of(head);
    if (!query.model.grouped) {
        return nullptr;
    }
    queries::ensure_fresh(query, impl_of(world).data);
    queries::refresh_groups(query, world);
    return query.order->groups.context_of(group);
}

string explain_query(const query_head* head) {
    world_t* world = world_of(head);
    const compiled_query& query = compiled(head);
    const storage::store& data = impl_of(world).data;
    queries::ensure_fresh(query, data);
    std::string text;
    queries::append_plan(world, api::write_query_id, query, data,
                         queries::choose_run(query, data, {}), text);
    return string(std::string_view{text});
}

namespace {

// True if this thread iterates the query.
bool is_iterated(const query_head* head) noexcept {
    for (const table_lock* lock = open_locks; lock; lock = lock->older()) {
        if (lock->query() == head) {
            return true;
        }
    }
    return false;
}

// The condition of a term that compares with constants. Throws if the term has none.
queries::value_condition& constants_of(compiled_query& query, std::int32_t index) {
    const bool exists = index >= 0 && static_cast<std::uint32_t>(index) < query.model.count;
    const term* found = exists ? &query.model.terms[index] : nullptr;
    for (const auto& condition : query.model.conditions) {
        if (found && found->value == condition.get() && !condition->has_operand) {
            return *condition;
        }
    }
    base::text message;
    message << "set_value: term " << std::int64_t{index}
            << " compares no value with a constant; terms are counted from 0";
    base::raise(errc::invalid_query, message);
}

}  // namespace

namespace {

// The test of a value term for another constant.
const value_test* make_changed_test(query_head* head, std::int32_t index,
                                    const queries::value_condition& condition,
                                    const value_constant& constant) {
    world_t* world = world_of(head);
    const std::string right = text_of_constant(constant);
    value_desc desc = condition.desc;
    const char* path = condition.test->left_text;
    desc.path = *path == '.' ? path + 1 : path;
    desc.right = right.c_str();
    desc.made = nullptr;
    const storage::store& data = impl_of(world).data;
    const id_t id = compiled(head).model.terms[index].id;
    const types::component_type* type = traits::describe_id(data, id).value_type;
    value_refusal refusal;
    const value_test* made = make_value_test(
        {world, data.entities.alive_at(index_of(type->component)), 0, &desc}, refusal);
    if (!made) {
        base::text message;
        message << "set_value: " << std::string_view(refusal.message);
        base::raise(errc::invalid_query, message);
    }
    return made;
}

}  // namespace

void set_value(query_head* head, std::int32_t index, const value_constant& constant) {
    compiled_query& query = compiled(head);
    queries::value_condition& condition = constants_of(query, index);
    if (is_iterated(head)) {
        base::raise(errc::invalid_operation, "set_value: the query is being iterated");
    }
    const value_test* made = make_changed_test(head, index, condition, constant);
    condition.test->release();
    condition.test = condition.desc.made = made;
    if (query.with_arguments.query) {
        set_value(query.with_arguments.query, index, constant);
    }
}

// The other constructor has made an object whose destructor runs if memory is short.
value_changes::value_changes(const value_changes& other) : value_changes() {
    for (const value_change* from = other.first_; from; from = from->next) {
        first_ = new value_change{from->condition, from->test, first_};
        from->test->owners.increment();
    }
}

value_changes::~value_changes() {
    while (first_) {
        const value_change* ended = std::exchange(first_, first_->next);
        ended->test->release();
        delete ended;
    }
}

void value_changes::set(query_head* head, std::int32_t index, const value_constant& constant) {
    const queries::value_condition& condition = constants_of(compiled(head), index);
    value_change* known = first_;
    while (known && known->condition != &condition) {
        known = known->next;
    }
    if (!known) {
        // The present test, until the other one is made.
        first_ = known = new value_change{&condition, condition.test, first_};
        condition.test->owners.increment();
    }
    const value_test* made = make_changed_test(head, index, condition, constant);
    std::exchange(known->test, made)->release();
}

string query_text(const query_head* head) {
    std::string text;
    world_t* world = world_of(head);
    queries::append_source(world, api::write_query_id, compiled(head).model, impl_of(world).data,
                           text);
    return string(std::string_view{text});
}

}  // namespace kith::detail
