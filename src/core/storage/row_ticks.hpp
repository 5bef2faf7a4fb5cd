// Row ticks: when single entities last entered a table, and when their values of an id were last
// written. They are kept for the patterns of queries that track rows; tables and columns as a whole
// have ticks in change_ticks.hpp.
//
// Marks lie in pages by entity index. Each page, and each block of 64 entities, has a summary mark,
// so that searching for changes skips unchanged ranges. Marking needs no memory: an entity without
// a page counts as changed, until make_room() has given it one.
//
// Invariants
// 1. The list of pattern 0 (arrivals) is lists_[0] if there are lists; patterns are distinct.
// 2. Each list has at least page_count_ pages, and none of its pages is null.
// 3. The mark of a block or page is at least as new as each mark that it summarizes.
//
// Covered by tests/features/changes/rows_test.cpp.
#pragma once

#include <kith/detail/change_layout.hpp>
#include <kith/detail/mutex.hpp>

#include "base/assert.hpp"
#include "base/counters.hpp"
#include "containers/vec.hpp"

#include <atomic>

namespace kith::storage {

using detail::change_mark;

// True if a reported change of an id concerns a pattern. A report about (R,*), a relationship with
// links, stands for all pairs of R.
inline bool concerns(id_t pattern, id_t reported) noexcept {
    if (is_pair(reported) && is_pair(pattern) && pair_second(reported) == Wildcard) {
        return is_wildcard_element(pair_first(pattern)) ||
               pair_first(pattern) == pair_first(reported);
    }
    return matches_id(pattern, reported);
}

class row_ticks {
public:
    static constexpr std::uint32_t page_size = detail::record_page_size;
    static constexpr std::uint32_t block_size = 64;

    struct page {
        change_mark marks[page_size];                // by entity
        change_mark blocks[page_size / block_size];  // summaries of block_size marks
        change_mark all;                             // summary of the page
    };
    // The marks of a pattern.
    struct list {
        id_t pattern = 0;  // 0: arrivals in tables
        containers::vec<page*> pages;
    };

    explicit row_ticks(containers::memory& mem) noexcept : mem_(mem) {}
    ~row_ticks();
    row_ticks(const row_ticks&) = delete;
    row_ticks& operator=(const row_ticks&) = delete;

    bool is_active() const noexcept { return !lists_.empty(); }
    // Start tracking: arrivals of entities in tables; arrivals, and writes to values of ids that
    // the pattern matches. Without effect if the pattern is tracked already.
    void track_arrivals();
    void track(id_t pattern);
    // Makes room for all entities of `page_count` pages. Entities that get a page here count as
    // changed at `now`. Readers of several threads may call it at once.
    void make_room(std::uint32_t page_count, std::uint64_t now);
    bool has_room(std::uint32_t page_count) const noexcept {
        return page_count_.load(std::memory_order_acquire) >= page_count;
    }

    // Requires: is_active().
    void mark_came(std::uint32_t index, std::uint64_t tick) noexcept {
        KITH_ASSERT(is_active(), "arrivals are tracked");
        mark(*lists_[0], index, tick, 0);
    }
    void mark_id(id_t id, std::uint32_t index, std::uint64_t tick, std::uint32_t writer) noexcept;

    // Marks an entity in all lists.
    void mark_all(std::uint32_t index, std::uint64_t tick) noexcept {
        for (list* bucket : lists_) {
            mark(*bucket, index, tick, 0);
        }
    }

    std::uint64_t came_tick(std::uint32_t index) const noexcept {
        return tick_in(*lists_[0], index, 0);
    }
    // The last change of the entity for a tracked pattern; the largest tick if it is unknown.
    std::uint64_t id_tick(id_t pattern, std::uint32_t index, std::uint32_t reader) const noexcept;

    // Calls visit(pattern) for all tracked patterns, arrivals excluded.
    template <class Visit>
    void each_pattern(Visit&& visit) const {
        for (const list* bucket : lists_) {
            if (bucket->pattern != 0) {
                visit(bucket->pattern);
            }
        }
    }
    // Calls visit(index) for the entities with a change after `since` of a tracked pattern; pattern
    // 0: with an arrival. Entities without a page are not visited.
    template <class Visit>
    void each_changed(id_t pattern, std::uint64_t since, std::uint32_t reader,
                      Visit&& visit) const {
        for (const list* bucket : lists_) {
            if (bucket->pattern != pattern) {
                continue;
            }
            for (std::uint32_t number = 0; number < bucket->pages.size(); ++number) {
                KITH_COUNT(rows);
                visit_page(*bucket->pages[number], number * page_size, since, reader, visit);
            }
        }
    }

private:
    template <class Visit>
    static void visit_page(const page& in, std::uint32_t first, std::uint64_t since,
                           std::uint32_t reader, Visit& visit) {
        if (in.all.tick_for(reader) <= since) {
            return;
        }
        for (std::uint32_t block = 0; block < page_size / block_size; ++block) {
            KITH_COUNT(rows);
            if (in.blocks[block].tick_for(reader) <= since) {
                continue;
            }
            for (std::uint32_t i = block * block_size; i < (block + 1) * block_size; ++i) {
                KITH_COUNT(rows);
                if (in.marks[i].tick_for(reader) > since) {
                    visit(first + i);
                }
            }
        }
    }
    static void mark(list& in, std::uint32_t index, std::uint64_t tick,
                     std::uint32_t writer) noexcept {
        const std::uint32_t number = index >> detail::record_page_bits;
        if (number < in.pages.size()) {
            page& page = *in.pages[number];
            const std::uint32_t place = index & (page_size - 1);
            page.marks[place].set(tick, writer);
            page.blocks[place / block_size].set(tick, writer);
            page.all.set(tick, writer);
        }
    }
    static std::uint64_t tick_in(const list& in, std::uint32_t index,
                                 std::uint32_t reader) noexcept {
        const std::uint32_t number = index >> detail::record_page_bits;
        return number < in.pages.size()
                   ? in.pages[number]->marks[index & (page_size - 1)].tick_for(reader)
                   : ~std::uint64_t{0};
    }
    void add_list(id_t pattern);

    containers::memory& mem_;
    containers::vec<list*> lists_;
    std::atomic<std::uint32_t> page_count_ = 0;  // pages that all lists have; 0 after a new list
    detail::mutex growing_;                      // held by make_room()
};

}  // namespace kith::storage
