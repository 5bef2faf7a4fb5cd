// The compiled functions behind events and observers. Internal: programs call the classes instead.
// Implemented in src/core/api/observer.cpp and src/core/mutate/ops/emit.cpp.
#pragma once

#include <kith/detail/event_layout.hpp>
#include <kith/detail/query_ops.hpp>
#include <kith/detail/system_layout.hpp>

namespace kith::detail {

struct observer_desc {
    query_desc terms;
    const entity_t* events = nullptr;
    std::uint32_t event_count = 0;
    void* context = nullptr;
    bool table_wise = false;  // the callback takes rows that share a value together
    bool yield_existing = false;
};

// The observer owns the action, also if the call throws.
entity_t make_observer(world_t* world, const observer_desc& desc, observer_action action);
entity_t make_entity_observer(world_t* world, entity_t entity, entity_t event,
                              observer_action action);
// The query of an observer, which the caller shares. Throws if the entity is no observer or has no
// terms.
query_head* observer_query(world_t* world, entity_t observer);
[[noreturn]] void raise_too_many_events(std::uint32_t most);
[[noreturn]] void raise_too_many_ids(std::uint32_t most);

// An event of the program, for an entity or for rows of a table.
struct emission {
    entity_t event = 0;
    const id_t* ids = nullptr;
    std::uint32_t id_count = 0;
    entity_t entity = 0;
    const table_shape* table = nullptr;
    bool for_rows = false;  // of the table
    std::int32_t offset = 0;
    std::int32_t count = 0;  // 0: all from the offset on
    event_payload payload{};
    bool may_move = false;  // the payload need not stay as it is
};
void emit_event(world_t* world, const emission& event);
void enqueue_event(world_t* world, const emission& event);

// The payload of an event as a value of this type; null if there is none. Throws if the payload has
// another type.
void* checked_payload(const world_t* world, const event_info* event, std::uint32_t type);
[[noreturn]] void raise_no_payload(const world_t* world, entity_t event);

// iter::next() and iter::call() in systems. Implemented in src/schedule/api.
bool next_result(const world_t* world, const event_info* event, result& found);
void call_inner(world_t* world, const query_head* query, const event_info* event,
                const result& found);

}  // namespace kith::detail
