// All memory of a world: one upstream resource, with free lists for small blocks in front of it.
//
// Blocks up to `small_limit` bytes come from chunks and go back to the free list of their size;
// chunks are released with the world. Larger ones go to the resource directly. Callers give the
// size back, so blocks have no headers. Counted by purpose for world::stats().
//
// Covered by tests/core/containers/memory_test.cpp.
#pragma once

#include <kith/fwd.hpp>

#include <cstddef>
#include <cstdint>

namespace kith::containers {

enum class purpose : std::uint8_t { entities, tables, rows, index, sparse, names, commands, count };

class memory {
public:
    // Null: operator new and delete.
    explicit memory(const world_memory* upstream) noexcept;
    // Releases the chunks; everything else must have been given back.
    ~memory();
    memory(const memory&) = delete;
    memory& operator=(const memory&) = delete;

    // Never null: throws std::bad_alloc. `size` may be 0, then the result is null.
    void* allocate(std::size_t size, purpose use, std::size_t alignment = 16);
    void release(void* block, std::size_t size, purpose use, std::size_t alignment = 16) noexcept;

    // Sets memory aside for dispatching events of a change that is made already. May throw. The
    // reserve is used when the resource fails while `*mode & bit` holds.
    void ensure_reserve() {
        if (!reserves_ || reserves_->used != 0) [[unlikely]] {
            add_reserve();
        }
    }
    void use_reserve_while(const std::uint32_t& mode, std::uint32_t bit) noexcept {
        mode_ = &mode;
        mode_bit_ = bit;
    }

    // The world ends: from here on memory comes from the reserve, and from the resource only if the
    // reserve is too small.
    void prefer_reserve() noexcept { prefers_reserve_ = true; }

    std::size_t bytes(purpose use) const noexcept { return used_[static_cast<std::size_t>(use)]; }
    // What was taken from the resource.
    std::size_t bytes_total() const noexcept { return total_; }
    const world_memory& upstream() const noexcept { return upstream_; }
    // The resource is one of the program's, not operator new.
    bool is_given() const noexcept;

private:
    static constexpr std::size_t step = 16;
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
    // Memory that was set aside. Blocks are taken from the front; when all were given back, it is
    // whole again.
    struct reserve {
        reserve* next;
        std::size_t used;
        std::size_t blocks;
    };
    static constexpr std::size_t reserve_size = 16 * 1024;

    void* take_small(std::size_t rounded);
    bool has_reserve() const noexcept { return reserves_ && mode_ && *mode_ & mode_bit_; }
    void add_reserve();
    // Null if there is not enough.
    void* take_reserved(std::size_t size, std::size_t alignment) noexcept;
    // False if the block is of no reserve.
    bool give_back_reserved(const void* block) noexcept;
    // Null if the resource has none, and there is a reserve to use.
    void* ask_upstream(std::size_t size, std::size_t alignment);
    void* take_upstream(std::size_t size, std::size_t alignment);

    world_memory upstream_;
    free_block* free_[small_limit / step + 1] = {};
    chunk* chunks_ = nullptr;
    std::byte* fresh_ = nullptr;  // unused rest of the newest chunk
    std::size_t fresh_size_ = 0;
    std::size_t used_[static_cast<std::size_t>(purpose::count)] = {};
    std::size_t total_ = 0;
    reserve* reserves_ = nullptr;  // the newest first
    const std::uint32_t* mode_ = nullptr;
    std::uint32_t mode_bit_ = 0;
    bool prefers_reserve_ = false;
};

}  // namespace kith::containers
