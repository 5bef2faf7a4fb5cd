// The tables of a query without a cache, for the inlined loop over its results. Implemented in
// src/core/query/run/matching_tables.cpp.
#pragma once

#include <kith/detail/query_layout.hpp>

#if defined(__GNUC__)
#define KITH_NOINLINE __attribute__((noinline))
#else
#define KITH_NOINLINE
#endif

namespace kith::detail {

// Finds the tables with rows that match (listing::tables), one after the other, in the form of
// matches. A match is valid until the next call.
class table_scan {
public:
    table_scan() noexcept {}
    table_scan(const table_scan&) = delete;
    table_scan& operator=(const table_scan&) = delete;

    // The first match; null: there is none. Throws if the world of the query has ended.
    const std::uint32_t* begin(const query_head* query);
    // The next match; null at the end. Requires: may_go_on().
    const std::uint32_t* next() noexcept;
    // False if the last match was known to be the last one.
    bool may_go_on() const noexcept { return may_go_on_; }

private:
    static constexpr std::size_t state_size = 304;

    bool may_go_on_ = false;
    alignas(8) std::byte state_[state_size];
};

}  // namespace kith::detail
