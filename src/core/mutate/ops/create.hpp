// Creating entities: one by one, with values, in bulk, as clones, and with ids that the caller
// chooses. If a creation fails, the entity does not exist afterwards.
//
// Covered by tests/features/entities/entity_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"

#include <string_view>

namespace kith::mutate {

// Creates an entity with the parent and ids of the current scope. May be called while deferred.
entity_t new_entity(stage& world);
// Creates an entity with one value for each id of the bundle. May be called while deferred.
entity_t new_with_values(stage& world, const detail::bundle& ids,
                         const detail::value_source* values);
// Creates `count` entities with the ids. `columns` is null, or has for each id an array of values
// or null (default values). Returns the entities, valid until the next change. May be called while
// deferred.
const entity_t* new_bulk(stage& world, std::size_t count, const id_t* ids, std::uint32_t id_count,
                         const void* const* columns);
// Gives entities without a row of values the ids in one step. `columns` has for each id an array of
// values or null (default values). Values need no alignment. `names` has the names of the entities,
// null: none. False, and nothing but the order of rows has changed: one of the ids, names or
// entities needs the operations for single ones, which notify and check rules.
bool fill_bulk(stage& world, const entity_t* entities, std::uint32_t count, const id_t* ids,
               std::uint32_t id_count, const void* const* columns, const std::string_view* names);
// Creates the entity with exactly this id. Does nothing if it is alive; throws if its index is in
// use.
void make_alive(stage& world, entity_t entity);
// The same for many entities. If an id is refused, the entities before it are alive.
void make_alive(stage& world, const entity_t* entities, std::uint32_t count);
// Removes an entity whose creation could not be completed, without hooks.
void roll_back_create(stage& world, entity_t entity) noexcept;

// Creates a copy of `source`, or copies into `into` if that is not 0. May be called while deferred.
entity_t clone_entity(stage& world, entity_t source, bool copy_values, entity_t into);

}  // namespace kith::mutate
