// When single entities last came to a table, and when their values were last written, for patterns
// of ids of which somebody wants to know that much.
//
// Marks lie in pages by entity index; pages and blocks of them have a mark for all of theirs, so
// that what changed is found without a look at what did not. Marking needs no memory: an entity
// for which there is no page yet counts as changed, until room was made and somebody has looked
// again.
//
// Covered by tests/core/query/change_rows_test.cpp.
#pragma once

#include <kith/detail/change_layout.hpp>

#include "base/counters.hpp"
#include "containers/vec.hpp"

#include <atomic>
#include <mutex>

namespace kith::storage {

using detail::change_mark;

// What is told of an id matters to a pattern. What is told of (R,*), a relationship with links, is
// told of all of its pairs.
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
        change_mark marks[page_size];
        change_mark blocks[page_size / block_size];
        change_mark all;
    };
    struct list {
        id_t pattern = 0;  // 0: that they came
        containers::vec<page*> pages;
    };

    explicit row_ticks(containers::memory& mem) noexcept : mem_(mem) {}
    ~row_ticks();
    row_ticks(const row_ticks&) = delete;
    row_ticks& operator=(const row_ticks&) = delete;

    bool is_active() const noexcept { return !lists_.empty(); }
    // When entities came, and for a pattern also when values like it were written.
    void track_arrivals();
    void track(id_t pattern);
    // Room for all entities that there are; what happened to new ones counts as of `now`.
    void make_room(std::uint32_t page_count, std::uint64_t now);
    bool has_room(std::uint32_t page_count) const noexcept {
        return page_count_.load(std::memory_order_acquire) >= page_count;
    }

    void mark_came(std::uint32_t index, std::uint64_t tick) noexcept {
        mark(*lists_[0], index, tick, 0);
    }
    void mark_id(id_t id, std::uint32_t index, std::uint64_t tick, std::uint32_t writer) noexcept;

    std::uint64_t came_tick(std::uint32_t index) const noexcept {
        return tick_in(*lists_[0], index, 0);
    }
    // By the pattern that is tracked.
    std::uint64_t id_tick(id_t pattern, std::uint32_t index, std::uint32_t reader) const noexcept;

    // Calls visit(pattern) for those that are tracked.
    template <class Visit>
    void each_pattern(Visit&& visit) const {
        for (const list* bucket : lists_) {
            if (bucket->pattern != 0) {
                visit(bucket->pattern);
            }
        }
    }
    // Calls visit(index) for entities with a change behind `since`, of a pattern that is tracked;
    // 0: for those that came.
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
    containers::vec<list*> lists_;  // that of 0 is the first
    std::atomic<std::uint32_t> page_count_ = 0;
    std::mutex growing_;
};

}  // namespace kith::storage
