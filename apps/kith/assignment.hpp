// Lines such as `Earth.Position.x = 3`, which set a value or a member of one.
#pragma once

#include <kith/kith.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace kith_app {

// The place of the `=` of an assignment; npos for texts that are none: queries have no such mark.
std::size_t find_assignment(std::string_view text);

// Sets what stands before the `=` to the value behind it. Throws input_error and kith::error for
// entities, components and members that do not exist, and for values that do not fit, with their
// columns.
void assign(const kith::world& world, const std::string& text);

}  // namespace kith_app
