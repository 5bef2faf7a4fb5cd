// Cached group runs, declared in cached_group_run.hpp.
#include "query/run/cached_group_run.hpp"

#include "base/assert.hpp"
#include "query/run/whole_table.hpp"

namespace kith::queries {

cached_group_run::cached_group_run(const compiled_query& query, world_t* stage,
                                   const detail::run_options& options)
    : query_(query),
      data_(static_cast<const storage::store&>(*stage->store)),
      lock_(stage, &query),
      at_(query.order->groups, *query.cache(), options.one_group ? &options.group : nullptr) {
    KITH_ASSERT(query.model.count <= plan::max_simple, "each term has a field of the run");
}

void cached_group_run::fill(const std::uint32_t* record, const detail::table_rows& rows) noexcept {
    const storage::table& type = data_.tables.at(record[0]);
    for (std::uint32_t i = 0; i < query_.model.count; ++i) {
        const term& term = query_.model.terms[i];
        const std::uint32_t position = record[2 + 2 * i];
        fields_[i] =
            position == no_place ? unset_field(term) : column_field(term, type, rows, position);
    }
}

bool cached_group_run::next(detail::result& result) {
    std::uint64_t group = 0;
    for (std::uint32_t place; at_.next(place, group);) {
        if (place >= query_.cache()->count()) {
            continue;  // callbacks have changed the cache: the position is that of an inheritor
                       // match
        }
        const std::uint32_t* record = query_.cache()->record(place);
        const detail::table_rows& rows = data_.tables.rows(record[0]);
        if (rows.count == 0) {
            continue;
        }
        fill(record, rows);
        lock_.table = record[0];
        result = whole_table(data_, record[0], rows, fields_, query_.model.field_count, group);
        return true;
    }
    lock_.table = 0;
    return false;
}

}  // namespace kith::queries
