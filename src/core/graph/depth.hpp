// The depth of an entity in a relationship: the length of the longest chain of targets from it.
// Implemented in depth.cpp.
//
// Covered by tests/unit/graph/depth_test.cpp.
#pragma once

#include "graph/visit_set.hpp"
#include "storage/store.hpp"

#include <vector>

namespace kith::graph {

// Finds depths in one relationship, which may have cycles. A chain of single targets takes no
// memory. Depths beyond a fork are remembered, so an entity that several chains reach is visited
// once. Requires: the relationship does not change while the finder is in use.
class depth_finder {
public:
    static constexpr std::uint32_t no_depth = 0xFFFFFFFF;

    depth_finder(const storage::store& data, std::uint32_t relation) noexcept
        : data_(data), relation_(relation) {}

    // The depth of the entity with this index; no_depth if one of its chains has no end. No call
    // may follow then.
    std::uint32_t find(std::uint32_t index);
    // An entity of the cycle that find() met. Requires: find() returned no_depth.
    entity_t cycle() const noexcept { return data_.entities.alive_at(cycle_); }

private:
    // States of an entity. An open entity is on the present path; its targets are being visited.
    static constexpr std::uint32_t open = 0;
    static constexpr std::uint32_t finished = 1;  // plus the depth

    template <class Visit>
    void each_target(std::uint32_t index, Visit&& visit) const;
    // The depth of an entity with several targets.
    std::uint32_t find_forked(std::uint32_t index);
    bool push_targets(std::uint32_t index);
    std::uint32_t longest_from(std::uint32_t index) const;

    const storage::store& data_;
    std::uint32_t relation_;
    std::uint32_t cycle_ = 0;
    visit_set seen_;                     // indices
    std::vector<std::uint32_t> states_;  // by position in seen_
    std::vector<std::uint32_t> path_;
};

// Remembers the depths of all ancestors in a relationship whose links have one target at most and
// no cycles, so that the depths of many entities follow each edge once.
class chain_depths {
public:
    explicit chain_depths(const storage::link_store& links) noexcept : links_(links) {}

    // The depth of entities with this target; 0 stands for no target.
    std::uint32_t below(std::uint32_t target);
    // The target of an entity, 0 for entities without a target.
    std::uint32_t above(std::uint32_t index) const noexcept {
        const storage::link_node* node = links_.find(index);
        return node ? node->target : 0;
    }

private:
    static constexpr std::uint32_t unknown = 0xFFFFFFFF;

    const storage::link_store& links_;
    std::vector<std::uint32_t> known_;  // depths of targets, by index
};

}  // namespace kith::graph
