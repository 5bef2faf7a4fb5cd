// Choosing the events that a monitor receives.
#include "observe/monitor/subscriptions.hpp"

#include <algorithm>

namespace kith::observe {

void subscriptions::add(entity_t event, id_t pattern) {
    auto is_same = [&](const registered& registration) {
        return registration.event == event && registration.pattern == pattern;
    };
    if (std::none_of(registered_.begin(), registered_.end(), is_same)) {
        registered_.push_back({event, pattern, 0});
        registered_.back().number = world_.events.add(subscriber_, event, pattern);
    }
}

void subscriptions::add_changes(id_t pattern) {
    for (entity_t event : {events::before_add, entity_t{OnRemove}, events::before_toggle}) {
        add(event, pattern);
    }
}

void subscriptions::add_all(const affected_bindings& affected) {
    affected.each_pattern([&](id_t pattern) { add_changes(pattern); });
    affected.each_element([&](entity_t element) {
        add(events::before_delete, element);
        if (storage::entity_record* record = world_.data.entities.find(element)) {
            record->state |= storage::record_used_as_id;
        }
    });
    add(events::create_rolled_back, Wildcard);
    add(events::before_bulk_removal, 0);
    if (affected.is_open()) {
        add(events::before_delete, Wildcard);
        add(events::created, Wildcard);
    }
    stale_ = false;
}

void subscriptions::add_derived(affected_bindings& affected, const change& change) {
    const bool was_stale = std::exchange(stale_, true);
    affected.each_new_pattern(change, [&](id_t pattern) { add_changes(pattern); });
    stale_ = was_stale;
}

void subscriptions::remove_all() noexcept {
    for (const registered& registration : registered_) {
        world_.events.remove(subscriber_, registration.event, registration.pattern,
                             registration.number);
    }
    registered_.clear();
}

}  // namespace kith::observe
