// The nodes of a link store, one for each entity, in pages by entity index. Pages exist where an
// entity has targets or sources.
//
// Invariants
// 1. The bit `occupied` of a node is set if and only if the node has a target; `used` of a page is
//    the number of its nodes with a target or sources.
// 2. While the pages are published, the head points to them.
//
// Implemented in link_pages.cpp. Covered by tests/unit/storage/link_store_test.cpp.
#pragma once

#include <kith/detail/layout.hpp>

#include "containers/vec.hpp"

#include <utility>

namespace kith::storage {

using detail::link_node;
using detail::link_page;

class link_pages {
public:
    explicit link_pages(containers::memory& mem) noexcept : mem_(mem) {}
    ~link_pages();
    link_pages(const link_pages&) = delete;
    link_pages& operator=(const link_pages&) = delete;

    // Publishes the pages to inlined code through `head`, and keeps them up to date; null ends
    // that.
    void publish(detail::store_head* head) noexcept;

    // The page of an entity, and its node; null if the page does not exist.
    link_page* find_page(std::uint32_t index) const noexcept {
        std::uint32_t page = index >> detail::link_page_bits;
        return page < pages_.size() ? pages_[page] : nullptr;
    }
    link_node* find(std::uint32_t index) const noexcept {
        link_page* page = find_page(index);
        return page ? &page->nodes[index & (detail::link_page_size - 1)] : nullptr;
    }
    // Requires: the page exists.
    link_page& page_of(std::uint32_t index) const noexcept {
        return *pages_[index >> detail::link_page_bits];
    }
    link_node& at(std::uint32_t index) const noexcept {
        return page_of(index).nodes[index & (detail::link_page_size - 1)];
    }
    // The first index from `from` on that has a target, 0 if there is none.
    std::uint32_t next_source(std::uint32_t from) const noexcept;

    // Finds or makes the page of an entity; with_slots: with room for the slots of first targets.
    // May throw, then no node has changed.
    void ensure(std::uint32_t index);
    void ensure_slots(std::uint32_t index);
    // Uncounts a node that has just lost its last target or source.
    void mark_unused(std::uint32_t index) noexcept {
        const link_node& node = at(index);
        page_of(index).used -= node.target == 0 && node.sources == 0;
    }
    // Releases pages without used nodes. `all`: no page is used.
    void shrink(bool all) noexcept;

    // Makes a page for each page of `other`, with room for slots where that one has it. Nodes stay
    // empty. May throw.
    void reserve_like(const link_pages& other);
    // Copies all nodes. Requires: reserve_like(other) was called.
    void copy_nodes(const link_pages& other) noexcept;
    void swap(link_pages& other) noexcept {
        std::swap(pages_, other.pages_);
        publish(published_);
        other.publish(other.published_);
    }

    // The pages by number; null where a page does not exist.
    const containers::vec<link_page*>& all() const noexcept { return pages_; }

private:
    friend struct detail::internal_offsets;

    void release(link_page* page) noexcept;

    containers::memory& mem_;
    detail::store_head* published_ = nullptr;
    containers::vec<link_page*> pages_;
};

}  // namespace kith::storage
