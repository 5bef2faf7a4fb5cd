// A hash map from entity indices to numbers that lives for one operation, for example as the set of
// visited entities. Its memory comes from the heap and not from a world, because several threads
// may read one world at once.
//
// Invariants
// 1. The number of slots is 0 or a power of two, and at most half of them are used: each probe
//    sequence ends at a free slot.
// 2. No free slot lies between the home of an index and its slot; entries are never removed.
//
// Covered by tests/unit/containers/id_map_test.cpp.
#pragma once

#include "base/assert.hpp"

#include <cstdint>
#include <vector>

namespace kith::containers {

class id_map {
public:
    // The number of an index; a new index is added with the number `fallback`. The reference is
    // valid until the next call.
    std::uint32_t& ensure(std::uint32_t index, std::uint32_t fallback) {
        if ((count_ + 1) * 2 > slots_.size()) {
            grow();
        }
        slot& entry = find(index);
        if (!entry.used) {
            entry = {index, fallback, true};
            ++count_;
        }
        return entry.value;
    }
    // Adds an index with the number 0. False if the map contains the index already.
    bool insert(std::uint32_t index) {
        std::uint32_t before = count_;
        ensure(index, 0);
        return count_ != before;
    }
    std::uint32_t count() const noexcept { return count_; }

private:
    struct slot {
        std::uint32_t index = 0;
        std::uint32_t value = 0;
        bool used = false;
    };

    // The slot of an index, or the free slot where it belongs.
    // Requires: there is a free slot (invariant 1).
    slot& find(std::uint32_t index) noexcept {
        KITH_ASSERT(count_ < slots_.size(), "a probe sequence ends at a free slot");
        std::size_t mask = slots_.size() - 1;
        std::size_t position =
            static_cast<std::size_t>((index * 0x9E3779B97F4A7C15ull) >> 32) & mask;
        while (slots_[position].used && slots_[position].index != index) {
            position = (position + 1) & mask;
        }
        return slots_[position];
    }
    void grow() {
        std::vector<slot> old(slots_.empty() ? 16 : slots_.size() * 2);
        old.swap(slots_);
        for (const slot& moved : old) {
            if (moved.used) {
                find(moved.index) = moved;
            }
        }
    }

    std::vector<slot> slots_;
    std::uint32_t count_ = 0;
};

}  // namespace kith::containers
