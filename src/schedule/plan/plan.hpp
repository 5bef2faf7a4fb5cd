// The plan of a pipeline: its systems in order, and the sync points between them with their
// reasons. A plan is a function of plain values; frames walk it and change nothing.
//
// Covered by tests/unit/schedule/plan_test.cpp.
#pragma once

#include <kith/detail/system_ops.hpp>

#include "access/access_set.hpp"

#include <vector>

namespace kith::scheduling {

// True if a system runs in parts, which may run at the same time as others.
constexpr bool is_parallel(run_way way) noexcept {
    return way == run_way::parallel || way == run_way::split;
}

// A system as a plan sees it, in the order of the pipeline.
struct planned_system {
    entity_t entity = 0;
    entity_t phase = 0;
    std::uint32_t group = 0;
    run_way way = run_way::alone;
    bool barrier = false;
    bool chosen = false;        // it is parallel by world.set_parallel()
    bool begins_batch = false;  // its rows or conditions depend on values that others write
    access_list access;
};

enum class sync_cause : std::uint8_t {
    none,       // there is no sync point
    access,     // the system reads what an earlier one may have queued
    barrier,    // it asks for one
    immediate,  // it is immediate, or the one before it is
    phase,      // the pipeline asks for one between phases
    pipeline,   // the pipeline asks for one between systems
};

// The sync point in front of a system.
struct sync_point {
    sync_cause cause = sync_cause::none;
    id_t id = 0;               // of sync_cause::access: that the system reads
    std::uint32_t system = 0;  // and the number of the system that queues it
};

// `stretch` counts from 0: systems of one stretch have no sync point between them.
struct plan_entry {
    sync_point sync;
    std::uint32_t stretch = 0;
};

// One entry for each system. The first one has no sync point: nothing waits in front of it.
std::vector<plan_entry> make_plan(const std::vector<planned_system>& systems, sync points);

}  // namespace kith::scheduling
