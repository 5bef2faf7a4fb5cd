// Implements plan.hpp.
#include "plan/plan.hpp"

namespace kith::scheduling {

namespace {

// The first id of a system that commands of earlier systems may be about.
sync_point find_queued(const planned_system& system, const queued_ids& queued) {
    if (queued.empty()) {
        return {};
    }
    for (const access& one : system.access) {
        const std::uint32_t by =
            one.how & access_sees ? queued.find(one.id) : queued_ids::no_system;
        if (by != queued_ids::no_system) {
            return {sync_cause::access, one.id, by};
        }
    }
    return {};
}

// The causes are tested from the strongest to the weakest, so that explanations name the strongest.
// `before` is the system in front of `system`.
sync_point find_sync(const planned_system& before, const planned_system& system, sync points,
                     const queued_ids& queued) {
    if (system.way == run_way::immediate || before.way == run_way::immediate) {
        return {sync_cause::immediate, 0, 0};
    }
    if (system.barrier) {
        return {sync_cause::barrier, 0, 0};
    }
    if (const sync_point found = find_queued(system, queued); found.cause != sync_cause::none) {
        return found;
    }
    if (points == sync::systems) {
        return {sync_cause::pipeline, 0, 0};
    }
    const bool same_phase = before.group == system.group && before.phase == system.phase;
    if (points == sync::phases && !same_phase) {
        return {sync_cause::phase, 0, 0};
    }
    return {};
}

}  // namespace

// A sync point empties the set of queued ids: commands before it have run.
std::vector<plan_entry> make_plan(const std::vector<planned_system>& systems, sync points) {
    std::vector<plan_entry> plan(systems.size());
    queued_ids queued;
    std::uint32_t stretch = 0;
    for (std::uint32_t i = 0; i < systems.size(); ++i) {
        if (i != 0) {
            plan[i].sync = find_sync(systems[i - 1], systems[i], points, queued);
        }
        if (plan[i].sync.cause != sync_cause::none) {
            queued.clear();
            ++stretch;
        }
        plan[i].stretch = stretch;
        for (const access& one : systems[i].access) {
            if (one.how & access_queue) {
                queued.add(one.id, i);
            }
        }
    }
    return plan;
}

}  // namespace kith::scheduling
