// Plans and terms as text: explain(), str(), and the terms in error messages.
//
// Implemented in plan_text.cpp.
#pragma once

#include "query/compiled_query.hpp"

#include <string>

namespace kith::queries {

// Appends the readable form of an id.
using id_writer = void (*)(const world_t* world, id_t id, std::string& out);

// Appends one term in the query language: `!Position(up(ChildOf))`.
void append_term(const world_t* world, id_writer write, const query_model& model, const term& term,
                 std::string& out);
// Appends terms [first, last) with their separators.
void append_range(const world_t* world, id_writer write, const query_model& model,
                  std::uint32_t first, std::uint32_t last, std::string& out);
// Appends all terms.
void append_terms(const world_t* world, id_writer write, const query_model& model,
                  std::string& out);
// Appends all terms such that parsing the text gives an equal query: the prefix `[none]` marks
// terms that request no value of an id with values.
void append_source(const world_t* world, id_writer write, const query_model& model,
                   const storage::store& data, std::string& out);
// Appends the plan, one op per line, with the counts that decided the scan, then the order of
// results and the kind of run.
void append_plan(const world_t* world, id_writer write, const compiled_query& query,
                 const storage::store& data, run_strategy strategy, std::string& out);

}  // namespace kith::queries
