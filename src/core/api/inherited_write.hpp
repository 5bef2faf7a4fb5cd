// Warnings of callbacks that may write what entities inherit: the value is that of the base, and of
// all its instances.
//
// Covered by tests/features/idioms/inherited_write_test.cpp.
#pragma once

#include <kith/detail/query_layout.hpp>

#include "query/compiled_query.hpp"

namespace kith::api {

// Warns once per query if one of the fields (bit i for field i) has an inherited value in this
// result. Returns the fields that are still to be looked at.
std::uint64_t warn_of_inherited(const queries::compiled_query& query, const detail::result& found,
                                std::uint64_t fields);

}  // namespace kith::api
