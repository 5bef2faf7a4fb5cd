// The calls of listeners that are not inline: events with several lists of listeners.
#include "events/calls.hpp"

#include <algorithm>

namespace kith::events {

// Visits the listeners of several lists in the order of their numbers. A route has up to
// route::most lists; emitted events add the list of their entity.
struct registry::merge {
    list* lists[route::most + 1];
    std::uint32_t positions[route::most + 1] = {};
    std::uint32_t count = 0;

    explicit merge(const route& cached) noexcept : count(cached.count) {
        std::copy_n(cached.lists, cached.count, lists);
    }
    // The next listener whose number is below `limit`, or null. Gaps are skipped.
    listener* next(std::uint64_t limit) noexcept {
        for (;;) {
            std::uint32_t best = count;
            std::uint64_t first = limit;
            for (std::uint32_t i = 0; i < count; ++i) {
                if (positions[i] < lists[i]->entries.size() &&
                    lists[i]->entries[positions[i]].number < first) {
                    best = i;
                    first = lists[i]->entries[positions[i]].number;
                }
            }
            if (best == count) {
                return nullptr;
            }
            if (listener* listener = lists[best]->entries[positions[best]++].who) {
                return listener;
            }
        }
    }
};

void keep_first(std::exception_ptr& failed) noexcept {
    if (!failed) {
        failed = std::current_exception();
    }
}

namespace {

// Throws the kept exception after all listeners were called.
void finish(std::exception_ptr& failed) {
    if (failed) [[unlikely]] {
        std::rethrow_exception(std::exchange(failed, nullptr));
    }
}

}  // namespace

[[gnu::noinline]] void registry::call_merged(const route& cached, call_guard& guard) {
    merge listeners(cached);
    call(listeners, guard);
}

// Listeners that are added meanwhile have numbers from `limit` on and are not called.
void registry::call(merge& listeners, call_guard& guard) {
    const std::uint64_t limit = next_number_;
    while (listener* next = listeners.next(limit)) {
        guard.call(*next);
    }
}

void registry::dispatch(const event_data& event) {
    std::exception_ptr failed;
    call_all(event, failed);
    finish(failed);
}

void registry::dispatch_nothrow(const event_data& event, std::exception_ptr& failed) noexcept {
    dispatch_inline(event, failed);
}

void registry::dispatch_emitted(const event_data& event) {
    if (routes_.empty()) {
        return;
    }
    merge listeners(find_route(event.event, event.id));
    if (const std::uint32_t number =
            event.entity != 0 ? find(event.event, entity_pattern(event.entity)) : 0) {
        listeners.lists[listeners.count++] = lists_[number - 1];
    }
    if (listeners.count != 0) {
        std::exception_ptr failed;
        {
            call_guard guard(*this, event, failed);
            call(listeners, guard);
        }
        finish(failed);
    }
}

void registry::dispatch_filtered(const event_data& event, bool shared, bool wants_transient) {
    if (routes_.empty()) {
        return;
    }
    merge listeners(find_route(event.event, event.id));
    std::exception_ptr failed;
    {
        call_guard guard(*this, event, failed);
        const std::uint64_t limit = next_number_;
        while (listener* next = listeners.next(limit)) {
            if (next->wants_transient_changes(shared) == wants_transient) {
                guard.call(*next);
            }
        }
    }
    finish(failed);
}

}  // namespace kith::events
