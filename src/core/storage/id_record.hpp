// The record of an id: value type, traits and event mask of the id, and the tables, sparse store or
// links that hold it. The component index owns the records.
#pragma once

#include <kith/id.hpp>

#include "containers/vec.hpp"
#include "types/component_type.hpp"

namespace kith::storage {

class sparse_store;
class link_store;

// A table that has an id: the number of the table, and the position of the id in the table's type.
struct table_entry {
    std::uint32_t table;
    std::uint32_t position;
};

// The work that adding or removing an id causes in addition to the move of a row.
enum class edge_effects : std::uint8_t {
    none,
    place,  // the hierarchy may change: none for an entity without a name and without referrers
    all,    // the id has properties, implied ids, an inverse pair or inheritors
};

// Bits of an event mask: the events of an id that have listeners or hooks. Operations without such
// a bit notify nobody. See storage/subscription_counts.hpp.
enum event_bits : std::uint32_t {
    event_add = 1u << 0,
    event_set = 1u << 1,
    event_remove = 1u << 2,    // the id is about to be removed
    event_before = 1u << 3,    // the id is about to be added
    event_after = 1u << 4,     // the id was removed, or a deletion that removes it is complete
    event_toggle = 1u << 5,    // the id is about to be switched on or off
    event_track = 1u << 6,     // changes of the id have ticks; see storage/change_ticks.hpp
    event_validate = 1u << 7,  // a hook may refuse the id or its value; has no listeners
};
// Bits that listeners can subscribe to: all but event_validate.
inline constexpr std::uint32_t event_bit_count = 7;

// The meaning of an id. Pairs in a link store have no record; traits::describe_link() computes it.
struct id_info {
    id_t id = 0;
    // The type of the id's values, null for a tag.
    types::component_type* value_type = nullptr;
    // The type whose hooks run for the id: value_type, or the empty type of the id, or null.
    types::component_type* hook_type = nullptr;
    std::uint32_t traits = 0;      // traits::trait_bits, opaque here
    std::uint32_t event_mask = 0;  // bits of event_bits
};

// The place of a record in a list that runs through the records themselves.
struct pair_chain {
    std::uint32_t next = 0;      // number plus one of the next record, 0: none
    std::uint32_t previous = 0;  // number plus one of the previous record, 0: none
};

// The records of plain ids and of pairs list the tables that have exactly this id. The record of
// (R,*) lists the records of R's pairs instead, or holds their links. The pairs of a target T are
// linked through `same_target`.
struct id_record : id_info {
    std::uint32_t number = 0;                   // in the component index
    std::uint32_t shape_flags = 0;              // of tables that have the id; set by traits/
    edge_effects effects = edge_effects::none;  // set by traits/
    containers::vec<table_entry> tables;        // the active ones first; see storage/table_set.hpp
    std::uint32_t active = 0;                   // number of active tables
    std::uint32_t active_pairs = 0;             // of (R,*): number of pairs with active tables
    std::uint64_t dormant_tick = 0;       // last tracked change of rows of a table now dormant
    containers::vec<id_record*> pairs;    // of (R,*) only: those with active tables come first
    sparse_store* sparse = nullptr;       // values of a sparse component
    link_store* links = nullptr;          // of (R,*) only: the pairs, if they do not split tables
    sparse_store* disabled = nullptr;     // entities for which the id is switched off
    std::uint32_t relation_position = 0;  // of a pair in `pairs` of (R,*)
    pair_chain same_target;               // of a pair: the pairs of the same target
    bool pinned = false;                  // the record stays when no entity has the id any more
    std::uint32_t watchers = 0;           // list of caches to notify of tables with the id, 0: none
    std::uint32_t sparse_number = 0;      // of the sparse store or link store; see sparse_flag()
};

}  // namespace kith::storage
