// The chapter "queries" of kith.h.
#include "queries.hpp"

#include <kith/query_columns.hpp>
#include <kith/syntax/query_parser.hpp>
#include <kith/syntax/text.hpp>

#include "ids.hpp"

#include <algorithm>
#include <memory>
#include <string>

static_assert(KithInOutDefault == kith::InOutDefault && KithInOutNone == kith::InOutNone &&
              KithInOut == kith::InOut && KithIn == kith::In && KithOut == kith::Out);
static_assert(KithAnd == kith::And && KithOr == kith::Or && KithNot == kith::Not &&
              KithOptional == kith::Optional && KithAndFrom == kith::AndFrom &&
              KithOrFrom == kith::OrFrom && KithNotFrom == kith::NotFrom);
static_assert(KithSelf == kith::Self && KithUp == kith::Up && KithDown == kith::Down &&
              KithParent == kith::Parent && KithCascade == kith::Cascade &&
              KithDesc == kith::Desc && KithTraverseAll == kith::TraverseAll &&
              KithIsVariable == kith::IsVariable && KithIsEntity == kith::IsEntity &&
              KithIsName == kith::IsName);
static_assert(KithFilterMatchPrefab == kith::FilterMatchPrefab &&
              KithFilterMatchDisabled == kith::FilterMatchDisabled &&
              KithFilterIsInstanced == kith::FilterIsInstanced);
static_assert(KITH_NUMBER_U8 == static_cast<int>(kith::order_number::u8) &&
              KITH_NUMBER_F64 == static_cast<int>(kith::order_number::f64));
static_assert(KITH_COLUMN_VARIABLE == static_cast<int>(kith::column_kind::variable) &&
              KITH_COLUMN_WILDCARD == static_cast<int>(kith::column_kind::wildcard));

namespace kith::capi {

namespace {

// Flags that this version knows. Others are refused: a newer header may give them a meaning.
constexpr std::uint32_t part_flags = KithSelf | KithUp | KithDown | KithParent | KithCascade |
                                     KithDesc | KithTraverseAll | KithIsVariable | KithIsEntity |
                                     KithIsName;
constexpr std::uint32_t term_flags =
    KITH_TERM_WITH | KITH_TERM_FILTER | KITH_TERM_NO_SOURCE | KITH_TERM_HAS_SECOND;
constexpr std::uint32_t query_flags =
    KithFilterMatchPrefab | KithFilterMatchDisabled | KithFilterIsInstanced;
// The most terms of a description. Larger counts are refused as a mistake of the caller.
constexpr std::int32_t most_terms = 1024;

// Members that a description does not set are zero bytes, as C initializers leave them.
bool is_zero(const void* bytes, std::size_t size) noexcept {
    const auto* first = static_cast<const unsigned char*>(bytes);
    return std::all_of(first, first + size, [](unsigned char byte) { return byte == 0; });
}

term_part_desc part_of(const kith_term_id_t& given, const char* function) {
    if (given.flags & ~part_flags || given.reserved != 0) {
        raise_argument(function, "a part of a term has an unknown flag");
    }
    if (given.id != 0 && given.name) {
        raise_argument(function, "a part of a term has both an id and a name");
    }
    // KithIsEntity says what is the case without it, except for sources: see names_no_source().
    return {given.id,        given.name,     given.trav, given.flags & ~KithIsEntity,
            given.min_depth, given.max_depth};
}

// True if the source is "the entity 0". Terms that open and close scopes have no source anyway.
bool names_no_source(const kith_term_t& given) noexcept {
    return given.src.flags & KithIsEntity && given.src.id == 0 && !given.src.name &&
           given.id != KithScopeOpen && given.id != KithScopeClose;
}

// True if the parts of a term name another id than the term. A term that kith_query_term() has
// filled in has both, and they agree.
bool contradicts(const kith_term_t& given) noexcept {
    if (given.id == 0 || (given.first.id == 0 && !given.first.name)) {
        return false;
    }
    const id_t id = given.id & ~(Override | Toggle);
    const auto differs = [](entity_t part, entity_t of_id) {
        return part != 0 && index_of(part) != index_of(of_id);
    };
    return is_pair(id) ? differs(given.first.id, pair_first(id)) ||
                             differs(given.second.id, pair_second(id))
                       : differs(given.first.id, id) || given.second.id != 0;
}

// Throws an argument error for operators, accesses and flags that are unknown. Texts of the term
// are not copied: the description refers to those of the caller.
term_desc term_of(const kith_term_t& given, const char* function) {
    if (given.oper < KithAnd || given.oper > KithNotFrom) {
        raise_argument(function, "the operator of a term is unknown");
    }
    if (given.inout < KithInOutDefault || given.inout > KithOut) {
        raise_argument(function, "the access of a term is unknown");
    }
    if (given.flags & ~term_flags || !is_zero(given.reserved, sizeof given.reserved)) {
        raise_argument(function, "a term has an unknown flag");
    }
    if (contradicts(given)) {
        raise_argument(function, "the id of a term and its parts differ");
    }
    term_desc term;
    term.id = given.id;
    term.src = part_of(given.src, function);
    term.first = part_of(given.first, function);
    term.second = part_of(given.second, function);
    term.inout = static_cast<inout_kind_t>(given.inout);
    term.oper = static_cast<oper_kind_t>(given.oper);
    term.by_with = (given.flags & KITH_TERM_WITH) != 0;
    term.is_filter = (given.flags & KITH_TERM_FILTER) != 0;
    term.no_source = (given.flags & KITH_TERM_NO_SOURCE) != 0 || names_no_source(given);
    term.has_second = (given.flags & KITH_TERM_HAS_SECOND) != 0 || given.second.id != 0 ||
                      given.second.name != nullptr;
    return term;
}

order_desc order_of(const kith_order_t& given, const char* function) {
    if (given.number < KITH_NUMBER_NONE || given.number > KITH_NUMBER_F64) {
        raise_argument(function, "the kind of a number to sort by is unknown");
    }
    order_desc order;
    order.component = given.component;
    order.number = static_cast<order_number>(given.number);
    order.offset = given.offset;
    order.descending = flag(given.descending);
    if (const kith_order_by_action_t compare = given.compare) {
        order.callable = detail::comparer::of(
            compare,
            [](kith_order_by_action_t function_of_c, entity_t e1, const void* v1, entity_t e2,
               const void* v2) { return call_back(function_of_c, e1, v1, e2, v2); });
    }
    return order;
}

// The functions of C about groups, and their context.
struct group_functions {
    kith_group_by_action_t group_by;
    kith_group_create_action_t on_create;
    kith_group_delete_action_t on_delete;
    owned_context ctx;
};
// Up to three functions of one query share the context; the last of them frees it.
using shared_groups = std::shared_ptr<group_functions>;

}  // namespace

query_description::query_description(const kith_query_desc_t& given, const char* function) {
    add_groups(given);  // first: owns the context
    add_terms(given, function);
    add_orders(given, function);
    if (given.flags & ~query_flags) {
        raise_argument(function, "the query has an unknown flag");
    }
    desc_.terms = terms_.data();
    desc_.count = static_cast<std::uint32_t>(terms_.size());
    desc_.cache = flag(given.cached) ? cache_policy::tables : cache_policy::none;
    desc_.instanced = flag(given.instanced) || (given.flags & KithFilterIsInstanced) != 0;
    desc_.track_rows = flag(given.track_rows);
    desc_.name = text_of(given.name);
    desc_.expr = text_of(given.expr);
    desc_.flags = given.flags;
    desc_.parent = given.parent;
    desc_.order_by = orders_.data();
    desc_.order_by_count = static_cast<std::uint32_t>(orders_.size());
}

// The list ends with the first term that is all zero, or has the number of the buffer.
void query_description::add_terms(const kith_query_desc_t& given, const char* function) {
    if (given.terms_buffer_count < 0 || given.terms_buffer_count > most_terms ||
        (given.terms_buffer_count > 0 && !given.terms_buffer)) {
        raise_argument(function, "terms_buffer and terms_buffer_count contradict each other");
    }
    if (given.terms_buffer_count > 0) {
        if (!is_zero(&given.terms[0], sizeof given.terms[0])) {
            raise_argument(function, "both terms and terms_buffer are given");
        }
        for (std::int32_t i = 0; i < given.terms_buffer_count; ++i) {
            terms_.push_back(term_of(given.terms_buffer[i], function));
        }
        return;
    }
    for (const kith_term_t& term : given.terms) {
        if (is_zero(&term, sizeof term)) {
            return;
        }
        terms_.push_back(term_of(term, function));
    }
}

// The single order_by of the description comes first, the list `orders` refines it.
void query_description::add_orders(const kith_query_desc_t& given, const char* function) {
    check_count(given.order_count, given.orders, function);
    if (given.order_by) {
        kith_order_t one{};
        one.component = given.order_by_component;
        one.compare = given.order_by;
        orders_.push_back(order_of(one, function));
    } else if (given.order_by_component != 0) {
        raise_argument(function, "order_by_component is given without order_by");
    }
    for (std::int32_t i = 0; i < given.order_count; ++i) {
        orders_.push_back(order_of(given.orders[i], function));
    }
}

void query_description::add_groups(const kith_query_desc_t& given) {
    owned_context ctx(given.group_by_ctx, given.group_by_ctx_free);
    desc_.group_by_id = given.group_by_id;
    desc_.group_descending = flag(given.group_descending);
    if (!given.group_by && !given.on_group_create && !given.on_group_delete &&
        !given.group_by_ctx_free) {
        return;
    }
    const auto functions = std::make_shared<group_functions>(group_functions{
        given.group_by, given.on_group_create, given.on_group_delete, std::move(ctx)});
    if (given.group_by) {
        desc_.group_by = group_function::of(functions, [](const shared_groups& kept, world_t* world,
                                                          table_t* table, id_t id, void*) {
            return call_back(kept->group_by, world, table, id, kept->ctx.get());
        });
    }
    if (given.on_group_create) {
        desc_.on_group_create = group_create_function::of(
            functions, [](const shared_groups& kept, world_t* world, std::uint64_t group, void*) {
                return call_back(kept->on_create, world, group, kept->ctx.get());
            });
    }
    // Holds the context even where there is nothing to call.
    desc_.on_group_delete = group_delete_function::of(
        functions,
        [](const shared_groups& kept, world_t* world, std::uint64_t group, void* group_ctx, void*) {
            if (kept->on_delete) {
                callback_frame ignored;  // the end of a group cannot fail
                kept->on_delete(world, group, group_ctx, kept->ctx.get());
            }
        });
}

}  // namespace kith::capi

using namespace kith::capi;
namespace detail = kith::detail;

namespace {

// A handle that shares the query.
kith::filter<> share(const kith_query_t* query, const char* function) {
    check_pointer(query, function, "the query is NULL");
    auto* shared = const_cast<kith_query_t*>(query);
    shared->owners.increment();
    return kith::filter<>(shared);
}
// Throws if the query is NULL, or if its world has ended.
const kith_query_t* checked(const kith_query_t* query, const char* function) {
    check_pointer(query, function, "the query is NULL");
    detail::world_of(query);
    return query;
}

// The place of a byte in a text; columns count characters.
void find_place(std::string_view text, std::size_t offset, kith_text_error_t& error) {
    error.line = error.column = 1;
    for (std::size_t i = 0; i < offset && i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte == '\n') {
            ++error.line;
            error.column = 1;
        } else if ((byte & 0xC0) != 0x80) {
            ++error.column;
        }
    }
}

}  // namespace

extern "C" {

kith_query_t* kith_query_init_w_size(kith_world_t* world, const kith_query_desc_t* desc,
                                     size_t size) {
    return guard_value<kith_query_t*>(nullptr, [&] {
        const read_desc<kith_query_desc_t> given("kith_query_init", desc, size);
        const query_description described(*given, "kith_query_init");
        check_world(world);
        kith_query_t* made = detail::make_query(at(world), described.get());
        return made;
    });
}
kith_query_t* kith_query_ref(kith_query_t* query) {
    if (!query) {
        fail_argument("kith_query_ref", "the query is NULL");
        return nullptr;
    }
    query->owners.increment();
    return query;
}
void kith_query_fini(kith_query_t* query) {
    static_cast<void>(guard([&] { detail::release_query(query); }));
}
kith_world_t* kith_query_world(const kith_query_t* query) {
    return guard_value<kith_world_t*>(nullptr, [&] {
        check_pointer(query, "kith_query_world", "the query is NULL");
        return query->link->world;
    });
}
kith_entity_t kith_query_entity(const kith_query_t* query) {
    return guard_value<kith_entity_t>(
        0, [&] { return detail::query_entity(checked(query, "kith_query_entity")); });
}
int32_t kith_query_count(const kith_query_t* query) {
    return guard_value<int32_t>(-1, [&] { return share(query, "kith_query_count").count(); });
}
bool kith_query_is_true(const kith_query_t* query) {
    return guard_value(false, [&] { return share(query, "kith_query_is_true").is_true(); });
}
kith_entity_t kith_query_first(const kith_query_t* query) {
    return guard_value<kith_entity_t>(
        0, [&] { return share(query, "kith_query_first").first().id(); });
}
bool kith_query_matches(const kith_query_t* query, kith_entity_t entity) {
    return guard_value(false, [&] { return share(query, "kith_query_matches").matches(entity); });
}
bool kith_query_changed(const kith_query_t* query) {
    return guard_value(
        false, [&] { return detail::is_query_changed(checked(query, "kith_query_changed")); });
}
bool kith_query_orphaned(const kith_query_t* query) {
    return guard_value(false, [&] {
        check_pointer(query, "kith_query_orphaned", "the query is NULL");
        return detail::is_orphaned(query);
    });
}
char* kith_query_str(const kith_query_t* query) {
    return guard_value<char*>(
        nullptr, [&] { return give(detail::query_text(checked(query, "kith_query_str"))); });
}
char* kith_query_explain(const kith_query_t* query) {
    return guard_value<char*>(
        nullptr, [&] { return give(detail::explain_query(checked(query, "kith_query_explain"))); });
}
char* kith_query_explain_entity(const kith_query_t* query, kith_entity_t entity) {
    return guard_value<char*>(nullptr, [&] {
        return give(detail::explain_entity(checked(query, "kith_query_explain_entity"), entity));
    });
}
int32_t kith_query_term_count(const kith_query_t* query) {
    return guard_value<int32_t>(0, [&] {
        return static_cast<int32_t>(detail::term_count(checked(query, "kith_query_term_count")));
    });
}
kith_status_t kith_query_term(const kith_query_t* query, int32_t index, kith_term_t* term) {
    return guard([&] {
        check_pointer(term, "kith_query_term", "term is NULL");
        const detail::term_info info = detail::term_at(checked(query, "kith_query_term"), index);
        *term = {};
        term->id = info.id;
        term->src.id = info.source;
        term->first.id = info.first;
        term->second.id = info.second;
        term->inout = info.inout;
        term->oper = info.oper;
    });
}
int32_t kith_query_field_count(const kith_query_t* query) {
    return guard_value<int32_t>(0, [&] {
        return static_cast<int32_t>(checked(query, "kith_query_field_count")->field_count);
    });
}
int32_t kith_query_var_count(const kith_query_t* query) {
    return guard_value<int32_t>(0, [&] {
        return static_cast<int32_t>(detail::variable_count(checked(query, "kith_query_var_count")));
    });
}
const char* kith_query_var_name(const kith_query_t* query, int32_t variable) {
    return guard_value<const char*>(nullptr, [&] {
        return detail::variable_name(checked(query, "kith_query_var_name"), variable);
    });
}
int32_t kith_query_find_var(const kith_query_t* query, const char* name) {
    return guard_value<int32_t>(-1, [&] {
        check_pointer(name, "kith_query_find_var", "the name is NULL");
        return detail::find_variable(checked(query, "kith_query_find_var"), text_of(name));
    });
}
int32_t kith_query_columns(const kith_query_t* query, kith_query_column_t* columns,
                           int32_t capacity) {
    return guard_value<int32_t>(0, [&] {
        check_count(capacity, columns, "kith_query_columns");
        const std::vector<kith::query_column> all =
            kith::columns_of(share(query, "kith_query_columns"));
        for (std::size_t i = 0; i < all.size() && i < static_cast<std::size_t>(capacity); ++i) {
            columns[i] = {static_cast<int32_t>(all[i].kind), all[i].number, all[i].first,
                          all[i].second};
        }
        return static_cast<int32_t>(all.size());
    });
}
int32_t kith_query_open_targets(const kith_query_t* query) {
    return guard_value<int32_t>(0, [&] {
        return static_cast<int32_t>(
            detail::open_target_count(checked(query, "kith_query_open_targets")));
    });
}
void* kith_query_group_ctx(const kith_query_t* query, uint64_t group) {
    return guard_value<void*>(nullptr, [&] {
        return detail::group_context(checked(query, "kith_query_group_ctx"), group);
    });
}
// The texts of an error are valid during the call of `f` only. Returns the number of mistakes, -1
// after a failure.
int32_t kith_check_query(const char* text, size_t length, kith_text_error_action_t f, void* ctx) {
    return guard_value<int32_t>(-1, [&] {
        check_pointer(text, "kith_check_query", "the text is NULL");
        const std::string whole(text, length);
        const auto tree = std::make_unique<kith::syntax::query_tree>(
            kith::syntax::parse_query(std::string_view(whole)));
        for (std::uint32_t i = 0; f && i < tree->problem_count; ++i) {
            const kith::syntax::problem& problem = tree->problems[i];
            const std::string located = kith::syntax::locate_in_text(
                whole.c_str(), problem.at.begin, problem.at.end, problem.message);
            const std::size_t line_end = located.find('\n');
            const std::string excerpt =
                line_end == std::string::npos ? "" : located.substr(line_end + 1);
            kith_text_error_t error{1, 1, problem.message, excerpt.c_str()};
            find_place(whole, problem.at.begin, error);
            call_back(f, const_cast<const kith_text_error_t*>(&error), ctx);
        }
        return static_cast<int32_t>(tree->problem_count);
    });
}
}
