// An index of names by text alone, without parents. It speeds up many lookups from deep inside of a
// hierarchy, where few entities have the name and the path to the root is long. Implemented in
// src/core/api/names.cpp; used by src/dsl/visible_names.cpp.
#pragma once

#include <kith/detail/ops.hpp>

namespace kith::detail {

// Builds the index, which the world keeps up to date until drop_texts_of_names(). False, and
// nothing is built, if the world has more names than `worth`.
bool index_texts_of_names(world_t* world, std::uint64_t worth);
void drop_texts_of_names(world_t* world) noexcept;

// Visits the entities of a name, in no order. `last` is the result of the previous call, null for
// the first; the result is null at the end. Requires: the index exists. Creating, naming and
// deleting entities ends a search.
const void* next_of_name(const world_t* world, text_view name, const void* last, entity_t& found);

// The number of times that a named entity got another parent.
std::uint64_t count_moves_of_names(const world_t* world) noexcept;

}  // namespace kith::detail
