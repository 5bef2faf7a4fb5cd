// A program of schedule_program.hpp that runs by the frames of kith.
#pragma once

#include "support/schedule_program.hpp"

#include <string>

namespace schedule_program {

class frames {
public:
    explicit frames(const program& given) : scene_(given) { system_maker(given, scene_).run(); }
    // Systems wait at random if there are other threads.
    void use_threads(int count) {
        scene_.delays = count > 1;
        scene_.world.set_threads(count);
    }
    // Returns the message of the exception, or "".
    std::string run_frame(std::int64_t dt) {
        ++scene_.frame;
        try {
            scene_.world.progress(kith::nanoseconds{dt});
        } catch (const model_error& error) {
            return error.what();
        } catch (const kith::error& error) {
            return std::string("kith: ") + error.what();
        }
        return {};
    }
    const scene& shown() const { return scene_; }
    // The world has returned to the end of this frame: callbacks count from there on, with an empty
    // log.
    void return_to(int frame) {
        scene_.frame = frame;
        scene_.log.clear();
    }

private:
    scene scene_;
};

// Drops messages of the log for a scope: programs fail, and lack sync points, on purpose.
struct silent_log {
    silent_log() {
        kith::set_log([](const char*, void*) {});
    }
    ~silent_log() { kith::set_log(nullptr); }
};

}  // namespace schedule_program
