// Turns the description of a query (kith/query_desc.hpp) into a model: looks up names, applies
// defaults, and raises an error that names the term for a description that makes no sense.
//
// Covered by tests/features/queries/errors_test.cpp.
#pragma once

#include <kith/query_desc.hpp>

#include "base/text.hpp"
#include "query/model/query_model.hpp"
#include "storage/store.hpp"

namespace kith::queries {

// Names of entities, which modules above queries know how to find and write.
struct resolver {
    world_t* world;
    // The entity with this path, 0 if there is none.
    entity_t (*find)(world_t* world, const char* path);
    // Appends the readable form of an id to an error message.
    void (*describe)(world_t* world, id_t id, base::text& out);
};

// Memory of the caller that the parts of a model are written to. The caller sizes it by
// buffer_sizes(), and keeps it as long as the model.
struct model_buffers {
    term* terms;             // desc.count terms
    const char** variables;  // room_size::variables names
    char* text;              // room_size::text characters: names of variables, paths
};
// Upper bounds of what the model of a description needs.
struct room_size {
    std::uint32_t variables = 1;
    std::size_t text = 0;
};
room_size buffer_sizes(const query_desc& desc) noexcept;

// Writes desc.count terms and fills in the model. Raises an error, and leaves the model unusable,
// if the description is refused. Requires: `model` is as constructed.
void validate(const storage::store& data, const resolver& names, const query_desc& desc,
              const model_buffers& room, query_model& model);

}  // namespace kith::queries
