// Rows of tables: appending, moving and removing them. No function can fail, or depends on the
// meaning of ids: the caller has reserved room and constructed values.
#pragma once

#include "base/assert.hpp"
#include "storage/store.hpp"

#include <cstring>

namespace kith::mutate {

using storage::table;

// Copies a value of plain bytes. Source and destination may be equal.
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t size) noexcept {
    // Usual sizes are copied in registers, because a call costs more than the copy. Head and tail
    // overlap where the size is not 16.
    if (size - 8 <= 8) {
        std::uint64_t head, tail;
        std::memcpy(&head, from, 8);
        std::memcpy(&tail, from + size - 8, 8);
        std::memcpy(to, &head, 8);
        std::memcpy(to + size - 8, &tail, 8);
    } else if (size == 4) {
        std::memcpy(to, from, 4);
    } else {
        // memmove, because source and destination may be the same value.
        std::memmove(to, from, size);
    }
}

// The first write to a table since the last snapshot is noted: of rows, and of values.
inline void note_rows_written(storage::store& data, const table& written) noexcept {
    if (written.flags & detail::shape_rows_unwritten) {
        data.rows_written(written);
    }
}
// The rest of note_value_written(), for a table that is unwritten or has an index.
void note_value_written_slow(storage::store& data, const storage::entity_record& record,
                             id_t id) noexcept;
// The entity's value of an id is written; id 0: any of its values may be.
inline void note_value_written(storage::store& data, const storage::entity_record& record,
                               id_t id) noexcept {
    if (data.tables.at(record.table).flags & (detail::shape_unwritten | detail::shape_indexed))
        [[unlikely]] {
        note_value_written_slow(data, record, id);
    }
}
// The rest of note_value_handed_out(), for the same tables.
void note_value_handed_out_slow(storage::store& data, entity_t entity,
                                const storage::entity_record& record, id_t id) noexcept;
// The same for a value that the program gets to write it. Several threads may do so.
inline void note_value_handed_out(storage::store& data, entity_t entity,
                                  const storage::entity_record& record, id_t id) noexcept {
    if (detail::load_flags(data.tables.at(record.table)) &
        (detail::shape_unwritten | detail::shape_indexed)) [[unlikely]] {
        note_value_handed_out_slow(data, entity, record, id);
    }
}

// The rest of note_leaving(), for a table that is tracked, unwritten or has an index.
void note_leaving_slow(storage::store& data, const table& table) noexcept;

// Entities have left the table, which has `rows` rows now: it may be idle, and tracked changes are
// counted.
inline void note_leaving(storage::store& data, const table& table, std::size_t rows) noexcept {
    if (rows == 0 && !(table.flags & detail::shape_idle)) [[unlikely]] {
        data.tables.note_emptied(table);
    }
    if (table.flags & (detail::shape_tracked | detail::shape_rows_unwritten |
                       detail::shape_indexed)) [[unlikely]] {
        note_leaving_slow(data, table);
    }
}

// The rest of note_arrival(), for a table that is dormant, tracked, unwritten or has an index.
void note_arrival_slow(storage::store& data, const table& table, entity_t entity) noexcept;

// An entity has entered the table: a dormant table becomes active.
inline void note_arrival(storage::store& data, const table& table, entity_t entity) noexcept {
    if (table.flags & (detail::shape_tracked | detail::shape_dormant |
                       detail::shape_rows_unwritten | detail::shape_indexed)) [[unlikely]] {
        note_arrival_slow(data, table, entity);
    }
}

// Marks an entity that has moved between tables, for queries that track single rows. The marks of
// both tables are set by note_leaving() and note_arrival().
inline void note_move(storage::store& data, const table& from, const table& to,
                      entity_t entity) noexcept {
    if ((from.flags | to.flags) & detail::shape_tracked && data.ticks.single().is_active())
        [[unlikely]] {
        data.ticks.row_moved(from, to, index_of(entity));
    }
}

// Appends a row for an entity and stores its place in the record. Returns the row. Columns are raw.
// Requires: room was reserved.
inline std::uint32_t append_row(storage::store& data, const table& to, entity_t entity,
                                storage::entity_record& record) noexcept {
    detail::table_rows& rows = data.tables.rows(to.number);
    KITH_ASSERT(rows.count < rows.capacity, "room for the row was reserved");
    std::uint32_t row = rows.count++;
    storage::entities_of(to, rows)[row] = entity;
    record.table = to.number;
    record.row = row;
    note_arrival(data, to, entity);
    return row;
}

// Moves the entity of the last row to `row`, in the array of entities. The caller moves the
// columns.
inline void fill_entity(storage::store& data, const table& from, std::uint32_t row) noexcept {
    detail::table_rows& rows = data.tables.rows(from.number);
    KITH_ASSERT(row < rows.count, "the row exists");
    entity_t* entities = storage::entities_of(from, rows);
    entity_t moved = entities[--rows.count];
    entities[row] = moved;
    data.entities.at(index_of(moved)).row = row;
    note_leaving(data, from, rows.count);
}

// Moves a row along an edge between tables whose columns can all be moved as bytes. `column` is the
// column in which the tables differ: a new one is left raw, a lost one is dropped. Requires: room
// was reserved.
void move_row_bytes(storage::store& data, entity_t entity, storage::entity_record& record,
                    const table& from, const table& to, std::uint16_t column) noexcept;

// Moves a row between any two tables: values of common columns are moved, values of lost columns
// are destroyed. Requires: room was reserved, and values of new columns were constructed in the row
// behind the last one of `to`.
void move_row(storage::store& data, entity_t entity, storage::entity_record& record,
              const table& from, const table& to) noexcept;

// Removes a row whose values need no destructor and can be moved as bytes.
inline void remove_row_bytes(storage::store& data, const table& from,
                             std::uint32_t removed) noexcept {
    // Locals instead of fields: the compiler must assume that the written bytes may be the fields.
    detail::table_rows& rows = data.tables.rows(from.number);
    KITH_ASSERT(removed < rows.count, "the row exists");
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

// Moves all rows to a table with a subset of the columns; other columns are dropped. Requires:
// values can be moved as bytes and need no destructor, and room was reserved.
void move_all_rows(storage::store& data, const table& from, const table& to) noexcept;

// Removes a row and destroys its values.
void remove_row(storage::store& data, const table& from, std::uint32_t row) noexcept;

}  // namespace kith::mutate
