// Implements net_effects.hpp.
#include "mutate/notify/net_effects.hpp"

#include "base/assert.hpp"
#include "base/attempt.hpp"
#include "base/hash.hpp"
#include "base/scope_exit.hpp"
#include "mutate/apply/owned_ids.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/context/command_buffer.hpp"
#include "mutate/notify/notify.hpp"
#include "mutate/rules/change_set.hpp"
#include "mutate/rules/prefabs.hpp"
#include "storage/find.hpp"
#include "traits/implications.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;
using storage::id_info;

namespace {

// The id of the state of the entity itself; as a pattern it stands for every id.
constexpr id_t everything = 0;

std::uint64_t hash_of(entity_t entity, id_t id) noexcept {
    return base::mix(base::combine(entity, id));
}

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

// True if all elements of the id are alive.
bool is_known(const storage::store& data, id_t id) noexcept {
    if (is_pair(id)) {
        return data.entities.alive_at(pair_first(id)) && data.entities.alive_at(pair_second(id));
    }
    return data.entities.find(id & ~id_flags_mask) != nullptr;
}

}  // namespace

net_effects::net_effects(stage& world, const command_buffer& queue) noexcept
    : world_(world),
      outer_(world.operation.net),
      has_bases_(queue.has_bases()),
      has_sides_(queue.has_sides()) {
    // The predictions of an outer queue do not apply to this one.
    world.operation.net = nullptr;
}

net_effects::~net_effects() {
    world_.operation.net = outer_;
    drop_all();
    predicted_states_.release(world_.data.mem, purpose::commands);
    predicted_removals_.release(world_.data.mem);
    index_.release(world_.data.mem, purpose::commands);
}

// Commands without single named ids (clones, lists) may always notify.
bool net_effects::may_be_reported(const command& queued) const noexcept {
    switch (queued.kind) {
        case command_kind::clone:
        case command_kind::clone_types:
        case command_kind::add_list:
            return true;
        default:
            break;
    }
    if (queued.id == 0 || is_wildcard(queued.id) || !is_known(world_.data, queued.id)) {
        return false;
    }
    const id_info id = traits::describe_id(world_.data, queued.id);
    return id.event_mask != 0 || traits::implies_others(id.traits) ||
           traits::is_symmetric(id.traits);
}

// Predicts the commands up to the next emission, of entities that cannot be handled chain by chain.
void net_effects::predict_sequential(const command* first, bool in_order) {
    containers::vec<entity_t> spread;
    const base::scope_exit release([&] { spread.release(world_.data.mem, purpose::commands); });
    bool removes_from_all = false;
    const command* end = first;
    for (; end && end->kind != command_kind::emit; end = end->following) {}
    for (const command* queued = first; queued != end; queued = queued->following) {
        removes_from_all |= queued->kind == command_kind::remove_all;
        if (queued->before && (in_order || queued->is_head)) {
            spread.push(world_.data.mem, queued->entity, purpose::commands);
        }
        if (has_sides_) {
            collect_sides(*queued, spread);
        }
    }
    std::sort(spread.begin(), spread.end());
    for (const command* command = first; command != end; command = command->following) {
        if (removes_from_all || command->entity == 0 ||
            std::binary_search(spread.begin(), spread.end(), command->entity)) {
            predict(*command);
        }
    }
}

template <class Visit>
void net_effects::each_implied(const id_info& id, Visit&& visit) const {
    id_buffer implied(world_.data.mem, purpose::commands);
    traits::collect_implied(world_.data, id, implied);
    for (id_t implied_id : implied) {
        if (is_known(world_.data, implied_id)) {
            visit(traits::describe_id(world_.data, implied_id));
        }
    }
}

void net_effects::collect_sides(const command& queued, containers::vec<entity_t>& sides) {
    if (!is_known(world_.data, queued.id)) {
        return;
    }
    auto collect = [&](const id_info& id) {
        if (const entity_t other = traits::inverse_holder(world_.data, id)) {
            sides.push(world_.data.mem, queued.entity, purpose::commands);
            sides.push(world_.data.mem, other, purpose::commands);
        }
    };
    const id_info named = traits::describe_id(world_.data, queued.id);
    collect(named);
    each_implied(named, collect);
}

void net_effects::predict_queue(const command* first, bool in_order) noexcept {
    attempt([&] { predict_sequential(first, in_order); });
}

void net_effects::predict_chain(const command* head) noexcept {
    bool reported = false;
    for (const command* queued = head; queued && !reported; queued = queued->next) {
        reported = may_be_reported(*queued);
    }
    if (!reported || find(head->entity, everything)) {
        return;
    }
    attempt([&] {
        for (const command* command = head; command; command = command->next) {
            predict(*command);
        }
    });
}

void net_effects::note_refused(const command& deletion) noexcept {
    predicted_state* entity_state = find(deletion.entity, everything);
    if (!entity_state || !entity_state->ends) {
        return;
    }
    entity_state->ends = false;
    attempt([&] {
        for (const command* command = deletion.following;
             command && command->kind != command_kind::emit; command = command->following) {
            if (command->entity == deletion.entity) {
                predict(*command);
            }
        }
    });
}

// Updates the predicted states by one command. Called in the order in which the commands run.
void net_effects::predict(const command& queued) {
    if (queued.entity != 0) {
        if (!world_.data.entities.find(queued.entity)) {
            return;
        }
        predicted_state& entity_state = ensure(queued.entity, everything);
        if (entity_state.ends) {
            return;  // commands for a deleted entity are dropped
        }
        entity_state.ends = queued.kind == command_kind::destruct;
    }
    // The first prediction activates the object: notifications consult it from here on.
    world_.operation.net = this;
    switch (queued.kind) {
        case command_kind::add:
        case command_kind::set:
        case command_kind::emplace:
        case command_kind::ensure:
        case command_kind::modified:
            predict_added(queued, queued.id);
            break;
        case command_kind::add_list: {
            const auto& list = *static_cast<const queued_ids*>(queued.value());
            for (std::uint32_t i = 0; i < list.count; ++i) {
                predict_added(queued, list.ids[i]);
            }
            break;
        }
        case command_kind::clone:
        case command_kind::clone_types:
            predict_copied(queued);
            break;
        case command_kind::remove:
            predict_removed(queued);
            break;
        case command_kind::remove_all:
            predict_removed_by_pattern(0, queued.id, 0, queued.order);
            break;
        case command_kind::clear:
        case command_kind::destruct:
            predict_removed_by_pattern(queued.entity, everything, 0, queued.order);
            break;
        default:
            break;
    }
}

void net_effects::predict_added(const command& queued, id_t id) {
    if (!is_known(world_.data, id)) {
        return;
    }
    const id_info info = traits::describe_id(world_.data, id);
    predict_sides(queued, queued.entity, info,
                  queued.kind == command_kind::set || queued.kind == command_kind::emplace ||
                      queued.kind == command_kind::modified);
    if (queued.kind == command_kind::modified) {
        return;
    }
    predict_implied(queued, queued.entity, info);
    if (const entity_t other = traits::inverse_holder(world_.data, info)) {
        predict_implied(queued, other, describe_inverse(queued.entity, id));
    }
    if (is_pair(id) && pair_first(id) == IsA) {
        predict_marked(queued, world_.data.entities.alive_at(pair_second(id)));
    }
    if (is_pair(id) && pair_first(id) == ChildOf &&
        will_be_prefab(world_.data.entities.alive_at(pair_second(id)))) {
        predict_one(queued, queued.entity, traits::describe_id(world_.data, Prefab), false);
    }
}

bool net_effects::will_be_prefab(entity_t entity) noexcept {
    const predicted_state* state = find(entity, Prefab);
    return state && state->added_at >= 0 ? state->added_at > last_taken(*state)
                                         : is_prefab(world_.data, entity);
}

id_info net_effects::describe_inverse(entity_t entity, id_t pair) const noexcept {
    return traits::describe_id(world_.data, traits::inverse_of(entity, pair));
}

void net_effects::predict_sides(const command& queued, entity_t entity, const id_info& id,
                                bool is_set) {
    predict_one(queued, entity, id, is_set);
    if (const entity_t other = traits::inverse_holder(world_.data, id)) {
        predict_one(queued, other, describe_inverse(entity, id.id), is_set);
    }
}

void net_effects::predict_implied(const command& queued, entity_t entity, const id_info& id) {
    each_implied(id,
                 [&](const id_info& implied) { predict_sides(queued, entity, implied, false); });
}

// Predicts the copies of marked ids that an instance of the base gets.
void net_effects::predict_marked(const command& queued, entity_t base) {
    id_buffer marked(world_.data.mem, purpose::commands);
    collect_marked(world_, base, marked);
    for (id_t id : marked) {
        if (is_known(world_.data, id) && traits::describe_id(world_.data, id).event_mask != 0) {
            ensure(queued.entity, id).added_at = queued.order;
        }
    }
}

// Predicts the addition of one id, and the loss of the former target of an exclusive relationship.
void net_effects::predict_one(const command& queued, entity_t entity, const id_info& id,
                              bool is_set) {
    if (const id_t replaced = traits::replaced_pattern(id);
        replaced && queued.kind != command_kind::modified) {
        predict_removed_by_pattern(entity, replaced, id.id, queued.order);
    }
    if (id.event_mask == 0) {
        return;
    }
    predicted_state& state = ensure(entity, id.id);
    if (queued.kind != command_kind::modified) {
        state.added_at = queued.order;
    }
    if (is_set) {
        state.set_at = queued.order;
    }
}

// Predicts the ids of a copy.
void net_effects::predict_copied(const command& queued) {
    if (!world_.data.entities.find(queued.id)) {
        return;
    }
    auto copied = [&](const id_info& id) { predict_sides(queued, queued.entity, id, false); };
    each_owned(world_.data, queued.id, Wildcard, copied);
    each_owned(world_.data, queued.id, make_pair(Wildcard, Wildcard), copied);
}

// Removals of single ids are stored in the states, removals by pattern in `predicted_removals_`.
void net_effects::predict_removed(const command& queued) {
    if (is_wildcard(queued.id)) {
        predict_removed_by_pattern(queued.entity, queued.id, 0, queued.order);
        return;
    }
    if (!is_known(world_.data, queued.id)) {
        return;
    }
    const id_info info = traits::describe_id(world_.data, queued.id);
    if (info.event_mask != 0) {
        ensure(queued.entity, queued.id).removed_at = queued.order;
    }
    if (const entity_t other = traits::inverse_holder(world_.data, info)) {
        ensure(other, traits::inverse_of(queued.entity, queued.id)).removed_at = queued.order;
    }
}

void net_effects::predict_removed_by_pattern(entity_t entity, id_t pattern, id_t spared,
                                             std::uint32_t order) {
    predicted_removals_.put_taking(world_.data.mem, entity, pattern, spared, order);
}

net_effects::predicted_state* net_effects::find(entity_t entity, id_t id) noexcept {
    const std::uint32_t number = index_.find(hash_of(entity, id), [&](std::uint32_t position) {
        return predicted_states_[position - 1].entity == entity &&
               predicted_states_[position - 1].id == id;
    });
    return number ? &predicted_states_[number - 1] : nullptr;
}

// A new state begins with the present ids of the entity.
net_effects::predicted_state& net_effects::ensure(entity_t entity, id_t id) {
    if (predicted_state* state = find(entity, id)) {
        return *state;
    }
    containers::memory& mem = world_.data.mem;
    KITH_ASSERT(index_.count() == predicted_states_.size(), "each state is indexed");
    index_.reserve_one(mem, purpose::commands);
    predicted_state state{entity, id};
    if (const storage::entity_record* record = world_.data.entities.find(entity); record && id) {
        state.reported_has = storage::owns_id(world_.data, *record, entity, id);
        state.other = traits::inverse_holder(world_.data, traits::describe_id(world_.data, id));
    }
    predicted_states_.push(mem, state, purpose::commands);
    index_.insert_reserved(hash_of(entity, id), predicted_states_.size());
    return predicted_states_.back();
}

// Removals of the inverse pair count as removals of the pair.
std::int64_t net_effects::last_taken(const predicted_state& state) const noexcept {
    const std::int64_t own_removal =
        std::max(state.removed_at, predicted_removals_.last_taking(state.entity, state.id));
    if (!state.other) {
        return own_removal;
    }
    const id_t inverse = traits::inverse_of(state.entity, state.id);
    return std::max(own_removal, predicted_removals_.last_taking(state.other, inverse));
}

bool net_effects::is_ending(const predicted_state& state) const noexcept {
    return is_pending_delete(world_.data, index_of(state.entity)) ||
           names_pending_delete(world_.data, state.id);
}

// A later command decides about the id; without one, the present state lasts.
bool net_effects::will_have(const predicted_state& state, bool has) noexcept {
    if (is_ending(state)) {
        return false;
    }
    const std::int64_t removed_at = last_taken(state);
    return std::max(state.added_at, removed_at) > now_ ? state.added_at > removed_at : has;
}

// Returns true if a change to `has` is to be notified now, and stores it as known to listeners.
bool net_effects::is_change_reported(predicted_state& state, bool has) noexcept {
    // No event if the id is as listeners know it, or will be again.
    if (state.reported_has == has || will_have(state, has) != has) {
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
    for (predicted_state& state : predicted_states_) {
        drop_kept_value(state);
    }
    predicted_states_.clear();
    predicted_removals_.clear();
    index_.clear();
    held_losses_ = 0;
}

// OnSet is delayed while a later command sets or removes the id.
bool net_effects::is_set_reported(predicted_state& state) noexcept {
    state.set_held = std::max(state.set_at, last_taken(state)) > now_;
    state.held_for_loss = state.set_held && state.set_at <= now_;
    return !state.set_held;
}

// Ids without a prediction are always notified.
bool net_effects::is_reported(storage::event_bits mask, const id_info& id, entity_t entity,
                              const void* value) noexcept {
    predicted_state* state = find(entity, id.id);
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
            return state->reported_has || will_have(*state, true);
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
    for (std::uint32_t i = 0; held_losses_ != 0 && i < predicted_states_.size(); ++i) {
        predicted_state& state = predicted_states_[i];
        const bool ends = state.entity == entity || has_element(state.id, entity);
        if (ends && state.reported_has && state.id != everything &&
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
    for (predicted_state& state : predicted_states_) {
        if (state.id != everything && world_.data.entities.find(state.entity)) {
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
