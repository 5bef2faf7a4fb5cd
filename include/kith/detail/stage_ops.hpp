// The functions by which libraries on top of the core, such as src/schedule, join a world.
// Internal: programs call the classes instead. Implemented in src/core/api.
#pragma once

#include <kith/fwd.hpp>

namespace kith::detail {

// The data of a library on top of the core, one for each world; made by `new` and owned by the
// world.
class world_extension {
public:
    world_extension() noexcept = default;
    world_extension(const world_extension&) = delete;
    world_extension& operator=(const world_extension&) = delete;
    // Called when all entities have ended.
    virtual ~world_extension() = default;
    // Called first when the world ends: no other thread uses the world afterwards.
    virtual void stop() noexcept = 0;
};

// Null if the world has none.
world_extension* find_extension(const world_t* world);
// Requires: the world has none.
void set_extension(world_t* world, world_extension* added);

}  // namespace kith::detail
