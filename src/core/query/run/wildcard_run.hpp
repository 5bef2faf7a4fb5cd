// A wildcard run evaluates, without an executor, a query that is not cached and whose terms are ids
// and patterns in tables, while the world has no IsA pairs. A table has one result for each
// combination of ids that match the patterns. For queries without patterns, table_run.hpp needs
// half of the instructions to start.
//
// Covered by tests/features/queries/wildcard_runs_test.cpp.
#pragma once

#include "query/compiled_query.hpp"
#include "query/exec/row_share.hpp"
#include "query/run/run.hpp"

namespace kith::queries {

class wildcard_run final : public run {
public:
    wildcard_run(const compiled_query& query, world_t* stage,
                 const detail::run_options& options) noexcept;

    bool next(detail::result& result) override;

private:
    // A pattern of which a table may have several matches.
    struct choice {
        const term* pattern;
        std::int32_t
            first;         // position of the first match; -1: none, which an optional term accepts
        std::int32_t now;  // position of the present match
    };

    bool accept_table();
    bool take_term(const term& term) noexcept;
    bool take_next() noexcept;
    void set_field(const term& term, std::int32_t position) noexcept;

    const query_model& model_;
    const storage::store& data_;
    detail::table_lock lock_;
    scan scan_;
    row_share share_;
    row_range rows_;                        // of the present table
    const storage::table* type_ = nullptr;  // the present table; null: before the first one
    std::uint32_t step_count_ = 0;
    std::uint8_t steps_[plan::max_simple];  // terms with one answer for a table
    std::uint32_t choice_count_ = 0;
    choice choices_[plan::max_simple];  // terms with several matches, like digits of a number
    detail::field_data fields_[plan::max_simple];
    detail::field_data narrowed_[plan::max_simple];  // fields of the share's rows
};

}  // namespace kith::queries
