// Shares of the rows of a run: the share of a query's options, and a result reduced to some of its
// rows. The class itself is in kith/detail/row_share.hpp, implemented in row_share.cpp.
//
// Covered by tests/features/cost/share_test.cpp.
#pragma once

#include <kith/detail/query_ops.hpp>

namespace kith::queries {

using detail::row_share;

inline row_share share_of(const detail::run_options& options, std::uint32_t tables,
                          bool sifted) noexcept {
    return {options.share, options.shares, tables, sifted};
}

// Narrows a result, whose fields are `fields`, to some of its rows.
inline void narrow_rows(detail::result& result, detail::field_data* fields, std::uint32_t first,
                        std::uint32_t taken) noexcept {
    for (std::uint32_t i = 0; i < result.field_count; ++i) {
        if (fields[i].value) {
            fields[i].value += std::size_t{fields[i].stride} * first;
        }
    }
    result.entities += first;
    result.first_row += first;
    result.count = taken;
}

}  // namespace kith::queries
