// A run of a sorted query: all results are found first, then handed out row by row in their order,
// or as slices where rows of one table follow each other. Until the end of the run the tables of
// all of them are locked.
//
// Covered by tests/core/query/sort_test.cpp.
#pragma once

#include <kith/detail/query_ops.hpp>

#include "query/compiled_query.hpp"

namespace kith::queries {

class sorted_run {
public:
    sorted_run(const compiled_query& query, world_t* stage, const detail::run_options& options);
    sorted_run(const sorted_run&) = delete;
    sorted_run& operator=(const sorted_run&) = delete;

    bool next(detail::result& found);

private:
    // One result as it was found; its fields and variables are at its number times their count.
    struct found_part {
        std::uint64_t group;
        bool shared;
        bool bare;  // it has no rows, and stands for itself
    };

    void collect(world_t* stage);
    void add(const detail::result& found, bool same_rank);
    bool continues(const detail::result& found) const noexcept;
    void add_values(const detail::result& found);
    void add_tables(const detail::result& found);
    bool is_wanted(const sort_key& key, const detail::field_data& field) const;
    std::uint64_t tick_of(const detail::result& found) const;
    std::uint64_t tick_of(const storage::table& type, id_t id) const;
    void lock_all();
    void sort(std::uint64_t now);
    void choose_rows();
    std::size_t count_neighbours() const noexcept;
    void take_slice(detail::result& found, std::uint32_t count);
    void take_scattered(detail::result& found);

    const compiled_query& query_;
    const storage::store& data_;
    detail::run_options options_;
    detail::table_lock lock_;
    std::vector<sort_part> parts_;
    std::vector<part_values> values_;
    std::vector<found_part> found_;
    std::vector<detail::field_data> fields_;
    std::vector<entity_t> variables_;
    std::vector<std::uint32_t> tables_;  // to be locked
    std::vector<id_t> ids_;
    std::shared_ptr<const sorted_rows> rows_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
    std::vector<detail::field_data> slice_;
    // Behind so many rows it is looked again whether they are neighbours.
    static constexpr std::size_t batch_size = 1024;
};

}  // namespace kith::queries
