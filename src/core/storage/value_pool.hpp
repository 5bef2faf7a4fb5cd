// A value pool: memory for values of one type, in numbered slots that are reused. Chunks of slots
// never move, so a value keeps its address until it is removed. The pool neither constructs nor
// destroys values.
//
// Invariants
// 1. Slots below count_ are taken or in free_, never both; slots from count_ on are neither.
// 2. free_ has room for all slots of all chunks: unreserve() cannot fail.
//
// Covered by tests/unit/storage/link_store_test.cpp.
#pragma once

#include <kith/detail/layout.hpp>
#include <kith/type_info.hpp>

#include "base/assert.hpp"
#include "containers/vec.hpp"

#include <utility>

namespace kith::storage {

class value_pool {
public:
    // The type of the values; `info` must outlive the pool.
    explicit value_pool(const type_info& info) noexcept : info_(&info) {}

    void* at(std::uint32_t slot) const noexcept {
        return chunks_[slot >> chunk_bits] + std::size_t{info_->size} * (slot & (chunk_slots - 1));
    }
    // The slot that the next take() returns, with raw memory. The pool has not changed until then.
    std::uint32_t prepare(containers::memory& mem) {
        if (!free_.empty()) [[likely]] {
            return free_.back();
        }
        if (count_ == chunks_.size() * chunk_slots) [[unlikely]] {
            add_chunk(mem);
        }
        return count_;
    }
    // Makes room for `extra` calls of take().
    void reserve(containers::memory& mem, std::uint32_t extra) {
        while (chunks_.size() * chunk_slots - count_ + free_.size() < extra) {
            add_chunk(mem);
        }
    }
    // Takes a slot. Requires: prepare() or reserve() made room.
    std::uint32_t take() noexcept {
        if (free_.empty()) {
            KITH_ASSERT(count_ < chunks_.size() * chunk_slots, "room for a value was made");
            return count_++;
        }
        std::uint32_t slot = free_.back();
        free_.pop();
        return slot;
    }
    // Frees a slot. Requires: the slot is taken, and its value was destroyed or never constructed.
    void unreserve(std::uint32_t slot) noexcept {
        KITH_ASSERT(slot < count_ && used() != 0, "a freed slot was taken");
        free_.push_reserved(slot);
    }

    // Copies the numbers of taken and free slots from a second pool. The memory of taken slots is
    // raw. The function may throw, then no slot is taken. Requires: the pool is empty.
    void copy_slots(containers::memory& mem, const value_pool& other);

    // The number of taken slots.
    std::uint32_t used() const noexcept { return count_ - free_.size(); }
    const type_info& info() const noexcept { return *info_; }
    // Releases all memory. Requires: all values were destroyed.
    void release(containers::memory& mem) noexcept;

private:
    friend struct detail::internal_offsets;

    static constexpr std::uint32_t chunk_bits = 8;
    static constexpr std::uint32_t chunk_slots = 1u << chunk_bits;

    std::size_t chunk_bytes() const noexcept { return std::size_t{info_->size} * chunk_slots; }
    std::size_t chunk_alignment() const noexcept {
        return info_->alignment > 16 ? info_->alignment : 16;
    }
    void add_chunk(containers::memory& mem);

    const type_info* info_;
    containers::vec<std::byte*> chunks_;
    containers::vec<std::uint32_t> free_;  // slots that were taken and freed, the next one last
    std::uint32_t count_ = 0;              // slots that were taken at least once
};

// The pools of the values of a relation's links, one for each type of value. Numbers of pools do
// not change; the pool of a removed type is null.
class value_pools {
public:
    explicit value_pools(containers::memory& mem) noexcept : mem_(mem) {}
    ~value_pools();  // Requires: all values were destroyed.
    value_pools(const value_pools&) = delete;
    value_pools& operator=(const value_pools&) = delete;

    // True if no value was ever stored.
    bool empty() const noexcept { return pools_.empty(); }
    value_pool& operator[](std::uint32_t number) const noexcept { return *pools_[number]; }
    // The number of the pool of a type, which is made if it does not exist.
    std::uint32_t ensure(const type_info& info);
    // The number of pools, those of removed types included, and a pool; null for a removed type.
    std::uint32_t count() const noexcept { return pools_.size(); }
    value_pool* find(std::uint32_t number) const noexcept { return pools_[number]; }
    // Adds a pool with the next number; null: the number of a removed type.
    void append(const type_info* info);
    void swap(value_pools& other) noexcept { std::swap(pools_, other.pools_); }
    // Releases the pool of a type that is about to be removed. Requires: the pool is not used.
    void forget_type(const type_info& info) noexcept;
    // Releases the memory of unused pools.
    void shrink() noexcept;
    // The number of taken slots in all pools.
    std::uint32_t used() const noexcept;

private:
    friend struct detail::internal_offsets;

    containers::memory& mem_;
    containers::vec<value_pool*> pools_;
};

}  // namespace kith::storage
