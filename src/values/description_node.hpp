// A description with the memory of its parts: names, members, constants, attributes.
#pragma once

#include <kith/description.hpp>

#include "life.hpp"

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kith::values {

struct function_members;

// Invariants
// 1. members and constants point into the lists; names and attributes into the deques, whose
//    elements never move.
// 2. life.context is the node itself for types whose values the node makes (runtime_life.hpp).
// Nodes are never deleted before their library, or the process, because other nodes point to them.
struct description_node : description {
    description_node() = default;
    description_node(const description_node&) = delete;

    std::vector<member_info> member_list;
    std::vector<constant_info> constant_list;
    std::deque<std::string> texts;
    std::deque<member_attributes> attribute_list;
    std::deque<value_box> defaults;
    bool is_contained = false;   // a run-time type of the same world has members of this type
    std::uint32_t selected = 0;  // the member that attributes are about, its number plus one
    bool is_unfinished = false;  // a text declares the type, and its layout is not known yet
    bool has_member_entities = false;
    void* library = nullptr;  // the owner of a run-time type
    // Set if functions read and write some of the members: the type is opaque then, and
    // `member_list` has the members with an address.
    std::shared_ptr<function_members> functions;
    entity_t component = 0;  // that the description belongs to; an entity may die
    // The C++ type that has taken the place of this type; `type_id` points here then.
    std::uint32_t successor = 0;
    kind was = kind::none;  // before the library of the type was unloaded

    const char* keep(std::string_view text) {
        texts.emplace_back(text);
        return texts.back().c_str();
    }
    void set_name(std::string_view text) { life.name = keep(text); }
    void add_member(const member_info& member) {
        member_list.push_back(member);
        members = member_list.data();
        count = static_cast<std::uint32_t>(member_list.size());
    }
    void remove_member_at(std::uint32_t offset) {
        std::erase_if(member_list,
                      [&](const member_info& member) { return member.offset == offset; });
        members = member_list.data();
        count = static_cast<std::uint32_t>(member_list.size());
        selected = 0;
    }
    void add_constant(const constant_info& constant) {
        constant_list.push_back(constant);
        constants = constant_list.data();
        count = static_cast<std::uint32_t>(constant_list.size());
    }
    // The attributes of a member, which may be written.
    member_attributes& attributes_of(member_info& member) {
        if (!member.attributes) {
            member.attributes = &attribute_list.emplace_back();
        }
        return const_cast<member_attributes&>(*member.attributes);
    }
};

inline description_node& node_of(description& type) noexcept {
    return static_cast<description_node&>(type);
}

}  // namespace kith::values
