// Implements change_set.hpp.
#include "mutate/rules/change_set.hpp"

#include "mutate/apply/owned_ids.hpp"
#include "traits/implications.hpp"

#include <algorithm>

namespace kith::mutate {

using storage::id_info;

namespace {

// The cause of a change of the same entity that follows from a change with this cause.
change_cause implied_by(change_cause cause) noexcept {
    return cause == change_cause::inverse ? cause : change_cause::implied;
}

// True if one of the staged changes satisfies the condition. Staged changes nest, and all of them
// belong to the running operation.
template <class Condition>
bool any_staged(const stage& world, Condition&& condition) noexcept {
    for (const staged_change* step = world.operation.staged; step; step = step->outer()) {
        if (condition(step->set)) {
            return true;
        }
    }
    return false;
}

}  // namespace

void change_set::gain(entity_t entity, id_t id) {
    // The list is its own work list: entries that are appended meanwhile are expanded as well.
    std::uint32_t next = gains_.size();
    gain_one(entity, id, change_cause::requested);
    for (; next < gains_.size(); ++next) {
        expand(id_change{gains_[next]});
    }
}

void change_set::expand(const id_change& gained) {
    const change_cause cause = implied_by(gained.cause);
    traits::each_implied(data_, gained.id,
                         [&](id_t implied) { gain_one(gained.entity, implied, cause); });
    if (const id_t pattern = traits::replaced_pattern(gained.id)) {
        each_owned(data_, gained.entity, pattern,
                   [&](const id_info& replaced) { lose(gained.entity, replaced, cause); });
    }
    if (const entity_t other = traits::inverse_holder(data_, gained.id)) {
        gain_one(other, traits::inverse_of(gained.entity, gained.id.id), change_cause::inverse);
    }
}

void change_set::gain_one(entity_t entity, id_t id, change_cause cause) {
    const storage::entity_record& record = *data_.entities.find(entity);
    if (!storage::owns_id(data_, record, entity, id) && !gains(entity, id)) {
        gains_.push({entity, traits::describe_id(data_, id), cause});
    }
}

void change_set::lose(entity_t entity, const id_info& id, change_cause cause) {
    losses_.push({entity, id, cause});
    if (const entity_t other = traits::inverse_holder(data_, id)) {
        losses_.push({other, traits::describe_id(data_, traits::inverse_of(entity, id.id)),
                      change_cause::inverse});
    }
}

void change_set::collect_lost(entity_t entity, id_buffer& lost) const {
    for (const id_change& change : losses_) {
        if (change.entity == entity && change.cause != change_cause::inverse) {
            lost.push(change.id.id);
        }
    }
}

bool change_set::contains(const changes& list, entity_t holder, id_t id) noexcept {
    return std::any_of(list.begin(), list.end(), [&](const id_change& change) {
        return change.entity == holder && change.id.id == id;
    });
}

bool is_staged_gain(const stage& world, entity_t holder, id_t id) noexcept {
    return any_staged(world, [&](const change_set& set) { return set.gains(holder, id); });
}

bool is_staged_removal(const stage& world, entity_t holder, id_t id) noexcept {
    return is_lost_by_deletion(world, holder, id) ||
           any_staged(world, [&](const change_set& set) { return set.loses(holder, id); });
}

bool is_lost_by_deletion(const stage& world, entity_t holder, id_t id) noexcept {
    const entity_t deleted = world.deletion.notified;
    return deleted && (holder == deleted || has_element(id, deleted));
}

bool has_element(id_t id, entity_t element) noexcept {
    return is_pair(id) ? pair_first(id) == index_of(element) || pair_second(id) == index_of(element)
                       : (id & ~Override) == element;
}

void collect_replaced(const storage::store& data, entity_t entity, const id_info& added,
                      id_buffer& replaced) {
    if (const id_t pattern = traits::replaced_pattern(added)) {
        each_owned(data, entity, pattern, [&](const id_info& old) {
            if (old.id != added.id) {
                replaced.push(old.id);
            }
        });
    }
}

}  // namespace kith::mutate
