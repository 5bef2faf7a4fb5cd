// The lists of a link store: the further targets of a source, and the sources of a target. Nodes
// refer to lists by number; 0 stands for no list.
//
// Implemented in link_lists.cpp. Covered by tests/unit/storage/link_store_test.cpp.
#pragma once

#include <kith/detail/layout.hpp>

#include "containers/vec.hpp"

#include <bit>
#include <utility>

namespace kith::storage {

// The sources of a target in the order in which they were added. Holes (0) have to be skipped.
struct source_span {
    const entity_t* items = nullptr;
    std::uint32_t size = 0;  // of items, holes included
    std::uint32_t live = 0;  // sources, holes excluded
};

// The sources of a target. A single source is stored in place.
struct source_list {
    union {
        entity_t single;
        entity_t* items;
    };
    std::uint32_t size;  // with holes; of a free list: the next free one
    std::uint32_t live;  // without holes
    std::uint32_t capacity;
    std::uint32_t pool;  // number plus one of the pool of the links' values, 0: no values

    entity_t* data() noexcept { return capacity == 1 ? &single : items; }
    source_span span() const noexcept { return {capacity == 1 ? &single : items, size, live}; }
    // Removes a source. False if the list would end or its holes have to be closed.
    bool try_drop(std::uint32_t position) noexcept {
        if (live == 1) [[unlikely]] {
            return false;
        }
        if (position + 1 == size) {
            do {
                --size;
            } while (items[size - 1] == 0);
        } else {
            if (size > 2 * (live - 1) && size > 8) [[unlikely]] {
                return false;
            }
            items[position] = 0;
        }
        --live;
        return true;
    }
};

// The further targets of a source. The block holds arrays of targets, of positions in the lists of
// the targets and, if links have values, of slots. A long list also has a hash from targets to
// their number plus one.
struct target_list {
    std::uint32_t* block;
    std::uint32_t count;  // of a free list: the next free one
    std::uint32_t capacity : 31;
    std::uint32_t has_slots : 1;

    std::uint32_t* targets() const noexcept { return block; }
    std::uint32_t* positions() const noexcept { return block + capacity; }
    std::uint32_t* slots() const noexcept { return block + 2 * std::size_t{capacity}; }
    std::size_t bytes() const noexcept {
        return sizeof(std::uint32_t) * ((has_slots ? 3 : 2) * std::size_t{capacity} + hash_size());
    }
    // The number of a target, or -1.
    std::int32_t find(std::uint32_t target) const noexcept;
    // Appends a target; `slot` counts only for lists with slots. Requires: there is room.
    void add(std::uint32_t target, std::uint32_t position, std::uint32_t slot) noexcept;
    // Removes a target; the last one takes its number.
    void drop(std::uint32_t number) noexcept;
    // Enters a target into the hash. Short lists ignore it.
    void put_hashed(std::uint32_t number) noexcept;

private:
    friend class target_lists;

    // Lists up to this capacity are searched linearly, which is faster than hashing.
    static constexpr std::uint32_t short_list = 15;

    std::uint32_t* hash() const noexcept {
        return block + (has_slots ? 3 : 2) * std::size_t{capacity};
    }
    std::uint32_t hash_size() const noexcept {
        return capacity > short_list ? std::bit_ceil(2 * std::uint32_t{capacity}) : 0;
    }
    // The hash entry of a target, or the empty entry where it belongs. Requires: the list is long.
    std::uint32_t* find_hashed(std::uint32_t target) const noexcept;
    void erase_hashed(std::uint32_t number) noexcept;
};

// Lists by number. Numbers of freed lists are given again.
template <class List, std::uint32_t List::*Next>
class numbered_lists {
public:
    List& operator[](std::uint32_t number) noexcept { return lists_[number]; }
    const List& operator[](std::uint32_t number) const noexcept { return lists_[number]; }

    // Makes room for two new lists, unless a free list can be reused. Numbers start at 1.
    void reserve_one(containers::memory& mem) {
        if (free_ == 0) {
            lists_.reserve_extra(mem, 3, containers::purpose::sparse);
            if (lists_.empty()) {
                lists_.push_reserved({});
            }
        }
    }
    // The number of a new list. Requires: reserve_one() was called.
    std::uint32_t take() noexcept {
        if (free_ == 0) {
            lists_.push_reserved({});
            return lists_.size() - 1;
        }
        return std::exchange(free_, lists_[free_].*Next);
    }
    void free(std::uint32_t number) noexcept {
        lists_[number].*Next = free_;
        free_ = number;
    }
    // Copies the headers of all lists, free ones included; their blocks are those of `other`.
    // Requires: there are no lists.
    void copy_headers(containers::memory& mem, const numbered_lists& other) {
        lists_.reserve_extra(mem, other.lists_.size(), containers::purpose::sparse);
        for (const List& list : other.lists_) {
            lists_.push_reserved(list);
        }
        free_ = other.free_;
    }
    void swap(numbered_lists& other) noexcept {
        std::swap(lists_, other.lists_);
        std::swap(free_, other.free_);
    }
    // Requires: the memory of all lists was released.
    void release(containers::memory& mem) noexcept {
        lists_.release(mem, containers::purpose::sparse);
        free_ = 0;
    }

private:
    friend struct detail::internal_offsets;

    containers::vec<List> lists_;
    std::uint32_t free_ = 0;  // first free list
};

// The lists of the sources of a relation.
class source_lists : public numbered_lists<source_list, &source_list::size> {
public:
    // Appends a source and returns its position. A list with values of this pool is made if
    // `number` is 0. Requires: room was reserved.
    std::uint32_t append(std::uint32_t& number, entity_t source, std::uint32_t pool) noexcept {
        if (number == 0) {
            number = take();
            source_list& list = (*this)[number];
            list.single = source;
            list.size = list.live = list.capacity = 1;
            list.pool = pool;
            return 0;
        }
        source_list& list = (*this)[number];
        list.data()[list.size] = source;
        ++list.live;
        return list.size++;
    }
    // Gives a list whose block belongs to another store a block of its own.
    static void copy_block(containers::memory& mem, source_list& list);
    // Moves a list into a block of this capacity.
    static void grow(containers::memory& mem, source_list& list, std::uint32_t capacity);
    // Releases the items of a list.
    static void release_items(containers::memory& mem, source_list& list) noexcept {
        if (list.capacity > 1) {
            mem.release(list.items, list.capacity * sizeof(entity_t), containers::purpose::sparse);
        }
        list.capacity = 0;
    }
};

// The lists of further targets of a relation.
class target_lists : public numbered_lists<target_list, &target_list::count> {
public:
    // Makes room for one more target in a list; a list is made if `number` is 0.
    void reserve_target(containers::memory& mem, std::uint32_t& number, bool with_slot);
    // Gives a list whose block belongs to another store a block of its own.
    static void copy_block(containers::memory& mem, target_list& list);
    // Frees a list with its block; number becomes 0.
    void free_block(containers::memory& mem, std::uint32_t& number) noexcept;

private:
    static constexpr std::uint32_t first_capacity = 3;

    static void grow(containers::memory& mem, target_list& list, std::uint32_t capacity,
                     bool with_slots);
};

}  // namespace kith::storage
