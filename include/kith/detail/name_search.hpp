// Names by their text alone, whatever their parents: for who looks up many names from deep inside
// of a hierarchy, where the way up to the root is longer than the list of those with the name.
#pragma once

#include <kith/detail/ops.hpp>

namespace kith::detail {

// Makes the index, which then is kept up to date until it is dropped. False, and nothing done, if
// the world has more names than `worth`.
bool index_texts_of_names(world_t* world, std::uint64_t worth);
void drop_texts_of_names(world_t* world) noexcept;

// The entities of a name, in no order: `last` is what the call before returned, null for the first.
// Null at the end. Needs the index; making, naming and deleting entities ends a search.
const void* next_of_name(const world_t* world, text_view name, const void* last, entity_t& found);

// How often a named entity got another parent.
std::uint64_t count_moves_of_names(const world_t* world) noexcept;

}  // namespace kith::detail
