// A set of tuples of ids, all of the same width, in the order of their insertion. Each tuple has a
// number (its position) and a mark, a byte that belongs to the user of the set.
//
// Invariants
// 1. Tuple `i` lies in words [i * width, (i + 1) * width) and has mark `i`; no two tuples are
//    equal.
// 2. The hash index has no entries while there are at most `few` tuples, and lists each tuple
//    afterwards (with number + 1, because 0 means absence).
//
// Covered by tests/unit/observe/tuple_set_test.cpp.
#pragma once

#include <kith/id.hpp>

#include "base/assert.hpp"
#include "base/hash.hpp"
#include "containers/hash_index.hpp"
#include "containers/vec.hpp"

#include <algorithm>

namespace kith::observe {

// Tuples of entities and ids, for the keys of results and the values of bindings.
class tuple_set {
public:
    tuple_set(containers::memory& mem, std::uint32_t width) noexcept : mem_(mem), width_(width) {}
    ~tuple_set() {
        words_.release(mem_, use);
        marks_.release(mem_, use);
        index_.release(mem_, use);
    }
    tuple_set(const tuple_set&) = delete;
    tuple_set& operator=(const tuple_set&) = delete;

    // The number of a tuple that the set does not have.
    static constexpr std::uint32_t none = 0xFFFFFFFF;

    std::uint32_t size() const noexcept { return marks_.size(); }
    std::uint32_t width() const noexcept { return width_; }
    // The ids of a tuple. The pointer is valid until the next add().
    const id_t* at(std::uint32_t number) const noexcept {
        KITH_ASSERT(number < size(), "the number is that of a tuple");
        return words_.data() + number * width_;
    }
    std::uint8_t& mark(std::uint32_t number) noexcept {
        KITH_ASSERT(number < size(), "the number is that of a tuple");
        return marks_[number];
    }

    // The number of the tuple, or `none`.
    std::uint32_t find(const id_t* tuple) const noexcept {
        if (size() <= few) {
            for (std::uint32_t i = 0; i < size(); ++i) {
                if (std::equal(tuple, tuple + width_, at(i))) {
                    return i;
                }
            }
            return none;
        }
        const std::uint32_t entry = index_.find(hash_of(tuple), [&](std::uint32_t number) {
            return std::equal(tuple, tuple + width_, at(number - 1));
        });
        return entry == 0 ? none : entry - 1;
    }
    // Adds a tuple and returns its number. Requires: the set does not have it. If memory is short,
    // the set stays as it was.
    std::uint32_t add(const id_t* tuple, std::uint8_t mark) {
        KITH_ASSERT(find(tuple) == none, "each tuple is added once");
        words_.reserve_extra(mem_, width_, use);
        marks_.reserve_extra(mem_, 1, use);
        if (size() >= few) {
            reserve_index();
        }
        for (std::uint32_t i = 0; i < width_; ++i) {
            words_.push_reserved(tuple[i]);
        }
        marks_.push_reserved(mark);
        if (size() > few) {
            index_.insert_reserved(hash_of(tuple), size());
        }
        return size() - 1;
    }
    // Removes all tuples. Memory is kept for the next batch unless there were more than `many`.
    void clear() noexcept {
        if (size() > many) {
            words_.release(mem_, use);
            marks_.release(mem_, use);
            index_.release(mem_, use);
        } else {
            words_.clear();
            marks_.clear();
            index_.clear();
        }
    }

private:
    static constexpr containers::purpose use = containers::purpose::commands;
    // Tuples up to this number are compared without the index: most batches are about a single
    // entity.
    static constexpr std::uint32_t few = 8;
    static constexpr std::uint32_t many = 4096;

    // Adds the tuples to the index that were added while there were few, and reserves the next
    // entry.
    void reserve_index() {
        for (std::uint32_t i = index_.count(); i < size(); ++i) {
            index_.reserve_one(mem_, use);
            index_.insert_reserved(hash_of(at(i)), i + 1);
        }
        index_.reserve_one(mem_, use);
    }

    std::uint64_t hash_of(const id_t* tuple) const noexcept {
        std::uint64_t hash = width_;
        for (std::uint32_t i = 0; i < width_; ++i) {
            hash = base::mix(hash ^ tuple[i]);
        }
        return hash;
    }

    containers::memory& mem_;
    std::uint32_t width_;
    containers::vec<id_t> words_;
    containers::vec<std::uint8_t> marks_;
    containers::hash_index index_;
};

}  // namespace kith::observe
