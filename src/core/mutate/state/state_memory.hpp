// The memory of captured states. While a ring of states exists, the blocks of states that have
// ended are kept for the next ones: a program that saves a state in each frame stops to allocate
// once the ring is full.
//
// Blocks may be allocated and released by any thread.
//
// Covered by tests/unit/mutate/state_memory_test.cpp.
#pragma once

#include <kith/fwd.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace kith::mutate {

// The alignment of all blocks.
inline constexpr std::size_t state_alignment = 64;

// Throws std::bad_alloc if memory is short.
void* allocate_state_block(std::size_t size);
// Takes back a block with the size for which it was allocated. A null block is ignored.
void release_state_block(void* block, std::size_t size) noexcept;
// Blocks for values. Blocks of a greater alignment than usual are never kept.
void* allocate_state_values(std::size_t size, std::size_t alignment);
void release_state_values(void* block, std::size_t size, std::size_t alignment) noexcept;
// The blocks as a resource, for stores of states.
extern const world_memory state_blocks;

// Blocks are kept as long as an object of this class exists. With those in use, they are not much
// more than were in use at the call of note_use() with the most of them.
class block_keeper {
public:
    block_keeper() noexcept;
    ~block_keeper();
    block_keeper(const block_keeper&) = delete;
    block_keeper& operator=(const block_keeper&) = delete;

    static void note_use() noexcept;
    // The bytes of blocks that are kept and not in use.
    static std::size_t bytes_kept() noexcept;
};

template <class T>
struct state_allocator {
    using value_type = T;
    static_assert(alignof(T) <= state_alignment);

    state_allocator() noexcept = default;
    template <class U>
    state_allocator(const state_allocator<U>&) noexcept {}

    T* allocate(std::size_t count) {
        return static_cast<T*>(allocate_state_block(count * sizeof(T)));
    }
    void deallocate(T* block, std::size_t count) noexcept {
        release_state_block(block, count * sizeof(T));
    }
    friend bool operator==(const state_allocator&, const state_allocator&) noexcept { return true; }
};

template <class T>
using state_vector = std::vector<T, state_allocator<T>>;

// A part of a state.
template <class Part, class... Args>
std::shared_ptr<Part> make_part(Args&&... args) {
    return std::allocate_shared<Part>(state_allocator<Part>{}, std::forward<Args>(args)...);
}

}  // namespace kith::mutate
