// Depths in relationships, declared in depth.hpp.
#include "graph/depth.hpp"

#include "base/assert.hpp"
#include "storage/graph.hpp"

#include <algorithm>

namespace kith::graph {

template <class Visit>
void depth_finder::each_target(std::uint32_t index, Visit&& visit) const {
    storage::each_target(data_, data_.entities.alive_at(index), relation_, visit);
}

// Follows single targets. A chain that returns to a mark has no end; the mark moves up after 1, 2,
// 4, 8, … steps, so it lies on the cycle sooner or later, and the chain needs no memory.
std::uint32_t depth_finder::find(std::uint32_t index) {
    std::uint32_t mark = index;
    std::uint32_t mark_length = 1;
    for (std::uint32_t length = 0;;) {
        std::uint32_t targets = 0;
        std::uint32_t above = 0;
        each_target(index, [&](std::uint32_t target) {
            above = target;
            return ++targets < 2;
        });
        if (targets == 0) {
            return length;
        }
        if (targets > 1) {
            const std::uint32_t rest = find_forked(index);
            return rest == no_depth ? no_depth : length + rest;
        }
        index = above;
        if (index == mark) {
            cycle_ = index;
            return no_depth;
        }
        if (++length == mark_length) {
            mark = index;
            mark_length *= 2;
        }
    }
}

// Depth first, with the path on a stack of its own.
std::uint32_t depth_finder::find_forked(std::uint32_t start) {
    path_.assign(1, start);
    while (!path_.empty()) {
        const std::uint32_t index = path_.back();
        if (seen_.insert(index)) {
            states_.push_back(open);
            if (!push_targets(index)) {
                return no_depth;
            }
            continue;
        }
        const std::uint32_t position = seen_.find(index);
        if (states_[position] == open) {
            states_[position] = finished + longest_from(index);
        }
        path_.pop_back();
    }
    return states_[seen_.find(start)] - finished;
}

// Puts the targets that were not visited on the path. False for an open target, which closes a
// cycle.
bool depth_finder::push_targets(std::uint32_t index) {
    each_target(index, [&](std::uint32_t target) {
        const std::uint32_t position = seen_.find(target);
        if (position == visit_set::none) {
            path_.push_back(target);
        } else if (states_[position] == open) {
            cycle_ = target;
        }
        return cycle_ == 0;
    });
    return cycle_ == 0;
}

// The depth of an entity whose targets are all finished.
std::uint32_t depth_finder::longest_from(std::uint32_t index) const {
    std::uint32_t longest = 0;
    each_target(index, [&](std::uint32_t target) {
        const std::uint32_t state = states_[seen_.find(target)];
        KITH_ASSERT(state >= finished, "targets are finished before their sources");
        longest = std::max(longest, state - finished + 1);
        return true;
    });
    return longest;
}

// Walks up to the first ancestor with a known depth, then stores depths on the way down.
std::uint32_t chain_depths::below(std::uint32_t target) {
    std::uint32_t steps = 0;
    std::uint32_t position = target;
    while (position != 0 && (position >= known_.size() || known_[position] == unknown)) {
        ++steps;
        position = above(position);
    }
    const std::uint32_t depth = (position == 0 ? 0 : known_[position] + 1) + steps;
    std::uint32_t level = depth;
    for (position = target; steps != 0; --steps, position = above(position)) {
        if (position >= known_.size()) {
            known_.resize(std::max<std::size_t>(position + 1, known_.size() * 2), unknown);
        }
        known_[position] = --level;
    }
    return depth;
}

}  // namespace kith::graph
