// The memory of worlds themselves. The block of a world stays when the world ends, for a while at
// least, if it came from operator new: handles that outlive their world find a world without
// entities there, and their operations raise an error. Operations on a live world run no extra
// check.
//
// Covered by tests/features/lifetime/handles_test.cpp.
#pragma once

#include <kith/detail/layout.hpp>

#include <cstddef>

namespace kith::api {

// A block for a world; null if there is no memory.
void* take_world_block(std::size_t size, std::size_t alignment) noexcept;
// The world in the block has been destroyed; `handle` is what handles point to, inside of the
// block.
void retire_world_block(void* block, world_t* handle) noexcept;

}  // namespace kith::api
