// Values as JSON, out and in. Not part of <kith/kith.hpp>. See docs/manual/json.md.
//
//   std::string text = kith::to_json(world, cargo);   // {"tons":64, "grade":"raw"}
//   kith::from_json(world, cargo, text);
//
// Covered by tests/features/values/json_test.cpp.
#pragma once

#include <kith/reflect.hpp>
#include <kith/world.hpp>

#include <string>
#include <string_view>

namespace kith {

struct json_options {
    bool compact = false;        // no blanks behind commas
    bool safe_integers = false;  // integers beyond 2^53 as texts
    bool html_safe = false;      // '<', '/', U+2028 and U+2029 are escaped
    std::uint32_t depth = 64;
    const char* file = nullptr;  // for messages
};

namespace detail {
std::string json_schema_of(const world_t* world, const description& type);
void append_json(std::string& out, const world_t* world, const description& type, const void* value,
                 const json_options& options);
void read_json(world_t* world, const description& type, void* value, std::string_view text,
               const json_options& options);
}  // namespace detail

// Throws kith::error (invalid_type) for parts without description, (limit) beyond the depth.
template <class T>
std::string to_json(const world& world, const T& value, const json_options& options = {}) {
    std::string text;
    detail::append_json(text, world, describe<T>(), &value, options);
    return text;
}
// The value of a component of an entity.
std::string to_json(const entity_view& entity, id_t id, const json_options& options = {});

// The JSON Schema (2020-12) of all described components of the world, as definitions by path; of
// one type. Values that are written are valid by it, and values that are not valid are refused.
std::string json_schema(const world& world);
template <class T>
std::string json_schema(const world& world) {
    return detail::json_schema_of(world, describe<T>());
}

// Reads into a value; members that the text leaves out stay. All or nothing: throws kith::error
// (invalid_text, limit) with line, column and path, and the value is as before.
template <class T>
void from_json(const world& world, T& value, std::string_view text,
               const json_options& options = {}) {
    detail::read_json(world, describe<T>(), &value, text, options);
}
// Reads into the component of an entity and sets it: one OnSet. A missing component is added.
void set_json(const entity_view& entity, id_t id, std::string_view text,
              const json_options& options = {});

}  // namespace kith
