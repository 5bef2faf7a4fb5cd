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

void move_row_bytes(storage::store& data, entity_t entity, storage::entity_record& record,
                    const table& from, const table& to, std::uint16_t column_at) noexcept {
    const table_rows source = data.tables.rows(from.number);
    const table_rows target = data.tables.rows(to.number);
    const std::uint32_t row = record.row;
    const std::uint32_t last = source.count - 1;

    const column* from_columns = from.columns;
    const column* to_columns = to.columns;
    std::uint32_t count = from.column_count;
    if (column_at != storage::no_column) {
        if (to.column_count > from.column_count) {
            std::memset(value_in(target, to_columns[column_at], target.count), 0,
                        to_columns[column_at].size);
        } else {
            const column& gone = from_columns[column_at];
            copy_bytes(value_in(source, gone, row), value_in(source, gone, last), gone.size);
        }
    }
    bool grows = to.column_count > from.column_count;
    for (std::uint32_t i = 0, j = 0; i < count; ++i, ++j) {
        if (i == column_at) {
            if (grows) {
                ++j;
            } else {
                --j;
                continue;
            }
        }
        const column& old_place = from_columns[i];
        std::byte* old_base = storage::column_data(source, old_place);
        std::byte* value = old_base + std::size_t{old_place.size} * row;
        copy_bytes(value_in(target, to_columns[j], target.count), value, old_place.size);
        copy_bytes(value, old_base + std::size_t{old_place.size} * last, old_place.size);
    }
    fill_entity(data, from, row);
    append_row(data, to, entity, record);
}

void move_row(storage::store& data, entity_t entity, storage::entity_record& record,
              const table& from, const table& to) noexcept {
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
    if (from.number != storage::limbo_table) {
        fill_entity(data, from, row);
    }
    append_row(data, to, entity, record);
}

void remove_row(storage::store& data, const table& from, std::uint32_t row) noexcept {
    const table_rows source = data.tables.rows(from.number);
    const std::uint32_t last = source.count - 1;
    if (from.flags & detail::shape_trivial_destroy && from.flags & detail::shape_trivial_move) {
        for (std::uint32_t i = 0; i < from.column_count; ++i) {
            const column& place = from.columns[i];
            std::byte* base = storage::column_data(source, place);
            copy_bytes(base + std::size_t{place.size} * row, base + std::size_t{place.size} * last,
                       place.size);
        }
    } else {
        for (std::uint32_t i = 0; i < from.column_count; ++i) {
            const type_info& info = from.column_type(i);
            types::destroy_values(info, value_in(source, from.columns[i], row), 1);
            fill_value(info, source, from.columns[i], row, last);
        }
    }
    fill_entity(data, from, row);
}

}  // namespace kith::mutate
