// One run of a system: its callback is called with the rows of its query.
#pragma once

#include "systems/system_data.hpp"

namespace kith::scheduling {

// The rows that a run of the system visits.
detail::run_options options_of(const system_data& system, const system_body& body);

// Calls the callback of the body with the rows that the options select. `info` shows the run.
void call_body(const system_body& body, world_t* stage, detail::system_info& info,
               const detail::run_options& options);

// What iterators show of a run of the system.
detail::system_info make_info(const system_data& system, const system_body& body, float delta_time,
                              std::int64_t time, void* param);

// True if all conditions of the system hold.
bool is_due(const system_body& body, world_t* stage);

}  // namespace kith::scheduling
