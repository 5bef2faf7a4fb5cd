// A map from indices to numbers for the length of one operation. It takes its memory from the heap
// and not from a world, so that many threads can read a world at once.
//
// Covered by tests/core/containers/id_map_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

namespace kith::containers {

class id_map {
public:
    // The number of an index, which is `fallback` where the index is new. Valid until the next
    // call.
    std::uint32_t& ensure(std::uint32_t index, std::uint32_t fallback) {
        if ((count_ + 1) * 2 > slots_.size()) {
            grow();
        }
        slot& found = find(index);
        if (!found.used) {
            found = {index, fallback, true};
            ++count_;
        }
        return found.value;
    }
    // False if it was there.
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

    // The slot of an index, or the one where it belongs. There is always a free one.
    slot& find(std::uint32_t index) noexcept {
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
