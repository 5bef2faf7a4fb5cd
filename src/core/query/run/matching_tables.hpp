// The tables that match a query of the strategy `table`: each term is one id in tables that $this
// must, must not or may have, and the world has no IsA pairs. The tables of the required id with
// the fewest of them are tested for the other terms. Used by table runs, and by the loop of
// kith/detail/table_scan.hpp.
//
// Implemented in matching_tables.cpp.
#pragma once

#include "base/counters.hpp"
#include "query/compiled_query.hpp"
#include "query/exec/table_match.hpp"
#include "query/exec/table_walk.hpp"

namespace kith::queries {

class matching_tables {
public:
    // Requires: the query is fresh.
    matching_tables(const compiled_query& query, const storage::store& data) noexcept;

    // The number of the next table with rows that matches, which matcher() describes; 0 at the end.
    std::uint32_t next() noexcept;
    // The match of the next table; null at the end. `may_go_on` becomes false if it is the last
    // one.
    const std::uint32_t* next_record(bool& may_go_on) noexcept;

    table_matcher& matcher() noexcept { return matcher_; }
    const table_matcher& matcher() const noexcept { return matcher_; }
    // The record of the id whose tables are tested; null: no table can match.
    const storage::id_record* start() const noexcept { return start_; }
    // The number of tables that the record listed at the start.
    std::uint32_t listed() const noexcept { return walk_.listed(); }

private:
    std::uint32_t limit() const noexcept { return start_ ? walk_.limit_now() : 0; }
    void prefetch_later(std::uint32_t at, std::uint32_t count) const noexcept;

    const storage::store& data_;
    const storage::id_record* start_ = nullptr;
    std::uint32_t at_ = 0;  // position of the next table
    table_walk walk_;       // over the tables of start_
    table_matcher matcher_;
};

// The tables of a list are far apart in memory: a later one is fetched while an earlier one is
// visited.
inline void matching_tables::prefetch_later(std::uint32_t at, std::uint32_t count) const noexcept {
#if defined(__GNUC__)
    if (walk_.by_number() || at + tables_ahead >= count) {
        return;
    }
    const std::uint32_t number = walk_.table_at(at + tables_ahead);
    if (matcher_.may_match(number)) {
        const std::byte* block = data_.tables.rows(number).block;
        __builtin_prefetch(block);
        __builtin_prefetch(block + 64);
        if (matcher_.reads_types()) {
            const storage::column_layouts& layouts = data_.tables.layouts();
            __builtin_prefetch(&layouts.of(number));  // loads the number of the layout, too
            const auto* shape = reinterpret_cast<const std::byte*>(data_.shapes[number]);
            __builtin_prefetch(shape);
            __builtin_prefetch(shape + 64);
            __builtin_prefetch(shape + 128);
        }
    }
#else
    static_cast<void>(at + count);
#endif
}

inline std::uint32_t matching_tables::next() noexcept {
    const std::uint32_t count = limit();
    for (std::uint32_t at = at_; at < count; ++at) {
        prefetch_later(at, count);
        KITH_COUNT(visits);
        const std::uint32_t number = walk_.table_at(at);
        if (matcher_.may_match(number) && data_.tables.rows(number).count != 0 &&
            walk_.is_part(data_, number) && matcher_.match(number)) {
            at_ = at + 1;
            return number;
        }
    }
    at_ = count;
    return 0;
}

}  // namespace kith::queries
