#include "mutate/rows.hpp"

namespace kith::mutate {

using detail::column;
using detail::table_rows;
using storage::value_in;

namespace {

// The last row's value of a column takes the place of row's, which was moved away or destroyed.
void fill_value(const type_info& info, const table_rows& rows, const column& place,
                std::uint32_t row, std::uint32_t last) noexcept {
    if (row != last) {
        types::relocate_value(info, value_in(rows, place, row), value_in(rows, place, last));
    }
}

}  // namespace

namespace {

struct moved_rows {
    std::byte* source;
    std::byte* target;
    std::size_t source_capacity;
    std::size_t target_capacity;
    std::size_t row;
    std::size_t last;
    std::size_t end;
};

// Columns that all have one size: offsets within a column are worked out once.
template <std::size_t Size>
inline std::uint32_t move_run(const moved_rows& rows, const column* from, const column* to,
                              std::uint32_t count) noexcept {
    // Copies in locals: bytes written below might be any of these.
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
    table_rows& source = data.tables.rows(from.number);
    table_rows& target = data.tables.rows(to.number);
    // All in locals: the compiler must assume that the bytes written below are any of this.
    std::byte* const source_block = source.block;
    std::byte* const target_block = target.block;
    const std::size_t source_capacity = source.capacity;
    const std::size_t target_capacity = target.capacity;
    const std::size_t row = record.row;
    const std::size_t last = --source.count;
    const std::size_t end = target.count++;

    auto* source_entities =
        reinterpret_cast<entity_t*>(source_block + from.entities_offset * source_capacity);
    const entity_t moved = source_entities[last];
    source_entities[row] = moved;
    data.entities.at(index_of(moved)).row = static_cast<std::uint32_t>(row);
    reinterpret_cast<entity_t*>(target_block + to.entities_offset * target_capacity)[end] = entity;
    record.table = to.number;
    record.row = static_cast<std::uint32_t>(end);

    const column* old_place = from.columns;
    const column* new_place = to.columns;
    const std::uint32_t from_count = from.column_count;
    const std::uint32_t to_count = to.column_count;
    const std::uint32_t shared = from_count < to_count ? from_count : to_count;
    if (shared <= 3) {
        // Too few for grouping to pay.
        for (std::uint32_t i = 0; i < shared; ++i, ++old_place, ++new_place) {
            if (i == column_at) {
                // From here on the lists are one apart.
                old_place += from_count > to_count;
                new_place += from_count < to_count;
            }
            const std::size_t size = old_place->size;
            std::byte* values = source_block + old_place->offset * source_capacity;
            std::byte* value = values + size * row;
            copy_bytes(target_block + new_place->offset * target_capacity + size * end, value,
                       size);
            copy_bytes(value, values + size * last, size);
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
    if (from_count > to_count) {
        const column& gone = from.columns[column_at];
        std::byte* values = source_block + gone.offset * source_capacity;
        copy_bytes(values + gone.size * row, values + gone.size * last, gone.size);
    }
    constexpr std::uint32_t noted = detail::shape_tracked | detail::shape_dormant;
    if (last == 0 || (from.flags | to.flags) & noted) [[unlikely]] {
        note_leaving(data, from, last);
        note_arrival(data, to, entity);
        note_move(data, from, to, entity);
    }
}

void note_arrival_slow(storage::store& data, const table& table, entity_t entity) noexcept {
    if (table.flags & detail::shape_dormant) {
        data.tables.note_filled(table);
    }
    if (table.flags & detail::shape_tracked) {
        data.ticks.row_came(table.number, index_of(entity));
    }
}

void move_row(storage::store& data, entity_t entity, storage::entity_record& record,
              const table& from, const table& to) noexcept {
    if (record.state & storage::record_referenced) {
        data.on_referenced_moved(record, index_of(entity), from, to);
    }
    const table_rows source = data.tables.rows(from.number);
    const table_rows target = data.tables.rows(to.number);
    const std::uint32_t row = record.row;
    const std::uint32_t last = source.count - 1;
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
    for (std::uint32_t i = 0; i < from.column_count; ++i) {
        const type_info& info = from.column_type(i);
        types::destroy_values(info, value_in(source, from.columns[i], row), 1);
        fill_value(info, source, from.columns[i], row, source.count - 1);
    }
    fill_entity(data, from, row);
}

}  // namespace kith::mutate
