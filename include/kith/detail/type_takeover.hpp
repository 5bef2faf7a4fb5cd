// A C++ type that takes the place of a component which was declared at run time: the functions by
// which the core compares both and converts values, since it knows no descriptions. Implemented by
// src/values.
#pragma once

#include <kith/description.hpp>

namespace kith::detail {

// Throws (type_conflict) unless values of both types lie in memory in the same way: names, kinds,
// offsets, sizes and alignment agree. The message names the first part that differs.
void check_same_layout(const description& declared, const description& program);
// Makes a value of `to` in raw memory from a value of `from`, or assigns to one that is there.
// Throws if the type has no default value, or if a function of it throws; then `raw` is raw, and
// `value` is a value. Requires: check_same_layout() has passed for the two, in one order.
void make_converted(const description& to, void* raw, const description& from,
                    const void* original);
void assign_converted(const description& to, void* value, const description& from,
                      const void* original);

// The C++ type gets the attributes, checks and former names that the world has given the declared
// component, and members of that type become members of the C++ type. True if that gave the world a
// description of its own for the C++ type.
bool adopt_description(world_t* world, entity_t declared, std::uint32_t type);
// Undoes adopt_description(), which has returned `added`.
void return_description(world_t* world, entity_t declared, std::uint32_t type, bool added) noexcept;

}  // namespace kith::detail
