// Watches a run of a query that asks for changes, or that may write values whose changes somebody
// asks for.
#pragma once

#include "query/compiled_query.hpp"

namespace kith::queries {

class run_tracker final : public detail::tracked_run {
public:
    run_tracker(const compiled_query& query, world_t* stage, const detail::run_options& options);
    // Of a run that others look at: what it finds may be written, but the query has not seen it.
    run_tracker(const compiled_query& query, world_t* stage);
    ~run_tracker();
    run_tracker(const run_tracker&) = delete;
    run_tracker& operator=(const run_tracker&) = delete;

    // The run goes by the list of matches: fills in what inlined code needs for that. False if it
    // cannot be done so.
    bool start_scan();
    detail::scan_step next_scanned(std::uint32_t match);
    bool is_table_changed(std::uint32_t table, std::uint64_t tick) const;

    // A result is handed out; the caller has done with the last one; there are no more.
    void enter(detail::result& result) noexcept {
        if (reader_) {
            table_ = result.table;
            since = reader_->visit(data_, at_, table_);
        }
        result.tracker = this;
        if (writes_) {
            last_ = result;
            written_ = true;
        }
    }
    // Narrows the result that was handed out last to these rows.
    void narrow(const detail::result& rows) noexcept {
        leave();
        last_ = rows;
        written_ = writes_;
    }
    const seen_versions::run& now() const noexcept { return at_; }
    // The run has seen everything: unless others have changed something meanwhile, the query is
    // unchanged.
    void note_unchanged() noexcept {
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

    // Of the result that was handed out last: it has changed since the query last saw it, before
    // this run, at that tick. It is not written.
    bool is_changed(const detail::result& result, std::uint64_t tick) const;
    bool is_changed(const detail::result& result, std::uint32_t row, std::uint64_t tick) const;
    bool asks() const noexcept { return reader_ != nullptr; }
    void skip() noexcept { written_ = false; }

private:
    void mark_written() noexcept;

    const compiled_query& query_;
    storage::store& data_;
    seen_versions* reader_;  // null: it asks for nothing
    seen_versions::run at_;
    std::uint32_t table_ = 0;  // of the last result
    detail::result last_{};
    bool writes_;           // results may be written
    bool written_ = false;  // the last one may have been
    bool finished_ = false;
    std::uint64_t own_ticks_ = 0;  // by which the clock went on for what was written
    // Of a scan.
    std::shared_ptr<const seen_versions::filled_tables> filled_;
    std::uint32_t match_limit_ = 0;
    detail::field_data scanned_[detail::most_scanned];
};

inline run_tracker& tracker_of(const detail::tracked_run& part) noexcept {
    return static_cast<run_tracker&>(*part.all);
}

// True if runs of the query have to be watched.
bool needs_tracking(const compiled_query& query, const storage::store& data) noexcept;
// True if results of the query may be written.
bool may_write(const compiled_query& query) noexcept;

}  // namespace kith::queries
