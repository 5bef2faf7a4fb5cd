// Monitors: callbacks for results that enter or leave a query. Queries make them:
//
//   auto watch = query.monitor([](kith::iter& it) {
//       if (it.event() == kith::OnAdd) { … it.entity(0) has entered … } else { … }
//   });
//
// The compiled part is src/core/observe/monitor/monitor.hpp.
//
// Covered by tests/features/monitors/monitor_test.cpp.
#pragma once

#include <kith/iter.hpp>

namespace kith {

// An argument for monitors: existing results are reported as entering.
struct yield_existing_t {};
inline constexpr yield_existing_t yield_existing{};

namespace detail {

struct monitor_head;

enum monitor_events : std::uint32_t {
    monitor_enter = 1u << 0,
    monitor_leave = 1u << 1,
    monitor_existing = 1u << 2,  // existing results are reported as entering
};
// The monitor owns the action, also if the call fails.
monitor_head* make_monitor(query_head* query, std::uint32_t events, const observer_action& action);
void end_monitor(monitor_head* ended) noexcept;

template <class Func>
monitor_head* make_monitor_of(query_head* query, std::uint32_t events, Func&& func) {
    using held = std::decay_t<Func>;
    static_assert(std::is_invocable_v<held&, iter&>, "the callback of a monitor takes kith::iter&");
    return make_monitor(query, events,
                        {[](void* function, const observed& what) {
                             iter it(what);
                             (*static_cast<held*>(function))(it);
                         },
                         new held(std::forward<Func>(func)),
                         [](void* made) noexcept { delete static_cast<held*>(made); }});
}

}  // namespace detail

// The owner of a monitor. The monitor ends with the owner, or with the world.
class [[nodiscard]] monitor {
public:
    monitor() noexcept = default;
    explicit monitor(detail::monitor_head* made) noexcept : head_(made) {}
    monitor(monitor&& other) noexcept : head_(detail::exchange(other.head_, nullptr)) {}
    monitor& operator=(monitor&& other) noexcept {
        if (this != &other) {
            destruct();
            head_ = detail::exchange(other.head_, nullptr);
        }
        return *this;
    }
    ~monitor() { destruct(); }

    // Ends the monitor: its callback is called no more.
    void destruct() noexcept {
        if (head_) {
            detail::end_monitor(detail::exchange(head_, nullptr));
        }
    }
    explicit operator bool() const noexcept { return head_ != nullptr; }

private:
    detail::monitor_head* head_ = nullptr;
};

}  // namespace kith
