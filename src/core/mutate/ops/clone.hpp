// Copying ids and values from one entity to another: for clones, and for the children of prefabs.
//
// Covered by tests/features/entities/clone_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"

namespace kith::mutate {

// What a copy takes over.
struct copy_options {
    bool values = true;  // values are copied, else constructed by default
    // Selects the ids to copy; null: all. The id that makes an entity a component, and names, are
    // never copied.
    bool (*keeps)(id_t id, const void* context) = nullptr;
    const void* context = nullptr;
};

// Gives `into` the ids of `source` that the options select, and disables those that `source` has
// disabled. Ids of `into` stay. Requires: the world is not deferred.
void copy_ids(stage& world, entity_t source, entity_t into, const copy_options& options);

// Copies all ids of `source`. Throws if `into` has values already.
void clone_into(stage& world, entity_t source, entity_t into, bool copy_values);

}  // namespace kith::mutate
