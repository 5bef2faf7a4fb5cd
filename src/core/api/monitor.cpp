// Making and ending monitors for handles (include/kith/monitor.hpp). Class monitor is in
// observe/monitor/monitor.hpp.
#include "api/world_impl.hpp"
#include "mutate/context/recorder.hpp"

namespace kith::detail {

monitor_head* make_monitor(query_head* query, std::uint32_t events, const observer_action& action) {
    mutate::check_not_recording(mutate::stage_of(world_of(query)), "making a monitor");
    api::world_impl& owner = api::impl_of(world_of(query));
    const bool row_at_a_time = !is_instanced(query);
    return reinterpret_cast<monitor_head*>(
        &owner.monitors.add(query, events, action, row_at_a_time));
}

void end_monitor(monitor_head* head) noexcept {
    observe::monitor_list::release(*reinterpret_cast<observe::monitor*>(head));
}

}  // namespace kith::detail
