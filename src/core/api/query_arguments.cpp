// Queries that are called with arguments: targets for the open pairs `(R, *)` of the query. The
// query with a variable in place of each open target is made by the first call and kept. Declared
// in include/kith/detail/query_ops.hpp.
#include <kith/detail/mutex.hpp>
#include <kith/query.hpp>

#include "api/world_impl.hpp"
#include "base/assert.hpp"
#include "base/raise.hpp"
#include "query/compiled_query.hpp"
#include "query/model/clauses.hpp"
#include "query/validate/describe.hpp"

#include <tuple>

namespace kith::detail {

using queries::compiled_query;
using queries::query_model;
using queries::term;

namespace {

// Held while the query with variables, or its index, is made: several threads may call a query.
detail::mutex making;

// True if the clause is a single term (R, *) without variables in it.
bool is_open_target(const query_model& model, const queries::clause& clause) noexcept {
    const term& term = model.terms[clause.first];
    return clause.kind == queries::clause_kind::term && term.kind == queries::term_kind::ids &&
           (term.oper == And || term.oper == Not || term.oper == Optional) && is_pair(term.id) &&
           pair_second(term.id) == Wildcard && term.second_variable == queries::no_variable &&
           term.first_variable == queries::no_variable;
}

// The terms with an open target, in the order of the arguments.
std::vector<std::uint32_t> find_open_targets(const query_model& model) {
    std::vector<std::uint32_t> targets;
    each_clause(model, 0, model.count, [&](const queries::clause& clause) {
        if (is_open_target(model, clause)) {
            targets.push_back(clause.first);
        }
    });
    return targets;
}

// True for terms that differ in their targets at most: their arguments can be exchanged.
bool are_alike(const term& left, const term& right) noexcept {
    auto searched = [](const term& term) {
        return std::tuple(term.from, term.source, term.source_variable, term.flags, term.trav,
                          term.min_depth, term.max_depth);
    };
    auto replaced = [](const queries::substitution& substitution) {
        return std::tuple(substitution.flags, substitution.trav, substitution.min_depth,
                          substitution.max_depth);
    };
    return left.id == right.id && left.oper == And && right.oper == And &&
           searched(left) == searched(right) && replaced(left.first_by) == replaced(right.first_by);
}

constexpr std::size_t most_slots = 16;
// The name of the variable of an argument. No identifier begins with a digit, so it is unique.
const char* slot_name(std::size_t slot) noexcept {
    KITH_ASSERT(slot < most_slots, "the number of arguments is limited");
    static constexpr const char* names[] = {"1", "2",  "3",  "4",  "5",  "6",  "7",  "8",
                                            "9", "10", "11", "12", "13", "14", "15", "16"};
    return names[slot];
}

// Makes the query with a variable for each open target. Variables of terms that are alike differ.
query_head* make_bound_query(world_t* world, const compiled_query& query,
                             const std::vector<std::uint32_t>& open) {
    std::vector<term_desc> terms = queries::describe_terms(query.model, 0, query.model.count);
    for (std::size_t i = 0; i < open.size(); ++i) {
        term_part_desc& target = terms[open[i]].second;
        target.id = 0;
        target.name = slot_name(i);
        target.flags |= IsVariable;
    }
    for (std::size_t i = 0; i < open.size(); ++i) {
        for (std::size_t j = i + 1; j < open.size(); ++j) {
            if (are_alike(query.model.terms[open[i]], query.model.terms[open[j]])) {
                term_desc differ;
                differ.first.id = PredNeq;
                differ.first.flags = queries::is_unordered;
                differ.src.name = slot_name(i);
                differ.src.flags = IsVariable;
                differ.second.name = slot_name(j);
                differ.second.flags = IsVariable;
                terms.push_back(differ);
            }
        }
    }
    query_desc desc;
    desc.terms = terms.data();
    desc.count = static_cast<std::uint32_t>(terms.size());
    desc.instanced = query.model.instanced;
    desc.track_rows = query.model.tracks_rows;
    desc.flags = (query.model.shows_prefabs ? FilterMatchPrefab : 0) |
                 (query.model.shows_disabled ? FilterMatchDisabled : 0);
    std::vector<order_desc> keys;
    if (query.order) {
        queries::describe_order(*query.order, keys, desc);
    }
    return make_query(world, desc);
}

// Reports a wrong number of arguments.
[[noreturn]] void refuse_count(std::size_t open, std::uint32_t count) {
    base::text message;
    message << "the query has " << std::uint32_t(open) << " open targets, and was given " << count
            << " arguments";
    base::raise(errc::invalid_query, message);
}

}  // namespace

std::uint32_t open_target_count(const query_head* head) {
    world_of(head);
    return static_cast<std::uint32_t>(find_open_targets(queries::compiled(head).model).size());
}

// The query with variables for `count` arguments. The caller shares it, and releases it.
query_head* bind_arguments(const query_head* head, std::uint32_t count) {
    world_t* world = world_of(head);
    const compiled_query& query = queries::compiled(head);
    queries::argument_variant& variant = query.with_arguments;
    std::uint32_t expected = variant.count.load();
    if (expected == 0) {
        detail::lock_guard<detail::mutex> guard(making);
        std::vector<std::uint32_t> open = find_open_targets(query.model);
        if (open.size() != count || count > most_slots || count == 0) {
            refuse_count(open.size(), count);
        }
        if (!variant.query) {
            variant.query = make_bound_query(world, query, open);
            compiled_query& bound = queries::compiled(variant.query);
            bound.arguments.keeps_lists = query.cache() != nullptr;
            for (std::size_t i = 0; i < open.size(); ++i) {
                bound.arguments.variables.push_back(
                    static_cast<std::uint8_t>(find_variable(&bound, slot_name(i))));
            }
        }
        variant.count.store(count);
        expected = count;
    }
    if (expected != count) {
        refuse_count(expected, count);
    }
    variant.query->owners.increment();
    return variant.query;
}

namespace {

// Makes the lists of tables or entities for each combination of targets, where they pay. Changes of
// the world update them from now on.
void ensure_index(compiled_query& bound) {
    api::world_impl& owner = api::impl_of(world_of(&bound));
    queries::argument_slots& slots = bound.arguments;
    if (slots.index_schema.load() == owner.data.schema) {
        return;
    }
    detail::lock_guard<detail::mutex> guard(making);
    if (slots.index_schema.load() != owner.data.schema) {
        slots.index.reset();
        slots.index = queries::parameter_index::make(owner.data, owner.events, owner.argument_lists,
                                                     bound.model);
        slots.index_schema.store(owner.data.schema);
    }
}

}  // namespace

void set_arguments(query_head* bound, const entity_t* values, std::uint32_t count,
                   preset& variables) {
    compiled_query& query = queries::compiled(bound);
    KITH_ASSERT(count <= query.arguments.variables.size(),
                "bind_arguments() has checked the count");
    bool all = true;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (values[i] != Wildcard) {
            variables.set(bound, query.arguments.variables[i], values[i]);
        }
        all &= values[i] != Wildcard;
    }
    // The index serves calls with all targets; a single target has its own list of tables already.
    if (all && count > 1 && query.arguments.keeps_lists) {
        ensure_index(query);
    }
}

}  // namespace kith::detail
