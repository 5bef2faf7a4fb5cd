// Implements predicted_states.hpp.
#include "mutate/notify/predicted_states.hpp"

#include "base/assert.hpp"
#include "base/hash.hpp"
#include "storage/find.hpp"
#include "traits/implications.hpp"

#include <algorithm>
#include <utility>

namespace kith::mutate {

using containers::purpose;

namespace {

std::uint64_t hash_of_state(entity_t entity, id_t id) noexcept {
    return base::mix(base::combine(entity, id));
}

// The parent that an id gives an entity; 0: none.
entity_t parent_in(const storage::store& data, id_t id) noexcept {
    const bool is_child = is_pair(id) && !(id & Override) && pair_first(id) == ChildOf;
    return is_child ? data.entities.alive_at(pair_second(id)) : 0;
}

}  // namespace

bool is_known(const storage::store& data, id_t id) noexcept {
    if (is_pair(id)) {
        return data.entities.alive_at(pair_first(id)) && data.entities.alive_at(pair_second(id));
    }
    return data.entities.find(id & ~id_flags_mask) != nullptr;
}

predicted_states::~predicted_states() {
    states_.release(data_.mem, purpose::commands);
    removals_.release(data_.mem);
    index_.release(data_.mem, purpose::commands);
}

predicted_state* predicted_states::find(entity_t entity, id_t id) noexcept {
    const std::uint32_t number =
        index_.find(hash_of_state(entity, id), [&](std::uint32_t position) {
            return states_[position - 1].entity == entity && states_[position - 1].id == id;
        });
    return number ? &states_[number - 1] : nullptr;
}

predicted_state& predicted_states::ensure(entity_t entity, id_t id) {
    if (predicted_state* state = find(entity, id)) {
        return *state;
    }
    const entity_t parent = parent_in(data_, id);
    if (id != everything) {
        ensure(entity, everything);
    }
    if (parent) {
        ensure(parent, everything);
    }
    KITH_ASSERT(index_.count() == states_.size(), "each state is indexed");
    index_.reserve_one(data_.mem, purpose::commands);
    predicted_state state = describe(entity, id);
    state.reported_has = owns(entity, id);
    states_.push(data_.mem, state, purpose::commands);
    index_.insert_reserved(hash_of_state(entity, id), states_.size());
    if (id != everything) {
        states_.back().next = std::exchange(find(entity, everything)->next, states_.size());
    }
    if (parent) {
        states_.back().child = std::exchange(find(parent, everything)->child, states_.size());
    }
    return states_.back();
}

void predicted_states::put_removal(entity_t entity, id_t pattern, id_t spared,
                                   std::uint32_t order) {
    removals_.put_taking(data_.mem, entity, pattern, spared, order);
    has_removals_ = true;
}

void predicted_states::clear() noexcept {
    states_.clear();
    removals_.clear();
    index_.clear();
    has_removals_ = false;
}

bool predicted_states::owns(entity_t entity, id_t id) const noexcept {
    const storage::entity_record* record = id != everything ? data_.entities.find(entity) : nullptr;
    return record && storage::owns_id(data_, *record, entity, id);
}

predicted_state predicted_states::describe(entity_t entity, id_t id) const noexcept {
    predicted_state state{entity, id};
    if (id != everything) {
        state.other = traits::inverse_holder(data_, traits::describe_id(data_, id));
    }
    return state;
}

// Removals of the inverse pair count as removals of the pair.
std::int64_t predicted_states::last_taken(const predicted_state& state) const noexcept {
    const std::int64_t own_removal =
        std::max(state.removed_at, removals_.last_taking(state.entity, state.id));
    if (!state.other) {
        return own_removal;
    }
    const id_t inverse = traits::inverse_of(state.entity, state.id);
    return std::max(own_removal, removals_.last_taking(state.other, inverse));
}

bool predicted_states::is_ending(const predicted_state& state) const noexcept {
    return is_pending_delete(data_, index_of(state.entity)) ||
           names_pending_delete(data_, state.id);
}

// A later command decides about the id; without one, the present state lasts.
bool predicted_states::will_have(const predicted_state& state, bool has) const noexcept {
    if (is_ending(state)) {
        return false;
    }
    const std::int64_t removed_at = last_taken(state);
    return std::max(state.added_at, removed_at) > now_ ? state.added_at > removed_at : has;
}

bool predicted_states::will_have(entity_t entity, id_t id, bool has) noexcept {
    const predicted_state* state = find(entity, id);
    return will_have(state ? *state : describe(entity, id), has);
}

}  // namespace kith::mutate
