// The visited entities of a walk, in the order of their discovery. A breadth-first walk is a loop
// over the set that grows meanwhile; its work list needs no memory of its own. Up to `few` keys lie
// in the set itself and are compared one by one; more keys are hashed.
//
// Invariants
// 1. Each key is in keys_ once, at the position of its insertion.
// 2. mask_ is 0 while there are at most `few` keys. Else mask_ + 1 is a power of two, at least
// twice
//    the number of keys; the slot of each key holds its position plus one, other slots hold 0, and
//    no free slot lies between the home of a key and its slot.
//
// Covered by tests/unit/graph/visit_set_test.cpp.
#pragma once

#include "containers/small_vec.hpp"

namespace kith::graph {

using containers::purpose;

class visit_set {
public:
    static constexpr std::uint32_t none = 0xFFFFFFFF;

    // Memory beyond `few` keys comes from the world, or from the heap if `mem` is null.
    explicit visit_set(containers::memory* mem = nullptr) noexcept
        : mem_(mem), keys_(mem, purpose::commands) {}
    // The copy has its memory from the heap.
    visit_set(const visit_set& other) : visit_set() {
        for (std::uint64_t key : other) {
            insert(key);
        }
    }
    visit_set& operator=(const visit_set&) = delete;
    ~visit_set() { release_slots(); }

    // Appends a key; false if the set has it already.
    bool insert(std::uint64_t key) {
        const std::uint32_t count = keys_.size();
        if (count < few) {
            if (find_few(key) != none) {
                return false;
            }
            keys_.push(key);
            return true;
        }
        if (2 * count >= mask_) [[unlikely]] {
            index_keys(mask_ == 0 ? first_slots : 2 * (mask_ + 1));
        }
        std::uint32_t& slot = slots_[find_slot(key)];
        if (slot != 0) {
            return false;
        }
        keys_.push(key);
        slot = count + 1;
        return true;
    }
    // The position of a key, `none` if the set does not have it.
    std::uint32_t find(std::uint64_t key) const noexcept {
        return mask_ == 0 ? find_few(key) : slots_[find_slot(key)] - 1;
    }
    bool has(std::uint64_t key) const noexcept { return find(key) != none; }
    // Removes all keys and keeps the memory, so that one set serves many walks. The next walk costs
    // as much as its own keys, however large the walk before was.
    void clear() noexcept {
        keys_.clear();
        mask_ = 0;
    }

    std::uint32_t size() const noexcept { return keys_.size(); }
    std::uint64_t operator[](std::uint32_t position) const noexcept { return keys_[position]; }
    const std::uint64_t* begin() const noexcept { return keys_.begin(); }
    const std::uint64_t* end() const noexcept { return keys_.end(); }

private:
    static constexpr std::uint32_t few = 8;
    static constexpr std::uint32_t first_slots = 32;

    std::uint32_t find_few(std::uint64_t key) const noexcept {
        for (std::uint32_t position = 0; position < keys_.size(); ++position) {
            if (keys_[position] == key) {
                return position;
            }
        }
        return none;
    }
    // The slot of the key, or the free slot where it belongs. Requires: keys are hashed.
    std::uint32_t find_slot(std::uint64_t key) const noexcept {
        KITH_ASSERT(mask_ != 0, "more than a few keys are hashed");
        std::uint32_t position = static_cast<std::uint32_t>(key * 0x9E3779B97F4A7C15ull >> 32);
        for (position &= mask_; slots_[position] != 0 && keys_[slots_[position] - 1] != key;) {
            position = (position + 1) & mask_;
        }
        return position;
    }
    // Hashes all keys into so many slots.
    void index_keys(std::uint32_t count) {
        if (count > slot_capacity_) {
            void* slots =
                containers::allocate_from(mem_, count * sizeof(std::uint32_t), purpose::commands);
            release_slots();
            slots_ = static_cast<std::uint32_t*>(slots);
            slot_capacity_ = count;
        }
        std::memset(slots_, 0, count * sizeof(std::uint32_t));
        mask_ = count - 1;
        for (std::uint32_t position = 0; position < keys_.size(); ++position) {
            slots_[find_slot(keys_[position])] = position + 1;
        }
    }
    void release_slots() noexcept {
        if (slots_) {
            containers::release_to(mem_, slots_, slot_capacity_ * sizeof(std::uint32_t),
                                   purpose::commands);
        }
    }

    containers::memory* mem_;
    std::uint32_t* slots_ = nullptr;
    std::uint32_t slot_capacity_ = 0;  // allocated slots; those up to mask_ are in use
    std::uint32_t mask_ = 0;
    containers::small_vec<std::uint64_t, few> keys_;
};

}  // namespace kith::graph
