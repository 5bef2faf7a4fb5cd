// The match cache of a query: the tables that satisfy its table-level terms, kept up to date by
// table events. A match is a record with the number of the table and the column of each field.
// Matches through bases (inheritors) are listed apart, because they change with the bases.
//
// The registry of a world files each cache under one id that all its matches have, so that a new
// table is offered to few caches. Caches filed under (R,*), or under no id, are of interest to many
// tables: they are not offered tables one by one, but fall behind and catch up when their query
// runs.
//
// Invariants
// 1. `tables_` is a sequence of records of record_size() words: table, then offset and position of
//    each field. The records of one table are neighbours; a record whose table is no_table is
//    empty.
// 2. `places_` finds the first record of each table that has one, for the records in front of
//    `indexed_`; the others are indexed when a table is searched for the next time.
//    `inheritor_places_` finds the first inheritor match; a table has records or inheritor matches,
//    not both.
// 3. `inherited_fields_` has field_count entries for each entry of `inheritor_tables_`.
// 4. `gaps_` is the number of tables whose records were emptied since the gaps were last closed.
// 5. Unless it is incomplete or behind, the cache lists all tables that match and are not dormant;
//    with keep_all(), dormant ones as well.
// 6. `edition()` changes with every change, `layout()` with every change other than records added
// at
//    the end.
// 7. Records, and inheritor matches, are in the order in which their tables became active; with
//    keep_all(), in the order in which they were made. So the order follows from the state of
//    storage, whenever the cache was filled.
// 8. A filed cache is at position `place_` of the list for `filed_under_`: in front of `current` if
//    it is up to date, behind it if it has missed tables from `missed_` on.
//
// Covered by tests/features/queries/cache_test.cpp.
#pragma once

#include "base/assert.hpp"
#include "containers/small_vec.hpp"
#include "query/exec/executor.hpp"

namespace kith::queries {

class cache_registry;

using detail::no_place;  // "no column" in records; detail::query_head describes their layout

// One field of an inheritor match.
struct inherited_field {
    id_t id;
    entity_t source;       // the base that has the id; 0: the row itself
    std::uint32_t offset;  // of the column, if the row itself has the value; else no_place
    std::uint32_t size;    // of a value
    std::uint32_t flags;   // as in detail::field_data
};

class match_cache {
public:
    match_cache(storage::store& data, cache_registry& registry, const query_model& model) noexcept;
    ~match_cache();
    match_cache(const match_cache&) = delete;
    match_cache& operator=(const match_cache&) = delete;

    // Lists all tables that match, and files the cache under the rarest id of the plan. If memory
    // runs out, the cache stays incomplete.
    void fill(const plan& steps);
    // Lists the matches through bases again, after IsA pairs have changed.
    void fill_inheritors();
    // Adds the matches of a table that was made, or that is no longer dormant.
    void offer_table(const storage::table& table) noexcept;
    // Removes the matches of a table that became dormant. Requires: no run reads the cache.
    void drop_table(std::uint32_t number) noexcept;
    // Sets whether dormant tables are listed. Takes effect with the next fill().
    void keep_all(bool keeps) noexcept { keeps_all_ = keeps; }
    // Empties the records of a table that is about to be deleted. Other records keep their places
    // while runs are under way.
    void forget_table(std::uint32_t number) noexcept;

    // Versions of the contents; see invariant 6.
    std::uint32_t edition() const noexcept { return edition_; }
    std::uint32_t layout() const noexcept { return layout_; }
    // Sets a function that is called for each deleted table that had matches: its number may be
    // used again.
    void on_forget(void (*forgot)(void* context, std::uint32_t number) noexcept,
                   void* context) noexcept {
        forgot_ = forgot;
        forgot_context_ = context;
    }

    // Records, by their position in [0, count()).
    std::uint32_t record_size() const noexcept { return 1 + 2 * model_.field_count; }
    std::uint32_t count() const noexcept { return tables_.size() / record_size(); }
    const std::uint32_t* record(std::uint32_t position) const noexcept {
        KITH_ASSERT(position < count(), "the record exists");
        return tables_.data() + std::size_t{position} * record_size();
    }
    const std::uint32_t* records() const noexcept { return tables_.data(); }
    // The list was empty, and may have a match now.
    void count_first_match() const noexcept { ++data_.match_epoch; }

    // Inheritor matches, by their position in [0, inheritor_count()).
    std::uint32_t inheritor_count() const noexcept { return inheritor_tables_.size(); }
    std::uint32_t inheritor_table(std::uint32_t position) const noexcept {
        return inheritor_tables_[position];
    }
    const inherited_field* inheritor(std::uint32_t position) const noexcept {
        return inherited_fields_.data() + std::size_t{position} * model_.field_count;
    }

    // True if tables were made since the cache was last filled or caught up.
    bool is_behind() const noexcept { return behind_; }
    // Adds the matches of the missed tables.
    void catch_up();

    // True if memory ran out while matches were added: only fill() completes the cache again.
    bool is_incomplete() const noexcept { return incomplete_; }
    // Sets a function that is called when records change, so that inlined code sees them.
    void on_change(void (*changed)(void* context) noexcept, void* context) noexcept {
        changed_ = changed;
        changed_context_ = context;
    }

private:
    friend class cache_registry;

    // Counts a change that is more than records added at the end.
    void rearranged() noexcept {
        ++edition_;
        ++layout_;
    }
    void fall_behind() noexcept;
    bool has_table(std::uint32_t number) noexcept;
    // The position of a table's first record, or first inheritor match, plus one; 0: there is none.
    std::uint32_t find_place(std::uint32_t number) noexcept;
    std::uint32_t find_inheritor(std::uint32_t number) const noexcept;
    bool empty_records(std::uint32_t number) noexcept;
    void close_gaps() noexcept;
    void index_records() noexcept;
    bool index_new_records() noexcept;
    bool is_inheritor(const storage::table& table) const noexcept;
    using table_list = containers::small_vec<std::uint32_t, 32>;
    void find_candidates(const storage::id_record* record, table_list& found) const;
    void collect_tables(const storage::id_record& record, id_t any, table_list& to) const;
    void sort_by_age(table_list& tables) const;
    // The number of tables of a record that the cache considers: dormant ones come last.
    std::uint32_t listed_count(const storage::id_record& record) const noexcept {
        return keeps_all_ ? record.tables.size() : record.active;
    }
    // False for a dormant table, if those are left out. Requires: the table exists.
    bool is_listed(std::uint32_t number) const noexcept;
    // Adds the tables of an id; fields are columns of single ids.
    void add_plain_tables(const storage::id_record& record);
    // Add the matches of a table: of any table, of one where each field is the column of one id, of
    // one without bases, of one with bases. They may run out of memory.
    void add_table(const storage::table& table);
    void add_plain(const storage::table& table);
    void add_own(const storage::table& table);
    void add_inheritor(const storage::table& table);

    storage::store& data_;
    cache_registry& registry_;
    const query_model& model_;
    plan plan_;                              // the ops of the table-level terms
    containers::vec<std::uint32_t> tables_;  // records
    containers::vec<std::uint32_t> inheritor_tables_;
    containers::vec<inherited_field> inherited_fields_;
    containers::hash_index places_;            // table -> first record + 1
    std::uint32_t indexed_ = 0;                // number of records that `places_` has seen
    containers::hash_index inheritor_places_;  // table -> first inheritor match + 1
    std::uint32_t edition_ = 1;
    std::uint32_t layout_ = 1;
    bool incomplete_ = false;
    bool keeps_all_ = false;    // dormant tables are listed
    std::uint32_t newest_ = 0;  // table that was offered last: lists may offer it twice
    std::uint32_t gaps_ = 0;    // tables whose records are empty
    void (*changed_)(void* context) noexcept = nullptr;
    void* changed_context_ = nullptr;
    void (*forgot_)(void* context, std::uint32_t number) noexcept = nullptr;
    void* forgot_context_ = nullptr;
    // State that belongs to the registry; see invariant 8.
    id_t filed_under_ = 0;
    bool filed_ = false;
    std::uint32_t place_ = 0;   // position in the list of caches with the same id
    bool behind_ = false;       // tables were made that the cache has not seen
    std::uint32_t missed_ = 0;  // position of the first unseen table in cache_list::made
};

// All caches of a world, in lists by the id that a matching table must have. The id record of such
// an id stores the number of its list (watchers), so that a table finds the lists of its ids
// directly.
class cache_registry {
public:
    explicit cache_registry(storage::store& data) noexcept : data_(data) {}
    ~cache_registry();
    cache_registry(const cache_registry&) = delete;
    cache_registry& operator=(const cache_registry&) = delete;

    // Files a cache under an id; 0: every table may match. Requires: the cache is not filed.
    void add(match_cache& cache, id_t id);
    // Does nothing for a cache that is not filed.
    void remove(match_cache& cache) noexcept;
    // Table events. A table becomes dormant (slept) only while no query runs, and wakes with its
    // next row.
    void table_made(const storage::table& table) noexcept;
    void table_slept(const storage::table& table) noexcept;
    void table_woke(const storage::table& table) noexcept { table_made(table); }
    void table_gone(const storage::table& table) noexcept;
    bool empty() const noexcept { return count_ == 0; }
    // Calls visit(number of the table) for each table that the cache has missed, and marks the
    // cache as up to date. Requires: the cache is behind.
    template <class Visit>
    void each_missed(match_cache& cache, Visit&& visit);

private:
    // The caches that are filed under one id, up-to-date ones first.
    struct cache_list {
        containers::vec<match_cache*> caches;
        std::uint32_t current = 0;            // number of caches that are up to date
        containers::vec<std::uint32_t> made;  // tables that caches have missed; 0: a deleted one
    };
    cache_list& list_of(const match_cache& cache) noexcept;
    static void place(cache_list& list, std::uint32_t position, match_cache& cache) noexcept;
    static void swap(cache_list& list, std::uint32_t left, std::uint32_t right) noexcept;
    void note_made(cache_list& list, std::uint32_t table) noexcept;
    void drop_made(cache_list& list) noexcept;
    static void give_up(cache_list& list) noexcept;
    // Calls visit(number of the list, whether it is of (R,*)) for the lists under ids of the table.
    template <class Visit>
    void each_list(const storage::table& table, Visit&& visit) noexcept;
    // Calls visit(list) for all lists with caches that may list the table.
    template <class Visit>
    void each_list_with(const storage::table& table, Visit&& visit) noexcept;

    storage::store& data_;
    containers::vec<cache_list*> lists_;  // list 0: caches that every table may match
    std::uint32_t count_ = 0;             // of all caches
    std::uint32_t wildcards_ = 0;         // caches that are filed under (R,*)
};

}  // namespace kith::queries
