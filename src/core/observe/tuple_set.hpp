// Tuples of entities and ids, each once, in the order in which they came; each with a mark.
//
// Covered by tests/core/observe/tuple_set_test.cpp.
#pragma once

#include <kith/id.hpp>

#include "base/hash.hpp"
#include "containers/hash_index.hpp"
#include "containers/vec.hpp"

#include <algorithm>

namespace kith::observe {

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

    static constexpr std::uint32_t none = 0xFFFFFFFF;

    std::uint32_t size() const noexcept { return marks_.size(); }
    std::uint32_t width() const noexcept { return width_; }
    const id_t* at(std::uint32_t number) const noexcept { return words_.data() + number * width_; }
    std::uint8_t& mark(std::uint32_t number) noexcept { return marks_[number]; }

    // `none` if it is not there.
    std::uint32_t find(const id_t* tuple) const noexcept {
        if (size() <= few) {
            for (std::uint32_t i = 0; i < size(); ++i) {
                if (std::equal(tuple, tuple + width_, at(i))) {
                    return i;
                }
            }
            return none;
        }
        const std::uint32_t found = index_.find(hash_of(tuple), [&](std::uint32_t number) {
            return std::equal(tuple, tuple + width_, at(number - 1));
        });
        return found == 0 ? none : found - 1;
    }
    // The tuple must not be there.
    std::uint32_t add(const id_t* tuple, std::uint8_t mark) {
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
    // Keeps the memory, unless it is much.
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
    // So many are compared one by one: most batches are about one entity.
    static constexpr std::uint32_t few = 8;
    static constexpr std::uint32_t many = 4096;

    // Those that are not in the index yet, because there were few, and room for the next one.
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
