// Numbers over the results of a query: `--select 'count, sum(Cargo.tons)' --by '$port'`.
#pragma once

#include "answer.hpp"

#include <string>

namespace kith_app {

// One row for each value of `by`, or one row if it is empty. Throws input_error for a selection
// that cannot be read, kith::error for members that the query does not have.
answer summarize(const kith::filter<>& query, const std::string& select, const std::string& by);

// Puts the rows in the order of columns: `Cargo.tons desc, this`. Throws input_error for a column
// that the answer does not have.
void order_rows(answer& result, const std::string& order);

}  // namespace kith_app
