// Making and finding the data of a schedule.
#include "frame/state.hpp"

namespace kith::scheduling {

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
