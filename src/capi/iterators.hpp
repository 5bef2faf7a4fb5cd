// Results of queries as kith_iter_t shows them.
#pragma once

#include "boundary.hpp"

namespace kith::capi {

// Writes a result to the members of an iterator.
KITH_ALWAYS_INLINE void show(kith_iter_t& it, const world_t* world,
                             const detail::result& found) noexcept {
    it.entities = found.entities;
    it.fields = reinterpret_cast<const kith_field_t*>(found.fields);
    it.count = static_cast<std::int32_t>(found.count);
    it.field_count = static_cast<std::int32_t>(found.field_count);
    it.table =
        found.table ? reinterpret_cast<kith_table_t*>(world->store->shapes[found.table]) : nullptr;
    it.offset = static_cast<std::int32_t>(found.first_row);
    it.group_id = found.group;
    it.variables = found.variables;
}

// Marks iterators of callbacks, which are no runs: kith_iter_t::reserved[3].
inline constexpr std::uint64_t is_callback = 1;

}  // namespace kith::capi
