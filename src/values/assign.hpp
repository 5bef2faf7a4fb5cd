// Writing literals into values: by description, with all checks. Members that a literal leaves out
// stay as they are.
#pragma once

#include <kith/description.hpp>
#include <kith/error.hpp>

#include "literal.hpp"
#include "numbers.hpp"

#include <string>

namespace kith::values {

// The state of one assignment, for its messages and for names of entities.
struct assignment {
    world_t* world = nullptr;
    // The entity that a name means; 0 if there is none. Null: names are looked up from the root.
    entity_t (*find)(void* context, std::string_view name) = nullptr;
    void* context = nullptr;
    bool is_json = false;  // literals follow the forms of JSON
    std::string path;      // of the part that is being written, such as `Cargo.slots[2]`
    syntax::span place;    // of the literal that was refused
};

// Adds an element to the path while it lives.
class path_step {
public:
    path_step(assignment& state, const std::string& element)
        : state_(state), length_(state.path.size()) {
        state.path += element;
    }
    ~path_step() { state_.path.resize(length_); }

private:
    assignment& state_;
    std::size_t length_;
};

// Throws kith::error (invalid_value, limit) with the path; parts before the mistake are written. A
// caller assigns to a copy if a mistake must leave the value unchanged.
void assign_literal(assignment& state, const description& type, void* value, const literal& from);

// The parts of it that paths use as well.
// Throws unless the number fits the type, and the range of the member.
void assign_number(assignment& state, const description& type, void* value, const number& from);
void check_range(assignment& state, const member_info& member, const void* value);
// Asks the function that refuses values, of the type alone; of the type and of all parts; the same
// with the ranges of members.
void check_value(assignment& state, const description& type, const void* value);
void check_rules(assignment& state, const description& type, const void* value);
void check_parts(assignment& state, const description& type, const void* value);
[[noreturn]] void refuse(assignment& state, errc code, const std::string& reason);

// Null if the type has no such member.
const member_info* find_member(const description& type, std::string_view name);
// "; Position has x, y", with the nearest name in front if one is near.
std::string suggest_member(const description& type, std::string_view name);
// The number of the alternative with this name; -1 if there is none.
std::int32_t find_alternative(const description& type, std::string_view name);
// The name under which text writes an alternative.
std::string alternative_name(const description& type, std::uint32_t which);
// Null if no constant has the name; `Color.Red` is a name of Red, too.
const constant_info* find_constant(const description& type, std::string_view name);

// False for a text that is no base64.
bool decode_base64(std::string_view digits, std::string& into);
// The number that a literal's digits say. False if it does not fit any kind. Requires: the digits
// have the form of a number.
bool parse_number(std::string_view digits, number& into);
// The entity of a name, of `#12` or `#12@3`; 0 if there is none.
entity_t find_entity(assignment& state, std::string_view name);

}  // namespace kith::values
