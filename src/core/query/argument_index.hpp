// Live lists for queries that are asked for several targets at a time: from each combination of
// targets to the tables or entities that have it. One call then costs what it finds, however long
// the lists of the single targets are.
//
// Where the relationships split tables, the lists are of tables, and change when tables come and
// go. Where their pairs lie beside the tables, they are of entities, and change with each pair. A
// list is made when the query is first asked with all of its arguments.
//
// Covered by tests/core/query/argument_index_test.cpp.
#pragma once

#include "events/registry.hpp"
#include "query/model/query_model.hpp"

#include <vector>

namespace kith::queries {

class argument_index;

// All of a world.
class argument_indexes {
public:
    void table_made(const storage::table& made) noexcept;
    void table_gone(const storage::table& gone) noexcept;

private:
    friend class argument_index;
    std::vector<argument_index*> all_;
};

class argument_index final : events::listener {
public:
    // Null if there is nothing to gain: fewer than two targets, or pairs of both kinds. Not while
    // the world is being changed; other threads may read it.
    static std::unique_ptr<argument_index> make(storage::store& data, events::registry& heard,
                                                argument_indexes& owner, const query_model& model);
    ~argument_index();
    argument_index(const argument_index&) = delete;
    argument_index& operator=(const argument_index&) = delete;

    // The world is gone: nothing is to be told to it.
    void forget_world() noexcept;
    // Properties of ids changed since it was made, or memory ran out.
    bool is_outdated() const noexcept { return broken_ || schema_ != data_.schema; }

    bool lists_tables() const noexcept { return tables_; }
    // The terms that are answered.
    std::uint64_t terms() const noexcept { return terms_; }
    // Numbers of tables or entities; 0 where one is gone.
    struct items {
        const std::uint64_t* data;
        std::uint32_t count;
    };
    items find(const entity_t* variables) const noexcept;

private:
    friend class argument_indexes;
    static constexpr std::uint32_t most_slots = plan_slots;
    // Combinations of one entity or table; where there are more, lists do not pay.
    static constexpr std::uint64_t most_keys = 4096;

    // One argument. Those of one relationship are neighbours, and their targets in order.
    struct slot {
        std::uint32_t relation;
        std::uint8_t variable;
    };
    struct list {
        std::uint32_t key;  // where its targets are in keys_
        std::uint32_t live = 0;
        containers::vec<std::uint64_t> items;
    };
    // An item in a list; found by both.
    struct node {
        std::uint64_t item;
        std::uint32_t list;
        std::uint32_t position;
    };

    argument_index(storage::store& data, events::registry& heard, argument_indexes& owner) noexcept;
    void hear(const events::occurrence& what) noexcept;
    void fill();
    void fill_tables();
    void fill_entities();
    bool collect(std::uint64_t item, const storage::table* type);
    template <class Visit>
    void each_key(id_t changed, Visit&& visit);
    void insert(std::uint64_t item);
    void erase(std::uint64_t item) noexcept;
    void try_change(std::uint64_t item, const storage::table* type, id_t changed,
                    bool added) noexcept;
    std::uint32_t find_list(const std::uint32_t* key) const noexcept;
    std::uint32_t ensure_list();
    void close_gaps(list& owner) noexcept;

    storage::store& data_;
    events::registry* heard_;
    argument_indexes* owner_;
    std::vector<slot> slots_;
    std::uint64_t terms_ = 0;
    std::uint32_t schema_ = 0;
    bool tables_ = false;
    bool listens_ = false;
    bool broken_ = false;
    containers::memory mem_{nullptr};  // of the heap: queries outlive worlds, and threads make them
    containers::flat_index by_key_;
    containers::flat_index by_item_;
    containers::vec<std::uint32_t> keys_;
    containers::vec<list> lists_;
    containers::vec<node> nodes_;
    containers::vec<std::uint32_t> free_nodes_;
    // Targets of the item that is being looked at, for each slot; and the key under way.
    std::vector<std::vector<std::uint32_t>> targets_;
    std::uint32_t key_[16] = {};
};

}  // namespace kith::queries
