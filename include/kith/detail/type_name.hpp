// Readable names of C++ types, for the registers of types and of descriptions. Implemented in
// src/core/types/type_name.cpp.
#pragma once

#include <string>
#include <string_view>

namespace kith::detail {

// The name of a type as in source code, `game::Position`, equal for all compilers and standard
// libraries; anonymous namespaces are left out. `label` is the result of type_label(), `mangled`
// that of typeid().name(), or null in builds without RTTI.
std::string readable_type_name(std::string_view label, const char* mangled);

}  // namespace kith::detail
