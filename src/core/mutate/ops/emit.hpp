// Events that programs emit, at once or through the queue of deferred commands.
//
// Covered by tests/features/events/custom_test.cpp.
#pragma once

#include <kith/detail/event_ops.hpp>

#include "mutate/context/stage.hpp"

namespace kith::mutate {

// Checks the event and dispatches it to the listeners. Requires: the world is not deferred.
void emit(stage& world, const detail::emission& event);

// An emission in the queue. The object owns copies of the ids, the entities and the payload.
//
// Invariants
// 1. `payload_type_` is set exactly if the object owns the payload.
// 2. `event_.ids` and the table of the event are not used: `ids_` and `entities_` replace them.
class queued_emission {
public:
    // Moves or copies the payload. Requires: the event was checked.
    queued_emission(containers::memory& mem, const storage::store& data,
                    const detail::emission& event);
    queued_emission(queued_emission&& other) noexcept;
    ~queued_emission();
    queued_emission& operator=(const queued_emission&) = delete;

    // Dispatches the event for the entities that are still alive.
    void run(stage& world) const;

private:
    void take_lists(const storage::store& data, const detail::emission& event);
    void release_lists() noexcept;
    void take_payload(const detail::emission& event);

    containers::memory& mem_;
    detail::emission event_;
    containers::vec<id_t> ids_;
    containers::vec<entity_t> entities_;       // rows of the table when the event was queued
    const type_info* payload_type_ = nullptr;  // null: the payload is not owned
};

// Checks the event and queues it, as a segment of its own.
void defer_emission(stage& world, const detail::emission& event);

}  // namespace kith::mutate
