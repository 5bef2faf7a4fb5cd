// Durations of frames, and the steady clock of the system.
#include "time/clock.hpp"

#include <kith/detail/threads.hpp>
#include <kith/error.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

namespace kith::scheduling {

namespace {

// One of each for the process: waits are rare, and a wait looks at its own flag when it is woken.
struct waiters {
    detail::mutex mutex;
    detail::condition_variable woken;
};
waiters& all_waiters() {
    static waiters all;
    return all;
}

ns_t steady_now(void*) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void steady_wait(void*, ns_t duration, const std::atomic<bool>& stop) {
    waiters& all = all_waiters();
    detail::unique_lock lock(all.mutex);
    all.woken.wait_for(lock, std::chrono::nanoseconds(duration),
                       [&] { return stop.load(std::memory_order_relaxed); });
}

// The first frame of a program that measures lasts as long as one at this rate.
constexpr ns_t usual_interval = 16'666'667;

}  // namespace

time_source system_time() noexcept {
    return {steady_now, steady_wait, nullptr};
}

void wake_waiters() noexcept {
    waiters& all = all_waiters();
    // A waiter is either before its test of the flag or already waiting.
    { const detail::lock_guard lock(all.mutex); }
    all.woken.notify_all();
}

void frame_clock::set_target_rate(float frames_per_second) {
    if (!(frames_per_second >= 0) || std::isinf(frames_per_second)) {
        const std::string message = "the target rate is " + std::to_string(frames_per_second) +
                                    ", but must be a finite number of frames, 0 for none";
        detail::raise_error(errc::invalid_operation, message.c_str());
    }
    rate_ = frames_per_second;
    const double seconds = frames_per_second > 0 ? 1 / static_cast<double>(frames_per_second) : 0;
    interval_ = std::llround(std::min(seconds, to_seconds(longest_duration)) *
                             static_cast<double>(ns_per_second));
    has_due_ = false;
}

// The next due time is one interval behind the last, but never more than one interval from now: a
// source that jumps back would cause a long wait.
void frame_clock::wait_until_due(const std::atomic<bool>& stop) {
    if (interval_ == 0) {
        return;
    }
    const ns_t begin = now();
    if (!has_due_ || begin >= due_) {
        due_ = add_times(begin, interval_);
        has_due_ = true;
        return;
    }
    // A source that stands still never reaches due_: the time that was waited for counts.
    ns_t left = interval_;
    for (ns_t at = begin; at < due_ && left > 0 && !stop.load(std::memory_order_relaxed);
         at = now()) {
        const ns_t pause = std::min(due_ - at, left);
        source_.wait(source_.context, pause, stop);
        left -= pause;
    }
    due_ = std::min(add_times(due_, interval_), add_times(now(), interval_));
}

frame_time frame_clock::begin(float seconds) {
    if (seconds == 0) {
        const ns_t raw = measure();
        return advance(raw, static_cast<float>(to_seconds(raw)));
    }
    const ns_t raw = checked_duration(static_cast<double>(seconds), "the time of a frame");
    stamp();
    return advance(raw, seconds);
}

frame_time frame_clock::begin_exact(ns_t duration) {
    const ns_t raw = checked_duration(duration, "the time of a frame");
    stamp();
    return advance(raw, static_cast<float>(to_seconds(raw)));
}

frame_time frame_clock::begin_paused() {
    stamp();
    return {};
}

// A source that runs backward gives a frame of 0 ns; the first frame has no frame before it and
// gets a usual length.
ns_t frame_clock::measure() {
    const ns_t at = now();
    const ns_t first = interval_ > 0 ? interval_ : usual_interval;
    const ns_t raw = measuring_ ? std::clamp<ns_t>(at - begun_, 0, longest_duration) : first;
    begun_ = at;
    measuring_ = true;
    return raw;
}

void frame_clock::stamp() {
    if (measuring_) {
        begun_ = now();
    }
}

// The totals stop at their limit instead of overflowing.
frame_time frame_clock::advance(ns_t raw, float seconds) {
    const frame_time frame{raw, scale_.scale(raw), seconds, seconds * scale_.factor()};
    total_raw_ = add_times(total_raw_, frame.raw);
    total_ = add_times(total_, frame.scaled);
    return frame;
}

}  // namespace kith::scheduling
