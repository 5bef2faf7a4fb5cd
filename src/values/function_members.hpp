// Members that functions of the program read and write. A type with such members is opaque: it is
// shown as a struct of all of its members, which are copied or asked for one by one.
//
// Covered by tests/features/values/function_members_test.cpp.
#pragma once

#include "description_node.hpp"

namespace kith::values {

// Invariants
// 1. `sources` has an entry for each member of `shown`, in the same order.
// 2. `shown` is laid out by the rules of C; it changes only while the type is being described.
struct function_members {
    // The place of a member: an offset in the whole, or functions.
    struct source {
        std::uint32_t offset = 0;
        std::shared_ptr<const detail::function_member> functions;
    };
    description_node shown;
    std::vector<source> sources;
};

// The functions of `member`, freed by the last copy of the pointer, and by an exception here.
std::shared_ptr<const detail::function_member> own_functions(const detail::function_member& member);

// Adds a member to the node; the first one turns the node from a struct into an opaque type. Throws
// if the name is taken, and changes nothing then.
void add_function_member(description_node& node,
                         std::shared_ptr<const detail::function_member> functions);
// Shows a member that was added to the node's own list.
void show_member(description_node& node, const member_info& member);
// Gives the node the function members of another description of the same type.
void copy_function_members(description_node& node, const description& from);
// True if the description has function members.
bool has_function_members(const description& type) noexcept;

// All members in the order of declaration, those by functions included.
std::vector<member_info>& described_members(description_node& node) noexcept;
// Attributes were written to a member in described_members(); the node's own list follows.
void attributes_changed(description_node& node, std::size_t index) noexcept;

}  // namespace kith::values
