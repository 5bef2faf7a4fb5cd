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
                                                    "create_prefab",
                                                    "clone_into",
                                                    "destruct",
                                                    "clear",
                                                    "add",
                                                    "add_pair",
                                                    "child_of",
                                                    "add_color",
                                                    "remove_color",
                                                    "add_property",
                                                    "remove_property",
                                                    "declare",
                                                    "is_a",
                                                    "make_prefab",
                                                    "mark",
                                                    "unmark",
                                                    "set_override",
                                                    "emplace_override",
                                                    "slot",
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
inline const property& property_of(std::int32_t number) {
    static constexpr property all[property_count] = {
        {"Exclusive", kith::Exclusive, 0},
        {"Sparse", kith::Sparse, 0},
        {"Union", kith::Union, 0},
        {"Symmetric", kith::Symmetric, 0},
        {"Acyclic", kith::Acyclic, 0},
        {"Traversable", kith::Traversable, 0},
        {"Transitive", kith::Transitive, 0},
        {"Reflexive", kith::Reflexive, 0},
        {"Tag", kith::Tag, 0},
        {"Final", kith::Final, 0},
        {"DontInherit", kith::DontInherit, 0},
        {"Transient", kith::Transient, 0},
        {"With", kith::With, 0, true},
        {"OneOf", kith::OneOf, 0},
        {"OneOf", kith::OneOf, 0, true},
        {"OnDelete, kith::Remove", kith::OnDelete, kith::Remove},
        {"OnDelete, kith::Delete", kith::OnDelete, kith::Delete},
        {"OnDelete, kith::Panic", kith::OnDelete, kith::Panic},
        {"OnDeleteTarget, kith::Remove", kith::OnDeleteTarget, kith::Remove},
        {"OnDeleteTarget, kith::Delete", kith::OnDeleteTarget, kith::Delete},
        {"OnDeleteTarget, kith::Panic", kith::OnDeleteTarget, kith::Panic},
    };
    return all[static_cast<std::size_t>(number) % property_count];
}

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
    return element == element_child_of  ? "kith::ChildOf"
           : element == element_is_a    ? "kith::IsA"
           : element == element_slot_of ? "kith::SlotOf"
                                        : "kith::Wildcard";
}
inline std::string id_text(const op& one) {
    return element_text(one.first) +
           (one.second == no_element ? "" : ", " + element_text(one.second));
}
inline std::string name_text(std::int32_t number) {
    return "n" + std::to_string(static_cast<std::size_t>(number) % name_count);
}

// The properties that a declaration asks for: bits of its number.
inline std::vector<property_number> declared(const op& one) {
    std::vector<property_number> chosen;
    auto bits = static_cast<std::uint32_t>(one.number);
    const property* before = nullptr;
    for (std::uint8_t i = 0; i < property_count; ++i) {
        const property& what = property_of(i);
        // One of each group: a description has one field for it.
        bool again = before && before->first == what.first;
        if (bits & (1U << i) && i != union_storage && !again) {
            chosen.push_back(static_cast<property_number>(i));
            before = &what;
        }
    }
    return chosen;
}
inline std::string declared_text(const op& one) {
    std::string text;
    for (property_number each : declared(one)) {
        text += std::string(text.empty() ? "" : ", ") + property_of(each).name;
        text += property_of(each).has_target ? " " + element_text(one.second) : "";
    }
    return text;
}

// An enum is written in several ways that mean the same.
enum class color_way : std::uint8_t { add, set, get_mut, ensure, callback, count };
inline Color color_of(const op& one) {
    return static_cast<Color>(static_cast<unsigned>(one.number) % 3);
}
inline color_way color_way_of(const op& one) {
    return static_cast<color_way>(static_cast<unsigned>(one.number) / 3 %
                                  static_cast<unsigned>(color_way::count));
}
inline std::string color_text(const op& one) {
    const std::string value = "Color(" + std::to_string(static_cast<int>(color_of(one))) + ")";
    switch (color_way_of(one)) {
        case color_way::set:
            return ".set(" + value + ");";
        case color_way::get_mut:
            return ".get_mut<Color>() points to " + value + ";";
        case color_way::ensure:
            return ".ensure<Color>() = " + value + ";";
        case color_way::callback:
            return ".set([](Color& color) { color = " + value + "; });";
        default:
            return ".add(" + value + ");";
    }
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
                                                    "(ExclusiveTag, x), (ExclusiveTag, PlainTag)",
                                                    "Trivial*, Color*"};
            out << self << "... = world.bulk(3, " << lists[static_cast<unsigned>(one.number) % 9]
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
            out << self << color_text(one);
            break;
        case op_kind::remove_color:
            out << self << ".remove<Color>();";
            break;
        case op_kind::add_property:
        case op_kind::remove_property: {
            const property& what = property_of(one.number);
            out << element_text(one.first)
                << (one.kind == op_kind::add_property ? ".add(" : ".remove(")
                << "kith::" << what.name << (what.has_target ? ", " + element_text(one.second) : "")
                << ");";
            break;
        }
        case op_kind::declare:
            out << "world.relation(" << element_text(one.first) << ", {" << declared_text(one)
                << "});";
            break;
        case op_kind::is_a:
            out << self << ".is_a(" << element_text(one.first) << ");";
            break;
        case op_kind::create_prefab:
            out << "world.scope(" << (one.first == no_element ? "0" : other) << ", [&] { " << self
                << " = world.prefab(); });";
            break;
        case op_kind::make_prefab:
            out << self << ".add(kith::Prefab);";
            break;
        case op_kind::mark:
            out << self << ".override(" << id_text(one) << ");";
            break;
        case op_kind::unmark:
            out << self << ".remove(kith::Override | id(" << id_text(one) << "));";
            break;
        case op_kind::set_override:
        case op_kind::emplace_override:
            out << self << "." << name_of(one.kind) << "(" << id_text(one) << ", " << one.number
                << ");";
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
        case op_kind::slot:
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
