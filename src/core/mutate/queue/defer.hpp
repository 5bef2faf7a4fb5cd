// Queueing operations while the world is deferred. Arguments are checked at once; errors that show
// only when a command runs are thrown by the flush.
#pragma once

#include "mutate/context/command.hpp"
#include "mutate/context/stage.hpp"

namespace kith::mutate {

// Queues a command about an id of an entity: add, remove, modified, enable or disable.
void defer_id(stage& world, command_kind kind, entity_t entity, id_t id);
// Queues a command about a whole entity: place, clear or destruct.
void defer_entity(stage& world, command_kind kind, entity_t entity);
// Queues properties as one command, which adds every property or fails. Requires: at most
// queued_ids::limit ids.
void defer_properties(stage& world, entity_t entity, const id_t* ids, std::uint32_t count);
// Queues a command about all entities: remove_all, delete_with or shrink.
void defer_world(stage& world, command_kind kind, id_t id);
// Queues a copy of `source` into `clone`.
void defer_clone(stage& world, entity_t clone, entity_t source, bool copy_values);
// Queues a value. Requires: `kind` is set or emplace.
void defer_value(stage& world, command_kind kind, entity_t entity, id_t id, std::uint32_t type,
                 const detail::value_source& source);
// The short form of defer_value(), for a set of a known component by bytes. Returns false if the
// long form is needed; then nothing has changed.
bool try_defer_bytes(stage& world, entity_t entity, id_t id, const void* bytes) noexcept;
// Returns the place where the program may write the entity's value: its storage if no queued
// command replaces it, or a queued value.
void* defer_ensure(stage& world, entity_t entity, id_t id, std::uint32_t type);

}  // namespace kith::mutate
