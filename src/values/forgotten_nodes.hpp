// Descriptions whose functions end because their library is unloaded: nodes stay, because others
// point to them, and describe nothing. Implemented in forget_descriptions.cpp.
#pragma once

#include <kith/detail/forget_ops.hpp>

#include "description_node.hpp"

namespace kith::values {

// True if functions of the library make, handle or read values of the type; if they read them.
bool is_of_library(const description_node& node, const detail::code_range& range) noexcept;
bool is_read_by(const description_node& node, const detail::code_range& range) noexcept;
// True if a part of the type is of the library.
bool has_part_of(const description_node& node, const detail::code_range& range);
// The node describes nothing from here on. Requires: no value of the type exists.
void forget_node(description_node& node) noexcept;
// True if a description that was made now is that of a forgotten node.
bool is_forgotten_form(const description_node& node, const description& made) noexcept;
// A forgotten node gets the functions of a description that was made now.
void revive_node(description_node& node, const description& made) noexcept;

}  // namespace kith::values
