// Notifying hooks and listeners of changes to the ids of an entity.
//
// Covered by tests/features/observers/deferred_observers_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"

namespace kith::mutate {

// Notifies hooks and listeners of a change of an id of an entity, if the event mask of the id has
// the bits. Exceptions are kept for the end of the operation, so that every listener receives every
// event.
void notify(stage& world, storage::event_bits mask, const storage::id_info& id, entity_t entity,
            void* value) noexcept;
// Notifies of a written value of a component in `owner`, the entity's table. Requires: the world is
// not deferred.
void notify_assigned(stage& world, entity_t entity, const storage::entity_record& record,
                     const storage::table& owner, const storage::id_info& id, void* value);
// Notifies of a net effect that a queue has delayed: only listeners that did not receive the single
// steps (see net_effects.hpp). `mask` is event_add, event_set or event_remove; `shared`: the value
// is not that of the entity alone.
void notify_net(stage& world, storage::event_bits mask, const storage::id_info& id, entity_t entity,
                void* value, bool shared) noexcept;
// Notifies that the name of the entity is about to change.
void notify_renaming(stage& world, entity_t entity);
// Notifies that the entity was created, if entity events have listeners.
void notify_created(stage& world, entity_t entity);

}  // namespace kith::mutate
