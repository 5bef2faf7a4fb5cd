// component_type: the functions and hooks with which one world handles the values of a component.
// The functions below it apply a type to arrays of values.
#pragma once

#include <kith/detail/ops.hpp>
#include <kith/type_info.hpp>

namespace kith::types {

// Positions in component_type::hooks. hook_validate may refuse a value before it is written.
enum hook_kind : std::uint8_t { hook_add, hook_set, hook_remove, hook_validate, hook_count };

// Made by storage::add_type(). A type that its world has removed stays readable until the queued
// values that need it are destroyed (storage::release_ended_types()).
struct component_type {
    type_info info;               // size 0: an empty type, whose ids are tags
    std::uint32_t component = 0;  // index of the component's entity
    detail::hook hooks[hook_count];
    std::uint32_t bytes = 0;  // of this allocation; the name of the type lies behind the struct
    component_type* next_ended = nullptr;  // in the world's list of removed types
};

// Largest size and alignment of a value that tables can hold.
inline constexpr std::uint32_t max_value_size = 1u << 24;
inline constexpr std::uint32_t max_value_alignment = 4096;

// Validates the type of a component that is defined at run time: a message, or null if it is valid.
const char* find_type_fault(const type_info& info) noexcept;

// Arrays of `count` values of `info.size` bytes each. construct_values() and copy_values() write to
// raw memory; if they throw, no value exists there.
// Requires of construct_values(): the type is constructible; of copy_values(): it is copyable.
void construct_values(const type_info& info, void* first, std::size_t count);
void destroy_values(const type_info& info, void* first, std::size_t count) noexcept;
void copy_values(const type_info& info, void* to, const void* from, std::size_t count);
// Moves a value to raw memory and destroys the old one, whose memory is raw afterwards.
// Requires: info.can_move().
void relocate_value(const type_info& info, void* to, void* from) noexcept;

}  // namespace kith::types
