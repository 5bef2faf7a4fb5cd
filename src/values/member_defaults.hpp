// Defaults that members are declared with, for values of C++ types: a type without C++ type makes
// its values with them.
//
// Covered by tests/features/values/attributes_test.cpp.
#pragma once

#include <kith/description.hpp>

namespace kith::values {

// Gives members with a declared default that default; other members stay.
void assign_defaults(const world_t* world, const description& described, void* value);
// True if assign_defaults() would write to values of the type.
bool has_defaults(const world_t* world, const description& described);

}  // namespace kith::values
