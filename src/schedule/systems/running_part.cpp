// Implements running_part.hpp.
#include "systems/running_part.hpp"

#include <kith/detail/assert.hpp>
#include <kith/detail/thread_owned.hpp>

#include <utility>

namespace kith::scheduling {

namespace {

KITH_THREAD_OWNED(running_part, part_of_thread);

}  // namespace

running_part* running_part::find(const world_t* world) noexcept {
    running_part& part = part_of_thread();
    return part.world == world ? &part : nullptr;
}

// The list of the outermost scope keeps its memory for the next part of the thread.
running_part_scope::running_part_scope(const world_t* world, system_data& system,
                                       nested_runs& nested) {
    running_part& part = part_of_thread();
    if (part.world) {
        outer_ = std::exchange(part, {});
    }
    KITH_ASSERT(part.systems.empty(), "the last part has ended");
    part.systems.push_back(&system);
    part.world = world;
    part.nested = &nested;
}

running_part_scope::~running_part_scope() {
    running_part& part = part_of_thread();
    if (outer_.world) {
        part = std::move(outer_);
    } else {
        part.world = nullptr;
        part.systems.clear();
    }
}

}  // namespace kith::scheduling
