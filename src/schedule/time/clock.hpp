// The clock of frames: the duration of each frame, measured or given, scaled and not; the totals;
// the wait for a target rate.
//
// A clock that is asked for given durations only never reads the time of the system.
//
// Covered by tests/unit/schedule/clock_test.cpp.
#pragma once

#include "time/time_scale.hpp"

#include <atomic>

namespace kith::scheduling {

// The source of measured time. Tests replace it by one that stalls, jumps or runs backward.
struct time_source {
    // Nanoseconds since any fixed moment.
    ns_t (*now)(void* context);
    // Returns after `duration`, or earlier if `stop` has become true.
    void (*wait)(void* context, ns_t duration, const std::atomic<bool>& stop);
    void* context;
};

// The steady clock of the system. Its wait is ended by wake_waiters().
time_source system_time() noexcept;
// Ends the waits of system_time() whose `stop` is true. Any thread may call it.
void wake_waiters() noexcept;

// The duration of one frame. `raw` and `scaled` are in nanoseconds, the others in seconds. `scaled`
// and `delta` follow the time scale.
struct frame_time {
    ns_t raw = 0;
    ns_t scaled = 0;
    float delta_raw = 0;  // in seconds: the number that was given, if one was
    float delta = 0;
};

// The sums of a clock, and the part of a nanosecond that its scale carries to the next frame.
struct clock_sums {
    ns_t total_raw = 0;
    ns_t total = 0;
    std::uint64_t carry = 0;
};

// Used by the thread that runs frames; only the `stop` of waits may be written by other threads.
class frame_clock {
public:
    explicit frame_clock(time_source source = system_time()) noexcept : source_(source) {}

    void use(time_source source) noexcept { source_ = source; }
    void set_scale(float factor) { scale_.set(factor); }
    float scale() const noexcept { return scale_.factor(); }
    // Frames per second that the clock waits for; 0: none. Raises invalid_operation if the rate is
    // negative or not finite.
    void set_target_rate(float frames_per_second);
    float target_rate() const noexcept { return rate_; }

    // Waits until the next frame is due: one interval after the one before. A frame that is late
    // does not shorten the wait of the next. The wait ends with `stop`, and after one interval if
    // the source stands still.
    void wait_until_due(const std::atomic<bool>& stop);

    // The duration of the frame that begins. The sum of durations grows by it.
    // Of a given number of seconds; 0: measured since the frame before.
    frame_time begin(float seconds);
    // Of exactly this many nanoseconds; 0 is 0.
    frame_time begin_exact(ns_t duration);
    // Of a frame during which time stands still; the next measured frame begins here.
    frame_time begin_paused();

    ns_t total_raw() const noexcept { return total_raw_; }
    ns_t total() const noexcept { return total_; }
    void reset_totals() noexcept { total_raw_ = total_ = 0; }
    // For snapshots. A measured frame begins anew behind load().
    clock_sums sums() const noexcept { return {total_raw_, total_, scale_.carry()}; }
    void load(const clock_sums& sums) noexcept {
        total_raw_ = sums.total_raw;
        total_ = sums.total;
        scale_.set_carry(sums.carry);
        has_due_ = measuring_ = false;
    }

    ns_t now() const { return source_.now(source_.context); }

private:
    ns_t measure();
    // Remembers when the frame began, for measured frames behind it.
    void stamp();
    frame_time advance(ns_t raw, float seconds);

    time_source source_;
    time_scale scale_;
    float rate_ = 0;
    ns_t interval_ = 0;  // of the target rate
    ns_t due_ = 0;       // when the next frame may begin, if has_due_
    ns_t begun_ = 0;     // when the last frame began, if measuring_
    ns_t total_raw_ = 0;
    ns_t total_ = 0;
    bool has_due_ = false;
    bool measuring_ = false;
};

}  // namespace kith::scheduling
