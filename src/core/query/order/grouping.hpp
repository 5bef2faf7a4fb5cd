// Groups of results: which group a table or a row is in, and the groups that there are.
//
// A cached query whose groups are of tables keeps, for each group, its tables: one group is found
// without a look at the others. Groups of rows (by a relationship that is stored beside the tables)
// are found by the targets' lists of sources. Functions of the program are called when a run
// begins, never while the world changes.
//
// Covered by tests/core/query/group_test.cpp.
#pragma once

#include <kith/detail/query_layout.hpp>

#include "query/cache/match_cache.hpp"

#include <map>
#include <unordered_map>

namespace kith::queries {

// How results are put into groups.
struct grouping {
    id_t by = 0;
    group_function func;  // none: by the target of the relationship `by`
    void* ctx = nullptr;
    ctx_free_t free_ctx = nullptr;
    group_create_function on_create;
    group_delete_function on_delete;
    bool descending = false;  // the highest group first

    // Groups in their order, as numbers that grow.
    std::uint64_t rank(std::uint64_t group) const noexcept { return descending ? ~group : group; }
    bool any() const noexcept { return by != 0 || func; }
    bool has_callbacks() const noexcept { return on_create || on_delete; }
};

// The links by which rows are in groups one by one; null: all rows of a table are in one.
inline const storage::link_store* group_links(const storage::store& data,
                                              const grouping& grouping) noexcept {
    return grouping.func || !data.entities.find(grouping.by)
               ? nullptr
               : storage::find_links(data, index_of(grouping.by));
}
std::uint64_t group_of(world_t* world, const storage::store& data, const grouping& grouping,
                       const storage::table& type);
inline std::uint64_t group_of(const storage::store& data, const storage::link_store& links,
                              entity_t entity) noexcept {
    const storage::link_node* node = links.find(index_of(entity));
    return node && node->target ? data.entities.alive_at(node->target) : 0;
}

// The rows that are in the group of one target.
class group_scan {
public:
    group_scan() noexcept = default;
    group_scan(const storage::store& data, const grouping& grouping, std::uint64_t group,
               std::uint32_t hidden_flags) noexcept;

    bool next(const storage::store& data, row_range& rows) noexcept;
    void restart() noexcept { at_ = 0; }

private:
    bool next_linked(const storage::store& data, row_range& rows) noexcept;
    const storage::entity_record* linked_at(const storage::store& data,
                                            entity_t entity) const noexcept;
    bool next_table(const storage::store& data, row_range& rows) noexcept;

    const storage::link_store* links_ = nullptr;
    const storage::id_record* record_ = nullptr;  // of the pair, if it is in tables
    std::uint32_t relation_ = 0;
    std::uint32_t target_ = 0;
    std::uint32_t hidden_ = 0;
    std::uint32_t at_ = 0;
    std::uint32_t limit_ = 0;  // what comes later does not join the run
};

// A group that has a table or a row.
struct kept_group {
    std::uint64_t id = 0;
    void* ctx = nullptr;
    bool created_notified = false;  // on_group_create was called
    bool present = false;           // while they are counted
    // Places in the cache, in its order: of records, or with `inheritor` of what may be inherited.
    std::vector<std::uint32_t> matches;

    static constexpr std::uint32_t inheritor = 1u << 31;
};

class group_list {
public:
    explicit group_list(const grouping& grouping) noexcept : by_(grouping) {}
    group_list(const group_list&) = delete;
    group_list& operator=(const group_list&) = delete;

    const kept_group* find(std::uint64_t id) const {
        auto found = by_id_.find(id);
        return found == by_id_.end() ? nullptr : found->second;
    }
    // The first one, and the one behind a group that may be gone; null: none.
    const kept_group* first() const { return groups_.empty() ? nullptr : &groups_.begin()->second; }
    const kept_group* after(std::uint64_t id) const {
        auto next = groups_.upper_bound(by_.rank(id));
        return next == groups_.end() ? nullptr : &next->second;
    }
    // Changes when a group goes.
    std::uint32_t edition() const noexcept { return edition_; }

    // Makes the list fit the cache: asks for the groups of tables that came. Safe from several
    // threads, while nobody changes the world.
    void follow(world_t* world, const storage::store& data, match_cache& cache) {
        if (seen_.load() != cache.edition()) {
            update(world, data, cache);
        }
    }
    // Nothing has come since; then inlined code may find the groups.
    bool is_current(const match_cache& cache) const noexcept {
        return seen_.load() == cache.edition();
    }
    const detail::group_index& index() const noexcept { return index_; }
    // The same for groups that are not kept by table: `present` are those that there are.
    void replace(world_t* world, const std::vector<std::uint64_t>& present);
    // The context of a group, null if there is no such group.
    void* context_of(std::uint64_t id);
    // The world ends, or the query.
    void end(world_t* world) noexcept;

private:
    void update(world_t* world, const storage::store& data, match_cache& cache);
    void ask(world_t* world, const storage::store& data, std::uint32_t number);
    void ask_new(world_t* world, const storage::store& data, const match_cache& cache);
    // `changed`, if not null, lists the groups that get matches.
    void collect(const match_cache& cache, std::vector<kept_group*>* changed);
    void forget(std::uint32_t number) noexcept;
    kept_group& ensure(std::uint64_t id);
    void announce(world_t* world, kept_group& group);
    void notify(world_t* world);
    void make_index();
    void put_index(const kept_group& group) noexcept;
    void add_changed(world_t* world, std::vector<kept_group*>& changed);

    const grouping& by_;
    std::map<std::uint64_t, kept_group> groups_;  // by rank
    std::unordered_map<std::uint64_t, kept_group*> by_id_;
    std::vector<detail::group_slot> slots_;
    detail::group_index index_;
    std::uint32_t edition_ = 0;
    detail::atomic_number seen_;  // what was the cache's edition
    bool updating_ = false;
    bool ended_ = false;
    bool refreshed_ = false;  // the last update came to its end
    // Of tables in the cache: asked once, kept until the table goes.
    struct table_group {
        std::uint64_t id = 0;
        bool known = false;
    };
    std::vector<table_group> tables_;
    // What is listed already, if the cache has only grown since.
    std::uint32_t layout_ = 0;
    std::uint32_t records_ = 0;
    std::uint32_t inheritors_ = 0;
};

// Goes through the tables of one group or of all of them. Groups may come and go meanwhile.
class group_cursor {
public:
    // `group` null: all.
    group_cursor(const group_list& list, const match_cache& cache, const std::uint64_t* group);

    // A place in the cache, as in kept_group::matches.
    bool next(std::uint32_t& place, std::uint64_t& group);
    void restart();

private:
    void go_to(const kept_group* group) noexcept;

    const group_list& list_;
    bool one_;
    std::uint64_t id_;  // of the group where it is
    const kept_group* at_ = nullptr;
    std::uint32_t edition_ = 0;
    std::uint32_t position_ = 0;
    // Tables that callbacks make do not join the run.
    std::uint32_t record_limit_;
    std::uint32_t inheritor_limit_;
};

}  // namespace kith::queries
