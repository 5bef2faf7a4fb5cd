// Beginning and ending frames.
#include "time/world_time.hpp"

#include <kith/error.hpp>

#include "time/timer_entities.hpp"

#include <string>

namespace kith::scheduling {

namespace {

[[noreturn]] void refuse(const char* message) {
    detail::raise_error(errc::invalid_operation, message);
}

}  // namespace

const frame_time& world_time::begin_frame(float seconds) {
    return begin([&] { return clock_.begin(seconds); });
}

const frame_time& world_time::begin_frame(nanoseconds exact) {
    return begin([&] { return clock_.begin_exact(exact.count); });
}

// The checks that may throw come before the first change of time: in_frame_, the circle of sources,
// and the number inside of `begin`. The wait comes before the clock is read.
template <class Begin>
const frame_time& world_time::begin(Begin&& begin) {
    if (in_frame_) {
        refuse("a frame begins inside of a frame; end it by frame_end() first");
    }
    const bool has_sources = !sources().is_empty();
    if (has_sources) {
        sources_->check();
    }
    clock_.wait_until_due(quit_);
    frame_paused_ = paused_ && frames_to_step_ == 0;
    frame_ = frame_paused_ ? clock_.begin_paused() : begin();
    frames_to_step_ -= frames_to_step_ > 0 ? 1 : 0;
    age_ = add_times(age_, frame_.scaled);
    raw_age_ = add_times(raw_age_, frame_.raw);
    if (has_sources) {
        sources_->advance(frame_, frame_paused_);
    }
    in_frame_ = true;
    return frame_;
}

void world_time::end_frame() {
    if (!in_frame_) {
        refuse("a frame ends outside of a frame; frame_begin() begins one");
    }
    in_frame_ = false;
    ++frame_count_;
}

void world_time::step_frames(std::int32_t frames) {
    if (frames < 0) {
        const std::string message =
            "step_frames: " + std::to_string(frames) + " frames, but the number must be 0 or more";
        refuse(message.c_str());
    }
    frames_to_step_ = frames;
}

// The flag is set before waiters are woken: a waiter that wakes up sees it.
void world_time::quit() noexcept {
    quit_.store(true, std::memory_order_relaxed);
    wake_waiters();
}

// Time is measured from now on: the duration of the next frame is not that since the last one.
void world_time::load(const saved_time& saved) noexcept {
    clock_.load(saved.clock);
    frame_ = saved.frame;
    frame_count_ = saved.frame_count;
    age_ = saved.age;
    raw_age_ = saved.raw_age;
    random_ = saved.random;
    if (sources_) {
        sources_->world_replaced();
    }
}

// The first use declares components and makes queries, so that worlds without timers have none of
// them. The first use after a replacement declares what the new state lacks.
tick_sources& world_time::sources() {
    if (!sources_) {
        declare_time_components(world_);
        sources_.emplace(world_);
    } else if (sources_->is_replaced() && !are_time_components_declared(world_)) {
        declare_time_components(world_);
    }
    return *sources_;
}

void world_time::randomize_timers() {
    randomized_ = true;
    sources().randomize(random_);
}

}  // namespace kith::scheduling
