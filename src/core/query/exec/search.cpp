// Searches for the owners of an id, declared in search.hpp: on the source,
// upwards, downwards and in bases.
#include "query/exec/search.hpp"

#include "graph/walk.hpp"
#include "traits/implications.hpp"
#include "traits/inherit.hpp"

namespace kith::queries {

bool is_inheritable(const storage::store& data, id_t pattern) noexcept {
    if (is_open(pattern)) {
        return true;  // each id is asked by itself
    }
    const storage::id_record* record = is_pair(pattern) ? nullptr : data.ids.find(pattern);
    std::uint32_t traits = record ? record->traits : traits::describe_id(data, pattern).traits;
    return !(traits & traits::trait_dont_inherit);
}

owner_ref find_owner_at(const storage::store& data, entity_t entity, const term& term) {
    location where = locate(data, entity);
    if (!where.table) {
        return {};
    }
    if (owns_any(data, where, term.id, visibility::inheritable)) {
        return {entity, false, 0};
    }
    return !term.tests_bases()
               ? owner_ref{}
               : owner_ref{traits::find_base(data, *where.record, entity, term.id), false, entity};
}

owner_ref find_owner_on_source(const storage::store& data, const location& source,
                               const term& term) {
    if (!(term.flags & Self)) {
        return {};
    }
    if (owns_any(data, source, term.id, visibility::own)) {
        return {source.entity, true, 0};
    }
    if (!term.tests_bases() || !(source.table->flags & detail::shape_has_base) ||
        !is_inheritable(data, term.id)) {
        return {};
    }
    return {traits::find_base(data, *source.record, source.entity, term.id), false, source.entity};
}

namespace {

// With limits on the depth, a search may reach an entity again on another level.
graph::repeat repeats_of(bool limited) noexcept {
    return limited ? graph::repeat::by_level : graph::repeat::never;
}

// True if one of the owner's ids is passed on.
bool passes_any(const storage::store& data, const owner_ref& owner, const location& source,
                id_t pattern) {
    const location where = locate(data, owner.owner);
    owned_id_position position;
    owned_id owned;
    while (next_owned_id(data, where, pattern, visibility::inheritable, position, owned)) {
        if (is_passed_on(data, owner, source, owned.id)) {
            return true;
        }
    }
    return false;
}

// Calls take(owner) for each owner above the source, nearest first, until it returns false.
template <class Take>
void search_up(const storage::store& data, const location& source, const term& term, Take&& take) {
    if (!is_inheritable(data, term.id)) {
        return;
    }
    bool should_stop = !(term.flags & TraverseAll);
    if (term.trav == IsA && should_stop && !term.is_limited()) {
        if (entity_t base = traits::find_base(data, *source.record, source.entity, term.id)) {
            take(owner_ref{base, false, source.entity});
        }
        return;
    }
    graph::up_walk walk(data, term.trav, source.entity, repeats_of(term.is_limited()));
    // With limits on the depth, an entity may be visited on several levels.
    graph::visit_set taken;
    graph::visit visit{source.entity, 0};
    for (bool deeper = true; walk.next(visit, deeper);) {
        deeper = visit.level < term.max_depth;
        if (visit.level < term.min_depth || visit.level > term.max_depth) {
            continue;
        }
        owner_ref owner = find_owner_at(data, visit.entity, term);
        if (term.trav == IsA && owner.owner != 0) {
            owner.inheritor = source.entity;
            owner.owner = passes_any(data, owner, source, term.id) ? owner.owner : 0;
        }
        if (owner.owner == 0 || (term.is_limited() && !taken.insert(visit.entity))) {
            continue;
        }
        if (!take(owner)) {
            return;
        }
    }
}

// Calls take(owner) for each owner below the source, nearest first, until it returns false.
template <class Take>
void search_down(const storage::store& data, const location& source, const term& term,
                 Take&& take) {
    if (!is_inheritable(data, term.id)) {
        return;
    }
    graph::visit_set taken;
    graph::walk_down(data, term.trav, source.entity, term.max_depth, repeats_of(term.is_limited()),
                     [&](entity_t below, std::uint32_t depth) {
                         if (depth < term.min_depth) {
                             return true;
                         }
                         owner_ref owner = find_owner_at(data, below, term);
                         bool again = term.is_limited() && owner.owner != 0 && !taken.insert(below);
                         return owner.owner == 0 || again || take(owner);
                     });
}

template <class Take>
void search(const storage::store& data, const location& source, const term& term, Take&& take) {
    if (owner_ref near = find_owner_on_source(data, source, term); near.owner != 0 && !take(near)) {
        return;
    }
    if (term.follows_up()) {
        search_up(data, source, term, take);
    } else if (term.flags & Down) {
        search_down(data, source, term, take);
    }
}

}  // namespace

owner_ref find_owner(const storage::store& data, const location& source, const term& term) {
    owner_ref nearest;
    search(data, source, term, [&](const owner_ref& owner) {
        nearest = owner;
        return false;
    });
    return nearest;
}

bool is_passed_on(const storage::store& data, const owner_ref& owner, const location& source,
                  id_t id) {
    if (owner.inheritor == 0 || !is_pair(id) ||
        !traits::is_exclusive(traits::describe_id(data, id).traits)) {
        return true;
    }
    const location inheritor =
        owner.inheritor == source.entity ? source : locate(data, owner.inheritor);
    return traits::find_base(data, *inheritor.record, inheritor.entity, id) == owner.owner;
}

void collect_dependents(const storage::store& data, entity_t start,
                        const substitution& substitution, std::vector<entity_t>& reached) {
    if (substitution.flags & Self) {
        reached.push_back(start);
    }
    const bool limited = substitution.min_depth > 1 || substitution.max_depth != 0xFFFFFFFF;
    graph::visit_set taken;
    auto take = [&](entity_t entity, std::uint32_t level) {
        if (level >= substitution.min_depth && level <= substitution.max_depth &&
            (!limited || taken.insert(entity))) {
            reached.push_back(entity);
        }
    };
    if (substitution.flags & Up) {
        graph::up_walk walk(data, substitution.trav, start, repeats_of(limited));
        graph::visit visit{start, 0};
        for (bool deeper = true; walk.next(visit, deeper);) {
            deeper = visit.level < substitution.max_depth;
            take(visit.entity, visit.level);
        }
    } else if (substitution.flags & Down) {
        graph::walk_down(data, substitution.trav, start, substitution.max_depth,
                         repeats_of(limited), [&](entity_t entity, std::uint32_t level) {
                             take(entity, level);
                             return true;
                         });
    }
}

void collect_visited(const storage::store& data, const location& source, const term& term,
                     std::vector<owner_ref>& owners) {
    auto add_bases = [&](entity_t inheritor, const storage::table& type) {
        traits::base_walk bases(data, type);
        while (entity_t base = bases.next()) {
            owners.push_back({base, false, inheritor});
        }
    };
    if (term.flags & Self) {
        owners.push_back({source.entity, true, 0});
        if (term.tests_bases()) {
            add_bases(source.entity, *source.table);
        }
    }
    if (!term.follows()) {
        return;
    }
    const bool up = term.follows_up();
    if (up && term.trav == IsA && !term.is_limited()) {
        // The type of the table answers for all of its rows.
        add_bases(source.entity, *source.table);
        return;
    }
    std::vector<entity_t> visited;
    collect_dependents(data, source.entity,
                       {term.relation, term.trav, up ? Up : Down, term.min_depth, term.max_depth},
                       visited);
    for (entity_t entity : visited) {
        owners.push_back({entity, false, up && term.trav == IsA ? source.entity : 0});
        if (term.tests_bases()) {
            add_bases(entity, *locate(data, entity).table);
        }
    }
}

void collect_owners(const storage::store& data, const location& source, const term& term,
                    std::vector<owner_ref>& owners) {
    search(data, source, term, [&](const owner_ref& owner) {
        owners.push_back(owner);
        return true;
    });
}

}  // namespace kith::queries
