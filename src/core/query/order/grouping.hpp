// Groups of results (group_by): the group of a table or row, and the list of groups of a query.
//
// If all rows of a table are in one group, a cached query keeps the matches of each group, and
// finds one group without visiting the others. If the grouping relationship is sparse, each row has
// its own group, and the rows of a group are found by the target's list of sources. Group functions
// of the program are called when a run begins, never while the world changes.
//
// Invariants of group_list
// 1. `groups_` is ordered by rank; `by_id_` has an entry for each of its groups.
// 2. After an update that succeeded (`refreshed_`), the matches of all groups together are the
//    positions below `records_` and `inheritors_` of the cache with the layout `layout_`, each
//    once.
// 3. `index_` finds each group with matches: its first match and their number. It is at most half
//    full.
// 4. `tables_[n].known` is set if the group of table n was asked for, and the table still exists.
// 5. A group for which on_create was called is `created_notified` until on_delete was called.
//
// Covered by tests/features/ordering/group_test.cpp.
#pragma once

#include <kith/detail/query_layout.hpp>

#include "query/cache/match_cache.hpp"

#include <map>
#include <unordered_map>

namespace kith::queries {

// The group_by part of a query's description.
struct grouping {
    id_t by = 0;          // relationship, or an id for the function; 0: none
    group_function func;  // empty: the group is the target of the relationship `by`
    void* ctx = nullptr;  // of the functions
    ctx_free_t free_ctx = nullptr;
    group_create_function on_create;
    group_delete_function on_delete;
    bool descending = false;  // the highest group first

    // A number that grows in the order in which groups are visited.
    std::uint64_t rank(std::uint64_t group) const noexcept { return descending ? ~group : group; }
    // True if the query has groups.
    bool any() const noexcept { return by != 0 || func; }
    bool has_callbacks() const noexcept { return on_create || on_delete; }
};

// The links that decide the group of each row; null: all rows of a table are in one group.
inline const storage::link_store* group_links(const storage::store& data,
                                              const grouping& grouping) noexcept {
    return grouping.func || !data.entities.find(grouping.by)
               ? nullptr
               : storage::find_links(data, index_of(grouping.by));
}
// The group of all rows of a table. May call the group function.
std::uint64_t group_of(world_t* world, const storage::store& data, const grouping& grouping,
                       const storage::table& type);
// The group of a single row: the first target of the entity, or 0 for entities without a target.
inline std::uint64_t group_of(const storage::store& data, const storage::link_store& links,
                              entity_t entity) noexcept {
    const storage::link_node* node = links.find(index_of(entity));
    return node && node->target ? data.entities.alive_at(node->target) : 0;
}

// Enumerates the rows whose group is one target, for queries without a list of the group's matches.
class group_scan {
public:
    group_scan() noexcept = default;
    group_scan(const storage::store& data, const grouping& grouping, std::uint64_t group,
               std::uint32_t hidden_flags) noexcept;

    // The next rows of one table; false at the end.
    bool next(const storage::store& data, row_range& rows) noexcept;
    void restart() noexcept { at_ = 0; }

private:
    bool next_linked(const storage::store& data, row_range& rows) noexcept;
    const storage::entity_record* linked_at(const storage::store& data,
                                            entity_t entity) const noexcept;
    bool next_table(const storage::store& data, row_range& rows) noexcept;

    const storage::link_store* links_ = nullptr;  // of a sparse relationship
    const storage::id_record* record_ = nullptr;  // of the pair, if the relationship is in tables
    std::uint32_t relation_ = 0;
    std::uint32_t target_ = 0;
    std::uint32_t hidden_ = 0;  // flags of tables to skip
    std::uint32_t at_ = 0;      // position in the list of sources or of tables
    std::uint32_t limit_ = 0;   // its length when the run began: later entries do not join the run
};

// A group of a query that has results.
struct kept_group {
    std::uint64_t id = 0;
    void* ctx = nullptr;            // returned by on_group_create
    bool created_notified = false;  // on_group_create was called
    bool present = false;           // the group still has results, as found by the last update
    // Positions of matches in the cache, in its order. The bit `inheritor` marks positions of
    // inheritor matches.
    std::vector<std::uint32_t> matches;

    static constexpr std::uint32_t inheritor = 1u << 31;
};

// The groups of a query. Other threads may read it while no thread changes the world.
class group_list {
public:
    explicit group_list(const grouping& grouping) noexcept : by_(grouping) {}
    group_list(const group_list&) = delete;
    group_list& operator=(const group_list&) = delete;

    // Null if there is no such group.
    const kept_group* find(std::uint64_t id) const {
        auto entry = by_id_.find(id);
        return entry == by_id_.end() ? nullptr : entry->second;
    }
    // The first group, and the group after the rank of `id`, which need not exist any more; null at
    // the end.
    const kept_group* first() const { return groups_.empty() ? nullptr : &groups_.begin()->second; }
    const kept_group* after(std::uint64_t id) const {
        auto next = groups_.upper_bound(by_.rank(id));
        return next == groups_.end() ? nullptr : &next->second;
    }
    // A number that changes when a group is removed.
    std::uint32_t edition() const noexcept { return edition_; }

    // Updates the list from the cache: asks for the groups of new tables, and notifies of groups
    // that were created or removed. Safe from several threads while no thread changes the world.
    void follow(world_t* world, const storage::store& data, match_cache& cache) {
        if (seen_.load() != cache.edition()) {
            update(world, data, cache);
        }
    }
    // True if the cache has not changed since the last update; then inlined code may use index().
    bool is_current(const match_cache& cache) const noexcept {
        return seen_.load() == cache.edition();
    }
    const detail::group_index& index() const noexcept { return index_; }
    // Updates a list without matches: `present` are all groups of the query. Notifies as follow()
    // does.
    void replace(world_t* world, const std::vector<std::uint64_t>& present);
    // The context of a group, null if there is no such group.
    void* context_of(std::uint64_t id);
    // Calls on_group_delete for all groups, at the end of the query or of its world.
    void end(world_t* world) noexcept;

private:
    void update(world_t* world, const storage::store& data, match_cache& cache);
    void ask(world_t* world, const storage::store& data, std::uint32_t number);
    void ask_new(world_t* world, const storage::store& data, const match_cache& cache);
    // Adds new matches to their groups. Lists the groups that get matches in `grown` if it is not
    // null.
    void collect(const match_cache& cache, std::vector<kept_group*>* grown);
    void forget(std::uint32_t number) noexcept;
    kept_group& ensure(std::uint64_t id);
    void announce(world_t* world, kept_group& group);
    void notify(world_t* world);
    void make_index();
    void put_index(const kept_group& group) noexcept;
    void add_grown(world_t* world, std::vector<kept_group*>& grown);

    const grouping& by_;
    std::map<std::uint64_t, kept_group> groups_;  // by rank
    std::unordered_map<std::uint64_t, kept_group*> by_id_;
    std::vector<detail::group_slot> slots_;  // memory of index_
    detail::group_index index_;              // for inlined code
    std::uint32_t edition_ = 0;
    detail::atomic_number seen_;  // edition of the cache at the last update
    bool updating_ = false;       // see ordering_lock.hpp
    bool ended_ = false;
    bool refreshed_ = false;  // the last update succeeded
    // The group of a table in the cache. It is asked for once, and kept until the table is deleted.
    struct table_group {
        std::uint64_t id = 0;
        bool known = false;
    };
    std::vector<table_group> tables_;  // by number of the table
    // The layout of the cache, and how many records and inheritor matches are listed.
    std::uint32_t layout_ = 0;
    std::uint32_t records_ = 0;
    std::uint32_t inheritors_ = 0;
};

// Enumerates the matches of one group, or of all groups in their order. Groups may be created and
// removed meanwhile: the cursor finds its place again by the rank of its group.
class group_cursor {
public:
    // `group` null: all groups.
    group_cursor(const group_list& list, const match_cache& cache, const std::uint64_t* group);

    // The next position in the cache, as in kept_group::matches; false at the end.
    bool next(std::uint32_t& place, std::uint64_t& group);
    void restart();

private:
    void go_to(const kept_group* group) noexcept;

    const group_list& list_;
    bool one_;                        // only one group is visited
    std::uint64_t id_;                // of the current group
    const kept_group* at_ = nullptr;  // the current group; null at the end
    std::uint32_t edition_ = 0;       // of the list, when at_ was found
    std::uint32_t position_ = 0;      // in the matches of the group
    // Sizes of the cache at the start: tables that callbacks make do not join the run.
    std::uint32_t record_limit_;
    std::uint32_t inheritor_limit_;
};

}  // namespace kith::queries
