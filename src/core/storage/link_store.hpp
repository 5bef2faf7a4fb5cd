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
// 4. pair_count_ and source_count_ are the numbers of links and of nodes with a target.
// check_invariants() verifies 1 to 4, and the first invariant of link_pages.hpp.
//
// Covered by tests/unit/storage/link_store_test.cpp.
#pragma once

#include "base/assert.hpp"
#include "storage/change_listener.hpp"
#include "storage/entity_index.hpp"
#include "storage/link_lists.hpp"
#include "storage/link_pages.hpp"
#include "storage/value_pool.hpp"

namespace kith::storage {

// The targets of a source: the first target, and an array of the further ones.
struct target_span {
    std::uint32_t first = 0;
    const std::uint32_t* rest = nullptr;
    std::uint32_t count = 0;  // of all targets, the first included
};

class link_store {
public:
    link_store(containers::memory& mem, bool exclusive) noexcept
        : mem_(mem), exclusive_(exclusive), pages_(mem), pools_(mem) {}
    ~link_store();  // destroys all values

    // See link_pages::publish().
    void publish(detail::store_head* head) noexcept { pages_.publish(head); }

    // The listeners that are notified when a source gets or loses targets.
    change_listeners& listeners() noexcept { return listeners_; }

    // Differs after each change of the links.
    std::uint64_t edition() const noexcept { return listeners_.edition(); }

    bool is_exclusive() const noexcept { return exclusive_; }
    // Changes the meaning of `rest` in all nodes. Requires: each source has at most one target.
    void set_exclusive(bool exclusive, const entity_index& entities) noexcept;

    // The node of an entity, null if its page does not exist.
    const link_node* find(std::uint32_t index) const noexcept { return pages_.find(index); }
    bool has(std::uint32_t source, std::uint32_t target) const noexcept {
        return find_target(source, target) >= 0;
    }
    bool has_any(std::uint32_t source) const noexcept {
        const link_node* node = find(source);
        return node && node->target != 0;
    }
    std::uint32_t target_count(std::uint32_t source) const noexcept {
        return targets(source).count;
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
        if (node->target == target) {
            return 0;
        }
        const target_list* further = further_of(*node);
        const std::int32_t number = further ? further->find(target) : -1;
        return number < 0 ? -1 : number + 1;
    }
    target_span targets(std::uint32_t source) const noexcept {
        const link_node* node = find(source);
        if (!node || node->target == 0) {
            return {};
        }
        const target_list* further = further_of(*node);
        return further ? target_span{node->target, further->targets(), further->count + 1}
                       : target_span{node->target, nullptr, 1};
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
        link_page* from_page = pages_.find_page(from_index);
        const link_page* to_page = pages_.find_page(to_index);
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
            if (!exclusive_ || !sources_of(from.target).try_drop(from.position)) [[unlikely]] {
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
        listeners_.notify(from_index);
        return true;
    }
    // The short path of remove(), for the only link of a source. False if the long path is needed.
    // Requires: has_any(source).
    bool try_unlink(std::uint32_t source) noexcept {
        KITH_ASSERT(has_any(source), "the source has a target");
        const link_node& node = pages_.at(source);
        if (!pools_.empty() || (!exclusive_ && node.rest != 0) ||
            !sources_of(node.target).try_drop(node.position)) [[unlikely]] {
            return false;
        }
        clear_source(source);
        --source_count_;
        --pair_count_;
        return true;
    }
    // True if unlink_sources() can be used: a source has one target, and links have no values.
    bool unlinks_at_once() const noexcept { return exclusive_ && pools_.empty(); }
    // Removes all links to a target and its list, and calls visit(source) for each of them.
    // Requires: unlinks_at_once(); `visit` does not change the store.
    template <class Visit>
    void unlink_sources(std::uint32_t target, Visit&& visit) noexcept {
        KITH_ASSERT(unlinks_at_once(), "links end with their sources and have no values");
        const link_node* node = find(target);
        if (!node || node->sources == 0) {
            return;
        }
        const source_span sources = lists_[node->sources].span();
        for (const entity_t* at = sources.items; at != sources.items + sources.size; ++at) {
            if (*at != 0) {
                clear_source(index_of(*at));
                visit(*at);
            }
        }
        source_count_ -= sources.live;
        pair_count_ -= sources.live;
        drop_sources(target);
    }
    // Makes room for `extra` more sources of a target, so that its list grows once. Changes no
    // link.
    void reserve_sources(std::uint32_t target, std::uint32_t extra);

    // True if some link has, or had, a value.
    bool has_values() const noexcept { return !pools_.empty(); }
    std::uint32_t pair_count() const noexcept { return pair_count_; }
    std::uint32_t source_count() const noexcept { return source_count_; }
    // The first index from `from` on that has a target, 0 if there is none.
    std::uint32_t next_source(std::uint32_t from) const noexcept {
        return pages_.next_source(from);
    }
    // Sorts the sources of a target by their ids, the lowest last.
    void sort_sources(std::uint32_t target) noexcept;

    // Releases the pool of a type that is about to be removed. Requires: no link has such a value.
    void forget_type(const type_info& info) noexcept { pools_.forget_type(info); }
    // Releases unused pages, pools and lists.
    void shrink() noexcept;
    // A sentence about the first broken invariant, or null.
    const char* check_invariants(const entity_index& entities) const noexcept;

private:
    friend struct link_store_state;
    friend struct detail::internal_offsets;

    // Requires: the target has sources.
    source_list& sources_of(std::uint32_t target) noexcept {
        return lists_[pages_.at(target).sources];
    }
    // The list of the further targets of a source, null if it has none.
    const target_list* further_of(const link_node& node) const noexcept {
        return exclusive_ || node.rest == 0 ? nullptr : &further_[node.rest];
    }

    // Clears the node of a source that has lost its only target, and notifies. The caller has
    // changed the list of the target, and counts the link.
    void clear_source(std::uint32_t source) noexcept {
        link_page& page = pages_.page_of(source);
        const std::uint32_t position = source & (detail::link_page_size - 1);
        link_node& node = page.nodes[position];
        node.target = node.rest = node.position = 0;
        page.occupied[position / 64] &= ~(std::uint64_t{1} << (position % 64));
        page.used -= node.sources == 0;
        listeners_.notify(source);
    }
    // Frees the list of a target whose sources are unlinked.
    void drop_sources(std::uint32_t target) noexcept;
    void reserve_link(std::uint32_t source, std::uint32_t target, bool with_slot);
    void drop_source(std::uint32_t target, std::uint32_t position) noexcept;
    void close_holes(source_list& list, std::uint32_t target) noexcept;
    void drop_first(std::uint32_t source, link_node& node) noexcept;
    // Where a link is stored. Requires: the link exists.
    struct link_place {
        std::uint32_t& position;  // of the source in the list of its target
        std::uint32_t* slot;      // of the value, null if there is no room for one
    };
    link_place place_of(std::uint32_t source, std::uint32_t target) const noexcept;

    containers::memory& mem_;
    bool exclusive_;
    change_listeners listeners_;
    link_pages pages_;
    source_lists lists_;
    target_lists further_;
    value_pools pools_;
    std::uint32_t pair_count_ = 0;
    std::uint32_t source_count_ = 0;
    std::uint32_t prepared_slot_ = 0;  // of the link between prepare() and commit()
    std::uint32_t prepared_pool_ = 0;  // number plus one of its pool, 0: no value
};

}  // namespace kith::storage
