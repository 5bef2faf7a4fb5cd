// Giving one entity what another has: for clones, and for the children of prefabs.
//
// Covered by tests/core/api/clone_test.cpp.
#pragma once

#include "mutate/stage.hpp"

namespace kith::mutate {

struct copy_options {
    bool values = true;  // copied, else made by default
    // Which ids are copied. Components' own marks and names never are.
    bool (*keeps)(id_t id, const void* context) = nullptr;
    const void* context = nullptr;
};

// Gives `into` the ids of `source`, with what is switched off. Not while deferred.
void copy_ids(stage& world, entity_t source, entity_t into, const copy_options& options);

// As copy_ids; `into` must have no values.
void clone_into(stage& world, entity_t source, entity_t into, bool copy_values);

}  // namespace kith::mutate
