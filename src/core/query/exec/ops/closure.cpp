// Pairs of transitive and reflexive relationships, declared in closure.hpp.
#include "query/exec/ops/closure.hpp"

#include <algorithm>

namespace kith::queries {

namespace {

// True if a reflexive term has a pair of the entity with itself. A named side is enough; variables
// range over the entities that occur in pairs of the relationship.
bool is_reflexive_at(const storage::store& data, const term& term, entity_t entity) {
    if (term.from == source_kind::fixed || term.second != 0) {
        return true;
    }
    const storage::entity_record* record = data.entities.find(entity);
    const std::uint32_t relation = pair_first(term.id);
    if (!record) {
        return false;
    }
    if (storage::owns_id(data, *record, entity, make_pair(relation, Wildcard))) {
        return true;
    }
    if (const storage::link_store* links = storage::find_links(data, relation)) {
        return links->is_target(index_of(entity));
    }
    const storage::id_record* pairs = data.ids.find(make_pair(relation, entity));
    for (std::uint32_t i = 0; pairs && i < pairs->active; ++i) {
        if (data.tables.rows(pairs->tables[i].table).count != 0) {
            return true;
        }
    }
    return false;
}

// True if the pairs of the source itself are all pairs that count.
bool has_own_only(const storage::store& data, const location& source,
                  const match_request& request) noexcept {
    return !request.first && data.toggled_ids.empty() &&
           !(source.table->flags & detail::shape_has_base);
}

// True if the source has a pair with one of the targets.
bool leads_to(const storage::store& data, const location& source, const match_request& request,
              const target_closure& targets) {
    const id_t any = make_pair(request.first ? entity_t{Wildcard} : pair_first(request.asked.id),
                               entity_t{Wildcard});
    if (!has_own_only(data, source, request)) {
        std::vector<match> edges;
        collect_edges(data, source, request, edges);
        return std::any_of(edges.begin(), edges.end(),
                           [&](const match& match) { return targets.has(pair_second(match.id)); });
    }
    if (const storage::link_store* links = storage::find_links(data, pair_first(any))) {
        const storage::target_span own = links->targets(index_of(source.entity));
        return own.count != 0 &&
               (targets.has(own.first) ||
                std::any_of(own.rest, own.rest + (own.count - 1),
                            [&](std::uint32_t target) { return targets.has(target); }));
    }
    for (std::int32_t position = storage::find_match(*source.table, any, 0); position >= 0;
         position = storage::next_match(*source.table, any, position)) {
        if (targets.has(pair_second(source.table->ids[position]))) {
            return true;
        }
    }
    return false;
}

// Appends the pair of the source with itself, which may be stored as well.
void add_self(const storage::store& data, const location& source, id_t pair,
              std::vector<match>& matches) {
    const bool stored = owns_any(data, source, pair, visibility::own);
    matches.push_back({{source.entity, true, 0}, pair, 0, stored, false});
}

// The pairs of a relationship that is reflexive and not transitive, for an open target.
void collect_reflexive(const storage::store& data, const location& source,
                       const match_request& request, id_t self_pair, std::vector<match>& matches) {
    const std::uint32_t self = pair_second(self_pair);
    if (self != 0 && (!request.second || request.second->ranks.count(self) != 0)) {
        add_self(data, source, self_pair, matches);
    }
    const bool has_self = !matches.empty();
    collect_matches(data, source, request, matches);
    if (has_self) {
        // A stored pair with itself was counted already; one result is enough for a named target.
        const bool named = request.second && !request.second->every;
        matches.erase(std::remove_if(matches.begin() + 1, matches.end(),
                                     [&](const match& match) {
                                         return named || pair_second(match.id) == self;
                                     }),
                      matches.end());
    }
}

}  // namespace

void closure_search::collect(exec_context& context, const graph_op& op, const location& source,
                             const match_request& request, std::vector<match>& matches) {
    KITH_ASSERT(matches.empty(), "a search begins with an empty list");
    const storage::store& data = context.data;
    const term& term = context.model.terms[op.first];
    const term_semantics& meaning = context.blocks->meanings[op.first];
    const std::uint32_t second = pair_second(request.asked.id);
    const entity_t target = is_wildcard_element(second) ? 0 : data.entities.alive_at(second);
    const entity_t self =
        meaning.reflexive && is_reflexive_at(data, term, source.entity) ? source.entity : 0;
    if (target != 0 && !request.second) {
        if (target == self) {
            add_self(data, source, make_pair(term.first, target), matches);
        } else if (meaning.transitive) {
            test(context, op, source, request, target, matches);
        } else {
            collect_matches(data, source, request, matches);
        }
    } else if (meaning.transitive) {
        collect_closure(data, source, request, self, matches);
    } else {
        collect_reflexive(data, source, request, make_pair(term.first, self), matches);
    }
}

// Tests whether the source leads to a known target.
void closure_search::test(exec_context& context, const graph_op& op, const location& source,
                          const match_request& request, entity_t target,
                          std::vector<match>& matches) {
    const storage::store& data = context.data;
    const id_t pair = make_pair(request.asked.first, target);
    bool reached = false;
    if (op.outer_target || pays_to_walk_down(data, request, target)) {
        target_closure& below = context.closures[op.first];
        below.of(data, request, target);
        reached = leads_to(data, source, request, below);
    } else {
        collect_closure(data, source, request, 0, matches);
        visited += matches.size() + 1;
        reached = std::any_of(matches.begin(), matches.end(), [&](const match& match) {
            return pair_second(match.id) == index_of(target);
        });
    }
    matches.clear();
    if (!reached) {
        return;
    }
    // The value of the pair counts where the pair itself is stored.
    if (!has_own_only(data, source, request) || owns_any(data, source, pair, visibility::own)) {
        collect_matches(data, source, request, matches);
    }
    if (matches.empty()) {
        matches.push_back({{source.entity, true, 0}, pair, 0, false, false});
    }
}

// True once searches upwards for one target have visited as much as all pairs of the relationship:
// the closure below the target costs no more than that.
bool closure_search::pays_to_walk_down(const storage::store& data, const match_request& request,
                                       entity_t target) noexcept {
    if (tested_target != target) {
        tested_target = target;
        visited = 0;
    }
    constexpr std::uint64_t always_cheap = 64;
    if (visited < always_cheap) {
        return false;
    }
    std::uint64_t pairs = always_cheap;
    auto add_pairs = [&](std::uint32_t relation) {
        const storage::id_record* any = data.ids.find(make_pair(relation, Wildcard));
        pairs += !any ? 0 : any->links ? any->links->pair_count() : any->pairs.size();
    };
    if (request.first) {
        for (entity_t relation : request.first->members) {
            add_pairs(index_of(relation));
        }
    } else {
        add_pairs(pair_first(request.asked.id));
    }
    return visited >= pairs;
}

}  // namespace kith::queries
