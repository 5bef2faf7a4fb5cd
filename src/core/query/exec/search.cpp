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
    const storage::id_record* known = is_pair(pattern) ? nullptr : data.ids.find(pattern);
    std::uint32_t traits = known ? known->traits : traits::describe_id(data, pattern).traits;
    return !(traits & traits::trait_dont_inherit);
}

owner_ref find_owner_at(const storage::store& data, entity_t entity, const term& asked) {
    location where = locate(data, entity);
    if (!where.table) {
        return {};
    }
    if (owns_any(data, where, asked.id, visibility::inheritable)) {
        return {entity, false, 0};
    }
    return !asked.tests_bases()
               ? owner_ref{}
               : owner_ref{traits::find_base(data, *where.record, entity, asked.id), false, entity};
}

owner_ref find_owner_on_source(const storage::store& data, const location& source,
                               const term& asked) {
    if (!(asked.flags & Self)) {
        return {};
    }
    if (owns_any(data, source, asked.id, visibility::own)) {
        return {source.entity, true, 0};
    }
    if (!asked.tests_bases() || !(source.table->flags & detail::shape_has_base) ||
        !is_inheritable(data, asked.id)) {
        return {};
    }
    return {traits::find_base(data, *source.record, source.entity, asked.id), false, source.entity};
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
    seen_key key(const visit& one) const noexcept {
        return {one.entity, by_level_ ? one.level : 0};
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
bool passes_any(const storage::store& data, const owner_ref& found, const location& source,
                id_t pattern) {
    const location where = locate(data, found.owner);
    owned_id_position position;
    owned_id one;
    while (next_owned_id(data, where, pattern, visibility::inheritable, position, one)) {
        if (is_passed_on(data, found, source, one.id)) {
            return true;
        }
    }
    return false;
}

// Calls take(owner) for what is found above, nearest first, until it returns false.
template <class Take>
void search_up(const storage::store& data, const location& source, const term& asked, Take&& take) {
    if (!is_inheritable(data, asked.id)) {
        return;
    }
    bool should_stop = !(asked.flags & TraverseAll);
    if (asked.trav == IsA && should_stop && !asked.is_limited()) {
        if (entity_t base = traits::find_base(data, *source.record, source.entity, asked.id)) {
            take(owner_ref{base, false, source.entity});
        }
        return;
    }
    up_walk walk(data, asked.trav, source.entity, asked.is_limited());
    // With limits an entity may be met on several levels.
    std::unordered_set<entity_t> taken;
    visit at{source.entity, 0};
    for (bool deeper = true; walk.next(at, deeper);) {
        deeper = at.level < asked.max_depth;
        if (at.level < asked.min_depth || at.level > asked.max_depth) {
            continue;
        }
        owner_ref found = find_owner_at(data, at.entity, asked);
        if (asked.trav == IsA && found.owner != 0) {
            found.inheritor = source.entity;
            found.owner = passes_any(data, found, source, asked.id) ? found.owner : 0;
        }
        if (found.owner == 0 || (asked.is_limited() && !taken.insert(at.entity).second)) {
            continue;
        }
        if (!take(found)) {
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

// The same as search_up, below.
template <class Take>
void search_down(const storage::store& data, const location& source, const term& asked,
                 Take&& take) {
    if (!is_inheritable(data, asked.id)) {
        return;
    }
    std::unordered_set<entity_t> taken;
    walk_down(data, asked.trav, source.entity, asked.max_depth, asked.is_limited(),
              [&](entity_t below, std::uint32_t depth) {
                  if (depth < asked.min_depth) {
                      return true;
                  }
                  owner_ref found = find_owner_at(data, below, asked);
                  bool again =
                      asked.is_limited() && found.owner != 0 && !taken.insert(below).second;
                  return found.owner == 0 || again || take(found);
              });
}

template <class Take>
void search(const storage::store& data, const location& source, const term& asked, Take&& take) {
    if (owner_ref near = find_owner_on_source(data, source, asked);
        near.owner != 0 && !take(near)) {
        return;
    }
    if (asked.follows_up()) {
        search_up(data, source, asked, take);
    } else if (asked.flags & Down) {
        search_down(data, source, asked, take);
    }
}

}  // namespace

owner_ref find_owner(const storage::store& data, const location& source, const term& asked) {
    owner_ref nearest;
    search(data, source, asked, [&](const owner_ref& found) {
        nearest = found;
        return false;
    });
    return nearest;
}

bool is_passed_on(const storage::store& data, const owner_ref& found, const location& source,
                  id_t id) {
    if (found.inheritor == 0 || !is_pair(id) ||
        !(traits::describe_id(data, id).traits & traits::trait_exclusive)) {
        return true;
    }
    const location inheritor =
        found.inheritor == source.entity ? source : locate(data, found.inheritor);
    return traits::find_base(data, *inheritor.record, inheritor.entity, id) == found.owner;
}

void collect_dependents(const storage::store& data, entity_t start, const substitution& by,
                        std::vector<entity_t>& reached) {
    if (by.flags & Self) {
        reached.push_back(start);
    }
    const bool limited = by.min_depth > 1 || by.max_depth != 0xFFFFFFFF;
    std::unordered_set<entity_t> taken;
    auto take = [&](entity_t entity, std::uint32_t level) {
        if (level >= by.min_depth && level <= by.max_depth &&
            (!limited || taken.insert(entity).second)) {
            reached.push_back(entity);
        }
    };
    if (by.flags & Up) {
        up_walk walk(data, by.trav, start, limited);
        visit at{start, 0};
        for (bool deeper = true; walk.next(at, deeper);) {
            deeper = at.level < by.max_depth;
            take(at.entity, at.level);
        }
    } else if (by.flags & Down) {
        walk_down(data, by.trav, start, by.max_depth, limited,
                  [&](entity_t entity, std::uint32_t level) {
                      take(entity, level);
                      return true;
                  });
    }
}

void collect_visited(const storage::store& data, const location& source, const term& asked,
                     std::vector<owner_ref>& owners) {
    auto add_bases = [&](entity_t inheritor, const storage::table& type) {
        traits::base_walk bases(data, type);
        while (entity_t base = bases.next()) {
            owners.push_back({base, false, inheritor});
        }
    };
    if (asked.flags & Self) {
        owners.push_back({source.entity, true, 0});
        if (asked.tests_bases()) {
            add_bases(source.entity, *source.table);
        }
    }
    if (!asked.follows()) {
        return;
    }
    const bool up = asked.follows_up();
    if (up && asked.trav == IsA && !asked.is_limited()) {
        // By the type, which the rows of a table have in common.
        add_bases(source.entity, *source.table);
        return;
    }
    std::vector<entity_t> visited;
    collect_dependents(
        data, source.entity,
        {asked.relation, asked.trav, up ? Up : Down, asked.min_depth, asked.max_depth}, visited);
    for (entity_t one : visited) {
        owners.push_back({one, false, up && asked.trav == IsA ? source.entity : 0});
        if (asked.tests_bases()) {
            add_bases(one, *locate(data, one).table);
        }
    }
}

void collect_owners(const storage::store& data, const location& source, const term& asked,
                    std::vector<owner_ref>& owners) {
    search(data, source, asked, [&](const owner_ref& found) {
        owners.push_back(found);
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
    // A chain needs no memory of what was seen.
    std::uint32_t length = 0;
    entity_t at = entity;
    for (;;) {
        entity_t above = 0;
        std::uint32_t count = 0;
        storage::each_target(data, at, relation, [&](std::uint32_t target) {
            above = data.entities.alive_at(target);
            return ++count < 2;
        });
        if (count == 0) {
            return length;
        }
        if (count > 1) {
            break;
        }
        at = above;
        ++length;
    }
    std::unordered_map<std::uint32_t, std::uint32_t> known;
    std::vector<depth_step> path;
    path.push_back({index_of(at), 0, targets_of(index_of(at))});
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
