// The functions behind the threads of a world (include/kith/detail/time_ops.hpp).
#include <kith/detail/time_ops.hpp>
#include <kith/executor.hpp>
#include <kith/kith.hpp>

#include "api/draft.hpp"
#include "frame/state.hpp"

#include <string>

namespace kith::detail {

namespace {

// Threads do not make a scheduler, which has entities: the ids of a program must not depend on the
// number of threads.
scheduling::thread_set& threads_of(world_t* world, const char* call) {
    if (scheduling::running_part::find(kith::world(world).get_world())) {
        raise_error(errc::invalid_operation,
                    (std::string(call) + " inside of a parallel or split part of a frame").c_str());
    }
    return scheduling::state_of(world).threads;
}

}  // namespace

void set_threads(world_t* world, std::int32_t count, bool for_tasks) {
    threads_of(world, for_tasks ? "set_task_threads" : "set_threads").use_pool(count, for_tasks);
}

std::int32_t get_threads(const world_t* world) {
    const scheduling::state* known = scheduling::find_state(world);
    return known ? known->threads.count() : 1;
}

bool using_task_threads(const world_t* world) {
    const scheduling::state* known = scheduling::find_state(world);
    return known && known->threads.is_for_tasks();
}

void set_executor(world_t* world, const executor* used, std::int32_t threads) {
    scheduling::thread_set& known = threads_of(world, "set_executor");
    if (used) {
        known.use_executor(*used, threads);
    } else {
        known.use_pool(1, false);
    }
}

// The ways of systems are a part of plans.
void set_parallel(world_t* world, bool on) {
    scheduling::scheduler& owner = scheduling::scheduler::of(world);
    scheduling::check_may_change(owner, "set_parallel");
    owner.systems.stateless_are_parallel = on;
    owner.mark_stale();
}

void check_access(world_t* world, bool on) {
    scheduling::scheduler::of(world).checks_access = on;
}

}  // namespace kith::detail
