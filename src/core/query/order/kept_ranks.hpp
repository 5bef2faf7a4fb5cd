// The rows of a query with `cascade`, sorted by depth, kept from run to run.
//
// The order depends on the rows that the query proposes, and on the links of the relationship that
// gives rows their depth. Each run finds the proposed ranges of rows again, at the cost of a run
// over tables. It takes the order of the last run if these are the same ranges, if no row of their
// tables has come, gone or moved, and if no link of the relationship has changed. The first is
// known from ticks, for which the tables of one id of the query are tracked; the second from the
// edition of the store of links.
//
// Several threads may run the query. Implemented in kept_ranks.cpp.
//
// Covered by tests/unit/query/cascade_kept_test.cpp and tests/model/cascade_test.cpp.
#pragma once

#include <kith/detail/mutex.hpp>

#include "query/model/query_model.hpp"
#include "query/order/ranked_rows.hpp"

namespace kith::queries {

class kept_ranks {
public:
    // The state of the world that an order depends on, besides the proposed ranges.
    struct state {
        std::uint64_t tick = 0;     // of the last change at all
        std::uint64_t edition = 0;  // of the links, or `unlinked`
        std::uint32_t schema = 0;   // store::schema
    };

    // Starts to record the ticks of rows in tables that results may be in. False if no id of the
    // query marks these tables: then orders cannot be kept. Requires: as events::track().
    static bool track(storage::store& data, const query_model& model);

    // The present state. To be asked for before the ranges are found.
    static state now(const storage::store& data, const query_model& model) noexcept;
    // The order that is kept, if it still holds for these ranges; else null.
    std::shared_ptr<const ranked_rows> find(const storage::store& data, const state& present,
                                            const std::vector<row_range>& proposed) noexcept;
    // Keeps an order that was made of these ranges, unless changes of their tables or of the
    // relationship are not recorded.
    void keep(const storage::store& data, const state& present,
              const std::vector<row_range>& proposed,
              const std::shared_ptr<const ranked_rows>& rows);

private:
    // The relationship is in tables, whose changes are not recorded.
    static constexpr std::uint64_t unlinked = ~std::uint64_t{0};

    detail::mutex keeping_;  // guards all of the following
    std::shared_ptr<const ranked_rows> rows_;
    std::vector<row_range> proposed_;
    state made_;
};

// True if ticks of changes of the rows of all tables are recorded.
bool are_tracked(const storage::store& data, const std::vector<row_range>& ranges) noexcept;

}  // namespace kith::queries
