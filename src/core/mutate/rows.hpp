// Moving rows. Nothing here can fail, or asks what an id means: room was reserved and values were
// constructed before.
#pragma once

#include "storage/store.hpp"

#include <cstring>

namespace kith::mutate {

using storage::table;

inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t size) noexcept {
    // Sizes that most components have are copied in registers; a call costs more than the copy.
    switch (size) {
        case 4:
            std::memcpy(to, from, 4);
            return;
        case 8:
            std::memcpy(to, from, 8);
            return;
        case 12:
            std::memcpy(to, from, 12);
            return;
        case 16:
            std::memcpy(to, from, 16);
            return;
        default:
            std::memcpy(to, from, size);
            return;
    }
}

// Appends a row for an entity and says in its record where it is. Columns are raw. Room must have
// been reserved.
inline std::uint32_t append_row(storage::store& data, const table& owner, entity_t entity,
                                storage::entity_record& record) noexcept {
    detail::table_rows& rows = data.tables.rows(owner.number);
    std::uint32_t row = rows.count++;
    storage::entities_of(owner, rows)[row] = entity;
    record.table = owner.number;
    record.row = row;
    return row;
}

// The entity in the last row moves to `row`, in the array of entities; columns are the caller's.
inline void fill_entity(storage::store& data, const table& owner, std::uint32_t row) noexcept {
    detail::table_rows& rows = data.tables.rows(owner.number);
    entity_t* entities = storage::entities_of(owner, rows);
    entity_t moved = entities[--rows.count];
    entities[row] = moved;
    data.entities.at(index_of(moved)).row = row;
}

// Moves a row along an edge between tables whose columns can all be moved as bytes; a column that
// appears is zeroed, one that vanishes is dropped. Room must have been reserved.
void move_row_bytes(storage::store& data, entity_t entity, storage::entity_record& record,
                    const table& from, const table& to, std::uint16_t column) noexcept;

// Moves a row between any two tables: values of columns that both have are moved, those that vanish
// are destroyed, those that appear have been constructed in the row behind the last of `to`.
void move_row(storage::store& data, entity_t entity, storage::entity_record& record,
              const table& from, const table& to) noexcept;

// Destroys a row.
void remove_row(storage::store& data, const table& from, std::uint32_t row) noexcept;

}  // namespace kith::mutate
