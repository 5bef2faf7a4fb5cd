// Matches of a term, declared in matches.hpp: substitutes, collected matches, closures.
#include "query/exec/matches.hpp"

#include "base/counters.hpp"
#include "storage/graph.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <unordered_set>

namespace kith::queries {

void substitutes::make(const storage::store& data, entity_t from,
                       const substitution& substitution) {
    members.clear();
    ranks.clear();
    start = from;
    every = (substitution.flags & TraverseAll) != 0;
    collect_dependents(data, from, substitution, members);
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        ranks.emplace(index_of(members[i]), i);
    }
}

namespace {

std::uint32_t first_of(id_t id) noexcept {
    return is_pair(id) ? pair_first(id) : index_of(id);
}

// False if the element is not in the set.
bool add_rank(const substitutes* set, std::uint32_t element, std::uint64_t& rank) {
    if (!set) {
        return true;
    }
    auto found = set->ranks.find(element);
    rank = (rank << 32) | (found == set->ranks.end() ? 0 : found->second);
    return found != set->ranks.end();
}

id_t key_with(id_t id, bool first, bool second) noexcept {
    return is_pair(id) ? make_pair(first ? pair_first(id) : 0, second ? pair_second(id) : 0)
                       : (first ? id : 0);
}

// The key by which two matches are different results. The members of a set are one result, of which
// the first counts; a wildcard makes each pair a result.
id_t key_of(id_t id, const match_request& request) noexcept {
    const bool each = request.is_wildcard_first() || request.is_wildcard_second();
    auto counts = [&](const substitutes* set, bool any) {
        return !any && (!set || set->every || each);
    };
    return key_with(id, counts(request.first, request.any_first),
                    counts(request.second, request.any_second));
}

// The key by which the nearest owner is chosen: each id that the term stands for has its own
// nearest owner, and a set that is one result has one for all members.
id_t value_key_of(id_t id, const match_request& request) noexcept {
    const bool each = request.is_wildcard_first() || request.is_wildcard_second();
    auto counts = [&](const substitutes* set) { return !set || set->every || each; };
    return key_with(id, counts(request.first), counts(request.second));
}

// Callbacks that get values of a type cannot be given others.
bool fits_type(const storage::store& data, const match_request& request, id_t id) noexcept {
    if (request.asked.type == 0 || (!request.first && !request.second)) {
        return true;
    }
    const types::component_type* type = traits::describe_id(data, id).value_type;
    return type && type->component == request.asked.type;
}

void collect_at(const storage::store& data, const location& source, const owner_ref& owner,
                const match_request& request, std::vector<match>& matches) {
    const location where = owner.is_source ? source : locate(data, owner.owner);
    owned_id_position position;
    owned_id owned;
    const std::size_t first = matches.size();
    while (next_owned_id(data, where, request.asked.id,
                         owner.is_source ? visibility::own : visibility::inheritable, position,
                         owned)) {
        std::uint64_t rank = 0;
        if (!add_rank(request.first, first_of(owned.id), rank) ||
            !add_rank(request.second, is_pair(owned.id) ? pair_second(owned.id) : 0, rank) ||
            !fits_type(data, request, owned.id) ||
            (!owner.is_source && !is_passed_on(data, owner, source, owned.id))) {
            continue;
        }
        matches.push_back({owner, owned.id, rank, true, is_off(data, where.entity, owned.id),
                           static_cast<std::uint32_t>(matches.size())});
    }
    if (request.first || request.second) {
        // Matches of equal rank keep the order in which they were found.
        std::sort(matches.begin() + static_cast<std::ptrdiff_t>(first), matches.end(),
                  [](const match& a, const match& b) {
                      return a.rank != b.rank ? a.rank < b.rank : a.order < b.order;
                  });
    }
}

// Drops matches that a nearer owner has as well, and then matches that are switched off.
void keep_nearest(const match_request& request, std::size_t first, std::vector<match>& matches) {
    std::unordered_set<id_t> seen;
    std::unordered_map<id_t, entity_t> nearest;  // who has a value
    const bool each_visited = (request.asked.flags & TraverseAll) != 0;
    const bool one_is_enough = request.any_first || request.any_second;
    entity_t visited = 0;
    std::size_t kept = first;
    for (std::size_t i = first; i < matches.size(); ++i) {
        const match& match = matches[i];
        const bool through_base = request.asked.trav != IsA && match.owner.inheritor != 0;
        const entity_t entity = through_base ? match.owner.inheritor : match.owner.owner;
        if (each_visited && visited != entity) {
            visited = entity;
            nearest.clear();
            if (!one_is_enough) {
                seen.clear();
            }
        }
        auto owner = nearest.emplace(value_key_of(match.id, request), match.owner.owner).first;
        if (owner->second == match.owner.owner && !match.off &&
            seen.insert(key_of(match.id, request)).second) {
            matches[kept++] = match;
        }
    }
    matches.resize(kept);
}

}  // namespace

void collect_matches(const storage::store& data, const location& source,
                     const match_request& request, std::vector<match>& matches) {
    const std::size_t first = matches.size();
    const bool every_member =
        (request.first && request.first->every) || (request.second && request.second->every);
    const bool open = request.open_first || request.open_second || every_member ||
                      request.any_first || request.any_second || request.is_wildcard_first() ||
                      request.is_wildcard_second();
    const bool own_only =
        request.asked.flags == Self ||
        (request.asked.flags == (Self | Up) && request.asked.trav == IsA &&
         !request.asked.is_limited() && !(source.table->flags & detail::shape_has_base));
    std::vector<owner_ref> owners;
    if (own_only) {
        collect_at(data, source, {source.entity, true, 0}, request, matches);
    } else {
        collect_visited(data, source, request.asked, owners);
    }
    bool several = false;
    for (const owner_ref& owner : owners) {
        std::size_t before = matches.size();
        collect_at(data, source, owner, request, matches);
        several |= before != first && matches.size() != before;
        // A request for several ids also counts the ids of owners that are farther away.
        if (matches.size() != before && !open && !(request.asked.flags & TraverseAll)) {
            break;
        }
    }
    bool repeats =
        several || request.first || request.second || request.any_first || request.any_second;
    bool off = std::any_of(matches.begin() + static_cast<std::ptrdiff_t>(first), matches.end(),
                           [](const match& match) { return match.off; });
    if (repeats || off) {
        keep_nearest(request, first, matches);
    }
}

namespace {

// The pairs that an entity has of the relationship.
match_request edges_of(const match_request& request, const term& pattern) noexcept {
    return {pattern, request.first, nullptr, false, true, false, false};
}
term edge_pattern(const match_request& request) noexcept {
    term pattern = request.asked;
    pattern.id = make_pair(request.first ? entity_t{Wildcard} : pair_first(request.asked.id),
                           entity_t{Wildcard});
    pattern.type = 0;
    return pattern;
}

}  // namespace

void collect_edges(const storage::store& data, const location& source, const match_request& request,
                   std::vector<match>& matches) {
    const term pattern = edge_pattern(request);
    collect_matches(data, source, edges_of(request, pattern), matches);
}

void collect_closure(const storage::store& data, const location& source,
                     const match_request& request, entity_t self, std::vector<match>& matches) {
    const term pattern = edge_pattern(request);
    const match_request edges = edges_of(request, pattern);
    const std::size_t first = matches.size();
    graph::visit_set seen;
    if (self != 0) {
        seen.insert(index_of(self));
        const id_t pair = make_pair(request.asked.first, self);
        const bool stored = owns_any(data, source, pair, visibility::own);
        matches.push_back({{source.entity, true, 0}, pair, 0, stored, false});
    }
    std::vector<match> found;
    auto take = [&](const location& from, bool direct) {
        found.clear();
        collect_matches(data, from, edges, found);
        for (const match& match : found) {
            KITH_COUNT(visits);
            std::uint32_t target = pair_second(match.id);
            if (seen.insert(target)) {
                owner_ref owner = direct ? match.owner : owner_ref{source.entity, true, 0};
                id_t id = direct ? match.id : make_pair(request.asked.first, target);
                matches.push_back({owner, id, 0, direct, false});
            }
        }
    };
    take(source, true);
    for (std::size_t i = first; i < matches.size(); ++i) {
        entity_t reached = data.entities.alive_at(pair_second(matches[i].id));
        if (reached == source.entity) {
            continue;  // the reflexive one
        }
        if (location where = locate(data, reached); where.table) {
            take(where, false);
        }
    }
    if (!request.second) {
        return;
    }
    std::size_t kept = first;
    for (std::size_t i = first; i < matches.size(); ++i) {
        if (add_rank(request.second, pair_second(matches[i].id), matches[i].rank)) {
            matches[kept++] = matches[i];
        }
    }
    matches.resize(kept);
    if (!request.second->every && kept > first + 1) {
        auto best =
            std::min_element(matches.begin() + static_cast<std::ptrdiff_t>(first), matches.end(),
                             [](const match& a, const match& b) { return a.rank < b.rank; });
        matches[first] = *best;
        matches.resize(first + 1);
    }
}

bool is_implied(const storage::store& data, const location& source, const term& searched_term,
                const term_semantics& meaning) {
    constexpr substitution below{0, IsA, Self | Down, 1, 0xFFFFFFFF};
    substitutes first;
    substitutes second;
    term pattern = searched_term;
    if (meaning.first_subsets) {
        first.make(data, searched_term.first, below);
        pattern.id = is_pair(searched_term.id) ? make_pair(Wildcard, pair_second(searched_term.id))
                                               : Wildcard;
    }
    if (meaning.second_subsets) {
        second.make(data, searched_term.second, below);
        pattern.id = make_pair(pair_first(pattern.id), Wildcard);
    }
    const bool pair = is_pair(searched_term.id);
    const match_request request{pattern,
                                meaning.first_subsets ? &first : nullptr,
                                meaning.second_subsets ? &second : nullptr,
                                false,
                                pair && searched_term.second == 0,
                                false,
                                false};
    if (meaning.reflexive &&
        (meaning.second_subsets ? second.ranks.count(index_of(source.entity)) != 0
                                : searched_term.second == source.entity)) {
        return true;
    }
    std::vector<match> found;
    if (!meaning.transitive) {
        collect_matches(data, source, request, found);
        return !found.empty();
    }
    collect_closure(data, source, request, 0, found);
    const bool any = meaning.second_subsets || searched_term.second == 0;
    return std::any_of(found.begin(), found.end(), [&](const match& match) {
        return any || pair_second(match.id) == index_of(searched_term.second);
    });
}

void target_closure::add(const storage::store& data, const match_request& request,
                         entity_t source) {
    const location where = locate(data, source);
    if (!where.table) {
        return;
    }
    if (!request.first && data.toggled_ids.empty() &&
        !(where.table->flags & detail::shape_has_base)) {
        storage::each_target(data, source, pair_first(request.asked.id), [&](std::uint32_t target) {
            edges_.push_back({target, source});
            return true;
        });
        return;
    }
    std::vector<match> found;
    collect_edges(data, where, request, found);
    for (const match& match : found) {
        edges_.push_back({pair_second(match.id), source});
    }
}

void target_closure::make(const storage::store& data, const match_request& request) {
    edges_.clear();
    made_ = true;
    graph::visit_set ids;
    // `once`: the walk visits the entity once.
    auto take = [&](std::uint32_t index, bool once) {
        entity_t target = data.entities.alive_at(index);
        if (target != 0 && (once || ids.insert(index))) {
            add(data, request, target);
        }
        return true;
    };
    auto take_targets = [&](std::uint32_t relation) {
        if (storage::find_links(data, relation)) {
            storage::each_pair(data, relation,
                               [&](entity_t, std::uint32_t target) { return take(target, false); });
            return;
        }
        const storage::id_record* any = data.ids.find(make_pair(relation, Wildcard));
        for (std::uint32_t i = 0; any && i < any->active_pairs; ++i) {
            take(pair_second(any->pairs[i]->id), !request.first);
        }
    };
    if (!request.first) {
        take_targets(pair_first(request.asked.id));
    } else {
        for (entity_t relation : request.first->members) {
            take_targets(index_of(relation));
        }
    }
    std::sort(edges_.begin(), edges_.end(), [](const edge& a, const edge& b) {
        return a.target != b.target ? a.target < b.target : a.source < b.source;
    });
}

namespace {

// Reading every target is cheapest up to this number of targets.
constexpr std::uint32_t few_targets = 2048;

// True if stored pairs alone decide, and can be followed from a target to its sources.
bool is_walkable(const storage::store& data, const match_request& request) noexcept {
    if (request.first || !data.toggled_ids.empty() ||
        (request.asked.inherits() && !data.bases->pairs.empty())) {
        return false;
    }
    const storage::id_record* any =
        data.ids.find(make_pair(pair_first(request.asked.id), Wildcard));
    return any && (any->links || any->pairs.size() > few_targets);
}

}  // namespace

template <class Sources>
void target_closure::walk(Sources&& sources) {
    members_.insert(index_of(target_));
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
        sources(static_cast<std::uint32_t>(members_[i]), [&](entity_t source) {
            KITH_COUNT(visits);
            members_.insert(index_of(source));
        });
    }
}

const graph::visit_set& target_closure::of(const storage::store& data, const match_request& request,
                                           entity_t target) {
    if (target_ == target) {
        return members_;
    }
    target_ = target;
    members_.clear();
    if (is_walkable(data, request)) {
        const std::uint32_t relation = pair_first(request.asked.id);
        const storage::link_store* links = storage::find_links(data, relation);
        walk([&](std::uint32_t to, auto&& take) {
            storage::each_source(data, relation, to, [&](entity_t source) {
                const bool is_target = links
                                           ? links->is_target(index_of(source))
                                           : data.ids.find(make_pair(relation, source)) != nullptr;
                if (is_target) {
                    take(source);
                }
                return true;
            });
        });
        return members_;
    }
    if (!made_) {
        make(data, request);
    }
    walk([&](std::uint32_t to, auto&& take) {
        auto at = std::lower_bound(edges_.begin(), edges_.end(), to,
                                   [](const edge& closure_edge, std::uint32_t wanted) {
                                       return closure_edge.target < wanted;
                                   });
        for (; at != edges_.end() && at->target == to; ++at) {
            take(at->source);
        }
    });
    return members_;
}

}  // namespace kith::queries
