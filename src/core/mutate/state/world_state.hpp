// The state of a world as a value: a copy of its storage that never changes. The parts of a state
// are shared: states that were captured one after the other have the parts in common that were not
// written in between.
//
// A state refers to nothing of its world. It lives on the heap, may outlive the world and may be
// read by several threads.
#pragma once

#include "mutate/state/state_memory.hpp"
#include "storage/entity_index_state.hpp"
#include "storage/store.hpp"
#include "storage/table_set_state.hpp"

#include <memory>
#include <string>
#include <vector>

namespace kith::detail {
struct handle_rules;
}

namespace kith::mutate {

// A type of values, for states that outlive their component. The context of a type that was defined
// at run time belongs to its copy from the first capture on, and is freed with the last state.
struct type_copy {
    type_copy(const type_info& info, entity_t component_entity);
    ~type_copy();
    type_copy(const type_copy&) = delete;
    type_copy& operator=(const type_copy&) = delete;

    std::string name;
    type_info info;
    entity_t component;
    void (*free_context)(void* context) noexcept = nullptr;
    // In the list of all copies of the process.
    type_copy* next = nullptr;
    type_copy* before = nullptr;
};
// The newest copy of a type in the process; `next` leads to the others. Requires: no other thread
// captures or releases states while the list is used.
type_copy* newest_type_copy() noexcept;
// True if values of both types are handled by the same functions.
bool is_same_type(const type_info& left, const type_info& right) noexcept;

// A copy of an Identifier: the name or symbol of an entity.
struct name_copy {
    std::string text;
    std::uint32_t parent = 0;
    bool exists = false;
    bool indexed = false;  // a name; symbols are not indexed
};

// The values of one column of a table.
class column_copy {
public:
    // Copies `count` values. Throws what their copy constructors throw.
    column_copy(std::shared_ptr<const type_copy> type, const void* values, std::uint32_t count);
    explicit column_copy(state_vector<name_copy> names) noexcept : names_(std::move(names)) {}
    ~column_copy();
    column_copy(const column_copy&) = delete;
    column_copy& operator=(const column_copy&) = delete;

    // Null: the column has names.
    const type_copy* type() const noexcept { return type_.get(); }
    // Requires: the column has values, and row is less than their count.
    const std::byte* at(std::uint32_t row) const noexcept {
        return values_ + std::size_t{type_->info.size} * row;
    }
    const state_vector<name_copy>& names() const noexcept { return names_; }
    std::size_t bytes() const noexcept;

private:
    std::shared_ptr<const type_copy> type_;
    std::byte* values_ = nullptr;
    std::uint32_t count_ = 0;
    state_vector<name_copy> names_;
};

// The rows of a table.
struct rows_copy {
    std::shared_ptr<const state_vector<entity_t>> entities;
    state_vector<std::shared_ptr<const column_copy>> columns;  // in storage order
    // The capacity in rows, as the table had it.
    std::uint32_t capacity = 0;
};

// A sparse store or a store of switched-off entities, and a link store.
struct sparse_copy {
    sparse_copy(const storage::sparse_store& original, std::shared_ptr<const type_copy> value_type);
    std::shared_ptr<const type_copy> type;  // null: the store has no values
    containers::memory mem{&state_blocks};
    storage::sparse_store store;
};
struct links_copy {
    // The type of some values of the original store.
    struct value_type {
        const type_info* original;  // to be used during the copy only
        std::shared_ptr<const type_copy> copy;
    };
    links_copy(const storage::link_store& original, state_vector<value_type> value_types);
    state_vector<value_type> types;
    containers::memory mem{&state_blocks};
    storage::link_store store;
};

// The description of an id record.
struct record_copy {
    id_t id = 0;                   // 0: the number is free
    std::uint32_t value_type = 0;  // index of the component, 0: none
    std::uint32_t hook_type = 0;
    std::uint32_t traits = 0;
    std::uint32_t shape_flags = 0;
    storage::edge_effects effects = storage::edge_effects::none;
    bool pinned = false;
    std::uint32_t active = 0;
    std::uint32_t active_pairs = 0;
    std::uint32_t relation_position = 0;
    storage::pair_chain same_target;
    std::uint32_t sparse_number = 0;
    state_vector<storage::table_entry> tables;
    state_vector<std::uint32_t> pairs;  // numbers of records
};

// A table without its rows.
struct table_copy {
    bool exists = false;
    bool dormant = false;
    storage::table_age age;
    state_vector<id_t> ids;
    state_vector<std::uint16_t> column_ids;  // of each column: position in `ids`
};

// Ids, tables and types: everything but entities, rows and sparse stores.
struct structure_copy {
    state_vector<record_copy> records;         // by number
    state_vector<std::uint32_t> free_records;  // numbers
    state_vector<table_copy> tables;           // by number
    state_vector<std::uint32_t> free_tables;
    // Numbers of records in the order of the lists of the store.
    state_vector<std::uint32_t> sparse_ids;
    state_vector<std::uint32_t> link_ids;
    state_vector<std::uint32_t> toggled_ids;
    std::uint32_t sparse_count = 0;
    state_vector<std::shared_ptr<const type_copy>> types;
};

using record_page = state_vector<storage::entity_record>;

// An address that no other running thread has.
inline const void* calling_thread() noexcept {
    static thread_local const char own = 0;
    return &own;
}

struct world_state {
    std::shared_ptr<const structure_copy> structure;
    state_vector<std::shared_ptr<const record_page>> pages;  // null: no index was issued
    storage::entity_index_state::counters counters;
    state_vector<std::shared_ptr<const rows_copy>> rows;  // by number of the table
    state_vector<std::uint32_t> idle;
    storage::table_set_state::history history;
    bool untidy = false;
    // By number of the record; null where the id has no such store.
    state_vector<std::shared_ptr<const sparse_copy>> sparse;
    state_vector<std::shared_ptr<const sparse_copy>> toggles;
    state_vector<std::shared_ptr<const links_copy>> links;
    // Transient components, whose ids are left out (transient_ids.hpp), and the tables that were
    // made for entities without such ids.
    state_vector<entity_t> transient;
    state_vector<std::uint32_t> made_tables;
    // Of the library on top of the core; written by api/.
    state_vector<std::byte> extension;
    // Of handles inside of values; null if the world has none. Written by api/.
    const detail::handle_rules* handle_rules = nullptr;
    // The plans of queries (queries::planned_queries::kept); written by api/.
    std::shared_ptr<const void> plans;
    // The thread that captured the state. Others must not read its world.
    const void* thread = calling_thread();
};

// The memory of a state. `own`: of the parts that no other state shares.
std::size_t state_bytes(const world_state& state, bool own) noexcept;

}  // namespace kith::mutate
