// Live lists for queries that are asked for several targets at a time: from each combination of
// targets to the tables or entities that have it. A call then costs what it finds, however long the
// lists of the single targets are.
//
// Where the relationships split tables, the lists are of tables, and change when tables come and
// go. Where their pairs lie beside the tables, they are of entities, and change with each pair.
//
// Made when a query is first asked with all of its arguments, perhaps while other threads read the
// world: nothing is touched that readers look at. So the memory is of the heap.
//
// Covered by tests/core/query/parameter_index_test.cpp.
#pragma once

#include "events/registry.hpp"
#include "query/model/query_model.hpp"

#include <memory>
#include <vector>

namespace kith::queries {

class parameter_index;

// All indexes of a world, to be told of its tables, and of its end.
struct parameter_indexes {
    std::vector<parameter_index*> all;

    ~parameter_indexes();
    void table_made(const storage::table& table) noexcept;
    void table_gone(const storage::table& gone) noexcept;
};

class parameter_index final : events::listener {
public:
    // Null if there is nothing to gain: fewer than two targets, or pairs of both kinds.
    static std::unique_ptr<parameter_index> make(storage::store& data, events::registry& dispatcher,
                                                 parameter_indexes& others,
                                                 const query_model& model);
    ~parameter_index();
    parameter_index(const parameter_index&) = delete;
    parameter_index& operator=(const parameter_index&) = delete;

    // It does not know all that is there: ids have other properties now, or memory ran out.
    bool is_outdated() const noexcept { return broken_ || schema_ != data_.schema; }

    bool lists_tables() const noexcept { return of_tables_; }
    // The terms that it answers.
    std::uint64_t terms() const noexcept { return terms_; }
    // The list for these values of variables, 0 if nothing has them. Numbers stay valid.
    std::uint32_t find(const entity_t* variables) const noexcept;
    // What a list holds: numbers of tables, or entities; 0 where one is gone.
    std::uint32_t size(std::uint32_t of) const noexcept {
        return of ? lists_[of - 1].items.size() : 0;
    }
    std::uint64_t item(std::uint32_t of, std::uint32_t position) const noexcept {
        return lists_[of - 1].items[position];
    }
    const std::uint64_t* items(std::uint32_t of) const noexcept {
        return of ? lists_[of - 1].items.data() : nullptr;
    }

private:
    friend struct parameter_indexes;
    static constexpr std::uint32_t most_slots = 16;
    // Combinations that one entity or table may have; lists do not pay where there are more.
    static constexpr std::uint64_t most_keys = 4096;

    // One argument. Those of one relationship are neighbours: their order does not matter, so in
    // keys their targets ascend.
    struct slot {
        std::uint32_t relation;
        std::uint8_t variable;
    };
    using key = std::uint32_t[most_slots];
    struct list {
        std::uint32_t key_at;  // in keys_
        std::uint32_t gone;
        containers::vec<std::uint64_t> items;
        containers::vec<std::uint32_t> nodes;  // of the items
    };
    // An item in a list, to be found by both.
    struct node {
        std::uint64_t item;
        std::uint32_t list;  // number from 1 on, 0: not in use
        std::uint32_t position;
    };

    parameter_index(storage::store& data, events::registry& dispatcher,
                    parameter_indexes& others) noexcept
        : events::listener{on_event}, data_(data), dispatcher_(&dispatcher), others_(&others) {}

    static void on_event(events::listener& me, const events::event_data& event);
    void attach();
    template <class Visit>
    void each_relation(Visit&& visit) const;
    void fill();
    void change(std::uint64_t item, const storage::table* type, id_t changed, bool added) noexcept;
    bool collect(std::uint64_t item, const storage::table* type);
    template <class Visit>
    void each_key(id_t changed, Visit&& visit) const;
    void insert(std::uint64_t item, const key& targets);
    void erase(std::uint64_t item, const key& targets) noexcept;
    std::uint64_t hash_of(const std::uint32_t* targets) const noexcept;
    std::uint32_t find_list(const std::uint32_t* targets) const noexcept;
    std::uint32_t ensure_list(const key& targets);
    std::uint32_t find_node(std::uint64_t item, std::uint32_t owner) const noexcept;
    void close_gaps(list& owner) noexcept;

    storage::store& data_;
    events::registry* dispatcher_;
    parameter_indexes* others_;
    std::vector<slot> slots_;
    std::uint64_t terms_ = 0;
    std::uint32_t schema_ = 0;
    bool of_tables_ = false;
    bool broken_ = false;
    containers::memory mem_{nullptr};
    containers::hash_index by_key_;
    containers::hash_index by_item_;
    containers::vec<std::uint32_t> keys_;
    containers::vec<list> lists_;
    containers::vec<node> nodes_;
    containers::vec<std::uint32_t> free_nodes_;
    std::vector<std::vector<std::uint32_t>> targets_;  // of the item that is looked at, by slot
};

}  // namespace kith::queries
