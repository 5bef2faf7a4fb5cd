// Implements running_part.hpp.
#include "systems/running_part.hpp"

#include <kith/detail/assert.hpp>
#include <kith/detail/mutex.hpp>

#include <utility>

namespace kith::scheduling {

namespace {

KITH_THREAD_LOCAL running_part part_of_thread;

}  // namespace

running_part* running_part::find(const world_t* world) noexcept {
    return part_of_thread.world == world ? &part_of_thread : nullptr;
}

// The list of the outermost scope keeps its memory for the next part of the thread.
running_part_scope::running_part_scope(const world_t* world, system_data& system,
                                       nested_runs& nested) {
    if (part_of_thread.world) {
        outer_ = std::exchange(part_of_thread, {});
    }
    KITH_ASSERT(part_of_thread.systems.empty(), "the last part has ended");
    part_of_thread.systems.push_back(&system);
    part_of_thread.world = world;
    part_of_thread.nested = &nested;
}

running_part_scope::~running_part_scope() {
    if (outer_.world) {
        part_of_thread = std::move(outer_);
    } else {
        part_of_thread.world = nullptr;
        part_of_thread.systems.clear();
    }
}

}  // namespace kith::scheduling
