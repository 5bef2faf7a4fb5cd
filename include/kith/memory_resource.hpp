// Lets a world take its memory from a std::pmr::memory_resource. Not part of kith.hpp, because
// <memory_resource> is a large header.
//
//     std::pmr::monotonic_buffer_resource arena;
//     kith::world world(kith::use_memory(arena));
#pragma once

#include <kith/world.hpp>

#if __has_include(<memory_resource>)  // libc++ has it from version 16 on

#include <memory_resource>

namespace kith {

// The resource must outlive the world.
inline world_memory use_memory(std::pmr::memory_resource& resource, bool pools = true) noexcept {
    return {[](void* context, std::size_t size, std::size_t alignment) {
                return static_cast<std::pmr::memory_resource*>(context)->allocate(size, alignment);
            },
            [](void* context, void* memory, std::size_t size, std::size_t alignment) noexcept {
                static_cast<std::pmr::memory_resource*>(context)->deallocate(memory, size,
                                                                             alignment);
            },
            &resource, pools};
}

}  // namespace kith

#endif
