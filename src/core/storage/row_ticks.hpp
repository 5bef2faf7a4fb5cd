// When single entities last came to a table, and when their values were last written, for patterns
// of ids of which somebody wants to know that much.
//
// Marks lie in pages by entity index. Marking needs no memory: an entity for which there is no page
// yet counts as changed, until room was made and somebody has looked again.
//
// Covered by tests/core/query/change_rows_test.cpp.
#pragma once

#include <kith/detail/change_layout.hpp>

#include "containers/vec.hpp"

#include <atomic>
#include <mutex>

namespace kith::storage {

using detail::change_mark;

// What is told of an id matters to a pattern. What is told of (R,*), a relationship with links, is
// told of all of its pairs.
inline bool concerns(id_t pattern, id_t told) noexcept {
    if (is_pair(told) && is_pair(pattern) && pair_second(told) == Wildcard) {
        return is_wildcard_element(pair_first(pattern)) || pair_first(pattern) == pair_first(told);
    }
    return matches_id(pattern, told);
}

class row_ticks {
public:
    struct list {
        id_t pattern = 0;  // 0: that they came
        containers::vec<change_mark*> pages;
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

private:
    static constexpr std::uint32_t page_size = detail::record_page_size;

    static void mark(list& in, std::uint32_t index, std::uint64_t tick,
                     std::uint32_t writer) noexcept {
        const std::uint32_t page = index >> detail::record_page_bits;
        if (page < in.pages.size()) {
            in.pages[page][index & (page_size - 1)].set(tick, writer);
        }
    }
    static std::uint64_t tick_in(const list& in, std::uint32_t index,
                                 std::uint32_t reader) noexcept {
        const std::uint32_t page = index >> detail::record_page_bits;
        return page < in.pages.size() ? in.pages[page][index & (page_size - 1)].tick_for(reader)
                                      : ~std::uint64_t{0};
    }
    void add_list(id_t pattern);

    containers::memory& mem_;
    containers::vec<list*> lists_;  // that of 0 is the first
    std::atomic<std::uint32_t> page_count_ = 0;
    std::mutex growing_;
};

}  // namespace kith::storage
