// The row source of a general run: the rows that $this may be, from a scan, the match cache, the
// groups of a query, rows that the caller has given, or rows that were ordered before.
//
// Covered by tests/features/ordering/group_test.cpp and the random queries of
// tests/model/query_test.cpp.
#pragma once

#include "query/choose_seek.hpp"
#include "query/order/ordered_rows.hpp"
#include "query/run/choose_run.hpp"

namespace kith::queries {

class row_source final : public candidates {
public:
    // `options` have to live as long as the source.
    row_source(const compiled_query& query, world_t* stage, const plan& steps,
               const detail::run_options& options);

    // -- the interface for the executor
    bool next(row_range& rows, detail::field_data* fields) override;
    void restart() override;
    bool stopped() const override;
    sibling_list siblings() const noexcept override;
    const detail::value_change* changed_values() const noexcept override { return options_.values; }

    // Reduces the candidates to those of a share. To be called before the first next().
    void divide(const row_share& share) noexcept { share_ = share; }
    // True if the rows are found by the target of their group.
    bool starts_with_group() const noexcept { return in_group_.has_value(); }
    // The group of the rows that were proposed last.
    std::uint64_t group() const noexcept { return group_; }
    // A number that differs between rows of different group or depth.
    std::uint64_t rank() const noexcept { return ordered_ ? ordered_->rank() : group_; }

private:
    void choose_ranks();
    void choose_index(const plan& steps);
    bool has_candidates(const row_range& rows);
    scan start_scan() const;
    bool next_ordered(row_range& rows, detail::field_data* fields);
    bool next_unordered(row_range& rows, detail::field_data* fields);
    bool next_cached(row_range& rows, detail::field_data* fields);
    bool next_grouped(row_range& rows, detail::field_data* fields);
    bool take_record(std::uint32_t position, row_range& rows, detail::field_data* fields);
    bool accept_inheritor(std::uint32_t position, row_range& rows, detail::field_data* fields);
    bool in_share(row_range& rows) noexcept;
    bool is_proposed(row_range& rows) noexcept;
    void rank_rows(detail::field_data* fields);
    void fill_fields(const std::uint32_t* record, const row_range& rows,
                     detail::field_data* fields) const;
    bool fill_fields(const inherited_field* field, const row_range& rows,
                     detail::field_data* fields) const;

    const compiled_query& query_;
    const storage::store& data_;
    world_t* stage_;
    const detail::run_options& options_;
    row_share share_;
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
    bool is_ranked_ = false;  // rows are ranked before the first is handed out
    // State of a query with groups or depths.
    std::uint64_t group_ = 0;                // of the rows that were proposed last
    std::optional<group_cursor> grouped_;    // matches by group, from the cache
    std::optional<group_scan> in_group_;     // rows of one group
    std::unique_ptr<ordered_rows> ordered_;  // ranked rows; null until the first is requested
};

}  // namespace kith::queries
