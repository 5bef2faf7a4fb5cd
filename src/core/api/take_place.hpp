// A C++ type that is used for the first time in a world where something has its name already.
//
// Covered by tests/features/names/type_takes_name_test.cpp and
// tests/features/values/type_takeover_test.cpp.
#pragma once

#include "api/world_impl.hpp"

namespace kith::api {

// True if commands wait or run: their values are destroyed by the functions of their type.
bool may_have_queued_values(const world_impl& owner) noexcept;

// The component of a C++ type takes over the place of `before` in the hierarchy, its ids, and its
// uses in ids of other entities; `before` ends. Values of a type that was declared at run time
// become values of the C++ type, if both lie in memory in the same way. Queries and indexes follow;
// observers cannot, so they prevent it. Throws if the type cannot take the place; the caller
// deletes `component` then, and nothing has changed.
// Requires: `component` has the type, and no uses yet. `queued`: commands waited before.
void take_place(world_impl& owner, entity_t before, entity_t component, bool queued);

}  // namespace kith::api
