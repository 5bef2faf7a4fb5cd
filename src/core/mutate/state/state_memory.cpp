// The blocks of captured states, and those that are kept for the next states (state_memory.hpp).
#include "mutate/state/state_memory.hpp"

#include <kith/detail/mutex.hpp>

#include "base/assert.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <new>

namespace kith::mutate {

namespace {

// Sizes are rounded, so that a block serves states of about the same size: to multiples of 64 up to
// 1 KiB, then to one of 16 steps between two powers of two.
struct size_class {
    std::size_t number;
    std::size_t size;
};

constexpr std::size_t size_step = state_alignment;
constexpr std::size_t steps_per_power = 16;
constexpr std::size_t first_power = 10;
constexpr std::size_t class_count = steps_per_power * (48 - first_power);

constexpr size_class class_of(std::size_t size) noexcept {
    if (size <= (std::size_t{1} << first_power)) {
        const std::size_t units = size == 0 ? 1 : (size + size_step - 1) / size_step;
        return {units - 1, units * size_step};
    }
    const std::size_t power = static_cast<std::size_t>(std::bit_width(size - 1)) - 1;
    const std::size_t step = (std::size_t{1} << power) / steps_per_power;
    const std::size_t units = (size + step - 1) / step;
    return {(power - first_power) * steps_per_power + units - 1, units * step};
}
static_assert(class_of(1).number == 0 && class_of(1).size == 64);
static_assert(class_of(1024).number == 15 && class_of(1024).size == 1024);
static_assert(class_of(1025).number == 16 && class_of(1025).size == 1088);
static_assert(class_of(2048).number == 31 && class_of(2048).size == 2048);
static_assert(class_of(2049).number == 32 && class_of(2049).size == 2176);

// A kept block, in a list of blocks of its class.
struct kept_block {
    kept_block* next;
};

// Invariants
// 1. The blocks of kept[n] have the size of class n; none of them is in use.
// 2. kept_bytes is the sum of their sizes.
// 3. Without keepers, no block is kept.
struct block_pool {
    detail::mutex mutex;  // for all but `in_use` and `keepers`
    kept_block* kept[class_count] = {};
    std::size_t kept_bytes = 0;
    std::size_t most_bytes = 0;  // of blocks in use at note_use()
    std::atomic<std::size_t> in_use = 0;
    std::atomic<std::uint32_t> keepers = 0;
};

block_pool state_pool;

kept_block* take_kept(const size_class& wanted) noexcept {
    if (state_pool.keepers.load(std::memory_order_relaxed) == 0) {
        return nullptr;
    }
    const detail::lock_guard lock(state_pool.mutex);
    kept_block*& head = state_pool.kept[wanted.number];
    kept_block* block = head;
    if (block) {
        head = block->next;
        state_pool.kept_bytes -= wanted.size;
    }
    return block;
}

// Restoring needs blocks as well, for its lists. Without room for them, they would take the place
// of blocks that the next state needs.
constexpr std::size_t spare_bytes = 256 * 1024;

// False if the block is not needed.
bool try_keep(void* block, const size_class& released) noexcept {
    if (state_pool.keepers.load(std::memory_order_relaxed) == 0) {
        return false;
    }
    const detail::lock_guard lock(state_pool.mutex);
    const std::size_t used = state_pool.in_use.load(std::memory_order_relaxed);
    const std::size_t limit = state_pool.most_bytes + state_pool.most_bytes / 8 + spare_bytes;
    if (state_pool.keepers.load(std::memory_order_relaxed) == 0 ||
        used + state_pool.kept_bytes + released.size > limit) {
        return false;
    }
    state_pool.kept[released.number] = ::new (block) kept_block{state_pool.kept[released.number]};
    state_pool.kept_bytes += released.size;
    return true;
}

void free_block(void* block) noexcept {
    ::operator delete (block, std::align_val_t{state_alignment});
}

}  // namespace

void* allocate_state_block(std::size_t size) {
    const size_class wanted = class_of(size);
    void* block = wanted.number < class_count ? take_kept(wanted) : nullptr;
    if (!block) {
        block = ::operator new (wanted.size, std::align_val_t{state_alignment});
    }
    state_pool.in_use.fetch_add(wanted.size, std::memory_order_relaxed);
    return block;
}

void release_state_block(void* block, std::size_t size) noexcept {
    if (!block) {
        return;
    }
    const size_class released = class_of(size);
    KITH_ASSERT(state_pool.in_use.load() >= released.size, "a block is released with its size");
    state_pool.in_use.fetch_sub(released.size, std::memory_order_relaxed);
    if (released.number >= class_count || !try_keep(block, released)) {
        free_block(block);
    }
}

void* allocate_state_values(std::size_t size, std::size_t alignment) {
    return alignment <= state_alignment ? allocate_state_block(size)
                                        : ::operator new (size, std::align_val_t{alignment});
}

void release_state_values(void* block, std::size_t size, std::size_t alignment) noexcept {
    if (alignment <= state_alignment) {
        release_state_block(block, size);
    } else {
        ::operator delete (block, std::align_val_t{alignment});
    }
}

constinit const world_memory state_blocks = {
    [](void*, std::size_t size, std::size_t alignment) {
        return allocate_state_values(size, alignment);
    },
    [](void*, void* block, std::size_t size, std::size_t alignment) noexcept {
        release_state_values(block, size, alignment);
    },
    nullptr, true};

block_keeper::block_keeper() noexcept {
    state_pool.keepers.fetch_add(1, std::memory_order_relaxed);
}

// The last keeper releases the kept blocks.
block_keeper::~block_keeper() {
    const detail::lock_guard lock(state_pool.mutex);
    if (state_pool.keepers.fetch_sub(1, std::memory_order_relaxed) != 1) {
        return;
    }
    for (kept_block*& head : state_pool.kept) {
        while (kept_block* block = head) {
            head = block->next;
            free_block(block);
        }
    }
    state_pool.kept_bytes = state_pool.most_bytes = 0;
}

void block_keeper::note_use() noexcept {
    const detail::lock_guard lock(state_pool.mutex);
    state_pool.most_bytes =
        std::max(state_pool.most_bytes, state_pool.in_use.load(std::memory_order_relaxed));
}

std::size_t block_keeper::bytes_kept() noexcept {
    const detail::lock_guard lock(state_pool.mutex);
    return state_pool.kept_bytes;
}

}  // namespace kith::mutate
