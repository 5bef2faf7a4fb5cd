// One run of a query in parts, which several threads may visit at the same time: each row belongs
// to exactly one part. Compiled; not part of <kith/kith.hpp>. Implemented in
// src/core/query/run/split_run.cpp.
#pragma once

#include <kith/detail/query_ops.hpp>
#include <kith/detail/system_layout.hpp>

#include <memory>
#include <vector>

namespace kith::detail {

// The parts depend on the rows of the world and on the query only, and follow the order of results:
// a part is some rows of one table, or of several small tables. Results that are no rows of tables
// are one part.
//
// The thread of the world prepares, begins and finishes a run; any thread visits a part.
class split_run {
public:
    explicit split_run(const query_head* query);
    ~split_run();
    split_run(const split_run&) = delete;
    split_run& operator=(const split_run&) = delete;

    // Divides the results anew. `part_rows` is the number of rows of a part, 0: by the size of
    // rows. Requires: no table gets or loses rows until finish().
    void prepare(world_t* world, const run_options& options, std::uint32_t part_rows);
    std::uint32_t part_count() const noexcept;
    std::uint64_t row_count() const noexcept;
    std::uint64_t rows_of(std::uint32_t part) const noexcept;
    // True if the row of the entity belongs to the part. Parts of sorted results, and results that
    // are one part, are not told apart: then true.
    bool has_row(std::uint32_t part, entity_t entity) const noexcept;
    // The depths of a cascade: the parts before number levels()[i] end before that part begins.
    const std::vector<std::uint32_t>& levels() const noexcept;
    // True if the rows of a part are a range of the query's list of matches, which range_of()
    // gives: no feed is needed.
    bool is_listed() const noexcept;
    row_range range_of(std::uint32_t part) const noexcept;

    // The first part is about to be visited: changes that it has not seen count from here on.
    void begin() noexcept;
    // Requires: all parts were visited, or no part was.
    void finish() noexcept;

private:
    friend class part_feed;
    struct state;
    std::unique_ptr<state> state_;
};

// Feeds the results of one part to the thread that runs the part.
class part_feed final : public row_feed {
public:
    part_feed(const split_run& whole, std::uint32_t part, world_t* stage);
    ~part_feed();
    part_feed(const part_feed&) = delete;
    part_feed& operator=(const part_feed&) = delete;

    bool next(result& found) override;

private:
    struct state;
    std::unique_ptr<state> state_;
};

// The term by whose depth the results are ordered (cascade), counted from 0; -1: there is none.
std::int32_t cascade_term(const query_head* query) noexcept;

// Brings a query up to date, so that its runs in parts need not. Returns a number that changes with
// the tables that it matches; 0: the query has no list of them.
std::uint32_t refresh_query(const query_head* query, const world_t* world);

// True if both queries list the tables that they match, and no table is in both lists. The lists of
// more than 1024 tables are not compared.
bool match_apart(const query_head* one, const query_head* other, const world_t* world);

}  // namespace kith::detail
