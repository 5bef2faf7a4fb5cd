// Descriptions by calls: members, constants and attributes that a program gives to a component of a
// world, and types that are composed of others (include/kith/component.hpp).
#include <kith/detail/component_ops.hpp>
#include <kith/reflect.hpp>

#include "component_types.hpp"
#include "function_members.hpp"
#include "raise.hpp"
#include "registry.hpp"
#include "runtime_life.hpp"
#include "type_library.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace kith {

namespace values {

namespace {

std::string component_path(const world_t* world, entity_t component) {
    return std::string(detail::path_of(world, 0, component, ".", "").c_str());
}

// Attributes that follow are about the member with this position.
void select(description_node& node, std::size_t index) noexcept {
    node.selected = static_cast<std::uint32_t>(index) + 1;
}

bool is_cpp_type(entity_t component) noexcept {
    return index_of(component) < first_entity && detail::find_type(index_of(component));
}

// The own description of the component, made at the first call. A C++ type, or a component with a
// layout of its own, keeps the functions for its values; other components are declared at run time,
// and get theirs from the description.
description_node& ensure_node(world_t* world, type_library& library, entity_t component) {
    library.note_change();
    if (description_node* known = find_node(world, library, component)) {
        library.return_to(*known);
        return *known;
    }
    if (!detail::is_alive(world, component)) {
        raise(errc::invalid_entity, "the component that should be described is not alive");
    }
    auto node = std::make_unique<description_node>();
    node->set_name(component_path(world, component));
    if (is_cpp_type(component)) {
        const type_info* type = detail::find_type(index_of(component));
        const char* name = node->life.name;
        node->life = *type;
        node->life.name = name;
    } else {
        if (const type_info* other = detail::type_of(world, component)) {
            const char* name = node->life.name;
            node->life = *other;
            node->life.name = name;
        } else {
            node->at_run_time = true;
        }
    }
    return library.add(component, std::move(node));
}

// Throws unless the type has a description that can be used.
const description& member_type(world_t* world, bool at_run_time, entity_t type) {
    const description* found = detail::find_description(world, type);
    if (!at_run_time && found == detail::description_of<std::string>() &&
        type == entity_t(String)) {
        // A C++ type that says String has a pointer to characters.
        return *detail::description_of<const char*>();
    }
    if (!found && type == detail::known_type_id<detail::pointer_text_tag>()) {
        return *detail::description_of<const char*>();
    }
    if (!found || found->what == kind::none) {
        const std::string name = detail::is_alive(world, type) ? component_path(world, type)
                                 : is_cpp_type(type) ? detail::find_type(index_of(type))->name
                                                     : "the type";
        raise(errc::invalid_type,
              name +
                  " has no description, so no member can have it: call kith::reflect<T>(), or "
                  "describe it first");
    }
    return *found;
}

// The type of `count` elements; the type itself if there is one.
const description& repeated(type_library& library, const description& element, std::int32_t count) {
    if (count <= 1) {
        return element;
    }
    auto node = std::make_unique<description_node>();
    node->element = &element;
    node->count = static_cast<std::uint32_t>(count);
    node->what = kind::array;
    node->set_name("[" + std::string(element.life.name) + "; " + std::to_string(count) + "]");
    finish_runtime_type(*node);
    if (element.what == kind::character) {
        make_fixed_text(*node);
    }
    return library.add_inner(std::move(node));
}

// Two members of one type may share a place, as the members of a union do.
void check_place(const description_node& node, const member_info& member) {
    const std::string name = std::string(node.life.name) + "." + member.name;
    const std::uint64_t end = std::uint64_t{member.offset} + member.type->life.size;
    if (end > node.life.size) {
        raise(errc::invalid_type, name + " ends at byte " + std::to_string(end) + ", behind the " +
                                      std::to_string(node.life.size) + " bytes of its type");
    }
    for (const member_info& other : node.member_list) {
        const bool apart = end <= other.offset ||
                           member.offset >= std::uint64_t{other.offset} + other.type->life.size;
        const bool same = member.offset == other.offset && member.type == other.type;
        if (!apart && !same) {
            raise(errc::invalid_type,
                  name + " overlaps with " + other.name + ", which has another type");
        }
    }
}

// True for descriptions of one type. Libraries with hidden symbols make their own ones.
bool is_same(const description& a, const description& b) {
    return &a == &b || (a.what == b.what && a.life.size == b.life.size && !a.at_run_time &&
                        !b.at_run_time && std::string_view(a.life.name) == b.life.name);
}

// True for the type that repeated() makes of these. An array of characters is a text.
bool is_repeated(const description& type, const description& element, std::int32_t count) {
    if (count <= 1) {
        return is_same(type, element);
    }
    const auto size = static_cast<std::uint32_t>(count);
    return element.what == kind::character
               ? type.what == kind::text && type.life.size == size
               : type.what == kind::array && is_same(*type.element, element) && type.count == size;
}

// True if the member is there already, which selects it; throws if another one has its name.
bool select_known(description_node& node, const detail::new_member& wanted,
                  const description& element) {
    const std::vector<member_info>& list = described_members(node);
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (std::string_view(list[i].name) == wanted.name) {
            const bool by_functions = node.functions && node.functions->sources[i].functions;
            const std::size_t offset =
                node.functions ? node.functions->sources[i].offset : list[i].offset;
            if (!by_functions && is_repeated(*list[i].type, element, wanted.count) &&
                (!wanted.has_offset || offset == wanted.offset)) {
                select(node, i);
                return true;
            }
            raise(errc::already_exists,
                  std::string(node.life.name) + " has another member '" + wanted.name + "'");
        }
    }
    return false;
}

// True if `outer` leads to `inner`, also through lists and maps.
bool leads_to(const description* outer, const description& inner,
              std::unordered_set<const description*>& seen) {
    if (!outer || !seen.insert(outer).second) {
        return false;
    }
    return outer == &inner || leads_to(outer->element, inner, seen) ||
           leads_to(outer->key, inner, seen) ||
           std::any_of(outer->begin(), outer->end(), [&](const member_info& member) {
               return leads_to(member.type, inner, seen);
           });
}

// Throws if values exist that have values of the type inside of them. The types that lead to this
// one are defined anew with the same layout: the world refuses that if values exist.
void check_growth(world_t* world, type_library& library, description_node& node) {
    if (node.is_contained) {
        raise(errc::in_use, std::string(node.life.name) +
                                " is part of another type already, so it cannot get new members");
    }
    library.each([&](description_node& other) {
        std::unordered_set<const description*> seen;
        if (&other != &node && other.at_run_time && leads_to(&other, node, seen) &&
            detail::is_alive(world, other.component)) {
            define_type(world, other.component, library, other);
        }
    });
}

// Adds a member to a type that is declared at run time, all or nothing.
void grow(world_t* world, entity_t component, type_library& library, description_node& node,
          member_info member) {
    if (contains(*member.type, node)) {
        raise(errc::cycle, std::string(node.life.name) + "." + member.name +
                               ": a struct cannot contain itself; use a list or an entity");
    }
    check_growth(world, library, node);
    struct guard {
        description_node& node;
        std::size_t members;
        kind what;
        type_info life;
        bool done = false;
        ~guard() {
            if (!done) {
                node.member_list.resize(members);
                node.count = static_cast<std::uint32_t>(members);
                node.what = what;
                node.life = life;
            }
        }
    } change{node, node.member_list.size(), node.what, node.life};
    node.what = kind::structure;
    node.add_member(member);
    finish_runtime_type(node);
    define_type(world, component, library, node);
    change.done = true;
}

void mark_contained(const world_t* world, const type_library& library, entity_t type) {
    if (description_node* own = find_node(world, library, type); own && own->at_run_time) {
        own->is_contained = true;
    }
}

// Copies the automatic members of a C++ type, so that they can get attributes.
void adopt_members(description_node& node, entity_t component) {
    const description* automatic =
        is_cpp_type(component) ? find_process_description(index_of(component)) : nullptr;
    if (node.what != kind::none || !automatic) {
        return;
    }
    if (automatic->what == kind::structure) {
        for (const member_info& member : *automatic) {
            node.add_member(member);
        }
        node.what = kind::structure;
    } else if (has_function_members(*automatic)) {
        copy_function_members(node, *automatic);
    }
}

// Throws if the node is no struct, or has no members that calls may be added to.
void check_struct(const description_node& node, const char* name) {
    if (!name || !*name) {
        raise(errc::invalid_type, std::string(node.life.name) + ": a member needs a name");
    }
    if (node.what != kind::structure && node.what != kind::none && !node.functions) {
        raise(errc::type_conflict,
              std::string(node.life.name) + " is described as " + to_string(node.what));
    }
}

}  // namespace

// The node whose selected member gets an attribute. Throws if no member was selected.
description_node& node_with_member(world_t* world, entity_t component) {
    description_node* node = find_library(world) ? find_library(world)->find(component) : nullptr;
    if (!node || node->selected == 0) {
        raise(errc::invalid_operation,
              component_path(world, component) +
                  ": an attribute is about a member; call member() or on() "
                  "before");
    }
    return *node;
}

}  // namespace values

namespace detail {

// A member that is there already, with the same type and place, is selected and not added: modules
// may be imported twice.
void add_member(world_t* world, entity_t component, const new_member& wanted) {
    values::type_library& library = values::ensure_library(world);
    values::description_node& node = values::ensure_node(world, library, component);
    values::check_struct(node, wanted.name);
    const description& element = wanted.described
                                     ? *wanted.described
                                     : values::member_type(world, node.at_run_time, wanted.type);
    if (values::select_known(node, wanted, element)) {
        return;
    }
    member_info member;
    member.name = node.keep(wanted.name);
    member.type = &values::repeated(library, element, wanted.count);
    member.read_only = wanted.read_only;
    if (wanted.has_offset) {
        member.offset = static_cast<std::uint32_t>(wanted.offset);
    } else {
        values::lay_out_member(node, member);
    }
    if (node.at_run_time) {
        values::grow(world, component, library, node, member);
    } else {
        values::check_place(node, member);
        if (node.functions) {
            values::show_member(node, member);
        } else {
            node.what = kind::structure;
        }
        node.add_member(member);
    }
    if (wanted.type) {
        values::mark_contained(world, library, wanted.type);
    }
    values::select(node, values::described_members(node).size() - 1);
}

// The functions belong to the call until the description owns them.
void add_function_member(world_t* world, entity_t component, const function_member& member) {
    auto functions = values::own_functions(member);
    values::description_node& node =
        values::ensure_node(world, values::ensure_library(world), component);
    values::check_struct(node, member.name);
    values::add_function_member(node, std::move(functions));
    values::select(node, values::described_members(node).size() - 1);
}

void add_base(world_t* world, entity_t component, const description& base, std::size_t offset) {
    if (base.what != kind::structure) {
        values::raise(errc::invalid_type, std::string(base.life.name) +
                                              " is described without members, so it is no base" +
                                              (base.obstacle ? ": " : "") +
                                              (base.obstacle ? base.obstacle : ""));
    }
    for (const member_info& inherited : base) {
        add_member(world, component,
                   {0, inherited.name, 0, inherited.offset + offset, true, inherited.read_only,
                    inherited.type});
    }
}

// The world describes the type by the automatic members from here on, without those that were
// ignored.
void ignore_member(world_t* world, entity_t component, const description& automatic,
                   std::size_t offset) {
    values::description_node& node =
        values::ensure_node(world, values::ensure_library(world), component);
    if (node.what == kind::none && automatic.what == kind::structure) {
        for (const member_info& member : automatic) {
            node.add_member(member);
        }
        node.what = kind::structure;
    }
    if (node.what != kind::structure) {
        values::raise(errc::invalid_operation,
                      std::string(node.life.name) + " has no automatic members to leave out");
    }
    node.remove_member_at(static_cast<std::uint32_t>(offset));
}

// The first constant of a component without layout makes it an integer of 32 bits, signed for
// enums, unsigned for flags.
void add_constant(world_t* world, entity_t component, const char* name, std::int64_t value,
                  bool is_bit) {
    values::type_library& library = values::ensure_library(world);
    values::description_node& node = values::ensure_node(world, library, component);
    const kind what = is_bit ? kind::flags : kind::enumeration;
    if (!name || !*name) {
        values::raise(errc::invalid_type,
                      std::string(node.life.name) + ": a constant needs a name");
    }
    if (node.what != kind::none && node.what != what) {
        values::raise(errc::type_conflict, std::string(node.life.name) + " is described as " +
                                               to_string(node.what) + ", not as " +
                                               to_string(what));
    }
    for (const constant_info& known : node.constant_list) {
        if (std::string_view(known.name) == name) {
            values::raise(errc::already_exists,
                          std::string(node.life.name) + " has a constant '" + name + "' already");
        }
    }
    if (node.what == kind::none && node.at_run_time) {
        const char* own_name = node.life.name;
        node.life = is_bit ? description_of<std::uint32_t>()->life : description_of<int>()->life;
        node.life.name = own_name;
        values::define_type(world, component, library, node);
    }
    const std::uint32_t size = node.life.size;
    node.number = size == 1   ? (is_bit ? kind::u8 : kind::i8)
                  : size == 2 ? (is_bit ? kind::u16 : kind::i16)
                  : size == 8 ? (is_bit ? kind::u64 : kind::i64)
                              : (is_bit ? kind::u32 : kind::i32);
    if (const description* automatic = values::find_process_description(index_of(component));
        automatic && automatic->number != kind::none) {
        node.number = automatic->number;
    }
    node.what = what;
    node.add_constant({node.keep(name), value});
}

void select_member(world_t* world, entity_t component, const char* name) {
    values::description_node& node =
        values::ensure_node(world, values::ensure_library(world), component);
    values::adopt_members(node, component);
    const std::vector<member_info>& list = values::described_members(node);
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (std::string_view(list[i].name) == name) {
            values::select(node, i);
            return;
        }
    }
    values::raise(errc::invalid_value,
                  std::string(node.life.name) + " has no member '" + name + "'");
}

void set_attribute(world_t* world, entity_t component, attribute what, double a, double b,
                   const char* text) {
    if (what == attribute::was && values::note_former_name(world, component, text ? text : "")) {
        return;
    }
    values::change_member(world, component,
                          [&](values::description_node& node, member_info& member) {
                              values::write_attribute(node, member, what, a, b, text ? text : "");
                          });
}

// The context belongs to the call until the library owns it.
void set_opaque(world_t* world, entity_t component, const description& representation,
                const value_ops& ops, void* context, void (*free_context)(void* context) noexcept) {
    struct guard {
        void* context;
        void (*free)(void* context) noexcept;
        ~guard() {
            if (free) {
                free(context);
            }
        }
    } kept{context, free_context};
    values::type_library& library = values::ensure_library(world);
    values::description_node& node = values::ensure_node(world, library, component);
    if (node.what != kind::none && node.what != kind::opaque) {
        values::raise(errc::type_conflict,
                      std::string(node.life.name) + " is described as " + to_string(node.what));
    }
    library.own(context, free_context);
    kept.free = nullptr;
    node.what = kind::opaque;
    node.element = &representation;
    node.ops = &ops;
    node.context = context;
}

// A world that only adds a check gets a copy of the automatic description.
void set_validate(world_t* world, entity_t component,
                  const char* (*validate)(const description& type, const void* value),
                  const void* context) {
    values::description_node& node =
        values::ensure_node(world, values::ensure_library(world), component);
    values::adopt_members(node, component);
    if (node.what == kind::none) {
        if (const description* automatic = values::find_process_description(index_of(component))) {
            const char* name = node.life.name;
            static_cast<description&>(node) = *automatic;
            node.life.name = name;
        }
    }
    node.validate = validate;
    node.validate_context = context;
}

// `form`: l list, ? optional, n array, m map, | variant, ( tuple. `size` is that of an array.
entity_t compose_type(world_t* world, char form, const entity_t* types, std::size_t count,
                      std::int32_t size) {
    values::type_library& library = values::ensure_library(world);
    std::vector<const description*> parts;
    for (std::size_t i = 0; i < count; ++i) {
        parts.push_back(&values::member_type(world, true, types[i]));
    }
    auto node = values::make_composed(form, parts.data(), count, size);
    const kith::entity made = kith::world(world).entity();
    struct guard {
        values::type_library& library;
        const kith::entity& made;
        bool done = false;
        ~guard() {
            if (!done) {
                library.forget(made);
                made.destruct();
            }
        }
    } change{library, made};
    values::description_node& added = library.add(made, std::move(node));
    values::define_type(world, made, library, added);
    change.done = true;
    for (std::size_t i = 0; i < count && form != 'l' && form != 'm'; ++i) {
        values::mark_contained(world, library, types[i]);
    }
    return made;
}

}  // namespace detail

}  // namespace kith
