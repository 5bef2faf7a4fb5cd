// Operations on components that the C API needs beyond detail/ops.hpp.
#pragma once

#include <kith/detail/ops.hpp>

namespace kith::detail {

// Replaces the functions by which this world handles values of a component; size and alignment
// stay. An error if the world has or queues values of it, or is being iterated. The component owns
// the context of `info` from here on; after an error it does not.
void redefine_component(world_t* world, entity_t component, const type_info& info);
// Gives a component that was defined at run time a type of another size. Throws if values exist, or
// existed in a table that is still there.
void change_layout(world_t* world, entity_t entity, const type_info& info);

}  // namespace kith::detail
