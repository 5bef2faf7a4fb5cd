// Ids as the texts of queries have them.
#pragma once

#include <kith/id.hpp>

#include <string>

namespace kith {
struct world_t;
}

namespace kith::api {

void write_query_id(const world_t* world, id_t id, std::string& out);

}  // namespace kith::api
