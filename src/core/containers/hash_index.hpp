// A hash table from keys to numbers (never 0) that does not contain the keys: the caller computes
// the hash, and a predicate of the caller decides whether a number belongs to the searched key.
// Collisions are resolved by linear probing in slots of 8 bytes.
//
// Invariants
// 1. The capacity is 0 or a power of two, and at most five eighths of the slots are used: each
//    probe sequence ends at an empty slot, after four slots on average.
// 2. No empty slot lies between the home of an entry (tag & mask_) and the entry's slot.
// 3. count_ is the number of slots whose number is not 0.
//
// Covered by tests/unit/containers/hash_index_test.cpp.
#pragma once

#include "base/assert.hpp"
#include "containers/memory.hpp"

#include <cstring>

namespace kith::containers {

class hash_index {
public:
    // The number with this hash for which `is_key(number)` holds, or 0. Numbers of other hashes are
    // hardly ever passed to `is_key`: the slots keep 32 bits of the hash.
    template <class IsKey>
    std::uint32_t find(std::uint64_t hash, IsKey&& is_key) const {
        if (count_ == 0) {
            return 0;
        }
        std::uint32_t tag = static_cast<std::uint32_t>(hash);
        for (std::uint32_t position = tag & mask_;; position = (position + 1) & mask_) {
            const slot& entry = slots_[position];
            if (entry.number == 0) {
                return 0;
            }
            if (entry.tag == tag && is_key(entry.number)) {
                return entry.number;
            }
        }
    }

    // Makes room for one insert_reserved(). Throws if memory is short, then nothing has changed.
    void reserve_one(memory& mem, purpose use) { reserve(mem, count_ + 1, use); }
    // Makes room for `count` entries in all. Throws if memory is short, then nothing has changed.
    void reserve(memory& mem, std::uint32_t count, purpose use) {
        if (count * 8 > capacity() * 5) {
            std::uint32_t larger = capacity() == 0 ? 8 : capacity() * 2;
            while (count * 8 > larger * 5) {
                larger *= 2;
            }
            grow(mem, larger, use);
        }
    }
    // Requires: room was reserved, the index does not contain the key, `number` is not 0.
    void insert_reserved(std::uint64_t hash, std::uint32_t number) noexcept {
        KITH_ASSERT(number != 0, "numbers of a hash index are not 0");
        KITH_ASSERT((count_ + 1) * 8 <= capacity() * 5, "room for an entry was reserved");
        place({static_cast<std::uint32_t>(hash), number});
        ++count_;
    }
    // Requires: `number` was inserted with this hash.
    void erase(std::uint64_t hash, std::uint32_t number) noexcept {
        KITH_ASSERT(count_ != 0, "an erased entry exists");
        std::uint32_t position = static_cast<std::uint32_t>(hash) & mask_;
        while (slots_[position].number != number) {
            KITH_ASSERT(slots_[position].number != 0,
                        "an erased entry has the hash of its insertion");
            position = (position + 1) & mask_;
        }
        // The gap is closed (invariant 2): each entry behind it that could no longer be reached
        // from its home moves into the gap, and leaves a new one.
        std::uint32_t hole = position;
        for (position = (position + 1) & mask_; slots_[position].number != 0;
             position = (position + 1) & mask_) {
            std::uint32_t home = slots_[position].tag & mask_;
            if (((position - home) & mask_) >= ((position - hole) & mask_)) {
                slots_[hole] = slots_[position];
                hole = position;
            }
        }
        slots_[hole].number = 0;
        --count_;
    }

    std::uint32_t count() const noexcept { return count_; }
    // Removes all entries and keeps the memory.
    void clear() noexcept {
        if (count_ != 0) {
            std::memset(static_cast<void*>(slots_), 0, capacity() * sizeof(slot));
            count_ = 0;
        }
    }
    // Removes all entries and gives the memory back. `mem` and `use` are those of reserve_one().
    void release(memory& mem, purpose use) noexcept {
        mem.release(slots_, capacity() * sizeof(slot), use);
        slots_ = nullptr;
        mask_ = count_ = 0;
    }
    // Calls visit(number) for all entries, in no useful order.
    template <class Visit>
    void each(Visit&& visit) const {
        for (std::uint32_t position = 0; position < capacity(); ++position) {
            if (slots_[position].number != 0) {
                visit(slots_[position].number);
            }
        }
    }

private:
    struct slot {
        std::uint32_t tag;     // the low half of the hash
        std::uint32_t number;  // 0: the slot is empty
    };

    std::uint32_t capacity() const noexcept { return slots_ ? mask_ + 1 : 0; }
    // Puts an entry into the first empty slot from its home on.
    void place(slot entry) noexcept {
        std::uint32_t position = entry.tag & mask_;
        while (slots_[position].number != 0) {
            position = (position + 1) & mask_;
        }
        slots_[position] = entry;
    }
    void grow(memory& mem, std::uint32_t new_capacity, purpose use) {
        slot* slots = static_cast<slot*>(mem.allocate(new_capacity * sizeof(slot), use));
        std::memset(static_cast<void*>(slots), 0, new_capacity * sizeof(slot));
        slot* old = slots_;
        std::uint32_t old_capacity = capacity();
        slots_ = slots;
        mask_ = new_capacity - 1;
        for (std::uint32_t i = 0; i < old_capacity; ++i) {
            if (old[i].number != 0) {
                place(old[i]);
            }
        }
        mem.release(old, old_capacity * sizeof(slot), use);
    }

    slot* slots_ = nullptr;
    std::uint32_t mask_ = 0;
    std::uint32_t count_ = 0;
};

}  // namespace kith::containers
