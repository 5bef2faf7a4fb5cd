// The data of systems that inlined code reads: the run of a system, the rows that it visits, and
// its callback.
#pragma once

#include <kith/detail/event_layout.hpp>

namespace kith::detail {

// The type of the payload of systems: the parameter of a run is not checked.
inline constexpr std::uint32_t system_payload = ~std::uint32_t{0};

// The results that a run of a system visits, one after the other.
class row_feed {
public:
    virtual bool next(result& found) = 0;

protected:
    ~row_feed() = default;
};

struct system_action;

// A run of a system as iterators show it.
struct system_info : event_info {
    entity_t system = 0;
    float delta_time = 0;
    float delta_system_time = 0;
    float alpha = 0;
    std::int32_t part = 0;
    std::int32_t part_count = 1;
    row_feed* feed = nullptr;              // of callbacks that call iter::next()
    const system_action* inner = nullptr;  // the callback that iter::call() calls
};

// Rows of the list of matches of a cached query: `count` rows from a row of the first match on, not
// beyond the last match.
struct row_range {
    std::uint32_t first_match = 0;
    std::uint32_t last_match = 0;
    std::uint32_t first_row = 0;
    std::uint64_t count = ~std::uint64_t{0};
};

// The arguments of one call of a system's action.
struct system_call {
    world_t* world;
    const query_head* query;  // null: it has no terms
    const system_info* info;
    row_feed* feed;  // null: the rows of the query's list of matches
    row_range rows;
};

// The callback of a system and the data that it owns.
struct system_action {
    void (*run)(void* function, const system_call& call) = nullptr;
    void* function = nullptr;
    void (*free_function)(void* function) noexcept = nullptr;
    std::uint64_t writes = 0;    // fields that the callback may write: see warn_of_inherited()
    bool by_list = false;        // it can visit the list of matches
    bool table_wise = false;     // it takes rows that share a value together
    bool takes_entity = false;   // a task passes the null entity
    bool steps = false;          // it calls iter::next() itself
    bool is_stateless = false;   // it has no state and takes values only
    bool noncontiguous = false;  // it takes rows that are no neighbours
};

}  // namespace kith::detail
