// Destinations: from an id to its description, and from a table and ids to the table that an entity
// moves to. Records, tables and edges are made on the way; no entity changes.
//
// Covered by tests/features/pairs/storages_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"
#include "traits/implications.hpp"

namespace kith::mutate {

using traits::id_buffer;
using traits::is_sparse;

// Checks that the id can be added to entities, makes C++ types of its elements known, and returns
// the meaning of the id: value type, traits, event mask. Creates the record of the id, except for
// links. `changed` is the entity that gets the id, 0 if there is none yet: a type that is made
// known does not take its place.
storage::id_info prepare_id(stage& world, id_t id, entity_t changed = 0);

// Marks the elements of an id that has a record: the record must be dropped with the first of them.
// Requires: all elements are alive.
void mark_elements_used(storage::store& data, id_t id) noexcept;

// Throws if a value of the id cannot be constructed by default.
void check_default_constructible(const stage& world, const storage::id_info& id);

// Throws if the entity is outside of the range of ids that may be changed. `id` is for the message.
void check_range(const stage& world, entity_t entity, id_t id);

// The table with the ids of `from` without `removed` and with `added`; made if it is missing. Ids
// that `from` has already may be in `added`.
storage::table& table_after(stage& world, const storage::table& from, const id_t* added,
                            std::uint32_t added_count, const id_t* removed,
                            std::uint32_t removed_count);

// The table that adding an id leads to; an exclusive relationship loses its former target. The edge
// is stored, so that the next call finds the table at once. Requires: the id was prepared.
storage::table& resolve_add(stage& world, storage::table& from, const storage::id_info& added);

}  // namespace kith::mutate
