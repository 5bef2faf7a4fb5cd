// Making entities: one by one, with values, in bulk, as clones, and with ids of the caller's
// choice.
//
// Covered by tests/core/api/entity_test.cpp.
#pragma once

#include "mutate/stage.hpp"

namespace kith::mutate {

// Scope and `with` ids apply. May be called while deferred.
entity_t new_entity(stage& world);
entity_t new_with_values(stage& world, const detail::bundle& ids,
                         const detail::value_source* values);
const entity_t* new_bulk(stage& world, std::size_t count, const id_t* ids, std::uint32_t id_count,
                         const void* const* columns);
void make_alive(stage& world, entity_t entity);
// Takes back an entity whose creation could not be completed.
void roll_back_create(stage& world, entity_t entity) noexcept;

// `into` 0: a new entity. May be called while deferred.
entity_t clone_entity(stage& world, entity_t source, bool copy_values, entity_t into);

}  // namespace kith::mutate
