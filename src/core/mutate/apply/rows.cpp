// Moving, appending and removing rows of tables: the parts of rows.hpp that are not inlined.
#include "mutate/apply/rows.hpp"

#include "base/assert.hpp"
#include "storage/value_index.hpp"

namespace kith::mutate {

using detail::column;
using detail::table_rows;
using storage::value_in;

namespace {

// Fills the hole that a removed row leaves in one column: the value of the last row moves there.
// The value of `row` was moved away or destroyed before.
void fill_value(const type_info& info, const table_rows& rows, const column& place,
                std::uint32_t row, std::uint32_t last) noexcept {
    if (row != last) {
        types::relocate_value(info, value_in(rows, place, row), value_in(rows, place, last));
    }
}

}  // namespace

namespace {

// The source and target rows of a move of plain bytes. Capacities scale the offsets of columns.
struct moved_rows {
    std::byte* source;
    std::byte* target;
    std::size_t source_capacity;
    std::size_t target_capacity;
    std::size_t row;
    std::size_t last;
    std::size_t end;
};

// Moves the values of successive columns of equal size. The compiler knows the size, so that each
// copy is one or two instructions. Returns the number of columns moved.
template <std::size_t Size>
inline std::uint32_t move_run(const moved_rows& rows, const column* from, const column* to,
                              std::uint32_t count) noexcept {
    // Locals instead of fields: the compiler must assume that the written bytes may be the fields.
    std::byte* const source_row = rows.source + Size * rows.row;
    std::byte* const source_last = rows.source + Size * rows.last;
    std::byte* const target_end = rows.target + Size * rows.end;
    const std::size_t source_capacity = rows.source_capacity;
    const std::size_t target_capacity = rows.target_capacity;
    std::uint32_t i = 0;
    do {
        const std::size_t offset = from[i].offset * source_capacity;
        std::memcpy(target_end + to[i].offset * target_capacity, source_row + offset, Size);
        std::byte filler[Size];  // a copy, because the last row may be the row itself
        std::memcpy(filler, source_last + offset, Size);
        std::memcpy(source_row + offset, filler, Size);
    } while (++i < count && from[i].size == Size);
    return i;
}

// Moves all columns, grouped into runs of one size. Requires: both lists name the same columns.
void move_columns(const moved_rows& rows, const column* from, const column* to,
                  std::uint32_t count) noexcept {
    for (std::uint32_t i = 0; i < count;) {
        const std::size_t size = from[i].size;
        if (size == 8) {
            i += move_run<8>(rows, from + i, to + i, count - i);
        } else if (size == 12) {
            i += move_run<12>(rows, from + i, to + i, count - i);
        } else if (size == 4) {
            i += move_run<4>(rows, from + i, to + i, count - i);
        } else if (size == 16) {
            i += move_run<16>(rows, from + i, to + i, count - i);
        } else {
            std::byte* values = rows.source + from[i].offset * rows.source_capacity;
            copy_bytes(rows.target + to[i].offset * rows.target_capacity + size * rows.end,
                       values + size * rows.row, size);
            copy_bytes(values + size * rows.row, values + size * rows.last, size);
            ++i;
        }
    }
}

}  // namespace

void move_row_bytes(storage::store& data, entity_t entity, storage::entity_record& record,
                    const table& from, const table& to, std::uint16_t column_at) noexcept {
    KITH_ASSERT(record.table == from.number, "the record says in which table the row is");
    table_rows& source = data.tables.rows(from.number);
    table_rows& target = data.tables.rows(to.number);
    // Locals instead of fields: the compiler must assume that the written bytes may be the fields.
    std::byte* const source_block = source.block;
    std::byte* const target_block = target.block;
    const std::size_t source_capacity = source.capacity;
    const std::size_t target_capacity = target.capacity;
    KITH_ASSERT(target.count < target.capacity, "room for the row was reserved");
    KITH_ASSERT(record.row < source.count, "the row exists");
    const std::size_t row = record.row;
    const std::size_t last = --source.count;
    const std::size_t end = target.count++;

    auto* source_entities =
        reinterpret_cast<entity_t*>(source_block + from.entities_offset * source_capacity);
    // A new entity is in the last row of its table: no gap is left behind.
    const bool leaves_gap = row != last;
    if (leaves_gap) {
        const entity_t moved = source_entities[last];
        source_entities[row] = moved;
        data.entities.at(index_of(moved)).row = static_cast<std::uint32_t>(row);
    }
    reinterpret_cast<entity_t*>(target_block + to.entities_offset * target_capacity)[end] = entity;
    record.table = to.number;
    record.row = static_cast<std::uint32_t>(end);

    const column* old_place = from.columns;
    const column* new_place = to.columns;
    const std::uint32_t from_count = from.column_count;
    const std::uint32_t to_count = to.column_count;
    const std::uint32_t shared = from_count < to_count ? from_count : to_count;
    if (shared <= 3) {
        // For three columns or fewer, grouping costs more than it saves.
        for (std::uint32_t i = 0; i < shared; ++i, ++old_place, ++new_place) {
            if (i == column_at) {
                // The differing column shifts one of the two lists by one from here on.
                old_place += from_count > to_count;
                new_place += from_count < to_count;
            }
            const std::size_t size = old_place->size;
            std::byte* values = source_block + old_place->offset * source_capacity;
            std::byte* value = values + size * row;
            copy_bytes(target_block + new_place->offset * target_capacity + size * end, value,
                       size);
            if (leaves_gap) {
                copy_bytes(value, values + size * last, size);
            }
        }
    } else {
        const moved_rows rows{source_block, target_block, source_capacity, target_capacity, row,
                              last,         end};
        const std::uint32_t before = column_at < shared ? column_at : shared;
        move_columns(rows, old_place, new_place, before);
        if (before != shared) {
            move_columns(rows, old_place + before + (from_count > to_count),
                         new_place + before + (from_count < to_count), shared - before);
        }
    }
    if (from_count > to_count && leaves_gap) {
        const column& removed = from.columns[column_at];
        std::byte* values = source_block + removed.offset * source_capacity;
        copy_bytes(values + removed.size * row, values + removed.size * last, removed.size);
    }
    constexpr std::uint32_t observed = detail::shape_tracked | detail::shape_dormant |
                                       detail::shape_rows_unwritten | detail::shape_indexed;
    if (last == 0 || (from.flags | to.flags) & observed) [[unlikely]] {
        note_leaving(data, from, last);
        note_arrival(data, to, entity);
        note_move(data, from, to, entity);
    }
}

void note_value_written_slow(storage::store& data, const storage::entity_record& record,
                             id_t id) noexcept {
    const table& written = data.tables.at(record.table);
    if (written.flags & detail::shape_unwritten) {
        data.table_written(written);
    }
    if (written.flags & detail::shape_indexed && data.indexes) {
        const entity_t* entities = storage::entities_of(written, data.tables.rows(record.table));
        data.indexes->note(id, index_of(entities[record.row]));
    }
}

void note_value_handed_out_slow(storage::store& data, entity_t entity,
                                const storage::entity_record& record, id_t id) noexcept {
    const table& written = data.tables.at(record.table);
    data.value_handed_out(written);
    if (detail::load_flags(written) & detail::shape_indexed && data.indexes) {
        data.indexes->note_rows(id, record.table, &entity, 1);
    }
}

// Out of line, because few tables are tracked, dormant or unwritten, or have an index.
void note_leaving_slow(storage::store& data, const table& table) noexcept {
    note_rows_written(data, table);
    if (table.flags & detail::shape_indexed && data.indexes) {
        data.indexes->row_moved();
    }
    if (table.flags & detail::shape_tracked) {
        data.ticks.rows_changed(table.number);
    }
}

void note_arrival_slow(storage::store& data, const table& table, entity_t entity) noexcept {
    note_rows_written(data, table);
    if (table.flags & detail::shape_dormant) {
        data.tables.note_filled(table);
    }
    if (table.flags & detail::shape_tracked) {
        data.ticks.row_came(table.number, index_of(entity));
    }
    if (table.flags & detail::shape_indexed && data.indexes) {
        data.indexes->note_arrival(table, index_of(entity));
    }
}

void move_row(storage::store& data, entity_t entity, storage::entity_record& record,
              const table& from, const table& to) noexcept {
    if (record.state & storage::record_referenced) {
        data.on_referenced_moved(record, index_of(entity), from, to);
    }
    const table_rows source = data.tables.rows(from.number);
    const table_rows target = data.tables.rows(to.number);
    KITH_ASSERT(target.count < target.capacity, "room for the row was reserved");
    KITH_ASSERT(from.number == storage::no_table || record.row < source.count, "the row exists");
    const std::uint32_t row = record.row;
    const std::uint32_t last = source.count - 1;
    // Columns of both tables are in the same order (`comes_before`), so one pass over both finds
    // the columns in common.
    for (std::uint32_t i = 0, j = 0; i < from.column_count; ++i) {
        const storage::id_record& old_record = *from.records[from.column_ids[i]];
        while (j < to.column_count && to.records[to.column_ids[j]] != &old_record &&
               storage::comes_before(*to.records[to.column_ids[j]], old_record)) {
            ++j;
        }
        const type_info& info = old_record.value_type->info;
        std::byte* value = value_in(source, from.columns[i], row);
        if (j < to.column_count && to.records[to.column_ids[j]] == &old_record) {
            types::relocate_value(info, value_in(target, to.columns[j], target.count), value);
            ++j;
        } else {
            types::destroy_values(info, value, 1);
        }
        fill_value(info, source, from.columns[i], row, last);
    }
    if (from.number != storage::no_table) {
        fill_entity(data, from, row);
    }
    append_row(data, to, entity, record);
    note_move(data, from, to, entity);
}

void move_all_rows(storage::store& data, const table& from, const table& to) noexcept {
    table_rows& source = data.tables.rows(from.number);
    table_rows& target = data.tables.rows(to.number);
    KITH_ASSERT(from.number != to.number, "rows move to another table");
    KITH_ASSERT(target.capacity - target.count >= source.count, "room for the rows was reserved");
    // Columns of `to` are a subset of those of `from`, in the same order.
    for (std::uint32_t i = 0, j = 0; i < to.column_count; ++i, ++j) {
        while (from.records[from.column_ids[j]] != to.records[to.column_ids[i]]) {
            ++j;
        }
        std::memcpy(value_in(target, to.columns[i], target.count),
                    storage::column_data(source, from.columns[j]),
                    std::size_t{to.columns[i].size} * source.count);
    }
    const entity_t* moved = storage::entities_of(from, source);
    entity_t* entities = storage::entities_of(to, target);
    for (std::uint32_t row = 0; row < source.count; ++row) {
        storage::entity_record& record = data.entities.at(index_of(moved[row]));
        if (record.state & storage::record_referenced) {
            data.on_referenced_moved(record, index_of(moved[row]), from, to);
        }
        record.table = to.number;
        record.row = target.count;
        entities[target.count++] = moved[row];
        note_arrival(data, to, moved[row]);
        note_move(data, from, to, moved[row]);
    }
    source.count = 0;
    note_leaving(data, from, 0);
}

void remove_row(storage::store& data, const table& from, std::uint32_t row) noexcept {
    if (from.flags & detail::shape_trivial_destroy && from.flags & detail::shape_trivial_move) {
        remove_row_bytes(data, from, row);
        return;
    }
    const table_rows source = data.tables.rows(from.number);
    KITH_ASSERT(row < source.count, "the row exists");
    for (std::uint32_t i = 0; i < from.column_count; ++i) {
        const type_info& info = from.column_type(i);
        types::destroy_values(info, value_in(source, from.columns[i], row), 1);
        fill_value(info, source, from.columns[i], row, source.count - 1);
    }
    fill_entity(data, from, row);
}

}  // namespace kith::mutate
