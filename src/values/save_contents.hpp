// The contents of a save file as values, after all checks that need no world.
#pragma once

#include <kith/detail/state_ops.hpp>

#include "save_schema.hpp"

namespace kith::values {

constexpr const char* path_separator = "\x1f";

enum class column_form : std::uint8_t { tags, values, names };

// Behind the form of a column: it has the entities of the column before.
constexpr std::uint8_t same_entities = 0x80;

struct named_entity {
    entity_t entity;
    std::string path;
};

// Entities that have an id. The values lie in the part.
struct saved_column {
    id_t id;
    std::uint32_t type;  // number, no_type without values
    column_form form;
    std::vector<entity_t> entities;
    byte_reader values;
};

struct saved_world {
    std::uint32_t flags = 0;
    file_schema schema;
    std::vector<std::pair<entity_t, std::uint32_t>> components;  // with the number of their type
    std::vector<entity_t> plain;
    std::vector<entity_t> free_ids;
    std::vector<named_entity> builtins;
    std::vector<named_entity> types;       // of C++
    std::vector<named_entity> constants;   // of enums
    std::vector<named_entity> scopes;      // of C++ types; they are plain entities, too
    std::vector<named_entity> transients;  // C++ types that the file has no values of
    std::vector<named_entity> outside;     // entities that are found by their path
    std::vector<saved_column> columns;
    std::vector<saved_column> disabled;
    detail::storage_order order;  // of a whole world
};

// Appends the order of storage. The order is a hint: readers ignore what does not fit.
void write_order(byte_writer& out, const detail::storage_order& order);

// Throws [invalid_file] for damage and for contents that no program writes.
saved_world read_contents(std::string_view file);

}  // namespace kith::values
