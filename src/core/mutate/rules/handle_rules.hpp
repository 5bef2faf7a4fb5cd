// Values with handles to entities that are about to be deleted. A handle whose member has a policy
// is found by reading the values of its component: a deletion in a world with such members costs a
// walk over them, other worlds pay nothing.
//
// Covered by tests/features/values/handles_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"

namespace kith::mutate {

// A value that holds a handle to an entity.
struct handle_use {
    entity_t target;
    entity_t holder;
    id_t id;
    entity_t component;  // of the value
    handle_policy action;
};

// The handles with a policy, of the world as it is at the first call of find(). The first search
// reads all values and keeps what it looks for; the second one keeps all handles, sorted.
//
// Invariant: `uses_` is sorted by target once `is_complete_` is set.
class handle_index {
public:
    explicit handle_index(stage& world) noexcept : world_(world) {}
    ~handle_index() { uses_.release(world_.data.mem, containers::purpose::commands); }
    handle_index(const handle_index&) = delete;
    handle_index& operator=(const handle_index&) = delete;

    // True if the world has handles with a policy.
    bool is_needed() const noexcept { return world_.deletion.handle_rules != nullptr; }
    // Calls visit(use) for the handles to the entity.
    template <class Visit>
    void each_use(entity_t target, Visit&& visit) {
        for (const handle_use* use = find(target); use != uses_.end() && use->target == target;
             ++use) {
            visit(*use);
        }
    }

private:
    // The first handle to the entity; handles to one entity follow each other.
    const handle_use* find(entity_t target);
    // Collects handles to `target`, or all handles if it is 0.
    void collect(entity_t target);

    stage& world_;
    containers::vec<handle_use> uses_;
    std::uint32_t searches_ = 0;
    bool is_complete_ = false;
};

}  // namespace kith::mutate
