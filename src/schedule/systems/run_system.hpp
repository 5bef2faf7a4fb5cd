// One run of a system: its callback is called with the rows of its query.
#pragma once

#include "systems/system_data.hpp"

namespace kith::scheduling {

// The rows that a run of the system visits.
detail::run_options options_of(const system_data& system, const system_body& body);

// Calls the callback of the body with the rows that the options select. `info` shows the run.
// `rows` gets the number of rows that were visited, unless it is null. Requires: the stage is
// deferred. Exceptions of the callback leave the function.
void call_body(const system_body& body, world_t* stage, detail::system_info& info,
               const detail::run_options& options, std::uint64_t* rows = nullptr);

// Calls the callback of the body with the rows of the feed.
void call_with(const system_body& body, world_t* stage, detail::system_info& info,
               detail::row_feed& feed);

// The times that a run shows. In seconds, except `alpha`, which is a fraction of a fixed step from
// 0 to below 1.
struct run_times {
    float delta_time = 0;
    float delta_system_time = 0;
    float alpha = 0;
};

// The data that iterators show of a run of the system.
detail::system_info make_info(const system_data& system, const system_body& body,
                              const run_times& times, void* param);

// True if all conditions of the system hold.
bool is_due(const system_body& body, world_t* stage);

}  // namespace kith::scheduling
