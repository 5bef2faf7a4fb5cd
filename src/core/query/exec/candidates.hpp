// The interface through which an executor receives the rows that $this may be. Implemented by
// row_source (run/row_source.hpp) for runs, and by the match cache for a single table.
#pragma once

#include <kith/detail/query_layout.hpp>
#include <kith/detail/query_ops.hpp>

#include "query/exec/value_seek.hpp"

#include <memory>

namespace kith::queries {

// Neighbouring rows that have the same target in a relationship.
struct sibling_run {
    std::uint32_t target = 0;  // 0: none
    std::uint32_t count = 0;   // of rows
};
// The targets of the rows of a range, where each row has one target at most.
struct sibling_list {
    const sibling_run* first = nullptr;  // null: not known
    const storage::link_store* links = nullptr;
    std::uint64_t edition = 0;  // of the links, for which the list holds

    bool holds(const storage::link_store& of) const noexcept {
        return first && links == &of && edition == of.edition();
    }
};

class candidates {
public:
    // Stores the next rows of a table and fills in the fields that the proposer already knows.
    // False at the end.
    virtual bool next(row_range& rows, detail::field_data* fields) = 0;
    // Begins again at the first candidate, for another match of the ops before the scan.
    virtual void restart() = 0;
    // True once the program has asked for the end of the run.
    virtual bool stopped() const { return false; }
    // The targets of the rows that were proposed last, if they are known.
    virtual sibling_list siblings() const noexcept { return {}; }

    // Constants of value terms that the run has replaced; null: none.
    virtual const detail::value_change* changed_values() const noexcept { return nullptr; }

    // The index that says which rows of a table may pass the comparisons of values; null: all may.
    value_seek* seek_in(std::uint32_t table) const noexcept {
        return seek_ && seek_->is_listed(table) ? seek_.get() : nullptr;
    }

protected:
    ~candidates() = default;

    std::unique_ptr<value_seek> seek_;
};

}  // namespace kith::queries
