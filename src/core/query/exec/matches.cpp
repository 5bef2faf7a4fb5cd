#include "query/exec/matches.hpp"

#include "storage/graph.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <unordered_set>

namespace kith::queries {

void element_set::make(const storage::store& data, entity_t from, const substitution& by) {
    members.clear();
    ranks.clear();
    start = from;
    every = (by.flags & TraverseAll) != 0;
    collect_reached(data, from, by, members);
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        ranks.emplace(index_of(members[i]), i);
    }
}

namespace {

std::uint32_t first_of(id_t id) noexcept {
    return is_pair(id) ? pair_first(id) : index_of(id);
}

// False if the element is not in the set.
bool add_rank(const element_set* set, std::uint32_t element, std::uint64_t& rank) {
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

// What makes two matches different results. Of a set, the first member is enough, unless there is a
// wildcard: that stands for each pair.
id_t key_of(id_t id, const match_request& request) noexcept {
    const bool each = request.is_wildcard_first() || request.is_wildcard_second();
    auto counts = [&](const element_set* set, bool any) {
        return !any && (!set || set->every || each);
    };
    return key_with(id, counts(request.first, request.any_first),
                    counts(request.second, request.any_second));
}

// What is looked for at each owner by itself: values of variables, and members of sets.
id_t value_key_of(id_t id, const match_request& request) noexcept {
    auto counts = [](const element_set* set, bool open) { return open || (set && set->every); };
    return key_with(id, counts(request.first, request.open_first),
                    counts(request.second, request.open_second));
}

// Callbacks that get values of a type cannot be given others.
bool fits_type(const storage::store& data, const match_request& request, id_t id) noexcept {
    if (request.asked.type == 0 || (!request.first && !request.second)) {
        return true;
    }
    const types::component_type* type = traits::describe_id(data, id).value_type;
    return type && type->component == request.asked.type;
}

void collect_at(const storage::store& data, const place& source, const owner_ref& owner,
                const match_request& request, std::vector<match>& matches) {
    const place where = owner.is_source ? source : place_of(data, owner.owner);
    own_position position;
    found_id found;
    const std::size_t first = matches.size();
    while (next_own(data, where, request.asked.id,
                    owner.is_source ? offer::own : offer::inheritable, position, found)) {
        std::uint64_t rank = 0;
        if (!add_rank(request.first, first_of(found.id), rank) ||
            !add_rank(request.second, is_pair(found.id) ? pair_second(found.id) : 0, rank) ||
            !fits_type(data, request, found.id) ||
            (!owner.is_source && !is_passed_on(data, owner, source, found.id))) {
            continue;
        }
        matches.push_back({owner, found.id, rank, true, is_off(data, where.entity, found.id)});
    }
    if (request.first || request.second) {
        // Of equal rank, those that were found first stay first.
        for (std::size_t i = first + 1; i < matches.size(); ++i) {
            match one = matches[i];
            std::size_t at = i;
            for (; at > first && one.rank < matches[at - 1].rank; --at) {
                matches[at] = matches[at - 1];
            }
            matches[at] = one;
        }
    }
}

// Drops what was found nearer already, and then what is switched off.
void keep_nearest(const match_request& request, std::size_t first, std::vector<match>& matches) {
    std::unordered_set<id_t> seen;
    std::unordered_map<id_t, entity_t> nearest;  // who has a value
    const bool each_visited = (request.asked.flags & TraverseAll) != 0;
    entity_t visited = 0;
    std::size_t kept = first;
    for (std::size_t i = first; i < matches.size(); ++i) {
        const match& one = matches[i];
        const bool through_base = request.asked.trav != IsA && one.owner.heir != 0;
        const entity_t at = through_base ? one.owner.heir : one.owner.owner;
        if (each_visited && visited != at) {
            visited = at;
            seen.clear();
            nearest.clear();
        }
        auto owner = nearest.emplace(value_key_of(one.id, request), one.owner.owner).first;
        if (owner->second == one.owner.owner && !one.off &&
            seen.insert(key_of(one.id, request)).second) {
            matches[kept++] = one;
        }
    }
    matches.resize(kept);
}

}  // namespace

void collect_matches(const storage::store& data, const place& source, const match_request& request,
                     std::vector<match>& matches) {
    const std::size_t first = matches.size();
    const bool every_member =
        (request.first && request.first->every) || (request.second && request.second->every);
    const bool open = request.open_first || request.open_second || every_member;
    std::vector<owner_ref> owners;
    const bool own_only = request.asked.flags == Self ||
                          (request.asked.flags == (Self | Up) && request.asked.trav == IsA &&
                           !(source.table->flags & detail::shape_has_base));
    if (own_only) {
        owners.push_back({source.entity, true, 0});
    } else {
        collect_visited(data, source, request.asked, owners);
    }
    bool several = false;
    for (const owner_ref& owner : owners) {
        std::size_t before = matches.size();
        collect_at(data, source, owner, request, matches);
        several |= before != first && matches.size() != before;
        // Where values of variables are looked for, those that are farther away count, too.
        if (matches.size() != before && !open && !(request.asked.flags & TraverseAll)) {
            break;
        }
    }
    bool repeats =
        several || request.first || request.second || request.any_first || request.any_second;
    bool off = std::any_of(matches.begin() + static_cast<std::ptrdiff_t>(first), matches.end(),
                           [](const match& one) { return one.off; });
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

void collect_closure(const storage::store& data, const place& source, const match_request& request,
                     entity_t self, std::vector<match>& matches) {
    const term pattern = edge_pattern(request);
    const match_request edges = edges_of(request, pattern);
    const std::size_t first = matches.size();
    std::unordered_set<std::uint32_t> seen;
    if (self != 0) {
        seen.insert(index_of(self));
        const id_t pair = make_pair(request.asked.first, self);
        const bool stored = owns_any(data, source, pair, offer::own);
        matches.push_back({{source.entity, true, 0}, pair, 0, stored, false});
    }
    std::vector<match> found;
    auto take = [&](const place& from, bool direct) {
        found.clear();
        collect_matches(data, from, edges, found);
        for (const match& one : found) {
            std::uint32_t target = pair_second(one.id);
            if (seen.insert(target).second) {
                owner_ref owner = direct ? one.owner : owner_ref{source.entity, true, 0};
                id_t id = direct ? one.id : make_pair(request.asked.first, target);
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
        if (place where = place_of(data, reached); where.table) {
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

void collect_below(const storage::store& data, entity_t target, const match_request& request,
                   std::vector<entity_t>& below) {
    const term pattern = edge_pattern(request);
    const match_request edges = edges_of(request, pattern);
    const bool inherits = request.asked.inherits() && !data.bases->pairs.empty();
    std::unordered_set<entity_t> seen;
    std::vector<entity_t> heirs;
    std::vector<match> found;
    auto has_edge = [&](entity_t source, std::uint32_t to) {
        found.clear();
        collect_matches(data, place_of(data, source), edges, found);
        return std::any_of(found.begin(), found.end(),
                           [&](const match& one) { return pair_second(one.id) == to; });
    };
    auto take_sources = [&](std::uint32_t relation, std::uint32_t to) {
        storage::each_source(data, relation, to, [&](entity_t source) {
            // What is switched off is no edge.
            bool counts = data.toggled_ids.empty() || has_edge(source, to);
            if (counts && seen.insert(source).second) {
                below.push_back(source);
            }
            if (inherits) {
                heirs.clear();
                collect_reached(data, source, {0, IsA, Down, 1, 0xFFFFFFFF}, heirs);
                for (entity_t heir : heirs) {
                    if (!seen.count(heir) && has_edge(heir, to)) {
                        seen.insert(heir);
                        below.push_back(heir);
                    }
                }
            }
            return true;
        });
    };
    auto take_all = [&](entity_t to) {
        if (!request.first) {
            take_sources(pair_first(request.asked.id), index_of(to));
            return;
        }
        for (entity_t relation : request.first->members) {
            take_sources(index_of(relation), index_of(to));
        }
    };
    take_all(target);
    for (std::size_t i = 0; i < below.size(); ++i) {
        take_all(entity_t{below[i]});
    }
}

}  // namespace kith::queries
