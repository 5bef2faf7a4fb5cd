// Scans: the enumeration of candidates for a variable. A scan proposes each table, or each entity,
// that can match the most selective term of a query, once; the ops behind it test the terms.
// Implemented in scan.cpp.
//
// Covered by tests/features/queries/plan_test.cpp and the random queries of
// tests/model/query_test.cpp.
#pragma once

#include "query/exec/owned_ids.hpp"
#include "query/exec/row_share.hpp"
#include "query/model/query_model.hpp"

namespace kith::queries {

enum class scan_kind : std::uint8_t {
    everything,     // all tables
    tables,         // of an id
    pairs,          // tables with a pair of a relationship
    relationships,  // tables with a pair that has a target
    sparse_values,  // entities with a sparse component
    sources,        // entities with a link to a target
    linked,         // entities with a link of a relationship
    given,          // rows that the caller gives
};

// The kind of a scan, and its number of tables or entities.
struct scan_choice {
    scan_kind kind = scan_kind::everything;
    const term* by = nullptr;  // null: no term
    const storage::id_record* record = nullptr;
    std::uint64_t candidates = 0;
};

// True if the term finds ids of the source or of its bases only, so that the owners of the id lead
// to all sources.
bool starts_with_owners(const term& term) noexcept;
// The cheapest scan for one of the `usable` terms, by the present number of candidates.
scan_choice choose_scan(const storage::store& data, const query_model& model, std::uint64_t usable);
// The cheapest scan for one required term; a scan of all tables if the term names no tables.
scan_choice choose_scan(const storage::store& data, const term& term) noexcept;
// The exact number of tables or entities of a choice, dormant tables included. The function visits
// the record of every pair of a relationship, so it is for messages, not for planning.
std::uint64_t count_candidates(const storage::store& data, const scan_choice& choice) noexcept;

// A range of rows of one table.
struct row_range {
    std::uint32_t table = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

// Reduces a range of rows to the part of one share; false if that part is empty.
inline bool share_rows(row_share& share, row_range& rows) noexcept {
    std::uint32_t first, taken;
    if (!share.take(rows.count, first, taken)) {
        return false;
    }
    rows.first += first;
    rows.count = taken;
    return true;
}

// Tables lie scattered in memory: the next ones are fetched while one is evaluated.
inline constexpr std::uint32_t tables_ahead = 8;
inline void prefetch_table(const storage::store& data, std::uint32_t number) noexcept {
#if defined(__GNUC__)
    if (data.tables.rows(number).count != 0) {
        const auto* shape = reinterpret_cast<const std::byte*>(data.shapes[number]);
        __builtin_prefetch(shape);
        __builtin_prefetch(shape + 64);
        __builtin_prefetch(shape + 128);
        __builtin_prefetch(data.tables.rows(number).block);
    }
#else
    static_cast<void>(data);
    static_cast<void>(number);
#endif
}

// The position of the first pair of a relationship in the type of a table, -1 if there is none;
// `any` is (R,*). The ids of a small type are searched themselves: a walk over many tables then
// reads a cache line less of each, because the hash of a type lies behind its ids.
inline std::int32_t find_first_pair(const storage::table& type, id_t any) noexcept {
    constexpr std::uint32_t few = 16;
    if (type.id_count > few) {
        return storage::find_id(type, any);
    }
    const id_t* const end = type.ids + type.id_count;
    const id_t* at = type.ids;
    while (at != end && *at >> 32 < any >> 32) {
        ++at;
    }
    return at != end && *at >> 32 == any >> 32 ? static_cast<std::int32_t>(at - type.ids) : -1;
}

class scan {
public:
    scan() noexcept = default;
    scan(const storage::store& data, const scan_choice& choice,
         std::uint32_t hidden_flags) noexcept;
    // A scan of the given rows alone.
    explicit scan(const row_range& rows) noexcept
        : choice_{scan_kind::given, nullptr, nullptr, 1}, given_(rows) {}

    // Stores the next range of rows, never an empty one. False at the end.
    bool next(const storage::store& data, row_range& rows);
    bool by_entity() const noexcept {
        return choice_.kind >= scan_kind::sparse_values && choice_.kind != scan_kind::given;
    }
    const scan_choice& choice() const noexcept { return choice_; }
    // The position of the first pair of the relationship in the type of the table that was proposed
    // last. Requires: a scan of pairs, in a world without bases.
    std::int32_t first_pair() const noexcept { return first_pair_; }
    // The next range of rows of one share.
    bool next(const storage::store& data, row_share& share, row_range& rows);

private:
    bool next_owned_id(const storage::store& data, row_range& rows);
    bool next_table(const storage::store& data, const storage::id_record& record, row_range& rows);
    bool next_pair(const storage::store& data, row_range& rows);
    bool next_by_number(const storage::store& data, row_range& rows);
    bool next_entity(const storage::store& data, row_range& rows);
    bool next_inheritor(const storage::store& data, row_range& rows);
    bool open_base(const storage::store& data);
    bool accept_table(const storage::store& data, std::uint32_t number, row_range& rows) const;
    bool limit_list(row_share& share) noexcept;
    bool next_linked(const storage::store& data, row_share& share, row_range& rows) noexcept;

    scan_choice choice_;
    row_range given_;
    std::uint32_t hidden_ = 0;  // flags of tables that are left out
    std::uint32_t at_ = 0;
    std::uint32_t list_end_ = ~std::uint32_t{0};  // of a list of entities, for one share
    bool list_shared_ = false;
    // Tables, pairs and bases that come later do not join the run.
    std::uint32_t limit_ = 0;
    std::uint32_t pair_limit_ = 0;
    std::uint32_t base_limit_ = 0;
    std::uint32_t pair_ = 0;
    std::int32_t first_pair_ = -1;
    const storage::id_record* chain_ = nullptr;
    bool by_number_ = false;   // pairs: all tables are visited, in the order of their numbers
    bool inheritors_ = false;  // own ones are through: now those that inherit
    std::uint32_t base_ = 0;   // which (IsA, base) is next
    std::uint32_t row_ = 0;
    bool base_open_ = false;
};

}  // namespace kith::queries
