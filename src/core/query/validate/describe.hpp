// Turns terms of a model back into a description (kith/query_desc.hpp), so that new queries can be
// made of a part of another query's terms. Observers, monitors and explain(entity) do so.
#pragma once

#include <kith/query_desc.hpp>

#include "query/model/query_model.hpp"

#include <vector>

namespace kith::queries {

// A flag on the first element of `!=`: while both variables of the comparison are open, only one of
// the two orders of their values is a result (term_kind::apart).
inline constexpr std::uint32_t is_unordered = 1u << 15;

// Describes terms [first, last). The description points to names and texts of the model, which must
// outlive it.
std::vector<term_desc> describe_terms(const query_model& model, std::uint32_t first,
                                      std::uint32_t last);

}  // namespace kith::queries
