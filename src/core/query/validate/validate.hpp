// From a description to a checked model: names looked up, defaults applied, mistakes refused with
// an error that names the term.
//
// Covered by tests/core/query/validate_test.cpp.
#pragma once

#include <kith/query_desc.hpp>

#include "base/text.hpp"
#include "query/model/query_model.hpp"
#include "storage/store.hpp"

namespace kith::queries {

// How the description refers to the world outside of storage.
struct resolver {
    world_t* world;
    // The entity with this path, 0 if there is none.
    entity_t (*find)(world_t* world, const char* path);
    void (*describe)(world_t* world, id_t id, base::text& out);
};

// Writes desc.count terms and fills in the model.
void validate(const storage::store& data, const resolver& names, const query_desc& desc,
              term* terms, query_model& model);

}  // namespace kith::queries
