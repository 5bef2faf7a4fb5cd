// The memory blocks of worlds. A block that came from operator new is kept for a while after its
// world has ended: handles that outlive the world find a world without entities there, and their
// operations raise an error. Operations on a live world need no check for that.
//
// Covered by tests/features/lifetime/handles_test.cpp.
#pragma once

#include <kith/detail/layout.hpp>

#include <cstddef>

namespace kith::api {

// A block for a world; null if memory is short.
void* take_world_block(std::size_t size, std::size_t alignment) noexcept;
// Keeps the block of a destroyed world. `handle` is the object inside of the block that handles
// point to; it becomes an empty world.
void retire_world_block(void* block, world_t* handle) noexcept;

}  // namespace kith::api
