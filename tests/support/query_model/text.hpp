// Entities, ids and results by the words of query_model/program.hpp.
#pragma once

#include "support/query_model/calls.hpp"
#include "support/query_model/stage.hpp"

namespace query_model {

std::string text_of(const stage& on, id_t id);
// `this $variable=value: field field`, `id@source` for a field that another entity has.
std::string text_of(const stage& on, const oracle::result& one);
// As many as a reader wants to see.
std::string text_of(const stage& on, const std::vector<oracle::result>& results,
                    std::size_t most = 8);

}  // namespace query_model
