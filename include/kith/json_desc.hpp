// The switches of JSON in the table form of Flecs: `entity.to_json(&desc)`,
// `query.iter().to_json(&desc)`. A descriptor `{}` asks for nothing; a null pointer asks for the
// usual parts. See docs/manual/json.md.
//
// Covered by tests/features/values/json_table_test.cpp.
#pragma once

#include <kith/fwd.hpp>
#include <kith/id.hpp>

namespace kith {

struct entity_to_json_desc_t {
    bool serialize_path;
    bool serialize_label;
    bool serialize_brief;
    bool serialize_link;
    bool serialize_color;
    bool serialize_ids;
    bool serialize_id_labels;
    bool serialize_base;     // the bases, each with its ids and values
    bool serialize_private;  // ids that kith keeps for itself, such as names
    bool serialize_hidden;   // `hidden`: for each id, whether the entity has an id in its place
    bool serialize_values;
    bool serialize_type_info;  // `type_info`: for each id, the schema of its values
    bool serialize_alerts;     // accepted; nothing is written
    entity_t serialize_refs;   // `refs`: sources of pairs with this relationship and the entity
    bool serialize_matches;    // accepted; nothing is written
};

struct iter_to_json_desc_t {
    bool serialize_term_ids;
    bool serialize_term_labels;
    bool serialize_ids;
    bool serialize_id_labels;
    bool serialize_sources;
    bool serialize_variables;
    bool serialize_is_set;
    bool serialize_values;
    bool serialize_private;
    bool serialize_entities;
    bool serialize_entity_labels;
    bool serialize_entity_ids;
    bool serialize_entity_names;
    bool serialize_variable_labels;
    bool serialize_variable_ids;
    bool serialize_colors;
    bool measure_eval_duration;  // `eval_duration`: seconds of the run
    bool serialize_type_info;
    bool serialize_table;  // all ids of the rows, not only those of the terms
};

struct from_json_desc_t {
    const char* name;  // for messages: the file
    const char* expr;  // for messages: the whole text, if another one is given
    // Finds entities by name, in place of the world. 0: there is none.
    entity_t (*lookup_action)(const world_t* world, const char* name, void* context);
    void* lookup_ctx;
};

}  // namespace kith
