// An index of names by their text alone, whatever their parents. Looking up many names from deep
// inside of a hierarchy is cheaper by it: few entities have the name, and the path to the root is
// long.
#pragma once

#include <kith/detail/ops.hpp>

namespace kith::detail {

// Makes the index. The world keeps it up to date until it is dropped. False if the world has more
// names than `worth`: nothing was made.
bool index_texts_of_names(world_t* world, std::uint64_t worth);
void drop_texts_of_names(world_t* world) noexcept;

// The entities of a name, in no order: `last` is what the call before returned, null for the first.
// Null at the end. Needs the index; making, naming and deleting entities ends a search.
const void* next_of_name(const world_t* world, text_view name, const void* last, entity_t& found);

// The number of times that a named entity got another parent.
std::uint64_t count_moves_of_names(const world_t* world) noexcept;

}  // namespace kith::detail
