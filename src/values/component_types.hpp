// Types that belong to the components of one world: composing them of others, giving them to
// components, and the attributes of their members.
#pragma once

#include "function_members.hpp"
#include "type_library.hpp"

#include <memory>

namespace kith::values {

// The limit of the size of a type that is declared at run time, in bytes.
inline constexpr std::uint64_t most_type_size = std::uint64_t{1} << 20;

// True if values of `outer` have a value of `inner` inside of them, at a fixed place. Lists and
// maps hold their elements elsewhere, so that they are not followed: a struct may have a list of
// itself.
bool contains(const description& outer, const description& inner);

// True if values of the type have a value of a type inside of them that is still being declared.
bool has_unfinished(const description& type);

// `form`: l list, ? optional, n array, m map, | variant, ( tuple. `size` is that of an array.
// Throws if the type cannot be made.
std::unique_ptr<description_node> make_composed(char form, const description* const* types,
                                                std::size_t count, std::int32_t size);

// Gives the component the layout of its description. The library has a user more for each
// definition, also for one that is refused later.
void define_type(world_t* world, entity_t component, type_library& library, description_node& node);

// The description of the component, which has a selected member. Throws if no member was selected.
description_node& node_with_member(world_t* world, entity_t component);
// The entity of a member follows its attributes, if it was made.
void refresh_member_entity(world_t* world, const description_node& node, const member_info& member);
// Calls write(node, member) with the selected member of a component.
template <class Write>
void change_member(world_t* world, entity_t component, Write&& write) {
    description_node& node = node_with_member(world, component);
    const std::size_t index = node.selected - 1;
    write(node, described_members(node)[index]);
    attributes_changed(node, index);
    refresh_member_entity(world, node, described_members(node)[index]);
}

// Keeps the name that a constant, or the component itself, had in files. False if a member is
// selected, which the name is about then.
bool note_former_name(world_t* world, entity_t component, std::string_view name);
// The word of a policy: Clear, Remove, Delete.
const char* policy_name(handle_policy policy) noexcept;
// Deletions follow the policies of handles from here on.
void use_handle_policies(world_t* world);
// Throws for ranges that make no sense, for ranges of members that are no numbers, and for policies
// of members without handles.
void write_attribute(description_node& node, member_info& member, detail::attribute what, double a,
                     double b, std::string_view text);

}  // namespace kith::values
