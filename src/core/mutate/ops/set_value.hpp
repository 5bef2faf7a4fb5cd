// Writing values by id: the operations entity.set, ensure, emplace and modified.
//
// Requires for all functions: the world is not deferred, or the caller is an operation itself.
//
// Covered by tests/features/entities/entity_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"

namespace kith::mutate {

// The entity's own value, added with a default or inherited value if it is missing. Does not notify
// of a set value.
void* ensure_value(stage& world, entity_t entity, id_t id, std::uint32_t type);
// Assigns the value of an id, which is added if it is missing, and notifies (OnSet).
void set_value(stage& world, entity_t entity, id_t id, std::uint32_t type,
               const detail::value_source& source);
// Adds an id with a value and notifies (OnSet). Throws if the entity has the id.
void emplace_value(stage& world, entity_t entity, id_t id, std::uint32_t type,
                   const detail::value_source& source);
// Notifies that the program has changed a value in place. Throws if the entity lacks the id.
void notify_set(stage& world, entity_t entity, id_t id);

}  // namespace kith::mutate
