// A table run evaluates, without an executor, the most frequent kind of query: its results are the
// tables of matching_tables.hpp.
//
// Implemented in table_run.cpp.
#pragma once

#include "query/exec/row_share.hpp"
#include "query/run/matching_tables.hpp"
#include "query/run/run.hpp"

namespace kith::queries {

class table_run final : public run {
public:
    table_run(const compiled_query& query, world_t* stage,
              const detail::run_options& options) noexcept;

    bool next(detail::result& result) noexcept override;

private:
    bool next_shared(detail::result& result) noexcept;
    // Fills in the fields of a table that matches.
    void fill(const detail::table_rows& rows) noexcept;
    void hand_out(std::uint32_t number, const detail::table_rows& rows,
                  detail::result& result) noexcept;

    const query_model& model_;
    row_share share_;
    const storage::store& data_;
    detail::table_lock lock_;
    matching_tables tables_;
    std::uint32_t at_ = 0;  // position of the next table, of a run that visits a share
    std::uint32_t required_count_ = 0;
    std::uint32_t optional_count_ = 0;
    std::uint8_t required_[plan::max_simple];  // required terms
    std::uint8_t optional_[plan::max_simple];  // optional terms
    detail::field_data fields_[plan::max_simple];
};

}  // namespace kith::queries
