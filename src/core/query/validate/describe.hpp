// From a model back to a description of it, so that queries can be made of a part of another one's
// terms.
#pragma once

#include <kith/query_desc.hpp>

#include "query/model/query_model.hpp"

#include <vector>

namespace kith::queries {

// A comparison `!=` with this flag on its first element: of two variables that the caller leaves
// open, both orders are one.
inline constexpr std::uint32_t is_unordered = 1u << 15;

// Terms [first, last). The description points into the model.
std::vector<term_desc> describe_terms(const query_model& model, std::uint32_t first,
                                      std::uint32_t last);

}  // namespace kith::queries
