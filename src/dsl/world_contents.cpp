// Finding the entities and facts that texts state, and their order (world_contents.hpp).
#include "world_contents.hpp"

#include <kith/detail/assert.hpp>
#include <kith/detail/state_ops.hpp>
#include <kith/detail/type_text.hpp>
#include <kith/pipeline.hpp>

#include "diagnostics.hpp"
#include "entity_ids.hpp"
#include "implies.hpp"
#include "stable_partition.hpp"

#include <algorithm>
#include <queue>

namespace kith::dsl {

namespace {

constexpr id_t symbol_id = make_pair(detail::identifier_type_id, Symbol);

// Indices are unique among live entities, so that the order does not depend on tables.
void sort_by_index(std::vector<entity_t>& entities) {
    const auto is_before = [](entity_t a, entity_t b) { return index_of(a) < index_of(b); };
    if (!std::is_sorted(entities.begin(), entities.end(), is_before)) {
        std::sort(entities.begin(), entities.end(), is_before);
    }
}

std::string text_of(const entity& entity) {
    return std::string(entity.str());
}

// Throws [invalid_text]. The subject may end with a relative clause: "x, which cannot be written".
[[noreturn]] void refuse(const std::string& subject) {
    raise(errc::invalid_text, subject + " cannot be written as text");
}

}  // namespace

bool is_builtin(entity_t entity) noexcept {
    const std::uint32_t index = index_of(entity);
    return index < detail::first_type || (index >= first_builtin && index < detail::builtin_end);
}

bool is_demand(id_t id) noexcept {
    switch (element_of(id)) {
        case Final:
        case Transitive:
        case Reflexive:
        case Acyclic:
        case Traversable:
        case Exclusive:
        case Symmetric:
        case With:
        case OneOf:
            return true;
        default:
            return false;
    }
}

bool is_arrangement(id_t id) noexcept {
    switch (element_of(id)) {
        case Tag:
        case DontInherit:
        case Union:
        case Sparse:
        case Transient:
        case OnDelete:
        case OnDeleteTarget:
            return true;
        default:
            return false;
    }
}

// Entities are written by name; one without a name cannot be found again.
void world_contents::check_element(const entity& entity, id_t id, std::uint32_t element) const {
    const kith::entity named = alive(element);
    if (named.name().empty()) {
        refuse(text_of(entity) + " has " + std::string(kith::id(world_, id).str()) +
               ": an entity without a name");
    }
}

// Throws for values that text cannot state: without description, or with an entity that has no
// name.
void world_contents::check_written_value(const entity& entity, id_t id) const {
    const kith::entity component(world_, detail::type_component(world_, id));
    const description* type = detail::find_description(world_, component);
    if (!type || type->what == kind::none) {
        refuse("the value of " + std::string(kith::id(world_, id).str()) + " of " +
               text_of(entity) + ", whose type has no description,");
    }
    if (detail::has_entities(world_, *type)) {
        check_handles(entity, id);
    }
}

// Requires: values of the id name entities.
void world_contents::check_handles(const entity& entity, id_t id) const {
    const description& type = detail::require_description(world_, id);
    struct search {
        const world_contents& owner;
        const kith::entity& holder;
    } state{*this, entity};
    std::string ignored;
    detail::append_value_text(
        ignored, world_, type, entity.get(id),
        [](void* context, entity_t named, std::string&) {
            const auto& [owner, holder] = *static_cast<search*>(context);
            const kith::entity inside(owner.world_, named);
            if (owner.is_code(named)) {
                refuse("a value of " + text_of(holder) + " refers to " + text_of(inside) +
                       ", an object with code: it");
            }
            if (!inside.is_alive() || inside.name().empty()) {
                refuse("a value of " + text_of(holder) + " refers to #" +
                       std::to_string(index_of(named)) + ", which has no name: it");
            }
            return true;
        },
        &state);
}

// Throws for facts that text cannot state: aliases, overrides, disabled ids.
void world_contents::check_fact(const entity& entity, id_t id) const {
    const kith::id shown(world_, id);
    if (is_pair(id) && pair_first(id) == detail::identifier_type_id) {
        refuse("the alias of " + text_of(entity));
    }
    if ((id & Override) != 0) {
        refuse(text_of(entity) + " has " + std::string(shown.str()) + ": an override");
    }
    if (shown.type_id()) {
        check_written_value(entity, id);
    }
    check_enabled(entity, id);
    if (is_pair(id)) {
        check_element(entity, id, pair_first(id));
        check_element(entity, id, pair_second(id));
    } else {
        check_element(entity, id, index_of(id));
    }
}

void world_contents::check_enabled(const entity& entity, id_t id) const {
    if (!entity.enabled(id)) {
        refuse(std::string(kith::id(world_, id).str()) + " of " + text_of(entity) +
               " is disabled, which");
    }
}

// The characters 1E and 1F mark the root and separate names in paths of texts.
void world_contents::check_place(const entity& entity) const {
    const kith::entity parent = parent_of(entity);
    if (parent && parent.name().empty()) {
        refuse(text_of(entity) + " is a child of an entity without a name, which");
    }
    if (is_code(parent)) {
        refuse(text_of(entity) + " is a child of an object with code, which");
    }
    const std::string_view name = entity.name();
    if (std::any_of(name.begin(), name.end(), [](char c) { return c == '\x1E' || c == '\x1F'; })) {
        refuse("the name of entity #" + std::to_string(index_of(entity)) +
               ", which has control characters,");
    }
}

// The ids that the program gave to a builtin entity. Throws if one of its original ids is missing.
std::vector<id_t> world_contents::facts_of_builtin(const entity& builtin) const {
    if (world_.is_alive(detail::builtin_pipeline) && !fresh_.is_alive(detail::builtin_pipeline)) {
        static_cast<void>(fresh_.get_pipeline());  // makes the entities that come with systems
    }
    const std::vector<id_t> now = ids_of(builtin);
    const std::vector<id_t> before = ids_of(fresh_.entity(builtin));
    for (const id_t id : before) {
        const bool replaced = is_pair(id) && builtin.owns(alive(pair_first(id)), Wildcard);
        if (!std::binary_search(now.begin(), now.end(), id) && !replaced) {
            refuse(text_of(builtin) + " without " + std::string(kith::id(world_, id).str()));
        }
    }
    std::vector<id_t> facts;
    std::set_difference(now.begin(), now.end(), before.begin(), before.end(),
                        std::back_inserter(facts));
    return facts;
}

// Names and parents are stated by the place in the text. Types have further ids that the program
// gives them when it runs.
std::vector<id_t> world_contents::select_facts(const entity& entity, bool is_type) const {
    std::vector<id_t> facts = is_builtin(entity) ? facts_of_builtin(entity) : ids_of(entity);
    const bool has_data =
        is_type && detail::type_of(world_, entity) && detail::type_of(world_, entity)->size != 0;
    std::erase_if(facts, [&](id_t id) {
        const bool of_type = id == detail::component_type_id || id == symbol_id || id == EnumType ||
                             (id == Final && has_data) ||
                             (entity.parent() && id == strip_generation(entity.parent()));
        return id == detail::name_pair || (is_pair(id) && pair_first(id) == ChildOf) ||
               (is_type && of_type) || (has_code_ && names_code(id));
    });
    return without_transient(facts);
}

world_contents::fact_list& world_contents::find_facts(const entity& entity) const {
    known_entity& known = known_[index_of(entity)];
    if (!known.facts) {
        known.facts = &find_shared_facts(entity);
    }
    return *known.facts;
}

// The ids of an entity, its parent among them, decide whether it is a type.
world_contents::fact_list& world_contents::find_shared_facts(const entity& entity) const {
    const kith::type ids = entity.type();
    if (last_ && !is_builtin(entity) &&
        std::equal(ids.begin(), ids.end(), last_->first.begin(), last_->first.end())) {
        return last_->second;
    }
    const bool is_type = is_of_type(entity);
    if (is_type || is_builtin(entity)) {
        fact_list& own = facts_of_types_[index_of(entity)];
        own.ids = select_facts(entity, is_type);
        return own;
    }
    const auto [entry, is_new] = facts_.try_emplace(std::vector<id_t>(ids.begin(), ids.end()));
    if (is_new) {
        entry->second.ids = select_facts(entity, false);
    }
    last_ = &*entry;
    return entry->second;
}

// Transient ids are left out, unless an id that is saved implies them.
std::vector<id_t> world_contents::without_transient(const std::vector<id_t>& facts) const {
    std::vector<id_t> saved;
    std::vector<id_t> transient;
    for (const id_t id : facts) {
        (alive(element_of(id)).owns(Transient) ? transient : saved).push_back(id);
    }
    for (std::size_t i = 0; i < saved.size() && !transient.empty(); ++i) {
        const id_t holder = saved[i];
        std::erase_if(transient, [&](id_t id) {
            const bool implied = implies(world_, holder, id);
            if (implied) {
                saved.push_back(id);
            }
            return implied;
        });
    }
    std::sort(saved.begin(), saved.end());
    return saved;
}

// Run-time types are declared even if no written value has them, because no program makes them.
written_types world_contents::types() const {
    written_types types(world_);
    detail::id_cursor cursor(world_, detail::component_type_id, true);
    for (detail::batch batch; cursor.next(batch);) {
        for (std::uint32_t i = 0; i < batch.count; ++i) {
            const description* type = detail::find_description(world_, batch.entities[i]);
            if (type && type->at_run_time && !entity(world_, batch.entities[i]).name().empty()) {
                types.add(*type);
            }
        }
    }
    const fact_list* last = nullptr;
    for (const entity_t written : order_) {
        const fact_list& facts = facts_of(entity(world_, written));
        if (std::exchange(last, &facts) == &facts) {
            continue;
        }
        for (const id_t id : facts) {
            if (const entity_t component = detail::type_component(world_, id)) {
                types.add(*detail::find_description(world_, component));
            }
        }
    }
    types.arrange([&](entity_t component) { return position(component); });
    return types;
}

// Of entities with the same ids, the first one is checked completely, others as far as they may
// differ from it.
void world_contents::check_facts(const entity& entity) const {
    fact_list& facts = find_facts(entity);
    if (facts.is_checked && !has_disabled_ && facts.with_handles.empty()) {
        return;
    }
    for (const id_t id : facts) {
        if (!facts.is_checked) {
            check_fact(entity, id);
            const entity_t type = detail::type_component(world_, id);
            if (type && detail::has_entities(world_, *detail::find_description(world_, type))) {
                facts.with_handles.push_back(id);
            }
            continue;
        }
        if (std::binary_search(facts.with_handles.begin(), facts.with_handles.end(), id)) {
            check_handles(entity, id);
        }
        check_enabled(entity, id);
    }
    facts.is_checked = true;
}

// No program makes a type that was declared at run time.
bool world_contents::is_declared_only(entity_t type) const {
    const description* described = detail::find_description(world_, type);
    return described && described->at_run_time && detail::can_declare(*described);
}

void world_contents::find_disabled() {
    detail::each_disabled_id(
        world_,
        [](void* context, const detail::stored_ids&) {
            static_cast<world_contents*>(context)->has_disabled_ = true;
        },
        this);
}

void world_contents::find_code() {
    for (const id_t kind : {Observer, System, Query}) {
        detail::id_cursor cursor(world_, kind, true);
        for (detail::batch batch; cursor.next(batch);) {
            for (std::uint32_t i = 0; i < batch.count; ++i) {
                known_[index_of(batch.entities[i])].is_code = true;
                has_code_ = true;
            }
        }
    }
}

// True if the tag, the relationship or the target is an object with code.
bool world_contents::names_code(id_t id) const {
    return is_code(alive(element_of(id))) || (is_pair(id) && is_code(alive(pair_second(id))));
}

void world_contents::find_named() {
    std::vector<entity_t> types;
    detail::id_cursor cursor(world_, detail::name_pair, true);
    for (detail::batch batch; cursor.next(batch);) {
        for (std::uint32_t i = 0; i < batch.count; ++i) {
            const entity named(world_, batch.entities[i]);
            const bool is_component = named.owns(detail::component_type_id);
            if (is_code(named) || (is_component && parent_of(named) == Kith)) {
                continue;  // types of kith itself exist in every program
            }
            if (!is_builtin(named)) {
                check_place(named);
            }
            const bool on_demand = is_builtin(named) || is_component || is_constant(named);
            (on_demand ? types : needed_).push_back(named);
        }
    }
    sort_by_index(types);
    for (const entity_t type : types) {
        if (!facts_of(entity(world_, type)).empty() || is_declared_only(type)) {
            needed_.push_back(type);
            if (is_builtin(type)) {
                changed_builtins_.push_back(type);
            }
        }
    }
    for (const entity_t needed : needed_) {
        choose(needed);
    }
    // The sorted order makes the error deterministic if several entities cannot be written.
    sort_by_index(needed_);
    for (const entity_t needed : needed_) {
        check_facts(entity(world_, needed));
    }
    while (!needed_.empty()) {
        const entity next(world_, needed_.back());
        needed_.pop_back();
        need_elements(next);
    }
}

// Adds an entity that a written id names.
void world_contents::need(entity_t element) {
    if (element && !is_builtin(element) && choose(element)) {
        needed_.push_back(element);
    }
}

void world_contents::need_elements(const entity& entity) {
    need(parent_of(entity));
    fact_list& facts = find_facts(entity);
    if (std::exchange(facts.is_needed, true)) {
        return;
    }
    for (const id_t id : facts) {
        kinds_.insert(element_of(id));
        need(alive(element_of(id)));
        if (is_pair(id)) {
            need(alive(pair_second(id)));
        }
    }
}

// Entities outside of all blocks: without a parent, or with a builtin one.
std::vector<entity_t> world_contents::roots() const {
    std::vector<entity_t> roots;
    std::vector<entity_t> builtins;
    for (const std::uint32_t index : written_) {
        const entity named = alive(index);
        const entity parent = parent_of(named);
        if (is_builtin(named)) {
            continue;
        }
        if (!parent) {
            roots.push_back(named);
        } else if (is_builtin(parent)) {
            builtins.push_back(parent);
        }
    }
    sort_by_index(roots);
    sort_by_index(builtins);
    builtins.erase(std::unique(builtins.begin(), builtins.end()), builtins.end());
    for (const entity_t builtin : builtins) {
        const std::vector<entity_t> children = written_children(builtin);
        roots.insert(roots.end(), children.begin(), children.end());
    }
    return roots;
}

std::vector<entity_t> world_contents::written_children(entity_t parent) const {
    std::vector<entity_t> children;
    entity(world_, parent).children([&](entity child) {
        if (is_written(child) && !is_builtin(child)) {
            children.push_back(child);
        }
    });
    return children;
}

// Depth first, tags and relationships before other roots.
std::vector<entity_t> world_contents::nested_order() const {
    std::vector<entity_t> open =
        stable_partitioned(roots(), [&](entity_t root) { return kinds_.contains(index_of(root)); });
    std::reverse(open.begin(), open.end());
    std::vector<entity_t> order;
    while (!open.empty()) {
        order.push_back(open.back());
        open.pop_back();
        const std::vector<entity_t> children = written_children(order.back());
        open.insert(open.end(), children.rbegin(), children.rend());
    }
    return order;
}

// By ids, as far as parents come before children and siblings keep their order.
std::vector<entity_t> world_contents::id_order() const {
    const auto is_later = [](entity_t a, entity_t b) { return index_of(a) > index_of(b); };
    std::priority_queue<entity_t, std::vector<entity_t>, decltype(is_later)> next(is_later,
                                                                                  roots());
    std::unordered_map<entity_t, entity_t> following;  // siblings
    std::vector<entity_t> order;
    while (!next.empty()) {
        const entity_t entity = next.top();
        next.pop();
        order.push_back(entity);
        const std::vector<entity_t> children = written_children(entity);
        for (std::size_t i = 0; i < children.size(); ++i) {
            if (i == 0) {
                next.push(children[i]);
            } else {
                following[children[i - 1]] = children[i];
            }
        }
        if (const auto sibling = following.find(entity); sibling != following.end()) {
            next.push(sibling->second);
        }
    }
    return order;
}

// True if targets of an entity are written in the order of their ids.
bool world_contents::keeps_targets() const {
    const fact_list* last = nullptr;
    return std::all_of(order_.begin(), order_.end(), [&](entity_t written) {
        const fact_list& list = facts_of(entity(world_, written));
        const std::vector<id_t>& facts = list.ids;
        if (std::exchange(last, &list) == &list) {
            return true;
        }
        for (std::size_t i = 1; i < facts.size(); ++i) {
            if (is_pair(facts[i]) && is_pair(facts[i - 1]) &&
                pair_first(facts[i]) == pair_first(facts[i - 1]) &&
                position(pair_second(facts[i])) < position(pair_second(facts[i - 1]))) {
                return false;
            }
        }
        return true;
    });
}

// Takes the nested order unless it changes the order of targets and the order by ids does not.
void world_contents::find_order() {
    const auto take = [&](std::vector<entity_t> order) {
        order_ = std::move(order);
        for (std::size_t i = 0; i < order_.size(); ++i) {
            known_[index_of(order_[i])].position = static_cast<std::uint32_t>(i + 1);
        }
        return keeps_targets();
    };
    if (!take(nested_order()) && !take(id_order())) {
        take(nested_order());
    }
}

}  // namespace kith::dsl
