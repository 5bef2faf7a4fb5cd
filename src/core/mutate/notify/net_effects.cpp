// Implements net_effects.hpp.
#include "mutate/notify/net_effects.hpp"

#include "base/assert.hpp"
#include "base/attempt.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/context/command_buffer.hpp"
#include "mutate/notify/notify.hpp"
#include "mutate/rules/change_set.hpp"
#include "storage/find.hpp"
#include "traits/implications.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;
using storage::id_info;

namespace {

// Runs an action whose failure only costs a prediction.
template <class Action>
void attempt(Action&& action) noexcept {
    base::attempt(action, [] {
        // Changes that are not predicted are notified as they happen.
    });
}

std::size_t alignment_of(const type_info& info) noexcept {
    return std::max<std::size_t>(info.alignment, 16);
}

}  // namespace

net_effects::net_effects(stage& world, const command_buffer& queue) noexcept
    : world_(world),
      outer_(world.operation.net),
      has_bases_(queue.has_bases()),
      states_(world.data),
      prediction_(world, states_, queue.has_sides()) {
    // The predictions of an outer queue do not apply to this one.
    world.operation.net = nullptr;
}

net_effects::~net_effects() {
    world_.operation.net = outer_;
    drop_all();
}

void net_effects::predict_queue(const command* first, bool in_order) noexcept {
    attempt([&] { prediction_.predict_queue(first, in_order); });
    activate();
}

void net_effects::predict_chain(const command* head) noexcept {
    attempt([&] { prediction_.predict_chain(head); });
    activate();
}

// From the first prediction on, notifications consult this object.
void net_effects::activate() noexcept {
    if (!states_.empty()) {
        world_.operation.net = this;
    }
}

void net_effects::note_refused(const command& deletion) noexcept {
    predicted_state* entity_state = states_.find(deletion.entity, predicted_states::everything);
    if (entity_state && entity_state->ends) {
        entity_state->ends = false;
        attempt([&] { prediction_.predict_after(deletion); });
    }
}

// Returns true if a change to `has` is to be notified now, and stores it as known to listeners.
bool net_effects::is_change_reported(predicted_state& state, bool has) noexcept {
    // No event if the id is as listeners know it, or will be again.
    if (state.reported_has == has || states_.will_have(state, has) != has) {
        return false;
    }
    state.reported_has = has;
    return true;
}

// Returns true if a removal is to be notified now. Otherwise the value is kept, in case the
// predicted addition fails.
bool net_effects::is_loss_reported(predicted_state& state, const id_info& id,
                                   const void* value) noexcept {
    state.set_held = false;
    const bool reported = is_change_reported(state, false);
    if (reported || !state.reported_has) {
        return reported;
    }
    // The id will be added again: its removal is delayed.
    if (!keep_value(state, id, value)) {
        state.reported_has = false;
        return true;
    }
    return false;
}

bool net_effects::keep_value(predicted_state& state, const id_info& id,
                             const void* value) noexcept {
    drop_kept_value(state);  // no listener was subscribed to the addition
    ++held_losses_;
    state.lost = id;
    if (!id.value_type || !value) {
        return true;
    }
    const type_info& info = id.value_type->info;
    bool is_kept = false;
    attempt([&] {
        if (!info.can_copy()) {
            return;
        }
        state.kept_value =
            world_.data.mem.allocate(info.size, purpose::commands, alignment_of(info));
        types::copy_values(info, state.kept_value, value, 1);
        is_kept = true;
    });
    if (!is_kept) {
        --held_losses_;
        if (state.kept_value) {
            world_.data.mem.release(state.kept_value, info.size, purpose::commands,
                                    alignment_of(info));
            state.kept_value = nullptr;
        }
    }
    return is_kept;
}

void net_effects::drop_kept_value(predicted_state& state) noexcept {
    if (state.kept_value) {
        const type_info& info = state.lost.value_type->info;
        types::destroy_values(info, state.kept_value, 1);
        world_.data.mem.release(state.kept_value, info.size, purpose::commands, alignment_of(info));
        state.kept_value = nullptr;
    }
    state.lost = {};
}

void net_effects::drop_all() noexcept {
    for (std::uint32_t i = 0; i < states_.size(); ++i) {
        drop_kept_value(states_.at(i));
    }
    states_.clear();
    held_losses_ = 0;
}

// OnSet is delayed while a later command sets or removes the id.
bool net_effects::is_set_reported(predicted_state& state) noexcept {
    state.set_held = states_.will_be_set(state) || states_.will_be_taken(state);
    state.held_for_loss = state.set_held && !states_.will_be_set(state);
    return !state.set_held;
}

// A change that no command names, such as the slot of an instance, is transient if a later command
// removes the id. Returns null if that is not so, or if memory is short.
predicted_state* net_effects::foresee_loss(const id_info& id, entity_t entity) noexcept {
    if (!states_.will_be_taken(entity, id.id)) {
        return nullptr;
    }
    predicted_state* state = nullptr;
    attempt([&] {
        state = &states_.ensure(entity, id.id);
        state->reported_has = false;
    });
    return state;
}

// Ids without a prediction are always notified, unless a later command removes them.
bool net_effects::is_reported(storage::event_bits mask, const id_info& id, entity_t entity,
                              const void* value) noexcept {
    predicted_state* state = states_.find(entity, id.id);
    if (!state && mask == storage::event_add) {
        state = foresee_loss(id, entity);
    }
    if (!state) {
        return true;
    }
    switch (mask) {
        case storage::event_add:
            drop_kept_value(*state);
            return is_change_reported(*state, true);
        case storage::event_remove:
            return is_loss_reported(*state, id, value);
        case storage::event_set:
            return is_set_reported(*state);
        case storage::event_before:
            // The replacement of a name is notified by this event as well.
            return state->reported_has || states_.will_have(*state, true);
        case storage::event_after:
            return !state->reported_has;
        default:
            return true;
    }
}

bool net_effects::is_shared(entity_t entity, const id_info& id) const noexcept {
    const storage::entity_record& record = world_.data.entities.at(index_of(entity));
    if (has_bases_ || world_.data.tables.at(record.table).flags & detail::shape_has_base) {
        return true;
    }
    // Referrers see pairs of the entity through transitive relationships. Other ids are seen only
    // by instances.
    return is_pair(id.id) && !traits::has_inverse(id)
               ? (record.state & storage::record_referenced) != 0
               : world_.data.is_base(index_of(entity));
}

void net_effects::notify_lost(entity_t entity) noexcept {
    for (std::uint32_t i = 0; held_losses_ != 0 && i < states_.size(); ++i) {
        predicted_state& state = states_.at(i);
        const bool ends = state.entity == entity || has_element(state.id, entity);
        if (ends && state.reported_has && state.id != predicted_states::everything &&
            world_.data.entities.find(state.entity)) {
            notify_rest(state);
        }
    }
}

void net_effects::finish() {
    if (!world_.operation.net) {
        return;
    }
    KITH_ASSERT(world_.operation.net == this, "predictions of nested queues have ended");
    world_.operation.net = nullptr;
    callback_scope code(world_);
    for (std::uint32_t i = 0; i < states_.size(); ++i) {
        predicted_state& state = states_.at(i);
        if (state.id != predicted_states::everything && world_.data.entities.find(state.entity)) {
            notify_rest(state);
        }
    }
    drop_all();
    code.finish();
}

void net_effects::notify_rest(predicted_state& state) noexcept {
    if (!is_known(world_.data, state.id)) {
        return;
    }
    const storage::entity_record& record = *world_.data.entities.find(state.entity);
    const bool has = storage::owns_id(world_.data, record, state.entity, state.id);
    // A property may have changed the meaning of the id.
    const id_info id = has ? traits::describe_id(world_.data, state.id) : state.lost;
    void* value = state.kept_value;
    if (has) {
        value = id.value_type ? find_own_value(world_, state.entity, state.id) : nullptr;
    }
    const bool shared = is_shared(state.entity, id);
    // The removal for which OnSet was delayed has not happened: a command before it has changed the
    // meaning of the relationship.
    const bool is_kept_after_all = has && !state.reported_has && state.held_for_loss;
    if (has != state.reported_has && (value || !id.value_type)) {
        notify_net(world_, has ? storage::event_add : storage::event_remove, id, state.entity,
                   value, shared);
        state.reported_has = has;
    }
    // After a failure, the set command that the event was delayed for may be the failed one.
    if (has && state.set_held && (failed_ || is_kept_after_all)) {
        notify_net(world_, storage::event_set, id, state.entity, value, shared);
    }
    drop_kept_value(state);
}

}  // namespace kith::mutate
