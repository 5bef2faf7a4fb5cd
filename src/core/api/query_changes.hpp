// The change reader of a query, made at its first question about changes.
#pragma once

#include "query/compiled_query.hpp"

namespace kith::detail {

// Changes that matter to the query are counted from here on; by row, too.
queries::change_reader& reader_of(queries::compiled_query& query);
queries::change_reader& row_reader_of(queries::compiled_query& query);

}  // namespace kith::detail
