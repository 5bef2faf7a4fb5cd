// Events that programs emit, at once or through the queue of deferred commands; and those that
// kith tells of entities and tables as a whole.
//
// Covered by tests/core/observe/custom_events_test.cpp, delete_events_test.cpp and
// table_events_test.cpp.
#pragma once

#include <kith/detail/event_ops.hpp>

#include "mutate/stage.hpp"

namespace kith::mutate {

void emit(stage& world, const detail::emission& event);

// An event that waits in the queue, with its payload.
class queued_emission {
public:
    // Moves or copies the payload. The event must have been checked.
    queued_emission(storage::store& data, const detail::emission& event);
    queued_emission(queued_emission&& other) noexcept;
    ~queued_emission();
    queued_emission& operator=(const queued_emission&) = delete;

    // For what is still alive.
    void run(stage& world) const;

private:
    void take_lists(const storage::store& data, const detail::emission& event);
    void release_lists() noexcept;
    void take_payload(const detail::emission& event);

    containers::memory& mem_;
    detail::emission event_;
    containers::vec<id_t> ids_;
    containers::vec<entity_t> entities_;       // the rows of a table may be others by then
    const type_info* payload_type_ = nullptr;  // null: there is nothing to end
};

void defer_emission(stage& world, const detail::emission& event);

// The entity is about to be deleted (OnDelete), for each id that it has.
void notify_deletion(stage& world, entity_t entity);
// A table was made, or is about to go, for each id that it has.
void notify_table(stage& world, entity_t event, const storage::table& table);

}  // namespace kith::mutate
