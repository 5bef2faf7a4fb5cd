// The decision whether a run starts from an index on a member (storage/value_index.hpp), or reads
// the values of all rows. Implemented in choose_seek.cpp.
#pragma once

#include "query/compiled_query.hpp"
#include "query/exec/value_seek.hpp"

namespace kith::queries {

// An index that was considered for a run.
struct considered_index {
    const term* by = nullptr;                  // the term that compares the member
    const detail::value_test* test = nullptr;  // of that term in the run
    std::shared_ptr<storage::value_index> index;
    std::uint64_t expected = 0;     // candidates
    std::uint64_t total = 0;        // entries of the index
    const char* refusal = nullptr;  // why the run does not start from it; null: it does
};

// Lists the indexes on members that the plan of a query compares with constants; one of them at
// most is not refused. Requires: the plan tests values, and the world has indexes. `stage`: on
// whose behalf the query runs; `asking`: the query if its run has begun, else null; `changed`: the
// constants that the run has replaced.
void consider_indexes(const compiled_query& query, const plan& steps, const world_t* stage,
                      const detail::query_head* asking, const detail::value_change* changed,
                      std::vector<considered_index>& considered);

}  // namespace kith::queries
