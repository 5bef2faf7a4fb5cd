// Differences behind their handles, for histories as well.
#pragma once

#include <kith/diff.hpp>

#include "api/snapshot.hpp"

namespace kith::detail {

// The facts of a difference refer to values of both states.
struct diff_state {
    // `limits`: the entities that the facts are about; none: all entities.
    diff_state(api::shared_state from, api::shared_state to, weak_world* owner,
               std::optional<mutate::diff_scope> limits = {});
    ~diff_state();
    diff_state(const diff_state&) = delete;
    diff_state& operator=(const diff_state&) = delete;

    // The world that describes the values, null if it has ended or belongs to another thread.
    const world_t* world() const noexcept;

    api::shared_state old_state;
    api::shared_state new_state;
    mutate::state_reader before;
    mutate::state_reader after;
    weak_world* link;
    std::optional<mutate::diff_scope> part;
    std::vector<mutate::fact> facts;
    atomic_number owners;
};

}  // namespace kith::detail
