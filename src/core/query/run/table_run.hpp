// A table run evaluates, without an executor, the most frequent kind of query: each term is one id
// in tables that $this must, must not or may have, and the world has no IsA pairs. It walks the
// tables of the rarest required id.
//
// Implemented in table_run.cpp.
#pragma once

#include "query/compiled_query.hpp"
#include "query/exec/row_share.hpp"
#include "query/run/run.hpp"

namespace kith::queries {

class table_run final : public run {
public:
    table_run(const compiled_query& query, world_t* stage,
              const detail::run_options& options) noexcept;

    bool next(detail::result& result) noexcept override;

private:
    bool may_match(std::uint32_t number) const noexcept {
        return (data_.tables.signature(number) & required_) == required_;
    }
    bool next_shared(detail::result& result) noexcept;
    // Fills in the fields of a table; false if it does not match. `position`: of the start term's
    // id.
    bool fill(const storage::table& type, const detail::table_rows& rows,
              std::uint32_t position) noexcept;

    const query_model& model_;
    row_share share_;
    const storage::store& data_;
    detail::table_lock lock_;
    const storage::id_record* start_ = nullptr;  // of the rarest required id; null: no table has it
    std::uint32_t start_term_ = 0;
    std::uint32_t at_ = 0;     // position of the next table
    std::uint32_t limit_ = 0;  // number of tables at the start: later ones do not join the run
    std::uint32_t hidden_;     // flags of tables to skip
    std::uint64_t required_;   // bits that the signature of each match has
    std::uint32_t sizes_[plan::max_simple];  // of the values of each term; 0: a tag
    detail::field_data fields_[plan::max_simple];
};

}  // namespace kith::queries
