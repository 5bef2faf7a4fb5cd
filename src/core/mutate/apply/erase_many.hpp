// Erases many entities in one step, where only bytes and links to parents end with them: a tree
// that is deleted loses the lists of its children and the rows of its tables at once.
//
// Covered by tests/features/relationships/delete_trees_test.cpp, delete_trees_random_test.cpp
// there, and the random models.
#pragma once

#include "storage/store.hpp"

namespace kith::mutate {

// The beginning of a list of entities: some are erased, further ones are left to the caller, who
// erases them one by one.
struct erased_run {
    std::uint32_t erased;
    std::uint32_t left;
};

// Erases the leading entities of a list that have at most children, a parent, and values of plain
// bytes, unless they are few. Their ids are freed in the order of the list. Requires: all entities
// of the list have the flag record_pending_delete, no event is left to dispatch, and children are
// in front of their parents. `children_end`: no child of an entity of the list survives; otherwise
// the lists of children are searched for survivors.
erased_run erase_many(storage::store& data, const entity_t* entities, std::uint32_t count,
                      bool children_end) noexcept;

}  // namespace kith::mutate
