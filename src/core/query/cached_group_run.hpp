// A run of a cached query with groups of tables, without a machine: each field is the column of one
// id, and nothing is inherited.
//
// Covered by tests/core/query/group_test.cpp.
#pragma once

#include <kith/detail/query_ops.hpp>

#include "query/compiled_query.hpp"

namespace kith::queries {

class cached_group_run {
public:
    static bool fits(const compiled_query& query, const detail::run_options& options) noexcept {
        return query.caches_groups && query.steps.plain && query.model.count <= plan::max_simple &&
               query.cache->inheritor_count() == 0 && options.has_all_rows();
    }

    cached_group_run(const compiled_query& query, world_t* stage,
                     const detail::run_options& options);
    cached_group_run(const cached_group_run&) = delete;
    cached_group_run& operator=(const cached_group_run&) = delete;

    bool next(detail::result& result);

private:
    void fill(const std::uint32_t* record, const detail::table_rows& rows) noexcept;

    const compiled_query& query_;
    const storage::store& data_;
    detail::table_lock lock_;
    group_cursor at_;
    detail::field_data fields_[plan::max_simple];
};

}  // namespace kith::queries
