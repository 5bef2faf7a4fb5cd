// Making and ending monitors.
#include "api/world_impl.hpp"

namespace kith::detail {

namespace {

observe::monitor& monitor_of(monitor_head* head) noexcept {
    return *reinterpret_cast<observe::monitor*>(head);
}

}  // namespace

monitor_head* make_monitor(query_head* query, std::uint32_t events,
                           const monitor_callback& callback) {
    api::world_impl& owner = api::impl_of(world_of(query));
    return reinterpret_cast<monitor_head*>(&owner.monitors.add(query, events, callback));
}

void end_monitor(monitor_head* head) noexcept {
    observe::monitor& ended = monitor_of(head);
    if (ended.in_world) {
        ended.all().remove(ended);
    } else {
        delete &ended;
    }
}

}  // namespace kith::detail
