// A run of the most frequent kind of query, without a machine: all terms are ids in tables, one
// each, that $this must, must not or may have, and nothing in the world is inherited.
#pragma once

#include <kith/detail/query_ops.hpp>

#include "query/compiled_query.hpp"
#include "query/exec/row_share.hpp"

namespace kith::queries {

class table_run {
public:
    static bool fits(const compiled_query& query, const storage::store& data,
                     const detail::run_options& options) noexcept {
        return query.steps.simple && data.bases->pairs.empty() && options.is_plain_share();
    }

    table_run(const compiled_query& query, world_t* stage,
              const detail::run_options& options) noexcept;
    table_run(const table_run&) = delete;
    table_run& operator=(const table_run&) = delete;

    bool next(detail::result& result) noexcept;

private:
    bool next_shared(detail::result& result) noexcept;
    bool fill(const storage::table& type, const detail::table_rows& rows,
              std::uint32_t position) noexcept;

    const query_model& model_;
    row_share share_;
    const storage::store& data_;
    detail::table_lock lock_;
    const storage::id_record* start_ = nullptr;  // of the rarest id, null: it is nowhere
    std::uint32_t start_term_ = 0;
    std::uint32_t at_ = 0;
    std::uint32_t limit_ = 0;  // tables that come later do not join the run
    std::uint32_t hidden_;
    detail::field_data fields_[plan::max_simple];
};

}  // namespace kith::queries
