// Readable names of C++ types, the same from every compiler.
#pragma once

#include <string>
#include <string_view>

namespace kith::types {

// From what detail::type_label() and typeid().name() give; `mangled` may be null.
// `game::Position`; anonymous namespaces are left out.
std::string readable_type_name(std::string_view label, const char* mangled);

// True for types that are declared inside of a function.
bool is_function_local(const char* mangled) noexcept;

// True if types of this name in different translation units are different types.
bool is_unit_local(std::string_view label, const char* mangled) noexcept;

}  // namespace kith::types
