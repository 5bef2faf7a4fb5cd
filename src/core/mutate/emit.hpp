// Events that programs emit: at once, or through the queue of deferred commands.
//
// Covered by tests/core/observe/custom_events_test.cpp.
#pragma once

#include <kith/detail/event_ops.hpp>

#include "mutate/stage.hpp"

namespace kith::mutate {

void emit(stage& owner, const detail::emission& event);

// An event that waits in the queue, with its payload.
class queued_emission {
public:
    // Moves or copies the payload. The event must have been checked.
    queued_emission(storage::store& data, const detail::emission& event);
    queued_emission(queued_emission&& other) noexcept;
    ~queued_emission();
    queued_emission& operator=(const queued_emission&) = delete;

    // For what is still alive.
    void run(stage& owner) const;

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

void defer_emission(stage& owner, const detail::emission& event);

}  // namespace kith::mutate
