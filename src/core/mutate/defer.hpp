// Queueing operations while deferred. Arguments are checked at once; what only shows when the
// command runs is reported by the flush.
#pragma once

#include "mutate/stage.hpp"

namespace kith::mutate {

void defer_id(stage& world, command_kind kind, entity_t entity, id_t id);
void defer_entity(stage& world, command_kind kind, entity_t entity);
// Properties, as one command: all of them or none. At most queued_ids::limit.
void defer_properties(stage& world, entity_t entity, const id_t* ids, std::uint32_t count);
void defer_world(stage& world, command_kind kind, id_t id);
void defer_clone(stage& world, entity_t clone, entity_t source, bool copy_values);
// kind: set or emplace
void defer_value(stage& world, command_kind kind, entity_t entity, id_t id, std::uint32_t type,
                 const detail::value_source& source);
// Where the entity's value will be written from: its storage, or a queued value.
void* defer_ensure(stage& world, entity_t entity, id_t id, std::uint32_t type);

}  // namespace kith::mutate
