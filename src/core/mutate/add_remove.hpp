// Adding and removing ids, at once: what entity.add and entity.remove do when nothing is deferred.
// Must not be called while deferred, but by operations themselves.
//
// Covered by tests/core/api/pair_storages_test.cpp.
#pragma once

#include "mutate/archetype_move.hpp"

namespace kith::mutate {

// `meant`: that the id has a value needs no warning.
void add_id(stage& world, entity_t entity, id_t id, bool meant = false);
// Adds all of them in one step: if one cannot be added, none is.
void add_ids(stage& world, entity_t entity, const id_t* ids, std::uint32_t count);
// Adds an id that was prepared, and that the entity lacks, with a value if one is given, after what
// must come with it.
void add_with_others(stage& world, entity_t entity, const storage::id_info& added,
                     const detail::value_source* source);
// The same for the id alone.
void add_one(stage& world, entity_t entity, const storage::id_info& added,
             const detail::value_source* source);
// The targets of an exclusive relationship that go when the entity gets another one.
void collect_replaced(const stage& world, entity_t entity, const storage::id_info& added,
                      id_buffer& going);
// Wildcards allowed.
void remove_id(stage& world, entity_t entity, id_t id);
// Throws if that would be refused.
void check_removal(stage& world, entity_t entity, id_t id);
void clear_entity(stage& world, entity_t entity);

// True if the entity has the id, itself or through a base.
bool has_id(const stage& world, const storage::entity_record& record, entity_t entity, id_t id);

// Throws if the id may not be removed from the entity.
void check_removable(stage& world, entity_t entity, id_t id);

}  // namespace kith::mutate
