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

// Runs one frame. Returns false if the program is to end. A frame that has stopped while stepping
// goes on instead, and `step` is ignored. Throws the first failure of a system whose policy is to
// stop, after the rest of its stretch has ended.
bool run_frame(scheduler& owner, const frame_step& step);
// Runs the rest of the frame that has stopped, if there is one.
void finish_frame(scheduler& owner);
// Runs a pipeline outside of a frame, or inside of an immediate system. Throws [limit] if more than
// 8 pipelines run each other, [invalid_operation] inside of other systems. Outside of a frame
// timers do not count. A disabled pipeline does nothing.
void run_nested_pipeline(scheduler& owner, entity_t pipeline, float delta_time);
// Runs a system now, on the calling thread. Conditions, timers and the state Disabled do not count.
// Throws the exception of the callback, and [limit] if 64 systems run each other.
void run_now(scheduler& owner, system_data& system, const detail::system_request& request);

}  // namespace kith::scheduling
