// What a world knows about one id: its type, its properties, the tables and sparse values that have
// it.
#pragma once

#include <kith/id.hpp>

#include "containers/vec.hpp"
#include "types/component_type.hpp"

namespace kith::storage {

class sparse_store;

// A table that has an id, and where the id is in the table's list.
struct table_entry {
    std::uint32_t table;
    std::uint32_t position;
};

// Records of plain ids and of pairs list the tables that have exactly this id. The record of (R,*)
// lists the records of R's pairs instead; those of (*,T) are linked through `next_target`.
struct id_record {
    id_t id = 0;
    // Type of the id's values, null if it has none.
    types::component_type* value_type = nullptr;
    // Whose hooks run for the id: value_type, or the empty type that it is made of, or null.
    types::component_type* hook_type = nullptr;
    containers::vec<table_entry> tables;
    containers::vec<id_record*> pairs;    // of (R,*) only
    sparse_store* sparse = nullptr;       // values of a sparse id
    sparse_store* disabled = nullptr;     // entities for which the id is switched off
    std::uint32_t traits = 0;             // set by traits/, opaque here
    std::uint32_t number = 0;             // in the component index
    std::uint32_t relation_position = 0;  // of a pair in the list of (R,*)
    std::uint32_t next_target = 0;  // numbers of the neighbours among the pairs with this target
    std::uint32_t previous_target = 0;
    std::uint32_t sparse_position = 0;  // among the world's sparse stores
};

}  // namespace kith::storage
