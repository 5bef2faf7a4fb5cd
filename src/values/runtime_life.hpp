// Values of types that have no C++ type of their own: structs, arrays, lists, maps, optionals,
// variants and tuples that programs or texts declare, and the arrays of C++. The functions find
// the description in type_info::context.
#pragma once

#include "description_node.hpp"

namespace kith::values {

// Makes the node responsible for its values: chooses layout, functions and ops by its kind. The
// members' offsets are given before. Requires: element, key, members are set. The call may be
// repeated when members were added; the size grows then.
void finish_runtime_type(description_node& node);

// Appends a member by the rules of C: at the next offset that its alignment allows. Only the offset
// of the member is written: the node does not change.
void lay_out_member(const description_node& node, member_info& member);

// Turns an array of characters into a text of at most so many bytes.
void make_fixed_text(description_node& node);

}  // namespace kith::values
