// A helper of runs whose results are whole tables.
#pragma once

#include <kith/detail/query_layout.hpp>

#include "storage/store.hpp"

namespace kith::queries {

// The result that consists of all rows of a table, without variables.
inline detail::result whole_table(const storage::store& data, std::uint32_t number,
                                  const detail::table_rows& rows, const detail::field_data* fields,
                                  std::uint32_t field_count, std::uint64_t group = 0) noexcept {
    return {storage::entities_of(data.tables.at(number), rows),
            rows.count,
            number,
            0,
            nullptr,
            false,
            false,
            fields,
            field_count,
            nullptr,
            group};
}

}  // namespace kith::queries
