// A component as one world knows it: how to handle its values, and whom to tell about them.
#pragma once

#include <kith/detail/ops.hpp>
#include <kith/type_info.hpp>

namespace kith::types {

enum hook_kind : std::uint8_t { hook_add, hook_set, hook_remove, hook_validate, hook_count };

struct component_type {
    type_info info;               // size 0: an empty type
    std::uint32_t component = 0;  // index of the component's entity
    detail::hook hooks[hook_count];
    std::uint32_t bytes = 0;  // of this allocation, the name included
    component_type* next_ended = nullptr;
};

// Largest size and alignment of a value that tables can hold.
inline constexpr std::uint32_t max_value_size = 1u << 24;
inline constexpr std::uint32_t max_value_alignment = 4096;

// A message says what is wrong with the type of a run-time component; null if nothing is.
const char* find_type_fault(const type_info& info) noexcept;

// Values one at a time; `count` values of `info.size` bytes each.
void construct_values(const type_info& info, void* first, std::size_t count);
void destroy_values(const type_info& info, void* first, std::size_t count) noexcept;
void copy_values(const type_info& info, void* to, const void* from, std::size_t count);
// Moves a value to raw memory and ends the old one.
void relocate_value(const type_info& info, void* to, void* from) noexcept;

}  // namespace kith::types
