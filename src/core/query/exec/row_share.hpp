// Shares of the rows of a run: the share of a query's options, and a result reduced to some of its
// rows. The class itself is in kith/detail/row_share.hpp, implemented in row_share.cpp.
//
// Covered by tests/features/cost/share_test.cpp.
#pragma once

#include <kith/detail/query_ops.hpp>

#include "query/exec/fields.hpp"

namespace kith::queries {

using detail::row_share;

inline row_share share_of(const detail::run_options& options, std::uint32_t tables,
                          bool sifted) noexcept {
    return {options.share, options.shares, tables, sifted};
}

// Narrows a result to some of its rows, whose fields are written to `fields`: those of the result
// itself, or others.
inline void narrow_rows(detail::result& result, detail::field_data* fields, std::uint32_t first,
                        std::uint32_t taken) noexcept {
    copy_fields(result.fields, result.field_count, first, fields);
    result.fields = fields;
    result.entities += first;
    result.first_row += first;
    result.count = taken;
}

}  // namespace kith::queries
