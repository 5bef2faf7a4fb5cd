// Implements system_data.hpp.
#include "systems/system_data.hpp"

#include <utility>

namespace kith::scheduling {

system_body::~system_body() {
    if (action.free_function) {
        action.free_function(action.function);
    }
}

run_way way_of(const detail::system_settings& settings) noexcept {
    return settings.immediate  ? run_way::immediate
           : settings.split    ? run_way::split
           : settings.parallel ? run_way::parallel
                               : run_way::alone;
}

bool is_stateless(const system_body& body) noexcept {
    return body.action.is_stateless && !body.is_task && way_of(body.settings) == run_way::alone;
}

system_ref system_set::ensure(entity_t entity, std::int64_t age) {
    system_ref& place = by_entity_[entity];
    if (!place) {
        place = std::make_shared<system_data>();
        place->entity = entity;
        place->number = ++last_number_;
        place->last_run = age;
    }
    return place;
}

void system_set::remove(entity_t entity) {
    const auto place = by_entity_.find(entity);
    if (place != by_entity_.end()) {
        place->second->ended = true;
        by_entity_.erase(place);
    }
}

bool system_set::apply_next() {
    const std::vector<system_ref> changed = std::exchange(changed_, {});
    for (const system_ref& system : changed) {
        if (system->next) {
            system->body = std::exchange(system->next, nullptr);
        }
    }
    return !changed.empty();
}

}  // namespace kith::scheduling
