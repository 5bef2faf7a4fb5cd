// Accompanies a run of a query with change detection, or of a query that may write values whose
// changes are recorded: records which tables the run visits and which values it hands out to be
// written.
//
// Implemented in run_tracker.cpp.
#pragma once

#include "base/assert.hpp"
#include "query/compiled_query.hpp"
#include "query/exec/value_seek.hpp"

namespace kith::queries {

class run_tracker final : public detail::tracked_run {
public:
    run_tracker(const compiled_query& query, world_t* stage, const detail::run_options& options);
    // For a run on behalf of another reader: its results may be written, but do not count as seen
    // by the query.
    run_tracker(const compiled_query& query, world_t* stage);
    // For a part of a run, which the caller has begun and finishes. Requires: ticks of single rows
    // have room.
    run_tracker(const compiled_query& query, world_t* stage, const seen_versions::run& whole);
    ~run_tracker();
    run_tracker(const run_tracker&) = delete;
    run_tracker& operator=(const run_tracker&) = delete;

    // Prepares a scan, in which inlined code walks the matches of the cache: fills in the fields of
    // tracked_run. False if a scan would miss changes. Requires: the query has change detection.
    bool start_scan();
    // The next table with rows after a match, when inlined code has no list of them any more.
    detail::scan_step next_scanned(std::uint32_t match);
    // True if the rows or values of a scanned table changed since the tick.
    bool is_table_changed(std::uint32_t table, std::uint64_t tick) const;

    // Records that a result is handed out. leave() records that the caller has finished with it,
    // finish() that there are no more results.
    void enter(detail::result& result) noexcept {
        if (reader_) {
            table_ = result.table;
            since = reader_->visit(data_, at_, table_);
        }
        result.tracker = this;
        if (writes_) {
            last_ = result;
            written_ = true;
            if (data_.indexes) [[unlikely]] {
                note_handed_out(data_, result);
            }
        }
    }
    // Replaces the result that was handed out last by a part of its rows.
    void narrow(const detail::result& rows) noexcept {
        leave();
        last_ = rows;
        written_ = writes_;
    }
    const seen_versions::run& now() const noexcept { return at_; }
    // To be called when the run has seen everything: the query is unchanged at this tick, unless
    // the clock shows changes that the run did not make itself.
    void note_unchanged() noexcept {
        KITH_ASSERT(reader_, "the query has change detection");
        if (data_.ticks.now() == at_.start + own_ticks_) {
            reader_->set_unchanged(at_.start + own_ticks_);
        }
    }
    void leave() noexcept {
        if (written_) {
            mark_written();
        }
    }
    void finish() noexcept;

    // True if the result that was handed out last, or one of its rows, has changed since the tick
    // at which the query last saw it before this run.
    bool is_changed(const detail::result& result, std::uint64_t tick) const;
    bool is_changed(const detail::result& result, std::uint32_t row, std::uint64_t tick) const;
    // True if the query has change detection.
    bool asks() const noexcept { return reader_ != nullptr; }
    // True if the run has handed out all of its results.
    bool has_finished() const noexcept { return finished_; }
    // Declares that the result that was handed out last is not written.
    void skip() noexcept { written_ = false; }

private:
    void mark_written() noexcept;

    const compiled_query& query_;
    storage::store& data_;
    seen_versions* reader_;        // null: the query has no change detection
    seen_versions::run at_;        // this run
    std::uint32_t table_ = 0;      // of the last result
    detail::result last_{};        // the last result, if it may be written
    bool writes_;                  // the query may write results
    bool written_ = false;         // the last result may have been written
    bool finished_ = false;        // the run reached its end
    bool is_part_ = false;         // others belong to the same run
    std::uint64_t own_ticks_ = 0;  // ticks that writes of this run added to the clock
    // State of a scan.
    std::shared_ptr<const seen_versions::filled_tables> filled_;
    std::uint32_t match_limit_ = 0;
    detail::field_data scanned_[detail::most_scanned];
};

inline run_tracker& tracker_of(const detail::tracked_run& part) noexcept {
    return static_cast<run_tracker&>(*part.all);
}

}  // namespace kith::queries
