// Walks along a relationship from an entity: upward, from sources to targets, depth first; and
// downward, from targets to sources, level by level. No walk recurses, because hierarchies may be a
// million levels deep, and none visits an entity twice.
//
// depth_first and walk_levels() get the edges from the caller, who may read them from another place
// than the store. up_walk and walk_down() read them from the store.
//
// Covered by tests/unit/graph/walk_test.cpp.
#pragma once

#include "graph/visit_set.hpp"
#include "storage/graph.hpp"

#include <algorithm>

namespace kith::graph {

// A visit of a walk. The level counts the edges between the start and the entity.
struct visit {
    entity_t entity;
    std::uint32_t level;
};

// The entities that a walk counts as the same: each entity is visited once, or, for searches with
// limits on the depth, once per level.
enum class repeat : std::uint8_t { never, by_level };

// Where cycles are possible, a walk remembers its visits from the start. Else it remembers them
// from the first fork on, because the paths of a walk without forks cannot meet.
enum class cycles : std::uint8_t { impossible, possible };

// The pending and the past visits of a depth-first walk. The caller alternates between next() and
// open(), which it leaves out for visits whose neighbours are of no interest.
class depth_first {
public:
    depth_first(repeat repeats, cycles expected, containers::memory* mem = nullptr) noexcept
        : pending_(mem, purpose::commands),
          seen_(mem),
          by_level_(repeats == repeat::by_level),
          remembers_(expected == cycles::possible) {}
    depth_first(const depth_first& other)
        : pending_(nullptr, purpose::commands),
          seen_(other.seen_),
          by_level_(other.by_level_),
          remembers_(other.remembers_) {
        std::for_each(other.pending_.begin(), other.pending_.end(),
                      [&](const visit& step) { pending_.push(step); });
    }
    depth_first& operator=(const depth_first&) = delete;

    // Remembers the start of a walk, which is visited without next().
    void begin(entity_t start) { seen_.insert(key_of({start, 0})); }
    // The neighbours of a visited entity follow in the order in which each(add) passes them to
    // add(entity).
    template <class Each>
    void open(const visit& from, Each&& each) {
        const std::uint32_t first = pending_.size();
        each([&](entity_t next) { pending_.push({next, from.level + 1}); });
        if (pending_.size() > first + 1) {
            std::reverse(pending_.begin() + first, pending_.end());
        }
        remembers_ |= pending_.size() > 1;
    }
    // The next visit; false at the end.
    bool next(visit& result) {
        while (!pending_.empty()) {
            result = pending_.back();
            pending_.pop();
            if (!remembers_ || seen_.insert(key_of(result))) {
                return true;
            }
        }
        return false;
    }

private:
    std::uint64_t key_of(const visit& step) const noexcept {
        return by_level_ ? std::uint64_t{step.level} << 32 | index_of(step.entity) : step.entity;
    }

    containers::small_vec<visit, 8> pending_;  // a stack: the next visit is the last
    visit_set seen_;
    bool by_level_;
    bool remembers_;  // visits are in seen_
};

// The entities above an entity, depth first, targets in their order. Without cycles, a chain of
// single targets takes no memory.
class up_walk {
public:
    up_walk(const storage::store& data, std::uint32_t relation, entity_t start, repeat repeats,
            cycles expected = cycles::impossible)
        : data_(data), relation_(relation), last_{start, 0}, steps_(repeats, expected) {
        if (expected == cycles::possible) {
            steps_.begin(start);
        }
    }

    // The next visit; false at the end. Without `deeper`, the walk does not continue beyond the
    // last visit.
    bool next(visit& result, bool deeper = true) {
        if (deeper) {
            steps_.open(last_, [&](auto&& add) {
                storage::each_target(data_, last_.entity, relation_, [&](std::uint32_t target) {
                    add(data_.entities.alive_at(target));
                    return true;
                });
            });
        }
        const bool found = steps_.next(last_);
        result = last_;
        return found;
    }

private:
    const storage::store& data_;
    std::uint32_t relation_;
    visit last_;
    depth_first steps_;
};

// Calls visit(entity, level) level by level, up to the level `max_depth`, until it returns false.
// edges(entity, add) calls add(neighbour) for the neighbours of an entity.
template <class Edges, class Visit>
void walk_levels(entity_t start, std::uint32_t max_depth, repeat repeats, containers::memory* mem,
                 Edges&& edges, Visit&& visit) {
    containers::small_vec<entity_t, 8> level(mem, purpose::commands);
    visit_set seen(mem);
    level.push(start);
    seen.insert(start);
    for (std::uint32_t depth = 1; depth <= max_depth && !level.empty(); ++depth) {
        if (repeats == repeat::by_level) {
            seen.clear();
        }
        const std::uint32_t first = seen.size();
        for (entity_t entity : level) {
            edges(entity, [&](entity_t neighbour) { seen.insert(neighbour); });
        }
        level.clear();
        for (std::uint32_t position = first; position < seen.size(); ++position) {
            level.push(seen[position]);
        }
        for (entity_t entity : level) {
            if (!visit(entity, depth)) {
                return;
            }
        }
    }
}

// The entities below an entity, level by level; see walk_levels().
template <class Visit>
void walk_down(const storage::store& data, std::uint32_t relation, entity_t start,
               std::uint32_t max_depth, repeat repeats, Visit&& visit) {
    auto sources = [&](entity_t target, auto&& add) {
        storage::each_source(data, relation, index_of(target), [&](entity_t source) {
            add(source);
            return true;
        });
    };
    walk_levels(start, max_depth, repeats, nullptr, sources, visit);
}

// Adds the targets of an entity, or its sources, to the visited entities.
inline void add_targets(visit_set& visited, const storage::store& data, std::uint32_t relation,
                        entity_t entity) {
    storage::each_target(data, entity, relation, [&](std::uint32_t target) {
        visited.insert(data.entities.alive_at(target));
        return true;
    });
}
inline void add_sources(visit_set& visited, const storage::store& data, std::uint32_t relation,
                        entity_t entity) {
    storage::each_source(data, relation, index_of(entity), [&](entity_t source) {
        visited.insert(source);
        return true;
    });
}

}  // namespace kith::graph
