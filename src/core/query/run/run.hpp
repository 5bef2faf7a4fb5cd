// The interface of all kinds of run. A run evaluates a query once and hands out the results one
// after the other. A query_run (include/kith/detail/query_ops.hpp) holds a run of the kind that
// choose_run() has chosen.
#pragma once

#include <kith/detail/query_ops.hpp>

namespace kith::queries {

class run {
public:
    run() = default;
    run(const run&) = delete;
    run& operator=(const run&) = delete;
    virtual ~run() = default;

    // The next result, which is valid until the next call. False at the end.
    virtual bool next(detail::result& result) = 0;
};

}  // namespace kith::queries
