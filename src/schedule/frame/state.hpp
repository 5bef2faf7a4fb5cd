// The data of a world's schedule: the extension of the world that src/schedule adds, made when a
// function of it is first used.
#pragma once

#include <kith/detail/stage_ops.hpp>

#include "frame/scheduler.hpp"
#include "pool/thread_set.hpp"
#include "time/loop.hpp"

#include <memory>

namespace kith::scheduling {

// `loop` and `threads` come before `schedule`, which refers to them: members are destroyed in the
// opposite order.
class state final : public detail::world_extension {
public:
    explicit state(world_t* world) : loop(kith::world(world)) {}

    // The functions of at_end() run first, while the schedule still works.
    void stop() noexcept override {
        loop.end();
        threads.stop();
        if (schedule) {
            schedule->stop();
        }
    }

    bool is_running() const noexcept override { return schedule && schedule->frame.running; }

    // -- snapshots: the time of the world, and when each system ran last.
    std::size_t state_size() const noexcept override;
    void save_state(std::byte* to) const noexcept override;
    // Systems whose entities are gone end. A schedule that was set up since then is set up again by
    // its next use, because its observers have ended.
    void load_state(const std::byte* from, std::size_t size) noexcept override;

    world_loop loop;
    thread_set threads;
    std::unique_ptr<scheduler> schedule;  // null: there are no systems
};

// Null if no function of the schedule has been used.
state* find_state(const world_t* world);
// Makes the data if the world has none. Any thread may call both functions: quit() does.
state& state_of(const world_t* world);

}  // namespace kith::scheduling
