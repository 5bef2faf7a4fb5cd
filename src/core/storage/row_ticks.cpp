// Row ticks (row_ticks.hpp): lists of tracked patterns, and the pages of their marks.
#include "storage/row_ticks.hpp"

#include <kith/detail/mutex.hpp>

#include <memory>
#include <new>

namespace kith::storage {

using containers::purpose;

row_ticks::~row_ticks() {
    for (list* bucket : lists_) {
        for (page* marks : bucket->pages) {
            mem_.release(marks, sizeof(page), purpose::entities);
        }
        bucket->pages.release(mem_, purpose::entities);
        mem_.release(bucket, sizeof(list), purpose::entities);
    }
    lists_.release(mem_, purpose::entities);
}

void row_ticks::add_list(id_t pattern) {
    lists_.reserve_extra(mem_, 1, purpose::entities);
    auto* bucket = ::new (mem_.allocate(sizeof(list), purpose::entities)) list;
    bucket->pattern = pattern;
    lists_.push_reserved(bucket);
    // The new list has no pages: make_room() has work to do again.
    page_count_.store(0, std::memory_order_release);
}

void row_ticks::track_arrivals() {
    if (lists_.empty()) {
        add_list(0);
    }
}

void row_ticks::track(id_t pattern) {
    track_arrivals();
    for (const list* bucket : lists_) {
        if (bucket->pattern == pattern) {
            return;
        }
    }
    add_list(pattern);
}

void row_ticks::make_room(std::uint32_t page_count, std::uint64_t now) {
    detail::lock_guard<detail::mutex> guard(growing_);
    // Another thread may have made the room while this one waited for the lock.
    if (has_room(page_count)) {
        return;
    }
    for (list* bucket : lists_) {
        while (bucket->pages.size() < page_count) {
            bucket->pages.reserve_extra(mem_, 1, purpose::entities);
            auto* added = static_cast<page*>(mem_.allocate(sizeof(page), purpose::entities));
            change_mark unknown;
            unknown.set(now, 0);
            std::uninitialized_fill_n(added->marks, page_size, unknown);
            std::uninitialized_fill_n(added->blocks, page_size / block_size, unknown);
            std::uninitialized_fill_n(&added->all, 1, unknown);
            bucket->pages.push_reserved(added);
        }
    }
    page_count_.store(page_count, std::memory_order_release);
}

void row_ticks::mark_id(id_t id, std::uint32_t index, std::uint64_t tick,
                        std::uint32_t writer) noexcept {
    for (list* bucket : lists_) {
        if (concerns(bucket->pattern, id)) {
            mark(*bucket, index, tick, writer);
        }
    }
}

std::uint64_t row_ticks::id_tick(id_t pattern, std::uint32_t index,
                                 std::uint32_t reader) const noexcept {
    for (const list* bucket : lists_) {
        if (bucket->pattern == pattern) {
            return tick_in(*bucket, index, reader);
        }
    }
    return ~std::uint64_t{0};
}

}  // namespace kith::storage
