// Whether values of one type can be read as values of another one, member by member.
#pragma once

#include <kith/description.hpp>

#include <string>

namespace kith::values {

// The first reason why values of `from` cannot be read as values of `to`, with its path; empty if
// they can. Members that only one of the types has are no reason: they get defaults, or are refused
// where a value has them.
std::string find_misfit(const world_t* world, const description& from, const description& to);
// True if the types have the same members, of the same kinds.
bool is_same_type(const world_t* world, const description& from, const description& to);

}  // namespace kith::values
