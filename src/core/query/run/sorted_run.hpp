// A sorted run finds all results of a query first, sorts their rows, and hands them out in order:
// as slices where rows of one table follow each other, else row by row or in batches. The tables of
// all results are locked until the end of the run.
//
// Covered by tests/features/ordering/sort_test.cpp.
#pragma once

#include "query/compiled_query.hpp"
#include "query/run/run.hpp"

namespace kith::queries {

class sorted_run final : public run {
public:
    sorted_run(const compiled_query& query, world_t* stage, const detail::run_options& options);
    // A run over `count` of the rows that another run has sorted, for a thread of its own.
    sorted_run(const sorted_run& whole, world_t* stage, std::uint64_t first, std::uint64_t count);
    // The number of rows to be handed out.
    std::uint64_t row_count() const noexcept { return end_ - at_; }

    bool next(detail::result& result) override;

private:
    bool is_whole() const noexcept;
    void find_results(world_t* stage, std::uint64_t now);
    bool is_current(const kept_results& results) const;
    void collect(world_t* stage);
    void lock_all();
    void sort(std::uint64_t now);
    void choose_rows();
    std::size_t count_neighbours() const noexcept;
    void take_slice(detail::result& result, std::uint32_t count);
    void take_scattered(detail::result& result);
    void next_gathered(detail::result& result);
    void gather_values(std::uint32_t count);

    const compiled_query& query_;
    const storage::store& data_;
    detail::run_options options_;
    detail::table_lock lock_;
    std::shared_ptr<const materialized_results> results_;
    bool kept_ = false;      // the next run may use the same results
    std::vector<id_t> ids_;  // of the terms, for the lock
    std::shared_ptr<const sorted_rows> rows_;
    std::size_t at_ = 0;                     // next row in rows_
    std::size_t end_ = 0;                    // end of the rows of the share and page
    std::vector<detail::field_data> slice_;  // fields of the result that was handed out last
    // The most rows of a batch from one part: the rows after it may be neighbours again.
    static constexpr std::size_t batch_size = 1024;
    // A batch of rows of several parts, and the addresses of the values of each field.
    static constexpr std::size_t gather_size = 64;
    std::vector<row_ref> gathered_places_;
    std::vector<entity_t> gathered_entities_;
    std::vector<std::uint32_t> gathered_rows_;
    std::vector<std::byte*> gathered_;
};

}  // namespace kith::queries
