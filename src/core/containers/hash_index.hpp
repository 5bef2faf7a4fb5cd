// A hash from keys kept elsewhere to numbers (not 0): open addressing in slots of 8 bytes. The
// caller hashes, and tells whether a number found has its key.
//
// Covered by tests/core/containers/hash_index_test.cpp.
#pragma once

#include "containers/memory.hpp"

#include <cstring>

namespace kith::containers {

class hash_index {
public:
    // The number for which `is_key(number)` holds, or 0.
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

    // After this, one insert cannot fail.
    void reserve_one(memory& mem, purpose use) {
        if ((count_ + 1) * 4 > capacity() * 3) {
            grow(mem, capacity() == 0 ? 8 : capacity() * 2, use);
        }
    }
    // The key must not be there yet.
    void insert_reserved(std::uint64_t hash, std::uint32_t number) noexcept {
        place({static_cast<std::uint32_t>(hash), number});
        ++count_;
    }
    void erase(std::uint64_t hash, std::uint32_t number) noexcept {
        std::uint32_t position = static_cast<std::uint32_t>(hash) & mask_;
        while (slots_[position].number != number) {
            position = (position + 1) & mask_;
        }
        // Close the gap: pull back every entry that probing would no longer reach.
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
    // Forgets everything, keeps the memory.
    void clear() noexcept {
        if (count_ != 0) {
            std::memset(static_cast<void*>(slots_), 0, capacity() * sizeof(slot));
            count_ = 0;
        }
    }
    void release(memory& mem, purpose use) noexcept {
        mem.release(slots_, capacity() * sizeof(slot), use);
        slots_ = nullptr;
        mask_ = count_ = 0;
    }
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
        std::uint32_t tag;
        std::uint32_t number;
    };

    std::uint32_t capacity() const noexcept { return slots_ ? mask_ + 1 : 0; }
    void place(slot entry) noexcept {
        std::uint32_t position = entry.tag & mask_;
        while (slots_[position].number != 0) {
            position = (position + 1) & mask_;
        }
        slots_[position] = entry;
    }
    void grow(memory& mem, std::uint32_t capacity_wanted, purpose use) {
        slot* slots = static_cast<slot*>(mem.allocate(capacity_wanted * sizeof(slot), use));
        std::memset(static_cast<void*>(slots), 0, capacity_wanted * sizeof(slot));
        slot* old = slots_;
        std::uint32_t old_capacity = capacity();
        slots_ = slots;
        mask_ = capacity_wanted - 1;
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
