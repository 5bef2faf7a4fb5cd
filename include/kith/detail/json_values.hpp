// Values inside of worlds as JSON: functions that src/values implements for src/dsl.
#pragma once

#include <kith/description.hpp>

#include <cstdint>
#include <string>

namespace kith::detail {

// Members that a type does not have.
struct unknown_members {
    std::uint64_t count = 0;
    std::uint64_t kept_count = 0;
    // An object with those that structs inside of structs have; elements of lists, maps and
    // variants cannot be found again, so that their members are not kept. Empty: none.
    std::string kept;
};
// Replaces members of the JSON value that its type does not have by blanks. Requires: the text is
// JSON without mistakes.
unknown_members blank_unknown_members(const world_t* world, const description& type, char* text,
                                      std::size_t size);
// Adds the members of `kept` to the object that is the whole text. Both are JSON without mistakes.
void merge_json_members(std::string& text, const std::string& kept, const char* comma);

}  // namespace kith::detail
