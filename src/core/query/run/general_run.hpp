// A general run evaluates a query with the executor; it serves all plans and options. It shapes the
// results of the executor into what the caller asked for: single rows, ranges, batches, shares and
// pages.
//
// Covered by tests/features/queries/query_test.cpp and the random queries of
// tests/model/query_test.cpp.
#pragma once

#include "query/run/row_source.hpp"
#include "query/run/run.hpp"

namespace kith::queries {

class general_run final : public run {
public:
    general_run(const compiled_query& owner, world_t* stage, const detail::run_options& options);
    ~general_run() override;

    bool next(detail::result& result) override;
    // Requests the field data of single rows for results with `rows`: the run writes field n of row
    // i to details[n * row_batch::capacity + i], for n below detail_count(). False, and nothing
    // is written, if the run has no such results.
    bool request_row_fields(detail::field_data* details) noexcept;
    // The fields in `details`, and their numbers in the result.
    std::uint32_t detail_count() const noexcept { return executor_.leaf_count(); }
    std::uint32_t detail_field(std::uint32_t number) const noexcept {
        return executor_.leaf_field(number);
    }
    // A number that differs between results of different group or depth.
    std::uint64_t rank() const noexcept { return source_.rank(); }

private:
    static constexpr std::uint32_t few = 12;  // fields or terms whose arrays lie in the run

    general_run(const compiled_query& owner, world_t* stage, const detail::run_options& options,
                const plan& steps);
    void lock_sparse(const plan& steps);
    void choose_share(const plan& steps);

    // -- results: as the executor finds them, as rows of one batch, as spans of neighbouring rows
    bool advance(detail::result& result);
    bool next_whole(detail::result& result);
    bool next_scattered(detail::result& result);
    bool next_span(detail::result& result);
    void begin_span(detail::result& result);
    bool continues_span(const detail::result& span) const noexcept;
    void lock_span(const detail::result& result);
    const detail::field_data& detail_at(std::uint32_t leaf, std::uint32_t position) const noexcept {
        return span_details_[leaf * row_batch::capacity + position];
    }
    template <class Visit>
    static void each_shared(const detail::result& result, Visit&& visit);
    static bool is_shared(const detail::result& result) noexcept;
    // The fields of results that are not those of the executor.
    detail::field_data* own_fields() noexcept {
        return more_fields_ ? more_fields_.get() : split_fields_;
    }
    void lock_result(const detail::result& result);
    void narrow(detail::result& result, std::uint32_t first, std::uint32_t count);
    bool take_share(detail::result& result);
    bool take_page(detail::result& result);

    const compiled_query& query_;
    const storage::store& data_;
    detail::run_options options_;
    detail::table_lock lock_;
    row_source source_;  // of the rows that $this may be
    // A run in shares divides the candidates if it can, or else the results.
    row_share result_share_;
    bool ended_ = false;
    // A result that is handed out row by row, and its next row.
    detail::result whole_{};
    std::uint32_t split_at_ = 0;
    // Arrays for few fields or terms; queries with more have the `more_` ones.
    detail::field_data split_fields_[few];
    std::unique_ptr<detail::field_data[]> more_fields_;
    std::uint64_t passed_ = 0;  // rows before the next result, for pages
    std::uint32_t locked_tables_[few];
    std::unique_ptr<std::uint32_t[]> more_tables_;
    id_t locked_ids_[few];
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
