// A run of a query that asks for changes, or that may write values whose changes somebody asks for.
#pragma once

#include "query/cached_run.hpp"
#include "query/cursor.hpp"
#include "query/sorted_run.hpp"

namespace kith::queries {

class watched_run final : public detail::run_watch {
public:
    watched_run(const compiled_query& query, world_t* stage, const detail::run_options& options);
    ~watched_run();
    watched_run(const watched_run&) = delete;
    watched_run& operator=(const watched_run&) = delete;

    bool next(detail::result& found);

    // Of the result that was handed out last: it has changed since the query last saw it, before
    // this run. It is not written.
    bool is_changed(const detail::result& found) const noexcept;
    bool is_changed(const detail::result& found, std::uint32_t row) const noexcept;
    bool asks() const noexcept { return reader_ != nullptr; }
    void skip() noexcept { written_ = false; }

private:
    bool next_result(detail::result& found) {
        return tables_ ? tables_->next(found) : sorted_ ? sorted_->next(found) : rows_->next(found);
    }
    void mark_written() noexcept;

    const compiled_query& query_;
    storage::store& data_;
    change_reader* reader_;  // null: it asks for nothing
    change_reader::run at_;
    std::uint64_t since_ = 0;
    detail::result last_{};
    bool writes_;           // results may be written
    bool written_ = false;  // the last one may have been
    // One of them.
    std::optional<cached_run> tables_;
    std::optional<sorted_run> sorted_;
    std::optional<cursor> rows_;
};

// True if runs of the query have to be watched.
bool needs_watch(const compiled_query& query, const storage::store& data) noexcept;

}  // namespace kith::queries
