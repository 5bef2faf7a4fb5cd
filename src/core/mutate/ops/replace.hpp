// Replacing an entity: its holders get another entity as tag, relationship or target instead. Used
// when a C++ type takes the place of an entity with its name.
//
// Covered by tests/features/names/type_takes_name_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"

namespace kith::mutate {

// The types of an entity that is replaced, if it is a component, and of the one that replaces it.
// Their values lie in memory in the same way.
struct type_conversion {
    const description* from = nullptr;  // null: the entity is no component
    const description* to = nullptr;
};

// Moves all uses of `from` to `to`, with their values, or none: throws if a use cannot be moved,
// after restoring the moved ones. Requires: `to` has no uses yet, and no table with uses of `from`
// is iterated.
void move_uses(stage& world, entity_t from, entity_t to, const type_conversion& values);

}  // namespace kith::mutate
