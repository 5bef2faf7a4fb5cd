// Frames: time, startup, the pipeline, counts.
#pragma once

#include "frame/scheduler.hpp"

namespace kith::scheduling {

// The duration of a frame: seconds, 0 if it is to be measured, or exact nanoseconds.
struct frame_step {
    float seconds = 0;
    nanoseconds exact{0};
    bool is_exact = false;
};

// Runs one frame. Returns false if the program is to end.
bool run_frame(scheduler& owner, const frame_step& step);
// Runs the rest of the frame that has stopped, if there is one.
void finish_frame(scheduler& owner);
// Runs a pipeline outside of a frame, or inside of an immediate system.
void run_nested_pipeline(scheduler& owner, entity_t pipeline, float delta_time);
// Runs a system now, on the calling thread.
void run_now(scheduler& owner, system_data& system, const detail::system_request& request);

}  // namespace kith::scheduling
