// Results of runs that are rows of one table.
#pragma once

#include <kith/detail/query_layout.hpp>

#include "query/exec/scan.hpp"

namespace kith::queries {

// The result that consists of neighbouring rows of a table, without variables.
inline detail::result rows_of_table(const storage::store& data, const row_range& rows,
                                    const detail::field_data* fields,
                                    std::uint32_t field_count) noexcept {
    detail::result result{};
    result.entities =
        storage::entities_of(data.tables.at(rows.table), data.tables.rows(rows.table)) + rows.first;
    result.count = rows.count;
    result.table = rows.table;
    result.first_row = rows.first;
    result.fields = fields;
    result.field_count = field_count;
    return result;
}

// The result that consists of all rows of a table, without variables.
inline detail::result whole_table(const entity_t* entities, std::uint32_t number,
                                  const detail::table_rows& rows, const detail::field_data* fields,
                                  std::uint32_t field_count, std::uint64_t group = 0) noexcept {
    return {entities, rows.count, number,      0,       nullptr, false,
            false,    fields,     field_count, nullptr, group};
}
inline detail::result whole_table(const storage::store& data, std::uint32_t number,
                                  const detail::table_rows& rows, const detail::field_data* fields,
                                  std::uint32_t field_count, std::uint64_t group = 0) noexcept {
    return whole_table(storage::entities_of(data.tables.at(number), rows), number, rows, fields,
                       field_count, group);
}

}  // namespace kith::queries
