// Moving rows. Nothing here can fail, or asks what an id means: room was reserved and values were
// constructed before.
#pragma once

#include "storage/store.hpp"

#include <cstring>

namespace kith::mutate {

using storage::table;

inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t size) noexcept {
    // Sizes that most components have are copied in registers; a call costs more than the copy.
    // Head and tail overlap where the size is not 16.
    if (size - 8 <= 8) {
        std::uint64_t head, tail;
        std::memcpy(&head, from, 8);
        std::memcpy(&tail, from + size - 8, 8);
        std::memcpy(to, &head, 8);
        std::memcpy(to + size - 8, &tail, 8);
    } else if (size == 4) {
        std::memcpy(to, from, 4);
    } else {
        // Source and destination may be the same value.
        std::memmove(to, from, size);
    }
}

// Entities left a table, which has so many rows now.
inline void note_leaving(storage::store& data, const table& table, std::size_t rows) noexcept {
    if (rows == 0 && !(table.flags & detail::shape_idle)) [[unlikely]] {
        data.tables.note_emptied(table);
    }
    if (table.flags & detail::shape_tracked) [[unlikely]] {
        data.ticks.rows_changed(table.number);
    }
}

// The same for a table that is dormant, or whose changes are counted.
void note_arrival_slow(storage::store& data, const table& table, entity_t entity) noexcept;

// An entity came to a table.
inline void note_arrival(storage::store& data, const table& table, entity_t entity) noexcept {
    if (table.flags & (detail::shape_tracked | detail::shape_dormant)) [[unlikely]] {
        note_arrival_slow(data, table, entity);
    }
}

// Marks an entity that moved from one table to another; the marks of both tables are set already.
inline void note_move(storage::store& data, const table& from, const table& to,
                      entity_t entity) noexcept {
    if ((from.flags | to.flags) & detail::shape_tracked && data.ticks.single().is_active())
        [[unlikely]] {
        data.ticks.row_moved(from, to, index_of(entity));
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
    note_arrival(data, owner, entity);
    return row;
}

// The entity in the last row moves to `row`, in the array of entities; columns are the caller's.
inline void fill_entity(storage::store& data, const table& owner, std::uint32_t row) noexcept {
    detail::table_rows& rows = data.tables.rows(owner.number);
    entity_t* entities = storage::entities_of(owner, rows);
    entity_t moved = entities[--rows.count];
    entities[row] = moved;
    data.entities.at(index_of(moved)).row = row;
    note_leaving(data, owner, rows.count);
}

// Moves a row along an edge between tables whose columns can all be moved as bytes; a column that
// appears is left raw, one that vanishes is dropped. Room must have been reserved.
void move_row_bytes(storage::store& data, entity_t entity, storage::entity_record& record,
                    const table& from, const table& to, std::uint16_t column) noexcept;

// Moves a row between any two tables: values of columns that both have are moved, those that vanish
// are destroyed, those that appear have been constructed in the row behind the last of `to`.
void move_row(storage::store& data, entity_t entity, storage::entity_record& record,
              const table& from, const table& to) noexcept;

// Drops a row whose values need no destructor, and can be moved as bytes.
inline void remove_row_bytes(storage::store& data, const table& from,
                             std::uint32_t removed) noexcept {
    // All in locals: the compiler must assume that the bytes written below are any of this.
    detail::table_rows& rows = data.tables.rows(from.number);
    std::byte* const block = rows.block;
    const std::size_t capacity = rows.capacity;
    const std::size_t row = removed;
    const std::size_t last = --rows.count;
    const detail::column* place = from.columns;
    const detail::column* const end = place + from.column_count;
    auto* entities = reinterpret_cast<entity_t*>(block + from.entities_offset * capacity);
    const entity_t moved = entities[last];
    entities[row] = moved;
    data.entities.at(index_of(moved)).row = removed;
    for (; place != end; ++place) {
        const std::size_t size = place->size;
        std::byte* values = block + place->offset * capacity;
        copy_bytes(values + size * row, values + size * last, size);
    }
    note_leaving(data, from, last);
}

// Moves all rows to a table that has some of the columns, the others are dropped. For values that
// can be moved as bytes and need no destructor. Room must have been reserved.
void move_all_rows(storage::store& data, const table& from, const table& to) noexcept;

// Destroys a row.
void remove_row(storage::store& data, const table& from, std::uint32_t row) noexcept;

}  // namespace kith::mutate
