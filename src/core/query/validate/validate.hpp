// From a description to a checked model: names looked up, defaults applied, mistakes refused with
// an error that names the term.
//
// Covered by tests/core/api/query_errors_test.cpp.
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

// Where the parts of a model are to be written, and how much of each there may be.
struct model_buffers {
    term* terms;
    const char** variables;
    char* text;
};
struct room_size {
    std::uint32_t variables = 1;
    std::size_t text = 0;
};
room_size buffer_sizes(const query_desc& desc) noexcept;

// Writes desc.count terms and fills in the model.
void validate(const storage::store& data, const resolver& names, const query_desc& desc,
              const model_buffers& room, query_model& model);

}  // namespace kith::queries
