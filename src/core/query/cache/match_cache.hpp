// The tables that match a cached query, kept up to date as tables come. For each: its number and
// the place of each field. What may be inherited is kept apart: it changes with the bases.
//
// Caches are found by one id that each matching table must have, so a new table asks few of them.
// Those for which many tables are of interest are not asked: they catch up when they are used.
//
// Covered by tests/core/query/cache_test.cpp.
#pragma once

#include "query/exec/executor.hpp"

namespace kith::queries {

class cache_registry;

using detail::no_place;  // in records, whose layout is told at detail::query_head

// What a field of a table with bases has.
struct inherited_field {
    id_t id;
    entity_t source;  // 0: the row itself
    std::uint32_t offset;
    std::uint32_t size;
    std::uint32_t flags;
};

class match_cache {
public:
    match_cache(storage::store& data, cache_registry& registry, const query_model& model) noexcept;
    ~match_cache();
    match_cache(const match_cache&) = delete;
    match_cache& operator=(const match_cache&) = delete;

    // Starts anew with what there is.
    void fill(const plan& steps);
    void fill_inheritors();
    // A table appeared, or is not dormant any more.
    void offer_table(const storage::table& table) noexcept;
    // A table became dormant. Nobody reads the cache.
    void drop_table(std::uint32_t number) noexcept;
    // Dormant tables are listed, too. To be said before the cache is filled.
    void keep_all(bool keeps) noexcept { keeps_all_ = keeps; }
    // A table is about to go. Its records are emptied, the others stay where they are: the cache
    // may be in use.
    void forget_table(std::uint32_t number) noexcept;

    // Changes whenever anything does; whenever more does than that records are added at the end.
    std::uint32_t edition() const noexcept { return edition_; }
    std::uint32_t layout() const noexcept { return layout_; }
    // Called when a table goes whose number may be used again.
    void on_forget(void (*forgot)(void* context, std::uint32_t number) noexcept,
                   void* context) noexcept {
        forgot_ = forgot;
        forgot_context_ = context;
    }

    std::uint32_t record_size() const noexcept { return 1 + 2 * model_.field_count; }
    std::uint32_t count() const noexcept { return tables_.size() / record_size(); }
    const std::uint32_t* record(std::uint32_t position) const noexcept {
        return tables_.data() + std::size_t{position} * record_size();
    }
    const std::uint32_t* records() const noexcept { return tables_.data(); }

    std::uint32_t inheritor_count() const noexcept { return inheritor_tables_.size(); }
    std::uint32_t inheritor_table(std::uint32_t position) const noexcept {
        return inheritor_tables_[position];
    }
    const inherited_field* inheritor(std::uint32_t position) const noexcept {
        return inherited_fields_.data() + std::size_t{position} * model_.field_count;
    }

    // Tables appeared that it has not seen yet; adds those.
    bool is_behind() const noexcept { return behind_; }
    void catch_up();

    // Set when a table could not be added for lack of memory.
    bool is_incomplete() const noexcept { return incomplete_; }
    // Called when the records change, so that inlined code sees them.
    void on_change(void (*changed)(void* context) noexcept, void* context) noexcept {
        changed_ = changed;
        changed_context_ = context;
    }

private:
    friend class cache_registry;

    void rearranged() noexcept {
        ++edition_;
        ++layout_;
    }
    void fall_behind() noexcept;
    bool has_table(std::uint32_t number) const noexcept;
    // Place of the first record plus one, 0: the table has none.
    std::uint32_t find_place(std::uint32_t number) const noexcept;
    std::uint32_t find_heir(std::uint32_t number) const noexcept;
    bool empty_records(std::uint32_t number) noexcept;
    void close_gaps() noexcept;
    void index_records() noexcept;
    std::uint32_t listed_count(const storage::id_record& record) const noexcept {
        return keeps_all_ ? record.tables.size() : record.active;
    }
    void add_table(const storage::table& table);
    void add_plain(const storage::table& table);
    void add_own(const storage::table& table);
    void add_inheritor(const storage::table& table);

    storage::store& data_;
    cache_registry& registry_;
    const query_model& model_;
    plan plan_;
    containers::vec<std::uint32_t> tables_;
    containers::vec<std::uint32_t> inheritor_tables_;
    containers::vec<inherited_field> inherited_fields_;
    // From tables to the place of their first record plus one, of heirs, too.
    containers::hash_index places_;
    containers::hash_index heir_places_;
    std::uint32_t edition_ = 1;
    std::uint32_t layout_ = 1;
    bool incomplete_ = false;
    bool keeps_all_ = false;
    std::uint32_t newest_ = 0;  // table that was offered last
    std::uint32_t gaps_ = 0;    // tables whose records are empty
    void (*changed_)(void* context) noexcept = nullptr;
    void* changed_context_ = nullptr;
    void (*forgot_)(void* context, std::uint32_t number) noexcept = nullptr;
    void* forgot_context_ = nullptr;
    // Where the registry has it.
    id_t filed_under_ = 0;
    bool filed_ = false;
    std::uint32_t place_ = 0;  // in its list
    bool behind_ = false;
    std::uint32_t missed_ = 0;  // the first of the list's new tables that it has not seen
};

// All caches of a world, by the id that a table must have to be of interest.
class cache_registry {
public:
    explicit cache_registry(storage::store& data) noexcept : data_(data) {}
    ~cache_registry();
    cache_registry(const cache_registry&) = delete;
    cache_registry& operator=(const cache_registry&) = delete;

    // `id` 0: every table is.
    void add(match_cache& cache, id_t id);
    void remove(match_cache& cache) noexcept;
    void table_made(const storage::table& table) noexcept;
    // A table became dormant, while no query runs; a dormant table got a row.
    void table_slept(const storage::table& dormant) noexcept;
    void table_woke(const storage::table& woken) noexcept { table_made(woken); }
    void table_gone(const storage::table& gone) noexcept;
    bool empty() const noexcept { return count_ == 0; }
    // Calls visit(number of the table) for those that the cache has not seen; then it has.
    template <class Visit>
    void each_missed(match_cache& cache, Visit&& visit);

private:
    // Caches with the same id. Those that are behind come last.
    struct list {
        containers::vec<match_cache*> caches;
        std::uint32_t current = 0;            // caches that are not behind
        containers::vec<std::uint32_t> made;  // tables that others have not seen; 0: it is gone
    };
    list& list_of(const match_cache& cache) noexcept;
    static void place(list& in, std::uint32_t position, match_cache& cache) noexcept;
    static void swap(list& in, std::uint32_t left, std::uint32_t right) noexcept;
    void note_made(list& in, std::uint32_t table) noexcept;
    void drop_made(list& in) noexcept;
    static void give_up(list& in) noexcept;
    template <class Visit>
    void each_in(std::uint32_t list, Visit&& visit) noexcept;
    // Calls visit(list, any), any: of (R,*).
    template <class Visit>
    void each_list(const storage::table& with_ids, Visit&& visit) noexcept;
    // Calls visit(list) for the lists of caches that may have the table.
    template <class Visit>
    void each_entity_with(const storage::table& held, Visit&& visit) noexcept;

    storage::store& data_;
    containers::vec<list*> lists_;
    std::uint32_t count_ = 0;
    std::uint32_t wildcards_ = 0;  // caches that are filed under (R,*)
};

}  // namespace kith::queries
