// Reading values from JSON: as literals, which are assigned with all checks, and directly.
#pragma once

#include <kith/json.hpp>
#include <kith/syntax/json_reader.hpp>

#include "literal.hpp"

#include <string_view>

namespace kith::values {

// The literal of the value whose first event was read. The depth of the recursion is limited by the
// reader. Places are those of the reader.
literal literal_of_json(syntax::json_reader& reader, syntax::json_event event);

// The limits that options set.
syntax::json_limits limits_of(const json_options& options) noexcept;

// The longest text inside of a value that is read directly.
inline constexpr std::size_t most_plain_text = 4096;

// True if all parts of values of the type are numbers, booleans, texts with memory of their own and
// structs of these; most values of games are such.
bool is_plain_json(const world_t* world, const description& type);

// Reads such a value without the steps in between. `at` moves behind the value. False if the text
// has anything else, mistakes included: the value is in between then, and the other way decides. A
// type whose values are plain memory may have other parts, too, as far as the text does not name
// them. With `complete`, all members must be there.
bool read_plain_json(const world_t* world, const description& type, void* value,
                     std::string_view text, std::size_t& at, bool complete);

// Sets a component to a complete plain value, and adds it if the entity lacks it. False if the
// other way has to read it; nothing has changed then.
bool set_plain_json(world_t* world, entity_t entity, id_t id, const description& type,
                    std::string_view text);

// The names of entities inside of values, if they do not come from the world's root.
struct json_names {
    entity_t (*find)(void* context, std::string_view name) = nullptr;
    void* context = nullptr;
};
// All or nothing. Throws kith::error (invalid_text, limit) with the place.
void read_json_into(world_t* world, const description& type, void* value, std::string_view text,
                    const json_options& options, const json_names& names);
void set_json_of(world_t* world, entity_t entity, id_t id, std::string_view text,
                 const json_options& options, const json_names& names);

}  // namespace kith::values
