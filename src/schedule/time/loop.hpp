// The loop of a program around the frames of a world: its time, its counters, the functions that
// are called at its end.
#pragma once

#include <kith/world_info.hpp>

#include "time/world_time.hpp"

#include <vector>

namespace kith::scheduling {

using fini_function = void (*)(world_t* world, void* context);

class world_loop {
public:
    explicit world_loop(const world& world) : time(world), world_(world) {}

    void at_end(fini_function function, void* context) { at_end_.push_back({function, context}); }
    // Calls the functions of at_end(), the last one first; they may add others.
    void end() noexcept;

    // The counters, as of now.
    const world_info_t& read_info();

    world_time time;
    world_info_t info;

private:
    struct fini_action {
        fini_function function;
        void* context;
    };

    kith::world world_;  // not owned
    std::vector<fini_action> at_end_;
};

}  // namespace kith::scheduling
