// The change reader of a query, made at its first question about changes.
#pragma once

#include "query/compiled_query.hpp"

namespace kith::detail {

// Changes that matter to the query are counted from here on; by row, too.
queries::seen_versions& reader_of(queries::compiled_query& query);
queries::seen_versions& row_reader_of(queries::compiled_query& query);

}  // namespace kith::detail
