// A cached group run hands out the records of a match cache group by group, without an executor. It
// serves cached queries with groups of whole tables in which each field is the column of one id,
// without inheritors.
//
// Covered by tests/features/ordering/group_test.cpp.
#pragma once

#include <kith/detail/query_ops.hpp>

#include "query/compiled_query.hpp"

namespace kith::queries {

class cached_group_run {
public:
    // True if a cached group run gives the results of the query with these options.
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
    // Fills in the fields of a record.
    void fill(const std::uint32_t* record, const detail::table_rows& rows) noexcept;

    const compiled_query& query_;
    const storage::store& data_;
    detail::table_lock lock_;
    group_cursor at_;  // enumerates the records of the groups
    detail::field_data fields_[plan::max_simple];
};

}  // namespace kith::queries
