// The data of events: payloads, and the arguments that observers receive.
#pragma once

#include <kith/detail/query_layout.hpp>

namespace kith::detail {

// A value that an event carries.
struct event_payload {
    void* value = nullptr;
    std::uint32_t type = 0;  // the id of its C++ type, 0: not known
};

// The event as iterators show it.
struct event_info {
    entity_t event;
    id_t id;
    event_payload payload{};
    void* context = nullptr;  // of the observer
};

// The arguments of one call of an observer.
struct observed {
    world_t* world;
    const query_head* query;  // null: it has no terms
    const result* found;
    const event_info* event;
};

// The callback of an observer and the data that it owns.
struct observer_action {
    void (*call)(void* function, const observed& what) = nullptr;
    void* function = nullptr;
    void (*free_function)(void* function) noexcept = nullptr;
    // A short form of `call` for callbacks that take an entity and its own value only; else null.
    void (*call_row)(void* function, world_t* world, entity_t entity, void* value) = nullptr;
    bool wants_value = false;  // call_row() must not be called without one
};

}  // namespace kith::detail
