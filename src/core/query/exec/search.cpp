// Searches for the owners of an id, declared in search.hpp: on the source,
// upwards, downwards and in bases.
#include "query/exec/search.hpp"

#include "storage/graph.hpp"
#include "traits/inherit.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

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

struct visit {
    entity_t entity;
    std::uint32_t level;
};

// Walks upwards, depth first, each entity once (with limits: once per level). A chain of single
// targets takes no memory.
class up_walk {
public:
    up_walk(const storage::store& data, std::uint32_t relation, entity_t start, bool by_level)
        : data_(data), relation_(relation), last_{start, 0}, by_level_(by_level) {}

    // False at the end.
    bool next(visit& result, bool deeper = true) {
        if (deeper) {
            open(last_);
        }
        while (!branched_ ? only_ != 0 : !pending_.empty()) {
            if (!branched_) {
                last_ = {only_, last_.level + 1};
                only_ = 0;
                result = last_;
                return true;
            }
            last_ = pending_.back();
            pending_.pop_back();
            if (seen_.insert(key(last_)).second) {
                result = last_;
                return true;
            }
        }
        return false;
    }

private:
    using seen_key = std::pair<entity_t, std::uint32_t>;
    seen_key key(const visit& visit) const noexcept {
        return {visit.entity, by_level_ ? visit.level : 0};
    }

    void open(const visit& from) {
        std::size_t first = pending_.size();
        entity_t found = 0;
        std::uint32_t count = 0;
        storage::each_target(data_, from.entity, relation_, [&](std::uint32_t target) {
            entity_t entity = data_.entities.alive_at(target);
            if (count++ == 0) {
                found = entity;
                return true;
            }
            if (count == 2) {
                pending_.push_back({found, from.level + 1});
            }
            pending_.push_back({entity, from.level + 1});
            return true;
        });
        if (count > 1) {
            branched_ = true;
            std::reverse(pending_.begin() + static_cast<std::ptrdiff_t>(first), pending_.end());
        } else if (count == 1) {
            if (branched_) {
                pending_.push_back({found, from.level + 1});
            } else {
                only_ = found;
            }
        }
    }

    const storage::store& data_;
    std::uint32_t relation_;
    visit last_;
    entity_t only_ = 0;
    bool branched_ = false;
    bool by_level_;
    std::vector<visit> pending_;
    std::set<seen_key> seen_;
};

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
    up_walk walk(data, term.trav, source.entity, term.is_limited());
    // With limits on the depth, an entity may be visited on several levels.
    std::unordered_set<entity_t> taken;
    visit visit{source.entity, 0};
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
        if (owner.owner == 0 || (term.is_limited() && !taken.insert(visit.entity).second)) {
            continue;
        }
        if (!take(owner)) {
            return;
        }
    }
}

// Walks downwards, level by level, each entity once (with limits: once per level), until
// visit(entity, level) returns false.
template <class Visit>
void walk_down(const storage::store& data, std::uint32_t relation, entity_t start,
               std::uint32_t max_depth, bool by_level, Visit&& visit) {
    std::vector<entity_t> level{start};
    std::vector<entity_t> next;
    std::unordered_set<entity_t> seen{start};
    for (std::uint32_t depth = 1; depth <= max_depth && !level.empty(); ++depth) {
        next.clear();
        // With a lower limit, an entity may be reached again further down.
        if (by_level) {
            seen.clear();
        }
        for (entity_t above : level) {
            storage::each_source(data, relation, index_of(above), [&](entity_t below) {
                if (seen.insert(below).second) {
                    next.push_back(below);
                }
                return true;
            });
        }
        for (entity_t below : next) {
            if (!visit(below, depth)) {
                return;
            }
        }
        level.swap(next);
    }
}

// Calls take(owner) for each owner below the source, nearest first, until it returns false.
template <class Take>
void search_down(const storage::store& data, const location& source, const term& term,
                 Take&& take) {
    if (!is_inheritable(data, term.id)) {
        return;
    }
    std::unordered_set<entity_t> taken;
    walk_down(data, term.trav, source.entity, term.max_depth, term.is_limited(),
              [&](entity_t below, std::uint32_t depth) {
                  if (depth < term.min_depth) {
                      return true;
                  }
                  owner_ref owner = find_owner_at(data, below, term);
                  bool again = term.is_limited() && owner.owner != 0 && !taken.insert(below).second;
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
        !(traits::describe_id(data, id).traits & traits::trait_exclusive)) {
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
    std::unordered_set<entity_t> taken;
    auto take = [&](entity_t entity, std::uint32_t level) {
        if (level >= substitution.min_depth && level <= substitution.max_depth &&
            (!limited || taken.insert(entity).second)) {
            reached.push_back(entity);
        }
    };
    if (substitution.flags & Up) {
        up_walk walk(data, substitution.trav, start, limited);
        visit visit{start, 0};
        for (bool deeper = true; walk.next(visit, deeper);) {
            deeper = visit.level < substitution.max_depth;
            take(visit.entity, visit.level);
        }
    } else if (substitution.flags & Down) {
        walk_down(data, substitution.trav, start, substitution.max_depth, limited,
                  [&](entity_t entity, std::uint32_t level) {
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

namespace {

struct depth_step {
    std::uint32_t index;
    std::uint32_t deepest;
    std::vector<std::uint32_t> targets;
};

}  // namespace

std::uint32_t depth_of(const storage::store& data, entity_t entity, std::uint32_t relation) {
    auto targets_of = [&](std::uint32_t index) {
        std::vector<std::uint32_t> targets;
        storage::each_target(data, data.entities.alive_at(index), relation,
                             [&](std::uint32_t target) {
                                 targets.push_back(target);
                                 return true;
                             });
        return targets;
    };
    // A chain of single targets needs no set of visited entities.
    std::uint32_t length = 0;
    entity_t position = entity;
    for (;;) {
        entity_t above = 0;
        std::uint32_t count = 0;
        storage::each_target(data, position, relation, [&](std::uint32_t target) {
            above = data.entities.alive_at(target);
            return ++count < 2;
        });
        if (count == 0) {
            return length;
        }
        if (count > 1) {
            break;
        }
        position = above;
        ++length;
    }
    std::unordered_map<std::uint32_t, std::uint32_t> known;
    std::vector<depth_step> path;
    path.push_back({index_of(position), 0, targets_of(index_of(position))});
    std::uint32_t finished = 0;
    while (!path.empty()) {
        depth_step& step = path.back();
        if (step.targets.empty()) {
            finished = step.deepest;
            known[step.index] = finished;
            path.pop_back();
            if (!path.empty()) {
                path.back().deepest = std::max(path.back().deepest, finished + 1);
            }
            continue;
        }
        std::uint32_t target = step.targets.back();
        step.targets.pop_back();
        if (auto found = known.find(target); found != known.end()) {
            step.deepest = std::max(step.deepest, found->second + 1);
        } else {
            path.push_back({target, 0, targets_of(target)});
        }
    }
    return length + finished;
}

}  // namespace kith::queries
