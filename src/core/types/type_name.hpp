// Readable names of C++ types, equal for all compilers and standard libraries: the name is the key
// by which a type is found in the register of types (type_registry.cpp).
#pragma once

#include <kith/detail/type_name.hpp>

namespace kith::types {

using detail::readable_type_name;

// True if the type is declared inside of a function. Types of different
// functions may share a readable name.
bool is_function_local(const char* mangled) noexcept;

// True if types of this name in different translation units are different types.
bool is_unit_local(std::string_view label, const char* mangled) noexcept;

}  // namespace kith::types
