// The descriptions of C++ types that hold in all worlds of the process.
#pragma once

#include <kith/description.hpp>

namespace kith::values {

// Null if nobody has described the type with this id.
const description* find_process_description(std::uint32_t type);

}  // namespace kith::values
