// The pairs of one relationship that does not split tables: from each source to its targets, and
// from each target to its sources. Adding and removing a pair moves no row, and costs the same
// whatever the number of targets and siblings.
//
// Each entity has a node of 16 bytes, in pages by entity index: its first target, the list of its
// further targets, and the list of its sources. Sources are listed in the order in which they were
// added; a removed source leaves a hole (0), and holes are closed when they are as many as the
// sources. The targets of a source are in no particular order. Values lie in pools and keep their
// addresses.
//
// Invariants
// 1. A source is in the list of each of its targets, at the position that its link says.
// 2. A list is there if and only if it is not empty; only lists of further targets may be empty.
// 3. If a source can have only one target (exclusive), `rest` of a node is that target's
// generation.
// 4. pair_count_ and source_count_ are the numbers of links and of nodes with a target; `used` of a
//    page is the number of its nodes with a target or sources.
// check_invariants() verifies 1 to 4.
//
// Covered by tests/unit/storage/link_store_test.cpp.
#pragma once

#include <kith/detail/layout.hpp>

#include "base/assert.hpp"
#include "storage/change_listener.hpp"
#include "storage/entity_index.hpp"
#include "storage/value_pool.hpp"

#include <bit>

namespace kith::storage {

using detail::link_node;
using detail::link_page;

// The sources of a target in the order in which they were added. Holes (0) have to be skipped.
struct source_span {
    const entity_t* items = nullptr;
    std::uint32_t size = 0;  // of items, holes included
    std::uint32_t live = 0;  // sources, holes excluded
};

// The targets of a source: the first target, and an array of the further ones.
struct target_span {
    std::uint32_t first = 0;
    const std::uint32_t* rest = nullptr;
    std::uint32_t count = 0;  // of all targets, the first included
};

class link_store {
public:
    link_store(containers::memory& mem, bool exclusive) noexcept
        : mem_(mem), exclusive_(exclusive) {}
    ~link_store();  // destroys all values
    link_store(const link_store&) = delete;
    link_store& operator=(const link_store&) = delete;

    // Publishes the pages to inlined code through `head`, and keeps them up to date; null ends
    // that.
    void publish(detail::store_head* head) noexcept;

    // The cache that is notified when a source gets or loses targets; null: none.
    void set_change_listener(const change_listener* listener) noexcept {
        listeners_.set(change_listeners::memory, listener);
    }
    // The change ticks that count changed sources; null: none.
    void set_change_counter(const change_listener* counter) noexcept {
        listeners_.set(change_listeners::counter, counter);
    }

    bool is_exclusive() const noexcept { return exclusive_; }
    // Changes the meaning of `rest` in all nodes. Requires: each source has at most one target.
    void set_exclusive(bool exclusive, const entity_index& entities) noexcept;

    // The node of an entity, null if its page does not exist.
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
    // Requires: i < target_count(source).
    std::uint32_t target_at(std::uint32_t source, std::uint32_t i) const noexcept {
        KITH_ASSERT(i < target_count(source), "the source has a target with this number");
        const link_node& node = *find(source);
        return i == 0 ? node.target : further_[node.rest].targets()[i - 1];
    }
    // The number of a target for target_at(), -1 if the source does not have the target.
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
    // The value of a link, null if its links have no values. Requires: has(source, target).
    void* value(std::uint32_t source, std::uint32_t target) const noexcept;

    // Makes room for a new link and returns raw memory for its value. `info` is the type of the
    // value, null for a link without value. May throw, then no link has changed. Until commit() or
    // cancel() no other link may be prepared; links may be removed meanwhile. Requires:
    // !has(source, target).
    void* prepare(std::uint32_t source, std::uint32_t target, const type_info* info);
    // Adds the prepared link, whose value was constructed; or gives its memory back.
    void commit(entity_t source, entity_t target) noexcept;
    void cancel() noexcept;
    // Makes room so that prepare() and commit() of this link cannot fail, even if another link is
    // added before.
    void reserve_pair(std::uint32_t source, std::uint32_t target, const type_info* info);
    // Removes a link. `destroy` false: its value was moved away or never constructed.
    // Requires: has(source, target).
    void remove(std::uint32_t source, std::uint32_t target, bool destroy = true) noexcept;

    // Moves a source to the end of the target's list, as if its link were removed and added again.
    // Requires: has(source, target).
    void renew(entity_t source, std::uint32_t target);

    // The short path for links without values where there is room: adds the first link of a source,
    // or replaces the link of an exclusive source. False if the long path is needed; then nothing
    // has changed.
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
    // The short path of remove(), for the only link of a source. False if the long path is needed.
    // Requires: has_any(source).
    bool try_unlink(std::uint32_t source) noexcept {
        KITH_ASSERT(has_any(source), "the source has a target");
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
    // Makes room for `extra` more sources of a target, so that its list grows once.
    void reserve_sources(std::uint32_t target, std::uint32_t extra);

    // True if some link has, or had, a value.
    bool has_values() const noexcept { return !pools_.empty(); }
    std::uint32_t pair_count() const noexcept { return pair_count_; }
    std::uint32_t source_count() const noexcept { return source_count_; }
    // The first index from `from` on that has a target, 0 if there is none.
    std::uint32_t next_source(std::uint32_t from) const noexcept;
    // Sorts the sources of a target by their ids, the lowest last.
    void sort_sources(std::uint32_t target) noexcept;

    // Releases the pool of a type that is about to be removed. Requires: no link has such a value.
    void forget_type(const type_info& info) noexcept;
    // Releases unused pages, pools and lists.
    void shrink() noexcept;
    // A sentence about the first broken invariant, or null.
    const char* check_invariants(const entity_index& entities) const noexcept;

private:
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
    };
    // The further targets of a source. The block holds arrays of targets, of positions in the lists
    // of the targets and, if links have values, of slots. A long list also has a hash from targets
    // to their number plus one.
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
    // Lists up to this capacity are searched linearly, which is faster than hashing.
    static constexpr std::uint32_t short_list = 15;
    static constexpr std::uint32_t first_capacity = 3;

    void notify(std::uint32_t source) const noexcept { listeners_.notify(source); }
    link_page* find_page(std::uint32_t index) const noexcept {
        std::uint32_t page = index >> detail::link_page_bits;
        return page < pages_.size() ? pages_[page] : nullptr;
    }
    // Removes a source from a list. False if the list would end or its holes have to be closed.
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
    // The position of a target among the further targets, or -1.
    std::int32_t find_further(const link_node& node, std::uint32_t target) const noexcept {
        return exclusive_ || node.rest == 0 ? -1 : find_in(further_[node.rest], target);
    }
    static std::int32_t find_in(const target_list& list, std::uint32_t target) noexcept;
    // The hash of a list. find_hashed() requires a list with a hash; the other functions ignore
    // short lists.
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
    containers::vec<source_list> lists_;    // by number; 0 means no list
    containers::vec<target_list> further_;  // by number; 0 means no list
    containers::vec<value_pool*> pools_;    // null: the type was removed
    std::uint32_t free_list_ = 0;           // first unused element of lists_
    std::uint32_t free_further_ = 0;        // first unused element of further_
    std::uint32_t pair_count_ = 0;
    std::uint32_t source_count_ = 0;
    std::uint32_t prepared_slot_ = 0;  // of the link between prepare() and commit()
    std::uint32_t prepared_pool_ = 0;  // number plus one of its pool, 0: no value
};

}  // namespace kith::storage
