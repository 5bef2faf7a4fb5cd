// What a world knows about one id: its type, its properties, the tables and sparse values that have
// it.
#pragma once

#include <kith/id.hpp>

#include "containers/vec.hpp"
#include "types/component_type.hpp"

namespace kith::storage {

class sparse_store;
class link_store;

// A table that has an id, and where the id is in the table's list.
struct table_entry {
    std::uint32_t table;
    std::uint32_t position;
};

// What adding or removing an id needs beside the move of a row.
enum class edge_effects : std::uint8_t {
    none,
    place,  // nothing, for an entity that has no name and that nobody refers to
    all,
};

// Who wants to know about an id; see storage/subscription_counts.hpp.
enum event_bits : std::uint32_t {
    event_add = 1u << 0,
    event_set = 1u << 1,
    event_remove = 1u << 2,    // is about to be removed
    event_before = 1u << 3,    // is about to be added
    event_after = 1u << 4,     // was removed, or a deletion that takes it is complete
    event_toggle = 1u << 5,    // is about to be switched on or off
    event_track = 1u << 6,     // its changes are counted; see storage/change_ticks.hpp
    event_validate = 1u << 7,  // a hook may refuse it, or its value; nothing that is listened to
};
inline constexpr std::uint32_t event_bit_count = 7;

// What an id means. Ids whose pairs lie in a link store have no record of their own.
struct id_info {
    id_t id = 0;
    // Type of the id's values, null if it has none.
    types::component_type* value_type = nullptr;
    // Whose hooks run for the id: value_type, or the empty type that it is made of, or null.
    types::component_type* hook_type = nullptr;
    std::uint32_t traits = 0;      // set by traits/, opaque here
    std::uint32_t event_mask = 0;  // bits of event_bits
};

// Records of plain ids and of pairs list the tables that have exactly this id. The record of (R,*)
// lists the records of R's pairs instead, or holds their links; those of (*,T) are linked through
// `next_target`.
struct id_record : id_info {
    std::uint32_t number = 0;                   // in the component index
    std::uint32_t shape_flags = 0;              // of tables that have the id; set by traits/
    edge_effects effects = edge_effects::none;  // set by traits/
    containers::vec<table_entry> tables;        // the active ones first; see storage/table_set.hpp
    std::uint32_t active = 0;                   // how many those are
    std::uint32_t active_pairs = 0;             // of (R,*): those with active tables come first
    std::uint64_t dormant_tick = 0;       // when rows of dormant tables changed, if that is counted
    containers::vec<id_record*> pairs;    // of (R,*) only
    sparse_store* sparse = nullptr;       // values of a sparse component
    link_store* links = nullptr;          // of (R,*) only: the pairs, if they do not split tables
    sparse_store* disabled = nullptr;     // entities for which the id is switched off
    std::uint32_t relation_position = 0;  // of a pair in the list of (R,*)
    std::uint32_t next_target = 0;  // numbers of the neighbours among the pairs with this target
    std::uint32_t previous_target = 0;
    bool pinned = false;              // stays when nothing has the id any more
    std::uint32_t watchers = 0;       // which list of caches wants to know of tables with the id
    std::uint32_t sparse_number = 0;  // of the sparse store or link store, decides its flag
};

}  // namespace kith::storage
