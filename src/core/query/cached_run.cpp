#include "query/cached_run.hpp"

#include "traits/traits.hpp"

namespace kith::queries {

cached_run::cached_run(const compiled_query& query, world_t* stage,
                       const detail::run_options& options) noexcept
    : cache_(*query.cache),
      share_(options),
      data_(static_cast<const storage::store&>(*stage->store)),
      lock_(stage, &query),
      field_count_(query.model.field_count),
      limit_(query.cache->count()) {
    for (const term& one : query.model) {
        const types::component_type* type = traits::describe_id(data_, one.id).value_type;
        sizes_[one.field] = type ? type->info.size : 0;
        flags_[one.field] =
            detail::field_set | (is_readonly(one, true) ? detail::field_readonly : 0u);
        fields_[one.field] = {nullptr, nullptr, one.id, 0, 0, 0};
        if (one.in_chain || is_wildcard(one.id)) {
            open_[open_count_++] = {one.id, one.field};
        }
    }
}

}  // namespace kith::queries
