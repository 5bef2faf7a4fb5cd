// The loop of a program: time, counters, pauses, the end.
//
//   world.app().target_fps(60).run();                 // until somebody calls world.quit()
//   while (world.progress()) { … }                    // the same by hand
//
// The compiled part is src/schedule.
//
// Covered by tests/features/systems/loop_test.cpp.
#pragma once

#include <kith/detail/time_ops.hpp>
#include <kith/world.hpp>
#include <kith/world_info.hpp>

namespace kith {

// Runs frames. A builder that is dropped without run() changes nothing. The builder refers to the
// world object, which must outlive it; numbers are checked by run().
class app_builder {
public:
    explicit app_builder(world& owner) noexcept : owner_(&owner) {}

    // Frames per second. Without it: those of the world, or 60.
    app_builder& target_fps(ftime_t rate) {
        settings_.target_fps = rate;
        settings_.has_target = true;
        return *this;
    }
    // Seconds of each frame; 0: measured.
    app_builder& delta_time(ftime_t seconds) {
        settings_.delta_time = seconds;
        return *this;
    }
    // Threads in all, as world.set_threads().
    app_builder& threads(std::int32_t count) {
        settings_.threads = count;
        settings_.has_threads = true;
        return *this;
    }
    // How many frames to run; 0: until quit(). An error if negative.
    app_builder& frames(std::int32_t count) {
        settings_.frames = count;
        return *this;
    }
    // Called before the first frame. A result other than 0 ends the loop and is that of run().
    app_builder& init(int (*function)(world_t* world)) {
        settings_.init = function;
        return *this;
    }
    // Becomes the context of the world, for init(): world.get_ctx().
    app_builder& ctx(void* context) {
        settings_.context = context;
        return *this;
    }
    // The library has no such modules: each call warns once.
    app_builder& enable_rest(std::uint16_t port = 0) {
        static_cast<void>(port);
        settings_.rest = true;
        return *this;
    }
    app_builder& enable_monitor(bool on = true) {
        settings_.monitor = on;
        return *this;
    }

    // Runs frames until quit(), an exception, or the number of frames; then ends the world. The
    // object that held the world holds none afterwards. An error if it does not own its world.
    // Returns 0, or the result of init().
    int run() {
        detail::check_app(*owner_, settings_, owner_->owned_);
        const world held(std::move(*owner_));
        return detail::run_app(held, settings_);
    }

private:
    world* owner_;
    detail::app_settings settings_;
};

// -- world

inline app_builder world::app() {
    return app_builder(*this);
}

}  // namespace kith
