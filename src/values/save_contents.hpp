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

struct saved_component {
    entity_t entity;
    std::uint32_t type;  // number
    std::int32_t version;
};

struct saved_world {
    std::uint32_t flags = 0;
    file_schema schema;
    std::vector<saved_component> components;
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
    detail::storage_order order;       // of a whole world
    std::deque<std::string> unpacked;  // parts that columns refer to
    // Parts of other programs, by tag. They begin with X, are kept and saved again.
    std::vector<std::pair<std::string, std::string>> extensions;
};

// Names and parents of the plain entities of a file. Loading adds them late, so that messages and
// types ask here. Refers to the contents; each answer searches the columns.
class saved_names {
public:
    explicit saved_names(const saved_world& contents);
    // 0 if the entity has none, or if that is no plain entity.
    entity_t parent(entity_t entity) const;
    // `#12` for an entity without a name.
    std::string name(entity_t entity) const;
    std::string path(entity_t entity, const char* separator) const;
    // An id of a column, `Cargo` or `(DockedTo,Ceres)`.
    std::string id_text(id_t id) const;

private:
    std::string element_text(std::uint32_t index) const;
    // The column of an id, or of a relationship, that has the entity; null if there is none.
    const saved_column* find(entity_t entity, entity_t relation, entity_t target) const;

    const saved_world& contents_;
    entity_t child_of_ = 0;  // indices in the file
    entity_t name_ = 0;
};

// Appends the order of storage. The order is a hint: readers ignore what does not fit.
void write_order(byte_writer& out, const detail::storage_order& order);

// Throws [invalid_file] for damage and for contents that no program writes.
saved_world read_contents(std::string_view file, const unpack_limits& limits);

}  // namespace kith::values
