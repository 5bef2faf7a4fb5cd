// Implements command_buffer.hpp.
#include "mutate/context/command_buffer.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

namespace kith::mutate {

using containers::memory;
using containers::purpose;

void command_buffer::release(memory& mem) noexcept {
    arena_.release(mem);
    for (chain* page : pages_) {
        mem.release(page, page_size * sizeof(chain), purpose::commands);
    }
    pages_.release(mem, purpose::commands);
    pending_.release(mem);
}

// Pages are allocated on first use. The list of pages grows up to the index.
void command_buffer::make_page(memory& mem, std::uint32_t page) {
    if (page >= pages_.size()) {
        pages_.reserve_extra(mem, page + 1 - pages_.size(), purpose::commands);
        while (pages_.size() <= page) {
            pages_.push_reserved(nullptr);
        }
    }
    auto* chains = static_cast<chain*>(mem.allocate(page_size * sizeof(chain), purpose::commands));
    std::uninitialized_fill_n(chains, page_size, chain{});
    pages_[page] = chains;
}

command* command_buffer::first_of(entity_t entity) const noexcept {
    const chain* own = find_chain(entity);
    return own ? own->first : nullptr;
}

command* command_buffer::last_of(entity_t entity) const noexcept {
    std::uint32_t page = index_of(entity) >> page_bits;
    if (page >= pages_.size() || !pages_[page]) {
        return nullptr;
    }
    const chain& own = pages_[page][index_of(entity) & (page_size - 1)];
    return is_queued(own) ? own.latest : nullptr;
}

void command_buffer::note_reference(memory& mem, entity_t element) {
    ensure_chain(mem, element).referenced = true;
}

bool command_buffer::is_named_by_queue(entity_t entity) const noexcept {
    const chain* own = find_chain(entity);
    return own && own->referenced;
}

bool command_buffer::changes_semantics(entity_t entity) const noexcept {
    const chain* own = find_chain(entity);
    return own && own->changes_semantics;
}

// An empty segment is reused.
void command_buffer::start_segment() noexcept {
    sealed_for_ = 0;
    if (!at_segment_start_) {
        at_segment_start_ = true;
        ++segment_;
    }
}

// A chain runs where its first command stands. A link of a chain that began before the last chain
// with a link would overtake that link.
void command_buffer::order_link(entity_t entity) noexcept {
    const command* head = first_of(entity);
    bool has_links = last_link_segment_ == segment_;
    if (has_links && head && head->order < last_link_) {
        start_segment();
        head = nullptr;
    }
    std::uint32_t order = head ? head->order : count_;
    last_link_ = last_link_segment_ == segment_ ? std::max(last_link_, order) : order;
    last_link_segment_ = segment_;
}

void command_buffer::swap(command_buffer& other) noexcept {
    arena_.swap(other.arena_);
    std::swap(first_, other.first_);
    std::swap(last_, other.last_);
    std::swap(pages_, other.pages_);
    std::swap(pending_, other.pending_);
    std::swap(segment_, other.segment_);
    std::swap(first_segment_, other.first_segment_);
    std::swap(count_, other.count_);
    std::swap(last_link_, other.last_link_);
    std::swap(last_link_segment_, other.last_link_segment_);
    std::swap(sealed_for_, other.sealed_for_);
    std::swap(at_segment_start_, other.at_segment_start_);
    std::swap(sequential_, other.sequential_);
    std::swap(has_bases_, other.has_bases_);
    std::swap(has_sides_, other.has_sides_);
    std::swap(spans_segments_, other.spans_segments_);
}

// The next segment number makes all entries of the pages count as empty.
command* command_buffer::take() noexcept {
    KITH_ASSERT(!arena_.has_retired(), "commands taken before were recycled");
    command* head = first_;
    first_ = last_ = nullptr;
    pending_.clear();
    arena_.retire();
    sealed_for_ = 0;
    at_segment_start_ = true;
    sequential_ = has_bases_ = has_sides_ = spans_segments_ = false;
    ++segment_;
    return head;
}

void command_buffer::recycle(memory& mem) noexcept {
    arena_.recycle(mem);
}

}  // namespace kith::mutate
