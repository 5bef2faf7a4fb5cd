// Reads of a whole world for save files: entities, free ids, and ids with their values, as storage
// has them. Implemented in src/core/api/state_ops.cpp.
#pragma once

#include <kith/type_info.hpp>

#include <cstddef>

namespace kith::detail {

// Some entities that own an id, in the order of storage, with the values of the id.
struct stored_ids {
    id_t id;
    const type_info* type;  // of the values, null: the id has none
    entity_t component;     // that has the type, 0 without values
    const entity_t* entities;
    std::size_t count;
    const void* values;       // one after the other; null: see `each`
    const void* const* each;  // pointers to the values, null: see `values`
};

// Calls visit for the ids of all tables, then of sparse stores and links. Pairs of a sparse
// relationship are visited by target, with the sources in their order. Requires, for
// all functions of this header: the world does not change during the call.
using visit_ids = void (*)(void* context, const stored_ids& ids);
void each_stored_id(const world_t* world, visit_ids visit, void* context);
// The ids that are switched off, without values.
void each_disabled_id(const world_t* world, visit_ids visit, void* context);
using visit_entity = void (*)(void* context, entity_t entity);
void each_alive(const world_t* world, visit_entity visit, void* context);
// The ids that new entities get from free indices, in their order.
void each_free_id(const world_t* world, visit_entity visit, void* context);

}  // namespace kith::detail
