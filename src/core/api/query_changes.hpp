// The change reader of a query: the ticks that the query has seen. It is made when the query is
// asked about changes for the first time.
#pragma once

#include "query/compiled_query.hpp"

namespace kith::detail {

// The reader of the query. Changes of the data that the query reads are counted from the first call
// on.
queries::seen_versions& reader_of(const queries::compiled_query& query);
// The reader of the query. Changes of single rows are counted from the first call on.
queries::seen_versions& row_reader_of(const queries::compiled_query& query);

}  // namespace kith::detail
