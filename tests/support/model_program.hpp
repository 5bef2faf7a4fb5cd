// Random programs: lists of operations, and their text.
//
// An operation names entities by slots, numbered variables that creating operations write to, so
// that any part of a program is a program again: this is what makes shrinking easy.
#pragma once

#include "support/model_types.hpp"

#include <array>
#include <cstdint>
#include <sstream>
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
    clone_into,
    destruct,
    clear,
    add,
    add_pair,
    child_of,
    add_color,
    add_exclusive,
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

inline const char* name_of(op_kind kind) {
    static constexpr const char* names[op_kinds] = {"create",
                                                    "create_named",
                                                    "create_child",
                                                    "create_with",
                                                    "create_values",
                                                    "bulk",
                                                    "make_alive",
                                                    "clone",
                                                    "clone_types",
                                                    "clone_into",
                                                    "destruct",
                                                    "clear",
                                                    "add",
                                                    "add_pair",
                                                    "child_of",
                                                    "add_color",
                                                    "add_exclusive",
                                                    "remove",
                                                    "remove_pair",
                                                    "remove_matching",
                                                    "set",
                                                    "set_pair",
                                                    "emplace",
                                                    "ensure",
                                                    "modified",
                                                    "set_name",
                                                    "unname",
                                                    "enable",
                                                    "disable",
                                                    "enable_entity",
                                                    "disable_entity",
                                                    "delete_with",
                                                    "remove_all",
                                                    "delete_component",
                                                    "take_ref",
                                                    "defer_begin",
                                                    "defer_end",
                                                    "defer_suspend",
                                                    "defer_resume",
                                                    "shrink",
                                                    "adopt"};
    return names[static_cast<std::size_t>(kind)];
}

// Elements of ids: slots, then components, then some builtins.
inline constexpr std::uint8_t slot_count = 24;
inline constexpr std::uint8_t first_component = 64;
inline constexpr std::uint8_t element_child_of = 96;
inline constexpr std::uint8_t element_wildcard = 97;
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

// -- text ---------------------------------------------------------------------------------------

inline std::string element_text(std::uint8_t element) {
    static constexpr const char* components[component_count] = {
        "Trivial",      "Text",          "MoveOnly",  "NoDefault",    "Aligned",
        "PlainTag",     "SparseText",    "SparseTag", "DataRelation", "TagRelation",
        "ExclusiveTag", "ExclusiveData", "Color"};
    if (element < slot_count) {
        return "e" + std::to_string(element);
    }
    if (element >= first_component && element < first_component + component_count) {
        return components[element - first_component];
    }
    return element == element_child_of ? "kith::ChildOf" : "kith::Wildcard";
}
inline std::string id_text(const op& one) {
    return element_text(one.first) +
           (one.second == no_element ? "" : ", " + element_text(one.second));
}
inline std::string name_text(std::int32_t number) {
    return "n" + std::to_string(static_cast<std::size_t>(number) % name_count);
}

// One operation as a line of a program; the components' names stand for their ids.
inline std::string to_text(const op& one) {
    std::ostringstream out;
    std::string self = "e" + std::to_string(one.slot);
    std::string other = "e" + std::to_string(one.first);
    switch (one.kind) {
        case op_kind::create:
            out << self << " = world.entity();";
            break;
        case op_kind::create_named:
            out << "world.scope(" << (one.first == no_element ? "0" : other) << ", [&] { " << self
                << " = world.entity(\"" << name_text(one.number) << "\"); });";
            break;
        case op_kind::create_child:
            out << "world.scope(" << other << ", [&] { " << self << " = world.entity(); });";
            break;
        case op_kind::create_with:
            out << "world.with(" << id_text(one) << ", [&] { " << self << " = world.entity(); });";
            break;
        case op_kind::create_values: {
            static constexpr const char* lists[] = {"Trivial", "Trivial, Text",
                                                    "NoDefault, MoveOnly", "Aligned, SparseText",
                                                    "DataRelation, Text"};
            out << self << " = world.entity(" << lists[static_cast<unsigned>(one.number) % 5]
                << " of " << one.number << ");";
            break;
        }
        case op_kind::bulk: {
            static constexpr const char* lists[] = {"Trivial*",
                                                    "Trivial*, Text*",
                                                    "PlainTag, Trivial*",
                                                    "SparseText*, Text*",
                                                    "NoDefault",
                                                    "MoveOnly*",
                                                    "(DataRelation, x)*, (ExclusiveTag, x)",
                                                    "(ExclusiveTag, x), (ExclusiveTag, PlainTag)"};
            out << self << "... = world.bulk(3, " << lists[static_cast<unsigned>(one.number) % 8]
                << ");  // x: " << other << ", first value: " << one.number;
            break;
        }
        case op_kind::adopt:
            out << self << " = the entity alive from index "
                << kith::first_entity + static_cast<unsigned>(one.number) % 64 << " on;";
            break;
        case op_kind::make_alive:
            out << "world.make_alive(" << self << ");";
            break;
        case op_kind::clone:
        case op_kind::clone_types:
            out << self << " = " << other << ".clone("
                << (one.kind == op_kind::clone ? "true" : "false") << ");";
            break;
        case op_kind::clone_into:
            out << other << ".clone(true, " << self << ");";
            break;
        case op_kind::child_of:
            out << self << ".child_of(" << other << ");";
            break;
        case op_kind::add:
        case op_kind::add_pair:
            out << self << ".add(" << id_text(one) << ");";
            break;
        case op_kind::add_color:
            out << self << ".add(Color(" << static_cast<unsigned>(one.number) % 3 << "));";
            break;
        case op_kind::add_exclusive:
            out << self << ".add(kith::Exclusive);";
            break;
        case op_kind::remove:
        case op_kind::remove_pair:
        case op_kind::remove_matching:
            out << self << ".remove(" << id_text(one) << ");";
            break;
        case op_kind::set:
        case op_kind::set_pair:
        case op_kind::emplace:
            out << self << (one.kind == op_kind::emplace ? ".emplace(" : ".set(") << id_text(one)
                << ", " << one.number << ");";
            break;
        case op_kind::ensure:
            out << "*" << self << ".get_mut(" << id_text(one) << ") = " << one.number << ";";
            break;
        case op_kind::set_name:
            out << self << ".set_name(\"" << name_text(one.number) << "\");";
            break;
        case op_kind::unname:
            out << self << ".set_name(nullptr);";
            break;
        case op_kind::enable:
        case op_kind::disable:
        case op_kind::modified:
            out << self << "." << name_of(one.kind) << "(" << id_text(one) << ");";
            break;
        case op_kind::enable_entity:
            out << self << ".enable();";
            break;
        case op_kind::disable_entity:
            out << self << ".disable();";
            break;
        case op_kind::delete_with:
        case op_kind::remove_all:
            out << "world." << name_of(one.kind) << "(" << id_text(one) << ");";
            break;
        case op_kind::delete_component:
            out << element_text(one.first) << ".destruct();";
            break;
        case op_kind::take_ref:
            out << "ref" << static_cast<unsigned>(one.number) % ref_count << " = " << self
                << ".get_ref<" << element_text(one.first) << ">();";
            break;
        case op_kind::destruct:
        case op_kind::clear:
            out << self << "." << name_of(one.kind) << "();";
            break;
        default:
            out << "world." << name_of(one.kind) << "();";
            break;
    }
    return out.str();
}

inline std::string to_text(const std::vector<op>& program) {
    std::string text;
    for (const op& one : program) {
        text += "    " + to_text(one) + "\n";
    }
    return text;
}

}  // namespace model
