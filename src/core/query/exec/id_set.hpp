// A set of numbers, for the entities or ranges that a search has visited. Clearing
// a set keeps its memory, because one set serves many small searches. Its memory is not the
// world's, as queries may run in several threads.
//
// Covered by tests/unit/query/id_set_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace kith::queries {

class id_set {
public:
    // Adds a number; false if the set has it already. Requires: not the largest number.
    bool insert(std::uint64_t number) {
        if (2 * (count_ + 1) > slots_.size()) {
            grow();
        }
        std::uint64_t& slot = slots_[find(number)];
        if (slot != 0) {
            return false;
        }
        slot = number + 1;
        ++count_;
        return true;
    }
    bool has(std::uint64_t number) const noexcept {
        return count_ != 0 && slots_[find(number)] != 0;
    }
    void clear() noexcept {
        // After a large search, the table shrinks again: clearing it costs as much as it has slots.
        if (slots_.size() > least && count_ < slots_.size() / 16) {
            slots_.resize(slots_.size() / 2);
        }
        if (count_ != 0) {
            std::fill(slots_.begin(), slots_.end(), 0);
            count_ = 0;
        }
    }

private:
    static constexpr std::size_t least = 32;

    // The slot of the number, or the free slot where it belongs.
    std::size_t find(std::uint64_t number) const noexcept {
        const std::size_t mask = slots_.size() - 1;
        std::size_t position = (number * 0x9E3779B97F4A7C15ull >> 32) & mask;
        while (slots_[position] != 0 && slots_[position] != number + 1) {
            position = (position + 1) & mask;
        }
        return position;
    }
    void grow() {
        std::vector<std::uint64_t> old(std::max(least, 2 * slots_.size()));
        old.swap(slots_);
        for (std::uint64_t kept : old) {
            if (kept != 0) {
                slots_[find(kept - 1)] = kept;
            }
        }
    }

    std::vector<std::uint64_t> slots_;  // number + 1, 0: free
    std::size_t count_ = 0;
};

}  // namespace kith::queries
