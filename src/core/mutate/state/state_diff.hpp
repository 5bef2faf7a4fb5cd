// The difference of two captured states as a list of facts, in an order in which they can be made
// true by operations.
#pragma once

#include "mutate/state/state_reader.hpp"

namespace kith::mutate {

// The kinds of facts, in the order of the list.
enum class fact_kind : std::uint8_t {
    id_removed,  // names first, properties last
    entity_deleted,
    entity_made,
    id_added,  // types and properties first, names last
    value_changed,
    id_disabled,
    id_enabled,
};

struct fact {
    fact_kind kind;
    entity_t entity;
    id_t id = 0;            // 0: the fact is about the entity
    captured_value before;  // of an id that was removed or changed
    captured_value after;   // of an id that was added or changed
    bool disabled = false;  // of an id that was removed or added: it is switched off
};

// Limits a difference to some entities, and to some ids of them.
struct diff_scope {
    std::vector<std::uint32_t> indices;  // sorted
    std::vector<id_t> ids;               // sorted; empty: all
    // False: the first state keeps entities that the second one does not have.
    bool deletes = false;
};

// True for the pairs that names are stored in.
inline bool is_name(id_t id) noexcept {
    return is_pair(id) && !(id & Override) && pair_first(id) == detail::identifier_type_id;
}

// The facts that differ, sorted. The values belong to the states. C++ types that one state does not
// know stay known, so that properties are the only facts about their entities. `world` has
// descriptions of values, null: those of the process count. `scope` null: everything.
std::vector<fact> find_differences(const state_reader& before, const state_reader& after,
                                   const world_t* world, const diff_scope* scope = nullptr);
// Appends the facts that lead from one list of an entity's ids to another. Both are sorted.
void compare_ids(entity_t entity, const std::vector<captured_id>& before,
                 const std::vector<captured_id>& after, const world_t* world,
                 std::vector<fact>& facts);
// Puts facts into the order in which they can be made true.
void sort_facts(std::vector<fact>& facts);
// Lines such as `+ Armed(Bob)`, `- Likes(Bob, Alice)`, `~ Health(Bob).points: 10 -> 7`.
void append_fact(std::string& out, const fact& about, const state_reader& before,
                 const state_reader& after, const world_t* world);
// Objects such as `{"change":"add", "entity":"Bob", "id":"(Likes,Alice)"}`, with commas between
// several; nothing for half of a change that another fact shows.
void append_json_fact(std::string& out, const fact& about, const state_reader& before,
                      const state_reader& after, const world_t* world);

}  // namespace kith::mutate
