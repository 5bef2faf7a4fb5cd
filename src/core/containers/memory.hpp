// The allocator of a world: an upstream resource (operator new, or functions of the program) with
// free lists for small blocks in front of it.
//
// Blocks of up to `small_limit` bytes are cut from chunks and return to the free list of their
// size; chunks are released with the world. Larger blocks go to the resource directly. Callers pass
// the size again when they release a block, so blocks have no headers. Bytes are counted by purpose
// for world::stats().
//
// Invariants
// 1. A block is released with the size, alignment and purpose with which it was allocated.
// 2. free_[n] lists blocks of n * step bytes; none of them is in use.
// 3. fresh_size_ is a multiple of step and smaller than a chunk.
// 4. used_[p] is the sum of the (rounded) sizes of the blocks of purpose p that are in use.
// 5. total_ is what was taken from the resource and not returned, reserves included.
// 6. A reserve with blocks == 0 has used == 0: the whole of it is free.
//
// Covered by tests/unit/containers/memory_test.cpp.
#pragma once

#include <kith/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <new>

namespace kith::containers {

// The part of a world that a block belongs to; world_stats has one figure for each.
enum class purpose : std::uint8_t { entities, tables, rows, index, sparse, names, commands, count };

class memory {
public:
    // `upstream` is copied. Null: operator new and delete.
    explicit memory(const world_memory* upstream) noexcept;
    // Releases chunks and reserves. Requires: all larger blocks have been released.
    ~memory();
    memory(const memory&) = delete;
    memory& operator=(const memory&) = delete;

    // Throws std::bad_alloc if memory is short. The result is null only if `size` is 0. `alignment`
    // is a power of two.
    void* allocate(std::size_t size, purpose use, std::size_t alignment = 16);
    // Takes back a block of allocate() (invariant 1). A null block is ignored.
    void release(void* block, std::size_t size, purpose use, std::size_t alignment = 16) noexcept;

    // Sets memory aside (the reserve) for notifying listeners of a change that cannot be undone any
    // more. May throw. The reserve is used when the resource fails while a bit of a stage's mode is
    // set; use_reserve_while() names mode and bit.
    void ensure_reserve() {
        if (!reserves_ || reserves_->used != 0) [[unlikely]] {
            add_reserve();
        }
    }
    void use_reserve_while(const std::uint32_t& mode, std::uint32_t bit) noexcept {
        mode_ = &mode;
        mode_bit_ = bit;
    }

    // The world is being destroyed: from here on memory comes from the reserve first, and from the
    // resource only if the reserve is too small. So destroying a world hardly ever needs memory.
    void prefer_reserve() noexcept { prefers_reserve_ = true; }

    std::size_t bytes(purpose use) const noexcept { return used_[static_cast<std::size_t>(use)]; }
    // The bytes that are taken from the resource, free blocks and reserves included.
    std::size_t bytes_total() const noexcept { return total_; }
    const world_memory& upstream() const noexcept { return upstream_; }
    // True if the program supplied the resource, false if it is operator new.
    bool is_given() const noexcept;

private:
    static constexpr std::size_t step = 16;  // sizes of small blocks are multiples of it
    static constexpr std::size_t small_limit = 512;
    static constexpr std::size_t first_chunk_size = 16 * 1024;
    static constexpr std::size_t chunk_size = 64 * 1024;

    struct free_block {
        free_block* next;
    };
    struct chunk {
        chunk* next;
        std::size_t size;
    };

    bool is_small(std::size_t size, std::size_t alignment) const noexcept {
        return size <= small_limit && alignment <= step && upstream_.pools;
    }
    // The header of a block of reserve_size bytes that was set aside. Blocks are cut from its
    // front; when all of them are released, the whole reserve is free again.
    struct reserve {
        reserve* next;
        std::size_t used;    // bytes behind the header that were handed out, with padding
        std::size_t blocks;  // blocks that are in use
    };
    static constexpr std::size_t reserve_size = 16 * 1024;

    // A block of a size that is a multiple of step, from the newest chunk or a new one.
    void* take_small(std::size_t rounded);
    bool has_reserve() const noexcept { return reserves_ && mode_ && *mode_ & mode_bit_; }
    void add_reserve();
    // A block of a reserve. Null if no reserve has room.
    void* take_reserved(std::size_t size, std::size_t alignment) noexcept;
    // Returns a block to its reserve. False if the block does not lie in a reserve.
    bool give_back_reserved(const void* block) noexcept;
    // Allocates from the resource. Throws if that fails, or returns null if a reserve may be used.
    void* ask_upstream(std::size_t size, std::size_t alignment);
    // Allocates from the resource or, where it may be used, from a reserve; never null.
    void* take_upstream(std::size_t size, std::size_t alignment);

    world_memory upstream_;
    free_block* free_[small_limit / step + 1] = {};  // by size / step
    chunk* chunks_ = nullptr;
    std::byte* fresh_ = nullptr;  // unused rest of the newest chunk
    std::size_t fresh_size_ = 0;
    std::size_t used_[static_cast<std::size_t>(purpose::count)] = {};
    std::size_t total_ = 0;
    reserve* reserves_ = nullptr;          // the newest first
    const std::uint32_t* mode_ = nullptr;  // see use_reserve_while()
    std::uint32_t mode_bit_ = 0;
    bool prefers_reserve_ = false;
};

// Memory of a world, or of the heap if `mem` is null: readers of one world may run in several
// threads, and its memory serves one.
inline void* allocate_from(memory* mem, std::size_t size, purpose use) {
    return mem ? mem->allocate(size, use) : ::operator new(size);
}
inline void release_to(memory* mem, void* block, std::size_t size, purpose use) noexcept {
    mem ? mem->release(block, size, use) : ::operator delete(block);
}

}  // namespace kith::containers
