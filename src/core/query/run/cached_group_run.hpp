// A cached group run hands out the records of a match cache group by group, without an executor. It
// serves cached queries with groups of whole tables in which each field is the column of one id,
// without inheritors.
//
// Covered by tests/features/ordering/group_test.cpp.
#pragma once

#include "query/compiled_query.hpp"
#include "query/run/run.hpp"

namespace kith::queries {

class cached_group_run final : public run {
public:
    cached_group_run(const compiled_query& query, world_t* stage,
                     const detail::run_options& options);

    bool next(detail::result& result) override;

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
