// The parts of cached runs that are not hot, declared in cached_run.hpp.
#include "query/run/cached_run.hpp"

#include "base/assert.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <utility>

namespace kith::queries {

cached_run::cached_run(const compiled_query& query, world_t* stage,
                       const detail::run_options& options) noexcept
    : cache_(*query.cache()),
      share_(share_of(options, query.cache()->count(), false)),
      data_(static_cast<const storage::store&>(*stage->store)),
      lock_(stage, &query),
      field_count_(query.model.field_count),
      limit_(query.cache()->count()) {
    KITH_ASSERT(query.model.count <= plan::max_simple, "each term has a field of the run");
    for (const term& term : query.model) {
        const types::component_type* type = traits::describe_id(data_, term.id).value_type;
        sizes_[term.field] = type ? type->info.size : 0;
        flags_[term.field] = flags_of_match(term, true);
        fields_[term.field] = unset_field(term);
        if (term.in_chain || is_wildcard(term.id)) {
            open_[open_count_++] = {term.id, term.field};
        }
    }
}

// The next result of a run that visits a share of the rows.
bool cached_run::next_shared(detail::result& result) noexcept {
    const std::uint32_t end = std::min(limit_, cache_.count());
    while (at_ < end) {
        KITH_COUNT(visits);
        const std::uint32_t* record = cache_.record(at_++);
        const detail::table_rows& rows = data_.tables.rows(record[0]);
        std::uint32_t first, taken;
        if (share_.take(rows.count, first, taken)) {
            hand_out(record, rows, result);
            narrow_rows(result, fields_, first, taken);
            return true;
        }
    }
    lock_.table = 0;
    return false;
}

bool cached_run::next_of_part(part& left, detail::result& result) noexcept {
    while (left.count != 0 && left.match < cache_.count()) {
        const std::uint32_t* record = cache_.record(left.match++);
        const detail::table_rows& rows = data_.tables.rows(record[0]);
        const std::uint32_t first = std::exchange(left.first_row, 0);
        if (first < rows.count) {
            const auto taken =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(rows.count - first, left.count));
            hand_out(record, rows, result);
            narrow_rows(result, fields_, first, taken);
            left.count -= taken;
            return true;
        }
    }
    lock_.table = 0;
    return false;
}

}  // namespace kith::queries
