// Answers as drawings: the entities of an answer, and what they are related to.
#pragma once

#include "answer.hpp"

#include <string>

namespace kith_app {

// In the language of Graphviz. Entities of the answer are boxes; what else they have pairs with is
// faint. Pairs are drawn as they are stored, those of a symmetric relationship once.
std::string graph_text(const kith::world& world, const answer& result);

bool is_graph_path(std::string_view path);
// Writes FILE.dot, or FILE.svg by Graphviz's program `dot`. Throws input_error if it is missing.
void write_graph(const kith::world& world, const answer& result, const std::string& path);

}  // namespace kith_app
