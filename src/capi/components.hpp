// Types of C: their functions as core calls them, and the list of the types of the process.
#pragma once

#include "boundary.hpp"

#include <atomic>

namespace kith::capi {

// True for types of the process whose values some world handles by functions of its own
// (kith_set_hooks): the functions of the process do not tell how values are copied there.
extern std::atomic<bool> redefined_types[first_entity];

// The type of a component as the header describes it.
kith_type_info_t describe_type(const type_info& type, entity_t component) noexcept;

// The id of a type without values in this process, by name.
std::uint32_t register_empty_type(const char* name, const char* function);

}  // namespace kith::capi
