// Making and finding the data of a schedule, and its part of snapshots.
#include "frame/state.hpp"

#include <kith/detail/assert.hpp>

#include <cstring>
#include <type_traits>

namespace kith::scheduling {

namespace {

static_assert(std::is_trivially_copyable_v<saved_time> &&
              std::is_trivially_copyable_v<saved_system>);

}  // namespace

// The systems follow behind the time.
std::size_t state::state_size() const noexcept {
    const std::size_t systems = schedule ? schedule->systems.count() : 0;
    return sizeof(saved_time) + systems * sizeof(saved_system);
}

void state::save_state(std::byte* to) const noexcept {
    const saved_time time = loop.time.save();
    std::memcpy(to, &time, sizeof(time));
    std::size_t at = sizeof(time);
    if (schedule) {
        schedule->systems.each([&](const system_data& system) {
            const saved_system saved{system.entity, system.last_run, system.waiting,
                                     system.started};
            std::memcpy(to + at, &saved, sizeof(saved));
            at += sizeof(saved);
        });
    }
    KITH_ASSERT(at == state_size(), "a schedule writes as many bytes as it says");
}

void state::load_state(const std::byte* from, std::size_t size) noexcept {
    // A state without time, such as that of a file, leaves the time of the world as it is.
    saved_time time = loop.time.save();
    if (size != 0) {
        std::memcpy(&time, from, sizeof(time));
    }
    loop.time.load(time);
    if (!schedule) {
        return;
    }
    if (!schedule->exists_in_world() && !schedule->frame.running) {
        schedule->stop();
        schedule.reset();
        return;
    }
    schedule->world_replaced();
    for (std::size_t at = sizeof(time); at < size; at += sizeof(saved_system)) {
        saved_system saved;
        std::memcpy(&saved, from + at, sizeof(saved));
        if (system_data* system = schedule->systems.find(saved.entity)) {
            system->last_run = saved.last_run;
            system->waiting = saved.waiting;
            system->started = saved.started;
        }
    }
}

state* find_state(const world_t* world) {
    return static_cast<state*>(detail::find_extension(world));
}

state& state_of(const world_t* world) {
    if (state* found = find_state(world)) {
        return *found;
    }
    world_t* raw = const_cast<world_t*>(world);
    return static_cast<state&>(*detail::set_extension(raw, new state(raw)));
}

}  // namespace kith::scheduling
