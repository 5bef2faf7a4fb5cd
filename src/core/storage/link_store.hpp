// The pairs of one relationship that does not split tables: from each source to its targets, and
// from each target to its sources. Adding and removing a pair moves no row, and costs the same
// whatever the number of targets and siblings.
//
// What an entity has to do with the relationship is a node of 16 bytes, in pages by entity index:
// its first target, the list of its further targets, and the list of its sources. Sources are kept
// in the order in which they came; one that goes leaves a hole (0), and holes are closed when they
// are as many as the sources. Targets of one source are in no particular order. Values lie in
// pools, and keep their addresses.
//
// Invariants
// 1. A source is in the list of each of its targets, at the position that its link says.
// 2. A list is there if and only if it is not empty; only lists of further targets may be empty.
// 3. If there can be only one target (exclusive), `rest` of a node is that target's generation.
//
// Covered by tests/core/storage/link_store_test.cpp.
#pragma once

#include <kith/detail/layout.hpp>

#include "storage/change_listener.hpp"
#include "storage/entity_index.hpp"
#include "storage/value_pool.hpp"

#include <bit>

namespace kith::storage {

using detail::link_node;
using detail::link_page;

// Entities that have a target, in the order in which they were added. 0: one that went.
struct source_span {
    const entity_t* items = nullptr;
    std::uint32_t size = 0;
    std::uint32_t live = 0;
};

// The targets of one source: the first, and an array of the others.
struct target_span {
    std::uint32_t first = 0;
    const std::uint32_t* rest = nullptr;
    std::uint32_t count = 0;  // of all
};

class link_store {
public:
    link_store(containers::memory& mem, bool exclusive) noexcept
        : mem_(mem), exclusive_(exclusive) {}
    ~link_store();  // destroys all values
    link_store(const link_store&) = delete;
    link_store& operator=(const link_store&) = delete;

    // Keeps the pages known to inlined code; null: no longer.
    void publish(detail::store_head* head) noexcept;

    // Who wants to know of sources that get or lose targets; null: nobody.
    void set_change_listener(const change_listener* listener) noexcept {
        listeners_.set(change_listeners::memory, listener);
    }
    // Who counts such changes.
    void set_change_counter(const change_listener* counter) noexcept {
        listeners_.set(change_listeners::counter, counter);
    }

    bool is_exclusive() const noexcept { return exclusive_; }
    // Each source must have one target at most.
    void set_exclusive(bool exclusive, const entity_index& entities) noexcept;

    // Null if nothing is known of the entity.
    const link_node* find(std::uint32_t index) const noexcept {
        std::uint32_t page = index >> detail::link_page_bits;
        return page < pages_.size() && pages_[page]
                   ? &pages_[page]->nodes[index & (detail::link_page_size - 1)]
                   : nullptr;
    }
    bool has(std::uint32_t source, std::uint32_t target) const noexcept {
        const link_node* node = find(source);
        return node && node->target != 0 &&
               (node->target == target || find_further(*node, target) >= 0);
    }
    bool has_any(std::uint32_t source) const noexcept {
        const link_node* node = find(source);
        return node && node->target != 0;
    }
    std::uint32_t target_count(std::uint32_t source) const noexcept {
        const link_node* node = find(source);
        return node && node->target ? 1 + further_count(*node) : 0;
    }
    // `i` must be below target_count().
    std::uint32_t target_at(std::uint32_t source, std::uint32_t i) const noexcept {
        const link_node& node = *find(source);
        return i == 0 ? node.target : further_[node.rest].targets()[i - 1];
    }
    // Where target_at() has the target, -1 if it is none.
    std::int32_t find_target(std::uint32_t source, std::uint32_t target) const noexcept {
        const link_node* node = find(source);
        if (!node || node->target == 0) {
            return -1;
        }
        const std::int32_t further = node->target == target ? -1 : find_further(*node, target);
        return node->target == target ? 0 : further < 0 ? -1 : further + 1;
    }
    target_span targets(std::uint32_t source) const noexcept {
        const link_node* node = find(source);
        if (!node || node->target == 0) {
            return {};
        }
        const std::uint32_t more = further_count(*node);
        return {node->target, more != 0 ? further_[node->rest].targets() : nullptr, more + 1};
    }
    source_span sources(std::uint32_t target) const noexcept {
        const link_node* node = find(target);
        return node && node->sources ? lists_[node->sources].span() : source_span{};
    }
    bool is_target(std::uint32_t index) const noexcept {
        const link_node* node = find(index);
        return node && node->sources != 0;
    }
    // The value of a link that is there, null if it has none.
    void* value(std::uint32_t source, std::uint32_t target) const noexcept;

    // Makes room for a link that is not there yet; `info` is the type of its value, null if it has
    // none. Returns raw memory for the value. Until commit() or cancel() nothing else may be
    // prepared; links may be removed meanwhile.
    void* prepare(std::uint32_t source, std::uint32_t target, const type_info* info);
    void commit(entity_t source, entity_t target) noexcept;
    void cancel() noexcept;
    // After this, preparing and committing this link cannot fail, even after another one.
    void reserve_pair(std::uint32_t source, std::uint32_t target, const type_info* info);
    // Ends a link, and its value unless that was never made.
    void remove(std::uint32_t source, std::uint32_t target, bool destroy = true) noexcept;

    // Puts a source behind the others of the target, as if it had gone and come again.
    void renew(entity_t source, std::uint32_t target);

    // The short ways, for links without values where there is room: replace what an exclusive
    // source had, or add the first link of another. False if there is more to it, then nothing
    // changed.
    bool try_link(entity_t source, entity_t target) noexcept {
        std::uint32_t from_index = index_of(source);
        std::uint32_t to_index = index_of(target);
        link_page* from_page = find_page(from_index);
        const link_page* to_page = find_page(to_index);
        if (!from_page || !to_page || !pools_.empty()) [[unlikely]] {
            return false;
        }
        std::uint32_t position = from_index & (detail::link_page_size - 1);
        link_node& from = from_page->nodes[position];
        std::uint32_t number = to_page->nodes[to_index & (detail::link_page_size - 1)].sources;
        if (number == 0) [[unlikely]] {
            return false;
        }
        source_list& list = lists_[number];
        if (list.size == list.capacity) [[unlikely]] {
            return false;
        }
        if (from.target != 0) {
            if (from.target == to_index) {
                return true;
            }
            if (!exclusive_ || !try_drop_source(from.target, from.position)) [[unlikely]] {
                return false;
            }
            --pair_count_;
        } else {
            from_page->used += from.sources == 0;
            from_page->occupied[position / 64] |= std::uint64_t{1} << (position % 64);
            ++source_count_;
        }
        from.target = to_index;
        from.rest = exclusive_ ? generation_of(target) : 0;
        from.position = list.size;
        list.items[list.size++] = source;
        ++list.live;
        ++pair_count_;
        notify(from_index);
        return true;
    }
    // The only link of a source that has it.
    bool try_unlink(std::uint32_t source) noexcept {
        link_page& page = page_of(source);
        std::uint32_t position = source & (detail::link_page_size - 1);
        link_node& node = page.nodes[position];
        if (!pools_.empty() || (!exclusive_ && node.rest != 0) ||
            !try_drop_source(node.target, node.position)) [[unlikely]] {
            return false;
        }
        node.target = node.rest = node.position = 0;
        page.occupied[position / 64] &= ~(std::uint64_t{1} << (position % 64));
        page.used -= node.sources == 0;
        --source_count_;
        --pair_count_;
        notify(source);
        return true;
    }
    // Makes room for sources that are about to come.
    void reserve_sources(std::uint32_t target, std::uint32_t extra);

    // Some link may have a value.
    bool has_values() const noexcept { return !pools_.empty(); }
    std::uint32_t pair_count() const noexcept { return pair_count_; }
    std::uint32_t source_count() const noexcept { return source_count_; }
    // The first index from `from` on that has a target, 0 if there is none.
    std::uint32_t next_source(std::uint32_t from) const noexcept;
    // Puts the sources of a target in the order of their ids, the lowest last.
    void sort_sources(std::uint32_t target) noexcept;

    // The type is about to go: no link has a value of it any more.
    void forget_type(const type_info& info) noexcept;
    // Gives back what nothing needs.
    void shrink() noexcept;
    // Null if all invariants hold, else which one is broken.
    const char* check_invariants(const entity_index& entities) const noexcept;

private:
    // Sources of one target. The only one is kept in place.
    struct source_list {
        union {
            entity_t one;
            entity_t* items;
        };
        std::uint32_t size;  // with holes; of a free list: the next free one
        std::uint32_t live;
        std::uint32_t capacity;
        std::uint32_t pool;  // of the values of the target's links, plus one; 0: they have none

        entity_t* data() noexcept { return capacity == 1 ? &one : items; }
        source_span span() const noexcept { return {capacity == 1 ? &one : items, size, live}; }
    };
    // Targets of one source after the first: arrays of targets, positions and (if there are values)
    // slots, one behind the other. Long ones have a hash of positions plus one behind those.
    struct target_list {
        std::uint32_t* block;
        std::uint32_t count;  // of a free list: the next free one
        std::uint32_t capacity : 31;
        std::uint32_t has_slots : 1;

        std::uint32_t* targets() const noexcept { return block; }
        std::uint32_t* positions() const noexcept { return block + capacity; }
        std::uint32_t* slots() const noexcept { return block + 2 * std::size_t{capacity}; }
        std::uint32_t* hash() const noexcept {
            return block + (has_slots ? 3 : 2) * std::size_t{capacity};
        }
        std::uint32_t hash_size() const noexcept {
            return capacity > short_list ? std::bit_ceil(2 * std::uint32_t{capacity}) : 0;
        }
        std::size_t bytes() const noexcept {
            return sizeof(std::uint32_t) *
                   ((has_slots ? 3 : 2) * std::size_t{capacity} + hash_size());
        }
    };
    // Up to here, searching is faster than hashing.
    static constexpr std::uint32_t short_list = 15;
    static constexpr std::uint32_t first_capacity = 3;

    void notify(std::uint32_t source) const noexcept { listeners_.notify(source); }
    link_page* find_page(std::uint32_t index) const noexcept {
        std::uint32_t page = index >> detail::link_page_bits;
        return page < pages_.size() ? pages_[page] : nullptr;
    }
    // False if the list goes, or its holes are to be closed.
    bool try_drop_source(std::uint32_t target, std::uint32_t position) noexcept {
        source_list& list = lists_[node_at(target).sources];
        if (list.live == 1) [[unlikely]] {
            return false;
        }
        entity_t* items = list.items;
        if (position + 1 == list.size) {
            do {
                --list.size;
            } while (items[list.size - 1] == 0);
        } else {
            if (list.size > 2 * (list.live - 1) && list.size > 8) [[unlikely]] {
                return false;
            }
            items[position] = 0;
        }
        --list.live;
        return true;
    }
    link_node& node_at(std::uint32_t index) noexcept {
        return pages_[index >> detail::link_page_bits]->nodes[index & (detail::link_page_size - 1)];
    }
    link_page& page_of(std::uint32_t index) noexcept {
        return *pages_[index >> detail::link_page_bits];
    }
    std::uint32_t further_count(const link_node& node) const noexcept {
        return exclusive_ || node.rest == 0 ? 0 : further_[node.rest].count;
    }
    // Where the target is among the further ones, or -1.
    std::int32_t find_further(const link_node& node, std::uint32_t target) const noexcept {
        return exclusive_ || node.rest == 0 ? -1 : find_in(further_[node.rest], target);
    }
    static std::int32_t find_in(const target_list& list, std::uint32_t target) noexcept;
    static std::uint32_t* find_hashed(const target_list& list, std::uint32_t target) noexcept;
    static void put_hashed(const target_list& list, std::uint32_t position) noexcept;
    static void erase_hashed(const target_list& list, std::uint32_t position) noexcept;

    void ensure_page(std::uint32_t index);
    void ensure_slots(std::uint32_t index);
    void reserve_source(std::uint32_t target);
    void reserve_target(std::uint32_t source, bool with_slot);
    std::uint32_t ensure_pool(const type_info& info);
    void grow_sources(source_list& list, std::uint32_t capacity);
    void grow_targets(target_list& list, std::uint32_t capacity, bool with_slots);

    std::uint32_t append_source(link_node& target, entity_t source) noexcept;
    void drop_source(std::uint32_t target, std::uint32_t position) noexcept;
    void close_holes(source_list& list, std::uint32_t target) noexcept;
    void set_position(std::uint32_t source, std::uint32_t target, std::uint32_t position) noexcept;
    void drop_first(std::uint32_t source, link_node& node) noexcept;
    void drop_further(target_list& list, std::uint32_t position) noexcept;
    void free_targets(link_node& node) noexcept;
    std::uint32_t slot_of(std::uint32_t source, std::uint32_t target) const noexcept;
    std::uint32_t position_of(std::uint32_t source, std::uint32_t target) const noexcept;
    void mark_unused(std::uint32_t index) noexcept;

    containers::memory& mem_;
    bool exclusive_;
    change_listeners listeners_;
    detail::store_head* published_ = nullptr;
    containers::vec<link_page*> pages_;
    containers::vec<source_list> lists_;    // 0 is none
    containers::vec<target_list> further_;  // 0 is none
    containers::vec<value_pool*> pools_;    // null: of a type that is gone
    std::uint32_t free_list_ = 0;
    std::uint32_t free_further_ = 0;
    std::uint32_t pair_count_ = 0;
    std::uint32_t source_count_ = 0;
    std::uint32_t prepared_slot_ = 0;
    std::uint32_t prepared_pool_ = 0;  // plus one, 0: no value
};

}  // namespace kith::storage
