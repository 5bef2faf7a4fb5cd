// The interface through which an executor receives the rows that $this may be. Implemented by
// row_source (run/row_source.hpp) for runs, and by the match cache for a single table.
#pragma once

#include <kith/detail/query_layout.hpp>

#include "query/exec/scan.hpp"

namespace kith::queries {

class candidates {
public:
    // Stores the next rows of a table and fills in the fields that the proposer already knows.
    // False at the end.
    virtual bool next(row_range& rows, detail::field_data* fields) = 0;
    // Begins again at the first candidate, for another match of the ops before the scan.
    virtual void restart() = 0;
    // True once the program has asked for the end of the run.
    virtual bool stopped() const { return false; }

protected:
    ~candidates() = default;
};

}  // namespace kith::queries
