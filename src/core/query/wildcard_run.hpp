// A run, without a machine, of a query that is not cached, whose terms are ids and wildcards that
// $this has in its table, and nothing in the world is inherited. Without wildcards, table_run takes
// half of the instructions to start.
//
// Covered by tests/core/query/pattern_run_test.cpp.
#pragma once

#include <kith/detail/query_ops.hpp>

#include "query/compiled_query.hpp"
#include "query/exec/row_share.hpp"

namespace kith::queries {

class wildcard_run {
public:
    static bool fits(const compiled_query& query, const storage::store& data,
                     const detail::run_options& options) noexcept {
        return query.steps.patterns && data.bases->pairs.empty() && options.is_plain_share();
    }

    wildcard_run(const compiled_query& query, world_t* stage,
                 const detail::run_options& options) noexcept;
    wildcard_run(const wildcard_run&) = delete;
    wildcard_run& operator=(const wildcard_run&) = delete;

    bool next(detail::result& result);

private:
    // A term of which a table may have several matches, one of them at a time.
    struct choice {
        const term* of;
        std::int32_t first;  // -1: there is none, which is well if it is optional
        std::int32_t now;
    };

    void narrow(detail::result& result) noexcept;
    bool accept_table();
    bool take_term(const term& term) noexcept;
    bool take_next() noexcept;
    void set_field(const term& term, std::int32_t position) noexcept;

    const query_model& model_;
    const storage::store& data_;
    detail::table_lock lock_;
    scan scan_;
    row_share share_;
    row_range rows_;
    const storage::table* type_ = nullptr;  // null: the next is to be taken
    std::uint32_t step_count_ = 0;
    std::uint8_t steps_[plan::max_simple];  // terms with one answer for a table
    std::uint32_t choice_count_ = 0;
    choice choices_[plan::max_simple];
    detail::field_data fields_[plan::max_simple];
    detail::field_data narrowed_[plan::max_simple];
};

}  // namespace kith::queries
