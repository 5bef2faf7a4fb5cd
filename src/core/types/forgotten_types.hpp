// C++ types whose functions end because their library is unloaded. Implemented in
// type_registry.cpp.
#pragma once

#include <kith/detail/forget_ops.hpp>

#include <vector>

namespace kith::types {

// The ids of the types that have functions in the range, and none elsewhere.
std::vector<std::uint32_t> find_types_of(const detail::code_range& range);
// Types that were registered elsewhere as well get the functions from there; the others lose
// theirs. Calls changed() for each type that is different now. `changed` is kept: it is called when
// a forgotten type gets functions again.
using type_changed = void (*)(std::uint32_t type, const type_info& now) noexcept;
void forget_functions(const detail::code_range& range, type_changed changed) noexcept;
// The same type with the functions of another one; the name stays.
void take_functions(type_info& type, const type_info& other) noexcept;

}  // namespace kith::types
