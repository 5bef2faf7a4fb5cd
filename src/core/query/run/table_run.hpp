// A table run evaluates, without an executor, the most frequent kind of query: each term is one id
// in tables that $this must, must not or may have, and the world has no IsA pairs. It walks the
// tables of the rarest required id.
//
// Implemented in table_run.cpp.
#pragma once

#include "query/compiled_query.hpp"
#include "query/exec/row_share.hpp"
#include "query/exec/table_match.hpp"
#include "query/exec/table_walk.hpp"
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
    void prefetch_later(std::uint32_t count) const noexcept;

    const query_model& model_;
    row_share share_;
    const storage::store& data_;
    detail::table_lock lock_;
    table_matcher matcher_;
    const storage::id_record* start_ = nullptr;  // of the rarest required id; null: no table has it
    std::uint32_t at_ = 0;                       // position of the next table
    table_walk walk_;                            // over the tables of start_
    std::uint32_t value_count_ = 0;
    std::uint32_t optional_count_ = 0;
    std::uint8_t values_[plan::max_simple];    // required terms with values
    std::uint8_t optional_[plan::max_simple];  // optional terms
    std::uint32_t sizes_[plan::max_simple];    // of the values of each term; 0: a tag
    detail::field_data fields_[plan::max_simple];
};

}  // namespace kith::queries
