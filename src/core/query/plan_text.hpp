// Plans and terms as text, for people and tests.
#pragma once

#include "query/compiled_query.hpp"

#include <string>

namespace kith::queries {

// Appends the readable form of an id.
using id_writer = void (*)(const world_t* world, id_t id, std::string& out);

// One term as the query language writes it: `!Position(up(ChildOf))`.
void append_term(const world_t* world, id_writer write, const query_model& model, const term& term,
                 std::string& out);
// Terms [first, last).
void append_range(const world_t* world, id_writer write, const query_model& model,
                  std::uint32_t first, std::uint32_t last, std::string& out);
// All terms.
void append_terms(const world_t* world, id_writer write, const query_model& model,
                  std::string& out);
// All terms, so that reading them gives the same query: says where a value is not asked for.
void append_source(const world_t* world, id_writer write, const query_model& model,
                   const storage::store& data, std::string& out);
// One step a line, with the counts that decided how to start.
void append_plan(const world_t* world, id_writer write, const compiled_query& query,
                 const storage::store& data, std::string& out);

}  // namespace kith::queries
