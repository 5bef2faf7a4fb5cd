// Indexes on members: entities sorted by the value of a member of a component. Queries that compare
// the member with constants ask an index for candidates instead of reading all values.
//
// An index is not kept sorted by writes. A write notes its entity, or its table if it may concern
// many rows; the next question reads the noted values anew (it *settles* the index). While values
// are handed out to be written, questions do not settle, and noted rows count as candidates. An
// index of which more than 1/16 was noted is *lost*: it is built anew once questions have had to do
// without it some times.
//
// Entries are never removed one by one. An entity whose value was written keeps its old entry, so
// that candidates may be too many, never too few; the query compares the values of all of them.
//
// Operations that change the world note without locking, like other writes. Loops, queries and
// references note values that they hand out, and queries ask, under the lock of the index, because
// several threads may do so.
//
// Invariants, while the index is not lost
// 1. An entity that has the component in a table, and a value with a key, has an entry with the key
//    of its present value, or is noted, or its table is.
// 2. `is_noted_` has a bit for each entity in `noted_`, and no other; likewise for tables.
// 3. Each run is sorted by key.
// 4. `is_referenced_` has a bit for each entity in `referenced_`, and no other.
//
// Covered by tests/features/values/value_index_test.cpp, value_index_random_test.cpp and
// value_index_threads_test.cpp.
#pragma once

#include <kith/detail/mutex.hpp>
#include <kith/detail/value_index.hpp>
#include <kith/detail/value_test.hpp>

#include "storage/table.hpp"

#include <memory>
#include <vector>

namespace kith::storage {

struct store;

// The flags of tables whose component has an index: the first is tested where values are written;
// the second lets the inlined `set` take the compiled path.
inline constexpr std::uint32_t indexed_shape_flags =
    detail::shape_indexed | detail::shape_notify_set;

// A row of a table as one number, in the order in which a scan visits the rows of each table.
using row_place = std::uint64_t;
constexpr row_place place_of_row(std::uint32_t table, std::uint32_t row) noexcept {
    return std::uint64_t{table} << 32 | row;
}

class value_index {
public:
    // Takes over the key.
    value_index(const store& data, detail::value_key& key);
    ~value_index();
    value_index(const value_index&) = delete;
    value_index& operator=(const value_index&) = delete;

    const detail::value_key& key() const noexcept { return key_; }
    // True if the component is alive.
    bool is_alive() const noexcept;
    // Another component has the values from here on.
    void follow(entity_t component) noexcept;

    // -- changes
    // The entity got a value in a table, or its value may have been written. Requires: no other
    // thread uses the world.
    void note(std::uint32_t entity) noexcept;
    // The same for any value of a table, and for some of them; several threads may note.
    void note_table(std::uint32_t table) noexcept;
    void note_rows(std::uint32_t table, const entity_t* entities, std::uint32_t count) noexcept;
    // A reference may write the value at any time until the epoch of tables changes. True if there
    // are so many of these references that the epoch should change. Several threads may note.
    bool note_reference(std::uint32_t entity) noexcept;
    // Nothing is known of any value.
    void lose() noexcept;

    // -- questions
    enum class state : std::uint8_t { usable, lost, iterated };
    struct answer {
        state is = state::lost;
        std::uint64_t expected = 0;  // candidates
        std::uint64_t total = 0;     // entries
    };
    // The number of candidates. The index is brought up to date before, if values may be read now
    // (`may_settle`) and that is worth while for a question that would read `scanned` rows instead.
    answer ask(const detail::value_test& test, std::uint64_t scanned, bool may_settle) noexcept;
    // True if the index is about the part that is compared, and serves the comparison.
    bool serves(const detail::value_test& test);
    // Collects the rows of candidates, sorted; false if the index was lost meanwhile. All rows of
    // noted tables are candidates as well.
    bool collect(const detail::value_test& test, std::vector<row_place>& into,
                 std::vector<std::uint32_t>& noted_tables);
    // Collects the entities whose values may have a key, sorted; false if the index cannot tell. It
    // is brought up to date before, if values may be read now.
    bool find_entities(std::uint64_t key, bool may_settle, std::vector<entity_t>& into);
    // Changes when candidates may become more, and when the index is settled.
    std::uint32_t version() const noexcept { return version_.load(); }

private:
    struct entry {
        std::uint64_t key;
        std::uint32_t entity;
    };
    // Entries sorted by key; keys lie by themselves, because searches read them alone.
    struct run {
        std::vector<std::uint64_t> keys;
        std::vector<std::uint32_t> entities;
    };
    struct range {
        std::size_t first;
        std::size_t last;
    };

    bool is_noted_table(std::uint32_t table) const noexcept {
        return table < is_noted_table_.size() && is_noted_table_[table] != 0;
    }
    bool find_keys(const detail::value_test& test);
    void mark_table(std::uint32_t table) noexcept;
    std::size_t noted_limit() const noexcept;
    bool was_written_much() const noexcept;
    bool is_worth_building(std::uint64_t scanned) noexcept;
    void note_references() noexcept;
    state refresh(std::uint64_t scanned, bool may_settle) noexcept;
    void build();
    void settle();
    void add_noted_tables();
    void read_values(const entity_t* entities, const detail::value_rows& values,
                     std::uint32_t count, std::vector<entry>& into) const;
    void read_noted(std::vector<entry>& into) const;
    template <class Visit>
    void each_candidate(Visit&& visit) const;
    void add_run(std::vector<entry>& entries);
    void clear_notes() noexcept;
    template <class Visit>
    void each_table(Visit&& visit) const;
    range find(const run& sorted, const detail::key_interval& wanted) const noexcept;
    std::uint64_t count_rows() const noexcept;
    std::uint64_t count_noted_rows() const noexcept;

    const store& data_;
    detail::value_key& key_;
    detail::mutex guard_;
    std::vector<run> runs_;  // the oldest first
    std::uint64_t entry_count_ = 0;
    std::uint64_t built_count_ = 0;  // entries at the last build, or values if these are more
    bool lost_ = true;
    detail::atomic_number version_{1};
    // -- since the index was settled
    std::vector<std::uint32_t> noted_;     // entities
    std::vector<std::uint64_t> is_noted_;  // a bit for each index of an entity
    std::vector<std::uint32_t> noted_tables_;
    std::vector<std::uint8_t> is_noted_table_;  // by number
    // Entities with a reference, of one epoch of tables.
    std::vector<std::uint32_t> referenced_;
    std::vector<std::uint64_t> is_referenced_;  // a bit for each index of an entity
    std::uint32_t reference_epoch_ = 0;
    bool misses_references_ = false;  // memory was short: values may change without a note
    // -- while the index is lost
    std::uint64_t written_ = 0;  // notes since the last question
    std::uint64_t scanned_ = 0;  // rows that questions have read instead, since many were written
    bool was_built_ = false;
    std::vector<detail::key_interval> wanted_;  // of the question that is being answered
};

// The indexes of a world.
class value_indexes {
public:
    // True if nobody has values of the component to write them now. The newest lock does not count
    // if it is that of `asking`, a run that has handed out nothing.
    using quiet_test = bool (*)(const world_t* world, id_t component,
                                const detail::query_head* asking) noexcept;

    value_indexes(store& data, quiet_test test) noexcept : data_(data), is_quiet_(test) {}

    // Adds an index and takes over its key. An index with the same key stays as it is.
    void add(detail::value_key* key);
    // Ends the indexes that are about the same part of values.
    void drop(const detail::value_key& like) noexcept;
    // Another component with the same values takes the place of one that has indexes.
    void move_component(entity_t from, entity_t to) noexcept;
    // Ends the indexes of a component that stays; of one that is deleted.
    void forget_component(entity_t component) noexcept;
    void drop_component(entity_t component) noexcept;
    // The world has other tables and values: all indexes are lost, those of components that are
    // gone end, and tables get their flags. C++ types that are gone are made known again.
    void reset() noexcept;

    bool covers(id_t id) const noexcept;
    // The index on the handles in values of a component (kith/detail/handle_ops.hpp), or null.
    value_index* find_of_handles(entity_t component) const noexcept;
    // Nothing is known of any handle.
    void lose_handles() noexcept;
    // An index serves until its last user releases it.
    const std::vector<std::shared_ptr<value_index>>& all() const noexcept { return all_; }
    bool is_quiet(const world_t* world, id_t component,
                  const detail::query_head* asking) const noexcept {
        return is_quiet_(world, component, asking);
    }
    // Changes when a row of a table with the flag leaves its place.
    std::uint32_t moves() const noexcept { return moves_.load(); }
    void row_moved() noexcept { moves_.store(moves_.load() + 1); }

    // An entity got a row in a table with the flag.
    void note_arrival(const table& to, std::uint32_t entity) noexcept;
    // Notes for all indexes of a component; id 0: of any component.
    void note(id_t id, std::uint32_t entity) noexcept;
    void note_table(id_t id, const table& written) noexcept;
    void note_rows(id_t id, std::uint32_t table, const entity_t* entities,
                   std::uint32_t count) noexcept;
    void note_reference(id_t id, std::uint32_t entity) noexcept;

private:
    void refresh(entity_t component) noexcept;
    void renew_references() noexcept;
    template <class Visit>
    void each_of(id_t id, Visit&& visit) noexcept;

    store& data_;
    quiet_test is_quiet_;
    std::vector<std::shared_ptr<value_index>> all_;
    detail::atomic_number moves_{1};
    // Not 0: references are so many that the next operation changes the epoch of tables, by which
    // each of them finds its value again, and is noted again.
    detail::atomic_number is_crowded_;
};

}  // namespace kith::storage
