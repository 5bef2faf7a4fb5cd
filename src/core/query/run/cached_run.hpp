// A cached run hands out the records of a match cache one after the other, without an executor. It
// serves cached queries whose terms are all answered by the cache, without inheritors.
//
// Implemented in the header, because it is the hot path of cached queries, and in cached_run.cpp.
// Covered by tests/features/queries/cache_test.cpp.
#pragma once

#include "query/compiled_query.hpp"
#include "query/exec/row_share.hpp"
#include "query/run/run.hpp"
#include "query/run/whole_table.hpp"

namespace kith::queries {

class cached_run final : public run {
public:
    cached_run(const compiled_query& query, world_t* stage,
               const detail::run_options& options) noexcept;

    bool next(detail::result& result) noexcept override {
        if (!share_.is_all()) {
            return next_shared(result);
        }
        // Tables that callbacks make do not join the run.
        while (at_ < limit_ && at_ < cache_.count()) {
            KITH_COUNT(visits);
            const std::uint32_t* record = cache_.record(at_++);
            const detail::table_rows& rows = data_.tables.rows(record[0]);
            if (rows.count != 0) {
                hand_out(record, rows, result);
                return true;
            }
        }
        lock_.table = 0;
        return false;
    }

    // The rows of a run that visits a part of the list: `count` rows, from a row of the record
    // `match` on.
    struct part {
        std::uint32_t match = 0;
        std::uint32_t first_row = 0;
        std::uint64_t count = 0;
    };
    // The next result of such a run. `left` shrinks by the rows that were handed out.
    bool next_of_part(part& left, detail::result& result) noexcept;

private:
    bool next_shared(detail::result& result) noexcept;
    // Makes a result of a record, and locks its table.
    void hand_out(const std::uint32_t* record, const detail::table_rows& rows,
                  detail::result& result) noexcept {
        for (std::uint32_t i = 0; i < field_count_; ++i) {
            detail::field_data& field = fields_[i];
            const std::uint32_t offset = record[1 + 2 * i];
            const bool is_set = record[2 + 2 * i] != no_place;
            field.value =
                offset == no_place ? nullptr : rows.block + std::size_t{offset} * rows.capacity;
            field.stride = is_set ? sizes_[i] : 0;
            field.flags = is_set ? flags_[i] : 0;
        }
        if (open_count_ != 0) {
            name_open(record);
        }
        lock_.table = record[0];
        result = whole_table(data_, record[0], rows, fields_, field_count_);
    }

    // Fills in the ids of fields with wildcards and chains, which differ between records.
    void name_open(const std::uint32_t* record) noexcept {
        const storage::table& type = data_.tables.at(record[0]);
        for (std::uint32_t i = 0; i < open_count_; ++i) {
            const open_field& open = open_[i];
            const std::uint32_t position = record[2 + 2 * open.field];
            detail::field_data& field = fields_[open.field];
            field.id = position == no_place ? open.pattern : type.ids[position];
            field.stride = position == no_place ? 0 : type.slots[position].size;
        }
    }

    // A field whose id depends on the record.
    struct open_field {
        id_t pattern;
        std::uint32_t field;
    };
    const match_cache& cache_;
    row_share share_;
    const storage::store& data_;
    detail::table_lock lock_;
    std::uint32_t field_count_;
    std::uint32_t at_ = 0;  // position of the next record
    std::uint32_t limit_;   // number of records at the start
    std::uint32_t open_count_ = 0;
    open_field open_[plan::max_simple];
    std::uint32_t sizes_[plan::max_simple];  // of the values of each field
    std::uint32_t flags_[plan::max_simple];  // of each field, if it is set
    detail::field_data fields_[plan::max_simple];
};

}  // namespace kith::queries
