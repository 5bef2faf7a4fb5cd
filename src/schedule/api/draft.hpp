// A system that is being built.
#pragma once

#include "frame/scheduler.hpp"

namespace kith::detail {

// The state behind copies of a system_builder. Settings that are plain values stay in the builder;
// lists, and the entity, are shared by all copies.
struct system_draft {
    // The number of builders; a draft is used by one thread, so that the count is not atomic.
    std::uint32_t owners = 1;
    world_t* world = nullptr;
    entity_t entity = 0;
    bool created = false;                              // the entity was made for the draft
    bool made = false;                                 // the system was made
    std::vector<std::pair<entity_t, entity_t>> edges;  // relationship, target
    std::vector<id_t> modified;
    std::vector<scheduling::run_condition> conditions;
    std::shared_ptr<void> context;  // with the function that frees it
};

}  // namespace kith::detail

namespace kith::scheduling {

// Throws inside of a parallel or split system, which must not change systems.
void check_may_change(const scheduler& owner, const char* call);

}  // namespace kith::scheduling
