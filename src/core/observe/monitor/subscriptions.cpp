// Choosing the events that a monitor receives.
#include "observe/monitor/subscriptions.hpp"

#include "events/track.hpp"

#include <algorithm>

namespace kith::observe {

void subscriptions::add(entity_t event, id_t pattern) {
    auto is_same = [&](const registered& registration) {
        return registration.event == event && registration.pattern == pattern;
    };
    if (std::none_of(registered_.begin(), registered_.end(), is_same)) {
        registered_.push_back({event, pattern, 0});
        registered_.back().number = context_.world.events.add(subscriber_, event, pattern);
    }
}

void subscriptions::add_changes(id_t pattern) {
    for (entity_t event : {events::before_add, entity_t{OnRemove}, events::before_toggle}) {
        add(event, pattern);
    }
}

void subscriptions::add_all(bool open) {
    for (id_t pattern : find_patterns(context_.data(), context_.model())) {
        add_changes(pattern);
    }
    for (id_t pattern : find_value_patterns(context_.data(), context_.model())) {
        add(OnSet, pattern);
        // Runs report the values that they hand out to be written if the id is tracked.
        events::track(context_.data(), pattern);
    }
    each_element(context_.model(), [&](entity_t element) {
        add(events::before_delete, element);
        if (storage::entity_record* record = context_.data().entities.find(element)) {
            record->state |= storage::record_used_as_id;
        }
    });
    add(events::create_rolled_back, Wildcard);
    add(events::before_bulk_removal, 0);
    if (open) {
        add(events::before_delete, Wildcard);
        add(events::created, Wildcard);
    }
    stale_ = false;
}

void subscriptions::add_derived(const change& change) {
    const bool was_stale = std::exchange(stale_, true);
    for (id_t pattern : find_new_patterns(context_.data(), context_.model(), change)) {
        add_changes(pattern);
    }
    stale_ = was_stale;
}

void subscriptions::remove_all() noexcept {
    for (const registered& registration : registered_) {
        context_.world.events.remove(subscriber_, registration.event, registration.pattern,
                                     registration.number);
    }
    registered_.clear();
}

}  // namespace kith::observe
