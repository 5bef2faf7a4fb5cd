// The fields of results: the only functions that turn a term and the place of its id into the
// `field_data` that callbacks receive.
#pragma once

#include <kith/detail/query_layout.hpp>

#include "query/model/query_model.hpp"
#include "storage/store.hpp"

#include <algorithm>

namespace kith::queries {

// True if a term's value is only to be read. A term without declared access may write the values
// that the matched entity owns.
inline bool is_readonly(const term& term, bool owned) noexcept {
    return term.access == In || term.access == InOutNone ||
           (term.access == InOutDefault && !owned && !term.is_argument);
}
// True if the term hands out values that callbacks may write.
inline bool may_write(const term& term) noexcept {
    return term.kind == term_kind::ids && term.from != source_kind::none && term.oper != Not &&
           !is_readonly(term, true);
}
// True if a term of the query does.
inline bool may_write(const query_model& model) noexcept {
    return std::any_of(model.begin(), model.end(),
                       [](const term& term) { return may_write(term); });
}
// The flags of a field whose term matched.
inline std::uint32_t flags_of_match(const term& term, bool owned) noexcept {
    return detail::field_set | (is_readonly(term, owned) ? detail::field_readonly : 0u) |
           (term.access == Out ? detail::field_write_only : 0u);
}

// The field of a term without a match.
inline detail::field_data unset_field(const term& term) noexcept {
    return {nullptr, nullptr, term.id, term.source, 0, 0};
}
// The field of a term whose id the rows own; `value` is that of the first row, null for a tag.
inline detail::field_data owned_field(const term& term, id_t id, std::byte* value,
                                      std::uint32_t size) noexcept {
    return {value, nullptr, id, 0, size, flags_of_match(term, true)};
}
// The field of a term whose id is at `position` in the type of a table, for the rows from `first`
// on.
inline detail::field_data column_field(const term& term, const storage::table& type,
                                       const detail::table_rows& rows, std::uint32_t position,
                                       std::uint32_t first = 0) noexcept {
    const detail::column column = type.slots[position];
    return owned_field(term, type.ids[position],
                       column.size ? storage::value_in(rows, column, first) : nullptr, column.size);
}

// Copies fields for rows further behind: arrays begin `rows` values later. `to` may be `from`.
inline void copy_fields(const detail::field_data* from, std::uint32_t count, std::size_t rows,
                        detail::field_data* to) noexcept {
    for (std::uint32_t i = 0; i < count; ++i) {
        to[i] = from[i];
        to[i].value += to[i].value ? to[i].stride * rows : 0;
    }
}

}  // namespace kith::queries
