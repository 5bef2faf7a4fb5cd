// The predicted ends of a queue: for each entity and id, the last commands that add, remove or set
// it; and whether the entity will have the id after the commands that were predicted so far.
//
// Invariants
// 1. `index_` has one number for each state; states are unique by entity and id. The state with id
//    `everything` is about the entity itself.
// 2. The states of an entity are linked by `next`, and the states of its predicted children, which
//    have a (ChildOf, entity), by `child`, both from that of `everything` on.
//
// Covered by tests/features/observers/deferred_copies_test.cpp and tests/model/net_change_test.cpp.
#pragma once

#include "containers/hash_index.hpp"
#include "mutate/context/latest_commands.hpp"
#include "mutate/context/stage.hpp"

namespace kith::mutate {

// True if all elements of the id are alive.
bool is_known(const storage::store& data, id_t id) noexcept;

// The last commands that decide about an id of an entity, by their orders; -1: none.
struct predicted_state {
    entity_t entity;
    id_t id;
    entity_t other = 0;       // of a symmetric pair: the target, whose removals count here
    std::uint32_t next = 0;   // position of the next state of the entity, plus one; 0: none
    std::uint32_t child = 0;  // position of the next state of a child, plus one; 0: none
    std::int64_t added_at = -1;
    std::int64_t removed_at = -1;
    std::int64_t set_at = -1;
    // Of the state of `everything`: commands of the entity were predicted; it is deleted.
    bool is_predicted = false;
    bool ends = false;
    bool reported_has = false;   // the state that listeners know
    bool set_held = false;       // OnSet was delayed
    bool held_for_loss = false;  // OnSet was delayed for a removal
    // A removal that was not notified: the meaning of the id then, and a copy of the value.
    storage::id_info lost = {};
    void* kept_value = nullptr;
};

// The states of a running queue.
class predicted_states {
public:
    // The id of the state of the entity itself; as a pattern it stands for every id.
    static constexpr id_t everything = 0;

    explicit predicted_states(storage::store& data) noexcept : data_(data) {}
    ~predicted_states();
    predicted_states(const predicted_states&) = delete;
    predicted_states& operator=(const predicted_states&) = delete;

    predicted_state* find(entity_t entity, id_t id) noexcept;
    // Returns the state of the id; a new state begins with the present ids of the entity.
    predicted_state& ensure(entity_t entity, id_t id);
    // Notes the removal of all ids that match the pattern, except `spared`. Entity 0: of all
    // entities.
    void put_removal(entity_t entity, id_t pattern, id_t spared, std::uint32_t order);

    // Commands up to this order have begun.
    void reach(std::int64_t order) noexcept { now_ = order; }
    // True if a command that has not begun removes the id, its inverse, or everything.
    bool will_be_taken(const predicted_state& state) const noexcept {
        return last_taken(state) > now_;
    }
    bool will_be_taken(entity_t entity, id_t id) const noexcept {
        return will_be_taken(describe(entity, id));
    }
    // True if a command that has not begun sets the id.
    bool will_be_set(const predicted_state& state) const noexcept { return state.set_at > now_; }
    // True if the entity has the id in the end; `has`: whether it has the id now.
    bool will_have(const predicted_state& state, bool has) const noexcept;
    bool will_have(entity_t entity, id_t id, bool has) noexcept;
    // Calls visit(id) for each id that the entity will have and does not have now. `visit` may add
    // states of other entities.
    template <class Visit>
    void each_gained(entity_t entity, Visit&& visit) {
        const predicted_state* first = find(entity, everything);
        for (std::uint32_t at = first ? first->next : 0; at != 0; at = states_[at - 1].next) {
            const predicted_state& state = states_[at - 1];
            if (!owns(state.entity, state.id) && will_have(state, false)) {
                visit(state.id);
            }
        }
    }

    // Calls visit(child) for each child that the entity will have and does not have now.
    template <class Visit>
    void each_gained_child(entity_t entity, Visit&& visit) {
        const predicted_state* first = find(entity, everything);
        for (std::uint32_t at = first ? first->child : 0; at != 0; at = states_[at - 1].child) {
            const predicted_state& state = states_[at - 1];
            if (!owns(state.entity, state.id) && will_have(state, false)) {
                visit(state.entity);
            }
        }
    }

    bool empty() const noexcept { return states_.size() == 0 && !has_removals_; }
    std::uint32_t size() const noexcept { return states_.size(); }
    predicted_state& at(std::uint32_t position) noexcept { return states_[position]; }
    // Requires: no state has a kept value.
    void clear() noexcept;

private:
    bool owns(entity_t entity, id_t id) const noexcept;
    // A state without commands.
    predicted_state describe(entity_t entity, id_t id) const noexcept;
    // The order of the last command that removes the id, its inverse, or everything.
    std::int64_t last_taken(const predicted_state& state) const noexcept;
    // True if the entity or an element of the id is being deleted.
    bool is_ending(const predicted_state& state) const noexcept;

    storage::store& data_;
    std::int64_t now_ = -1;  // order of the command that is running
    bool has_removals_ = false;
    containers::vec<predicted_state> states_;
    containers::hash_index index_;  // positions in states_, plus one
    latest_commands removals_;      // removals by pattern
};

}  // namespace kith::mutate
