// Making and finding the data of a schedule.
#include "frame/state.hpp"

#include <memory>

namespace kith::scheduling {

state* find_state(const world_t* world) {
    return static_cast<state*>(detail::find_extension(world));
}

state& state_of(const world_t* world) {
    if (state* found = find_state(world)) {
        return *found;
    }
    world_t* raw = const_cast<world_t*>(world);
    auto made = std::make_unique<state>(raw);
    detail::set_extension(raw, made.get());
    return *made.release();
}

}  // namespace kith::scheduling
