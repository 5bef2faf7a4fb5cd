// The calls of listeners: members of registry (registry.hpp) that are inline for the modules that
// dispatch most often, and the guards around a call. calls.cpp has the other calls.
#pragma once

#include "base/attempt.hpp"
#include "events/registry.hpp"

#include <utility>

namespace kith::events {

// Keeps the current exception in `failed`, unless `failed` holds one already.
// Requires: an exception is being handled.
[[gnu::cold]] void keep_first(std::exception_ptr& failed) noexcept;

// The time in which listeners of one event are called. It limits the depth of calls inside of
// calls, and keeps lists and ended objects alive until the outermost call has returned.
class registry::nesting {
public:
    // `callee` may be null and be set later, before the call.
    nesting(registry& all, const event_data& event, const listener* callee)
        : all_(all), now_{event, callee, all.innermost_} {
        if (all.nested_ == most_nested) [[unlikely]] {
            all.raise_nested(all, event);
        }
        ++all.nested_;
        all.innermost_ = &now_;
    }
    ~nesting() {
        KITH_ASSERT(all_.innermost_ == &now_ && all_.nested_ != 0, "calls end in reverse order");
        all_.innermost_ = now_.older;
        if (--all_.nested_ == 0 && all_.untidy_) [[unlikely]] {
            all_.tidy();
        }
    }
    nesting(const nesting&) = delete;
    nesting& operator=(const nesting&) = delete;

protected:
    registry& all_;
    frame now_;
};

// Calls the listeners of an event in sequence. An exception of a listener does not prevent the
// other calls: the first one is kept for the caller.
class registry::call_guard : nesting {
public:
    call_guard(registry& all, const event_data& event, std::exception_ptr& failed)
        : nesting(all, event, nullptr), failed_(failed) {}

    void call(listener& callee) {
        now_.who = &callee;
        if (all_.tracing && callee.entity != 0) [[unlikely]] {
            all_.tracing->note(callee.entity, now_.what);
        }
        base::attempt([&] { call_guarded(callee); }, [&] { keep_first(failed_); });
    }

private:
    // Listeners with a row call (at_once) are called without on_event() where the row allows it.
    void call_guarded(listener& callee) {
        const row_call& at_once = callee.at_once;
        const event_data& event = now_.what;
        if (at_once.call && !(event.row & at_once.unless) &&
            at_once.deletion_epoch == all_.data_.deletion_epoch) {
            at_once.call(at_once.function, event.world, event.entity, event.value);
        } else {
            callee.on_event(callee, event);
        }
    }

    [[maybe_unused]] std::exception_ptr& failed_;  // unused without exceptions
};

// The lists for an event and an id. Routes form a direct-mapped cache: a route of another event or
// id in the same slot is replaced.
inline const registry::route& registry::find_route(entity_t event, id_t id) noexcept {
    route& cached = routes_[((id ^ (event << 40)) * 0x9E3779B97F4A7C15ull) >> (64 - route_bits)];
    if (cached.event != event || cached.id != id) [[unlikely]] {
        fill(cached, event, id);
    }
    return cached;
}

// Listeners that are added meanwhile lie behind `count` and are not called for this event. The list
// cannot shrink: gaps are closed after the outermost call.
inline void registry::call(const list& only, call_guard& guard) {
    const std::uint32_t count = only.entries.size();
    for (std::uint32_t i = 0; i < count; ++i) {
        if (listener* callee = only.entries[i].who) {
            guard.call(*callee);
        }
    }
}

inline void registry::call_all(const event_data& event, std::exception_ptr& failed) {
    if (routes_.empty()) {
        return;
    }
    const route& cached = find_route(event.event, event.id);
    if (cached.count == 0) {
        return;
    }
    call_guard guard(*this, event, failed);
    if (cached.count == 1) [[likely]] {
        call(*cached.lists[0], guard);
    } else {
        call_merged(cached, guard);
    }
}

inline void registry::dispatch_inline(const event_data& event,
                                      std::exception_ptr& failed) noexcept {
    base::attempt([&] { call_all(event, failed); }, [&] { keep_first(failed); });
}

}  // namespace kith::events
