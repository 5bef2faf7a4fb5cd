// How listeners are called, in line for those who tell most often.
#pragma once

#include "events/registry.hpp"

#include <utility>

namespace kith::events {

#if defined(__cpp_exceptions)
// To be called while an exception is handled.
[[gnu::cold]] void keep_first(std::exception_ptr& failed) noexcept;
#endif

class registry::nesting {
public:
    // `who` may be said later, before it is called.
    nesting(registry& all, const event_data& event, const listener* who)
        : all_(all), now_{event, who, all.innermost_} {
        if (all.nested_ == most_nested) [[unlikely]] {
            all.raise_nested(all, event);
        }
        ++all.nested_;
        all.innermost_ = &now_;
    }
    ~nesting() {
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

class registry::call_guard : nesting {
public:
    call_guard(registry& all, const event_data& event, std::exception_ptr& failed)
        : nesting(all, event, nullptr), failed_(failed) {}

    void call(listener& who) {
        now_.who = &who;
        if (all_.tracing && who.entity != 0) [[unlikely]] {
            all_.tracing->note(who.entity, now_.what);
        }
#if defined(__cpp_exceptions)
        try {
            call_guarded(who);
        } catch (...) {
            keep_first(failed_);
        }
#else
        call_guarded(who);
#endif
    }

private:
    void call_guarded(listener& who) {
        const row_call& at_once = who.at_once;
        const event_data& event = now_.what;
        if (at_once.call && !(event.row & at_once.unless) &&
            at_once.deletion_epoch == all_.data_.deletion_epoch) {
            at_once.call(at_once.function, event.world, event.entity, event.value);
        } else {
            who.on_event(who, event);
        }
    }

    std::exception_ptr& failed_;
};

inline const registry::route& registry::find_route(entity_t event, id_t id) noexcept {
    route& way = routes_[((id ^ (event << 40)) * 0x9E3779B97F4A7C15ull) >> (64 - route_bits)];
    if (way.event != event || way.id != id) [[unlikely]] {
        fill(way, event, id);
    }
    return way;
}

inline void registry::call(const list& only, call_guard& guard) {
    const std::uint32_t count = only.entries.size();
    for (std::uint32_t i = 0; i < count; ++i) {
        if (listener* who = only.entries[i].who) {
            guard.call(*who);
        }
    }
}

inline void registry::call_all(const event_data& event, std::exception_ptr& failed) {
    if (routes_.empty()) {
        return;
    }
    const route& way = find_route(event.event, event.id);
    if (way.count == 0) {
        return;
    }
    call_guard guard(*this, event, failed);
    if (way.count == 1) [[likely]] {
        call(*way.lists[0], guard);
    } else {
        call_merged(way, guard);
    }
}

inline void registry::dispatch_inline(const event_data& event,
                                      std::exception_ptr& failed) noexcept {
#if defined(__cpp_exceptions)
    try {
        call_all(event, failed);
    } catch (...) {
        keep_first(failed);
    }
#else
    call_all(event, failed);
#endif
}

}  // namespace kith::events
