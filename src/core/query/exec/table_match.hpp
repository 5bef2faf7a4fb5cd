// The match of one table with a query whose terms are each one id that the type of the table must,
// must not or may have. Records of matches have the layout of detail::query_head::matches.
//
// Implemented in table_match.cpp.
#pragma once

#include "query/model/query_model.hpp"
#include "storage/store.hpp"

namespace kith::queries {

// Writes the number of the table, then offset and position of each term, or no_place. Returns false
// if the table does not match; then the record has no meaning. Terms of the set `dead` match
// nothing. Requires: term i is field i.
bool match_columns(const query_model& model, std::uint64_t dead, const storage::table& table,
                   std::uint32_t* record) noexcept;

// The bits that the signature of each table has that matches all required terms.
std::uint64_t required_signature(const query_model& model) noexcept;

}  // namespace kith::queries
