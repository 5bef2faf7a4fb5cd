// The parameter index of a query that is called with several targets as arguments: a list of the
// tables or entities for each combination of targets that occurs. A call then costs as much as it
// finds, however many sources the single targets have.
//
// An item is the number of a table if the relationships are in tables: lists change when tables are
// made and deleted. An item is an entity if the relationships are sparse: lists change with each
// pair. A slot is one parameter of the query. A key is a combination of targets, one for each slot.
//
// An index is made when a query is first called with all of its arguments, perhaps while other
// threads read the world. It therefore takes its memory from the heap and not from the world.
//
// Invariants (unless the index is outdated)
// 1. An item is in the list of a key if and only if it has the pair (relation, target) for each
// slot.
// 2. Slots are sorted by relationship; the targets of slots with the same relationship ascend in a
// key.
// 3. `by_key_` finds the number of each list (from 1) by its key, which is at list::key_at in
// keys_.
// 4. For each item of a list there is a node with the list's number and the item's position, which
//    `by_item_` finds. Removed items are 0 until close_gaps(); list::gone counts them.
// 5. `free_nodes_` has the numbers of unused nodes, and room for all nodes: erase() needs no
// memory.
// 6. Numbers of lists stay valid as long as the index.
// 7. The items of a list are in an order that follows from the state of storage: tables as they
//    became active, entities by their ids. Entities are sorted when the list is asked for:
//    unsorted_ counts the lists that may be in another order.
//
// Covered by tests/unit/query/parameter_index_test.cpp.
#pragma once

#include <kith/detail/mutex.hpp>

#include "base/assert.hpp"
#include "events/registry.hpp"
#include "query/model/query_model.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace kith::queries {

class parameter_index;

// All indexes of a world. Indexes receive table events, and are detached when the world ends.
struct parameter_indexes {
    std::vector<parameter_index*> all;

    ~parameter_indexes();
    void table_made(const storage::table& table) noexcept;
    void table_gone(const storage::table& table) noexcept;
};

class parameter_index final : events::listener {
public:
    // Makes the index of a query and fills it. Null if an index does not pay: the query has fewer
    // than two targets as parameters, or relationships of both kinds.
    static std::unique_ptr<parameter_index> make(storage::store& data, events::registry& dispatcher,
                                                 parameter_indexes& others,
                                                 const query_model& model);
    ~parameter_index();
    parameter_index(const parameter_index&) = delete;
    parameter_index& operator=(const parameter_index&) = delete;

    // True if lists are not complete: properties of ids have changed, memory ran out, or an item
    // has too many combinations. Such an index must not be used.
    bool is_outdated() const noexcept { return broken_ || schema_ != data_.schema; }

    bool lists_tables() const noexcept { return of_tables_; }
    // The terms that every item of a list satisfies, as bits.
    std::uint64_t terms() const noexcept { return terms_; }
    // The number of the list for these values of the query's variables; 0: there is none. Sorts
    // the list. Safe from several threads while no thread changes the world.
    std::uint32_t find(const entity_t* variables) noexcept;
    // The items of a list; 0 is the hole of a removed one.
    std::uint32_t size(std::uint32_t number) const noexcept {
        return number ? lists_[number - 1].items.size() : 0;
    }
    std::uint64_t item(std::uint32_t number, std::uint32_t position) const noexcept {
        KITH_ASSERT(position < size(number), "the list has the item");
        return lists_[number - 1].items[position];
    }
    const std::uint64_t* items(std::uint32_t number) const noexcept {
        return number ? lists_[number - 1].items.data() : nullptr;
    }

private:
    friend struct parameter_indexes;
    static constexpr std::uint32_t most_slots = 16;
    // Keys that one item may have; lists do not pay for items with more combinations.
    static constexpr std::uint64_t most_keys = 4096;

    // One parameter: the variable that is the target of a relationship.
    struct slot {
        std::uint32_t relation;
        std::uint8_t variable;
    };
    using key = std::uint32_t[most_slots];
    // The items of one key.
    struct list {
        std::uint32_t key_at = 0;  // position of the key in keys_
        std::uint32_t gone = 0;    // number of holes
        std::uint64_t last = 0;    // the highest item
        bool is_unsorted = false;  // counted by unsorted_
        containers::vec<std::uint64_t> items;
        containers::vec<std::uint32_t> nodes;  // of the items
    };
    // The membership of an item in a list, found by both.
    struct node {
        std::uint64_t item;
        std::uint32_t list;      // number from 1 on; 0: the node is free
        std::uint32_t position;  // in the list
    };

    parameter_index(storage::store& data, events::registry& dispatcher,
                    parameter_indexes& others) noexcept
        : events::listener{on_event}, data_(data), dispatcher_(&dispatcher), others_(&others) {}

    static void on_event(events::listener& me, const events::event_data& event);
    void attach();
    // Calls visit((R, *)) for each relationship of the slots, once.
    template <class Visit>
    void each_relation(Visit&& visit) const;
    void fill();
    // Adds the item to the lists of its keys, or removes it from them. `table` is null for
    // entities. With `pair`, only keys with this pair are concerned; 0: all keys of the item.
    void change(std::uint64_t item, const storage::table* table, id_t pair, bool added) noexcept;
    bool collect(std::uint64_t item, const storage::table* table);
    // Calls visit(key) for the keys of the item in targets_.
    template <class Visit>
    void each_key(id_t pair, Visit&& visit) const;
    void insert(std::uint64_t item, const key& targets);
    void erase(std::uint64_t item, const key& targets) noexcept;
    std::uint64_t hash_of(const std::uint32_t* targets) const noexcept;
    std::uint32_t find_list(const std::uint32_t* targets) const noexcept;
    std::uint32_t ensure_list(const key& targets);
    std::uint32_t find_node(std::uint64_t item, std::uint32_t number) const noexcept;
    void close_gaps(list& members) noexcept;
    void sort(list& members) noexcept;

    storage::store& data_;
    events::registry* dispatcher_;  // null after the end of the world
    parameter_indexes* others_;     // null after the end of the world
    std::vector<slot> slots_;
    std::uint64_t terms_ = 0;
    std::uint32_t schema_ = 0;                 // store::schema when the index was made
    bool of_tables_ = false;                   // items are tables
    bool broken_ = false;                      // lists are not complete
    detail::mutex sorting_;                    // guards sort()
    std::atomic<std::uint32_t> unsorted_ = 0;  // number of lists
    containers::memory mem_{nullptr};
    containers::hash_index by_key_;        // key -> number of its list
    containers::hash_index by_item_;       // list and item -> number of the node
    containers::vec<std::uint32_t> keys_;  // keys of all lists, one after the other
    containers::vec<list> lists_;
    containers::vec<node> nodes_;
    containers::vec<std::uint32_t> free_nodes_;
    std::vector<std::vector<std::uint32_t>> targets_;  // of the item in collect(), for each slot
};

}  // namespace kith::queries
