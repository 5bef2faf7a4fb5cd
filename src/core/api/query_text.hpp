// Texts of ids in the syntax of queries, for explain() and messages.
#pragma once

#include <kith/id.hpp>

#include <string>

namespace kith {
struct world_t;
}

namespace kith::api {

// Appends the id so that a query parser reads the same id, in the current scope: names are quoted
// where necessary, and paths are qualified if a nearer entity has the name.
void write_query_id(const world_t* world, id_t id, std::string& out);

}  // namespace kith::api
