// Values inside of worlds as text: functions that src/values implements for src/dsl.
#pragma once

#include <kith/description.hpp>
#include <kith/syntax/token.hpp>

#include <string>
#include <string_view>

namespace kith::detail {

// A mistake of syntax in a value; no message: none.
struct value_fault {
    syntax::span at;
    std::string message;
};
// Finds the end of the value that begins at `at`, and moves `at` there.
value_fault scan_value(std::string_view text, std::size_t& at);

// Names in values: the entity of a token, 0 if there is none.
struct value_names {
    entity_t (*find)(void* context, std::string_view token);
    void* context;
    bool is_json = false;  // values follow the forms of JSON
    // The value was made for the text: members that the text leaves out get declared defaults.
    bool is_made = false;
};
// Reads the value at `at` into the component, which the entity has, and sets it: OnSet is notified.
// Members that the text leaves out stay. Throws as from_text() does; `place` is that of the
// mistake.
void set_value_of_text(world_t* world, entity_t entity, id_t id, std::string_view text,
                       std::size_t at, const value_names& names, syntax::span& place);
// Adds a component with a value of JSON, in one step. False if the entity has to get the component
// first, and its value then; nothing has changed. Requires: the entity lacks the component.
bool add_plain_json(world_t* world, entity_t entity, id_t id, std::string_view text);

// The entity has got a value that no text says: members get declared defaults.
void set_defaults_of_text(world_t* world, entity_t entity, id_t id);

// Appends a text in quotes, with escapes.
void append_quoted_text(std::string& out, std::string_view text);
// Appends the canonical text. `append` writes the name of an entity, or throws.
void append_value_text(std::string& out, const world_t* world, const description& type,
                       const void* value,
                       bool (*append)(void* context, entity_t entity, std::string& out),
                       void* context);
// True if values of the type may have entities inside of them.
bool has_entities(const world_t* world, const description& type);

}  // namespace kith::detail
