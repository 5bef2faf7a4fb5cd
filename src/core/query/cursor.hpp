// A cursor is one run of a query through the executor; it serves all plans. It provides the
// candidates for $this (a scan, the match cache, groups, ordered or given rows), and shapes the
// results of the executor into what the caller asked for: single rows, ranges, batches, shares and
// pages.
//
// Covered by tests/features/queries/query_test.cpp and the random queries of
// tests/model/query_test.cpp.
#pragma once

#include <kith/detail/query_ops.hpp>

#include "query/compiled_query.hpp"
#include "query/order/ordered_rows.hpp"

namespace kith::queries {

class cursor final : public candidates {
public:
    cursor(const compiled_query& owner, world_t* stage, const detail::run_options& options);
    ~cursor();
    cursor(const cursor&) = delete;
    cursor& operator=(const cursor&) = delete;

    // The next result, false at the end.
    bool next(detail::result& result);
    // Requests the field data of single rows for results with `rows`: the cursor writes field n of
    // row i to details[n * row_batch::capacity + i], for n below detail_count(). False, and nothing
    // is written, if the run has no such results.
    bool request_row_fields(detail::field_data* details) noexcept;
    // The fields in `details`, and their numbers in the result.
    std::uint32_t detail_count() const noexcept { return executor_.leaf_count(); }
    std::uint32_t detail_field(std::uint32_t number) const noexcept {
        return executor_.leaf_field(number);
    }
    // A number that differs between results of different group or depth.
    std::uint64_t rank() const noexcept { return ordered_ ? ordered_->rank() : group_; }

private:
    cursor(const compiled_query& owner, world_t* stage, const detail::run_options& options,
           const plan& steps);

    // -- candidates for $this, an interface to the executor
    bool next(row_range& rows, detail::field_data* fields) override;
    void restart() override;
    bool stopped() const override;
    bool next_ordered(row_range& rows, detail::field_data* fields);
    bool next_unordered(row_range& rows, detail::field_data* fields);
    bool next_cached(row_range& rows, detail::field_data* fields);
    bool next_grouped(row_range& rows, detail::field_data* fields);
    bool take_record(std::uint32_t position, row_range& rows, detail::field_data* fields);
    bool accept_inheritor(std::uint32_t position, row_range& rows, detail::field_data* fields);
    bool in_share(row_range& rows) noexcept;
    bool is_proposed(row_range& rows) noexcept;
    void rank_rows();
    void fill_fields(const std::uint32_t* record, const row_range& rows,
                     detail::field_data* fields) const;
    bool fill_fields(const inherited_field* field, const row_range& rows,
                     detail::field_data* fields) const;

    // -- results: as the executor finds them, as rows of one batch, as spans of neighbouring rows
    bool next_whole(detail::result& result);
    bool next_scattered(detail::result& result);
    bool next_span(detail::result& result);
    void begin_span(detail::result& result);
    bool continues_span(const detail::result& span) const noexcept;
    void lock_span(const detail::result& result);
    const detail::field_data& detail_at(std::uint32_t leaf, std::uint32_t position) const noexcept {
        return span_details_[leaf * row_batch::capacity + position];
    }
    void choose_ranks();
    bool is_shared(const detail::result& result) const noexcept;
    void lock_result(const detail::result& result);
    void narrow(detail::result& result, std::uint32_t first, std::uint32_t count) const;
    void choose_share(const plan& steps);
    bool take_share(detail::result& result);
    bool take_page(detail::result& result);

    const compiled_query& query_;
    const storage::store& data_;
    world_t* stage_;
    detail::run_options options_;
    detail::table_lock lock_;
    // A run in shares divides the candidates if it can, or else the results.
    row_share candidate_share_;
    row_share result_share_;
    std::uint32_t hidden_;  // flags of tables to skip
    // Terms that the cache answers. A copy: the plan of the query may change during the run.
    std::uint64_t cached_;
    std::uint64_t usable_;  // terms that the scan may start with
    scan scan_;
    std::uint32_t cached_at_ = 0;        // position of the next record or inheritor match
    std::uint32_t cached_limit_ = 0;     // number of records at the start
    std::uint32_t inheritor_limit_ = 0;  // number of inheritor matches at the start
    bool inheritors_ = false;            // records are exhausted: inheritor matches follow
    bool started_ = false;
    bool ended_ = false;
    // State of a query with groups or depths.
    bool is_ordered_by_group_ = false;       // rows are ranked before the first is handed out
    std::uint64_t group_ = 0;                // of the rows that were proposed last
    std::optional<group_cursor> grouped_;    // matches by group, from the cache
    std::optional<group_scan> in_group_;     // rows of one group
    std::unique_ptr<ordered_rows> ordered_;  // ranked rows; null until the first is requested
    // A result that is handed out row by row, and its next row.
    detail::result whole_{};
    std::uint32_t split_at_ = 0;
    // Arrays for up to 12 fields or terms; queries with more have the `more_` ones.
    mutable detail::field_data split_fields_[12];
    std::unique_ptr<detail::field_data[]> more_fields_;
    std::uint64_t passed_ = 0;  // rows before the next result, for pages
    std::uint32_t locked_tables_[12];
    std::unique_ptr<std::uint32_t[]> more_tables_;
    id_t locked_ids_[12];
    std::unique_ptr<id_t[]> more_ids_;
    bool noncontiguous_ = false;  // results are batches of rows that are no neighbours
    // State of a run that hands out spans: neighbouring rows that see the same shared values.
    std::unique_ptr<detail::field_data[]> span_details_;  // of the batch; null: no spans
    std::uint32_t span_at_ = 0;                           // next row of the batch
    std::vector<std::uint32_t> span_locks_;               // tables of shared values
    row_batch batch_;
    executor executor_;
};

}  // namespace kith::queries
