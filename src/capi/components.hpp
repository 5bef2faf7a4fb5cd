// Types of C: their functions as core calls them, and the list of the types of the process.
#pragma once

#include "boundary.hpp"

namespace kith::capi {

// The type of a component as the header describes it.
kith_type_info_t describe_type(const type_info& type, entity_t component) noexcept;

// The id of a type without values in this process, by name.
std::uint32_t register_empty_type(const char* name, const char* function);

}  // namespace kith::capi
