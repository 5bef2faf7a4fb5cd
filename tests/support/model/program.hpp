// Random programs: lists of operations. operations.hpp says what each of them does.
//
// An operation names entities by slots, numbered variables that creating operations write to, so
// that any part of a program is a program again: this is what makes shrinking easy.
#pragma once

#include "support/model/components.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace model {

enum class op_kind : std::uint8_t {
    create,
    create_named,
    create_child,
    create_with,
    create_values,
    bulk,
    make_alive,
    clone,
    clone_types,
    create_prefab,
    clone_into,
    destruct,
    clear,
    add,
    add_pair,
    child_of,
    add_color,
    remove_color,
    add_property,
    remove_property,
    declare,
    is_a,
    make_prefab,
    mark,
    unmark,
    set_override,
    emplace_override,
    slot,
    remove,
    remove_pair,
    remove_matching,
    set,
    set_pair,
    emplace,
    ensure,
    modified,
    set_name,
    unname,
    enable,
    disable,
    enable_entity,
    disable_entity,
    delete_with,
    remove_all,
    delete_component,
    take_ref,
    defer_begin,
    defer_end,
    defer_suspend,
    defer_resume,
    shrink,
    adopt,
    count,
};
inline constexpr std::size_t op_kinds = static_cast<std::size_t>(op_kind::count);

// Elements of ids: slots, then components, then some builtins.
inline constexpr std::uint8_t slot_count = 24;
inline constexpr std::uint8_t first_component = 64;
inline constexpr std::uint8_t element_child_of = 96;
inline constexpr std::uint8_t element_wildcard = 97;
inline constexpr std::uint8_t element_is_a = 98;
inline constexpr std::uint8_t element_slot_of = 99;
inline constexpr std::uint8_t no_element = 255;
inline constexpr std::size_t name_count = 6;
inline constexpr std::size_t ref_count = 4;

struct op {
    op_kind kind;
    std::uint8_t slot = 0;   // the entity, or where a new one goes
    std::uint8_t first = 0;  // an element, or another slot
    std::uint8_t second = no_element;
    std::int32_t number = 0;  // a value, a name or a variant
};

// -- properties ----------------------------------------------------------------------------------

enum property_number : std::uint8_t {
    exclusive,
    sparse,
    union_storage,
    symmetric,
    acyclic,
    traversable,
    transitive,
    reflexive,
    only_tag,
    final_base,
    dont_inherit,
    transient,
    with,
    one_of_itself,
    one_of,
    on_delete_remove,
    on_delete_delete,
    on_delete_panic,
    on_target_remove,
    on_target_delete,
    on_target_panic,
    property_count,
};
struct property {
    const char* name;
    kith::entity_t first;
    kith::entity_t second;  // 0: a tag, or a pair with a target of the operation's own
    bool has_target = false;
};
const property& property_of(std::int32_t number);

// The properties that a declaration asks for: bits of its number.
std::vector<property_number> declared(const op& one);

// An enum is written in several ways that mean the same.
enum class color_way : std::uint8_t { add, set, get_mut, ensure, callback, count };
inline Color color_of(const op& one) {
    return static_cast<Color>(static_cast<unsigned>(one.number) % 3);
}
inline color_way color_way_of(const op& one) {
    return static_cast<color_way>(static_cast<unsigned>(one.number) / 3 %
                                  static_cast<unsigned>(color_way::count));
}

// -- text of parts of an operation

std::string element_text(std::uint8_t element);
std::string id_text(const op& one);
std::string name_text(std::int32_t number);
std::string declared_text(const op& one);
// Behind the entity: `.add(Color(1));`
std::string color_text(const op& one);
// The types of what create_values gives, and the columns of bulk.
std::string created_values_text(const op& one);
std::string bulk_columns_text(const op& one);

}  // namespace model
