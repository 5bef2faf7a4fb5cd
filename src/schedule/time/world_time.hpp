// The time of a world, frame by frame: clock, tick sources, pause and the end of the loop.
//
// Covered by tests/unit/schedule/world_time_test.cpp.
#pragma once

#include "time/clock.hpp"
#include "time/random.hpp"
#include "time/tick_sources.hpp"

#include <atomic>
#include <optional>

namespace kith::scheduling {

// The part of time that belongs to the state of a world. Pause, time scale and target rate are
// settings of the program.
struct saved_time {
    clock_sums clock;
    frame_time frame;
    std::int64_t frame_count = 0;
    ns_t age = 0;
    ns_t raw_age = 0;
    random_numbers random;
};

// The thread that runs frames uses all functions; quit() and should_quit() are free for all
// threads.
class world_time {
public:
    explicit world_time(const world& world) : world_(world) {}

    frame_clock& clock() noexcept { return clock_; }
    const frame_clock& clock() const noexcept { return clock_; }

    // Begins a frame: waits until it is due, then advances the clock and the tick sources. 0
    // seconds: measured. Raises invalid_operation for a bad number and inside of a frame, cycle for
    // a circle of sources; time has not advanced then.
    const frame_time& begin_frame(float seconds);
    const frame_time& begin_frame(nanoseconds exact);
    // Raises invalid_operation outside of a frame.
    void end_frame();
    // Of the current or the last frame.
    const frame_time& frame() const noexcept { return frame_; }
    std::int64_t frame_count() const noexcept { return frame_count_; }
    // The sum of all scaled times, which no reset of the clock changes.
    ns_t age() const noexcept { return age_; }
    // The same of raw times.
    ns_t raw_age() const noexcept { return raw_age_; }
    // True if time stands still in the current frame.
    bool is_frame_paused() const noexcept { return frame_paused_; }

    void pause() noexcept { paused_ = true; }
    void resume() noexcept { paused_ = false; }
    bool is_paused() const noexcept { return paused_; }
    // The next `frames` frames run although the world is paused. Raises invalid_operation if the
    // number is negative.
    void step_frames(std::int32_t frames);

    // Any thread may call these two.
    void quit() noexcept;
    bool should_quit() const noexcept { return quit_.load(std::memory_order_relaxed); }

    // -- snapshots
    saved_time save() const noexcept {
        return {clock_.sums(), frame_, frame_count_, age_, raw_age_, random_};
    }
    void load(const saved_time& saved) noexcept;

    // -- timers
    // The tick sources, from the first use on.
    tick_sources& sources();
    // Null: timers start at 0.
    random_numbers* random_start() noexcept { return randomized_ ? &random_ : nullptr; }
    void set_seed(std::uint64_t seed) noexcept { random_.seed(seed); }
    // Timers start at random times from now on, those that exist included.
    void randomize_timers();

private:
    template <class Begin>
    const frame_time& begin(Begin&& begin);

    kith::world world_;  // not owned
    frame_clock clock_;
    frame_time frame_;
    std::int64_t frame_count_ = 0;
    ns_t age_ = 0;
    ns_t raw_age_ = 0;
    std::optional<tick_sources> sources_;
    random_numbers random_;
    std::atomic<bool> quit_ = false;
    std::int32_t frames_to_step_ = 0;
    bool randomized_ = false;
    bool paused_ = false;
    bool frame_paused_ = false;
    bool in_frame_ = false;
};

}  // namespace kith::scheduling
