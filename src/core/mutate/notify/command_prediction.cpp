// Implements command_prediction.hpp.
#include "mutate/notify/command_prediction.hpp"

#include "base/assert.hpp"
#include "base/scope_exit.hpp"
#include "mutate/apply/owned_ids.hpp"
#include "mutate/rules/cloned_ids.hpp"
#include "mutate/rules/prefabs.hpp"
#include "storage/graph.hpp"
#include "traits/implications.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;
using storage::id_info;

namespace {

// True for a command that adds its id.
bool adds_id(command_kind kind) noexcept {
    switch (kind) {
        case command_kind::add:
        case command_kind::set:
        case command_kind::emplace:
        case command_kind::ensure:
            return true;
        default:
            return false;
    }
}

bool is_clone(command_kind kind) noexcept {
    return kind == command_kind::clone || kind == command_kind::clone_types;
}

bool is_pair_of(id_t id, entity_t relation) noexcept {
    return is_pair(id) && !(id & Override) && pair_first(id) == relation;
}

bool contains(const containers::vec<entity_t>& sorted, entity_t entity) noexcept {
    return std::binary_search(sorted.begin(), sorted.end(), entity);
}

template <class Visit>
void each_listed(const command& queued, Visit&& visit) {
    const auto& list = *static_cast<const queued_ids*>(queued.value());
    KITH_ASSERT(list.count <= queued_ids::limit, "the ids fit into the list");
    for (std::uint32_t i = 0; i < list.count; ++i) {
        visit(list.ids[i]);
    }
}

}  // namespace

bool command_prediction::notifies_prefabs() const noexcept {
    const storage::id_record* prefab = world_.data.ids.find(Prefab);
    return prefab && prefab->event_mask != 0;
}

bool command_prediction::is_tracked(const id_info& id) const noexcept {
    return id.event_mask != 0 || id.id & Override || is_pair_of(id.id, IsA) ||
           (is_pair_of(id.id, ChildOf) && notifies_prefabs());
}

template <class Test>
bool command_prediction::adds_any(const command& queued, Test&& test) const {
    bool found = false;
    auto check = [&](id_t id) {
        found |= test(id);
        if (!found && is_pair(id) && is_known(world_.data, id)) {
            const id_info info = traits::describe_id(world_.data, id);
            if (traits::implies_others(info.traits)) {
                each_implied(info, [&](const id_info& implied) { found |= test(implied.id); });
            }
        }
    };
    if (queued.kind == command_kind::add_list) {
        each_listed(queued, check);
    } else if (adds_id(queued.kind)) {
        check(queued.id);
    }
    return found;
}

bool command_prediction::reads_others(const command& queued) const {
    return is_clone(queued.kind) || adds_any(queued, [&](id_t id) {
               return is_pair_of(id, IsA) || (is_pair_of(id, ChildOf) && notifies_prefabs());
           });
}

// The children of a part of a prefab become prefabs; a copy gives others the inverses of its pairs.
bool command_prediction::changes_others(const command& queued) const {
    if (queued.kind == command_kind::remove_all) {
        return true;
    }
    if (is_clone(queued.kind)) {
        return has_sides_ || notifies_prefabs();
    }
    return notifies_prefabs() &&
           adds_any(queued, [](id_t id) { return id == Prefab || is_pair_of(id, ChildOf); });
}

// Commands without single named ids (clones, lists) may always notify.
bool command_prediction::may_be_reported(const command& queued) const {
    if (is_clone(queued.kind) || queued.kind == command_kind::add_list) {
        return true;
    }
    if (queued.id == 0 || is_wildcard(queued.id) || !is_known(world_.data, queued.id)) {
        return false;
    }
    const id_info id = traits::describe_id(world_.data, queued.id);
    return id.event_mask != 0 || traits::implies_others(id.traits) ||
           traits::is_symmetric(id.traits) || reads_others(queued);
}

void command_prediction::collect_spread(const command* first, const command* end, bool in_order,
                                        containers::vec<entity_t>& spread) {
    for (const command* queued = first; queued != end; queued = queued->following) {
        if (queued->before && (in_order || queued->is_head)) {
            spread.push(world_.data.mem, queued->entity, purpose::commands);
        }
        if (has_sides_) {
            collect_sides(*queued, spread);
        }
    }
    std::sort(spread.begin(), spread.end());
}

void command_prediction::predict_queue(const command* first, bool in_order) {
    containers::vec<entity_t> spread;
    const base::scope_exit release([&] { spread.release(world_.data.mem, purpose::commands); });
    const command* end = first;
    for (; end && end->kind != command_kind::emit; end = end->following) {}
    collect_spread(first, end, in_order, spread);
    // Entities that the predicted ones depend on are predicted as well, and so is whatever an
    // entity changes elsewhere.
    bool all = false;
    for (const command* queued = first; queued != end && !all; queued = queued->following) {
        all =
            changes_others(*queued) || (contains(spread, queued->entity) && reads_others(*queued));
    }
    ahead_ = true;
    for (const command* queued = first; queued != end; queued = queued->following) {
        if (all || queued->entity == 0 || contains(spread, queued->entity)) {
            predict(*queued);
        }
    }
}

template <class Visit>
void command_prediction::each_implied(const id_info& id, Visit&& visit) const {
    traits::id_buffer implied(world_.data.mem, purpose::commands);
    traits::collect_implied(world_.data, id, implied);
    for (id_t implied_id : implied) {
        if (is_known(world_.data, implied_id)) {
            visit(traits::describe_id(world_.data, implied_id));
        }
    }
}

void command_prediction::collect_sides(const command& queued, containers::vec<entity_t>& sides) {
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

void command_prediction::predict_chain(const command* head) {
    bool reported = false;
    for (const command* queued = head; queued && !reported; queued = queued->next) {
        reported = may_be_reported(*queued);
    }
    const predicted_state* known = states_.find(head->entity, predicted_states::everything);
    if (!reported || (known && known->is_predicted)) {
        return;
    }
    ahead_ = false;
    for (const command* queued = head; queued; queued = queued->next) {
        predict(*queued);
    }
}

void command_prediction::predict_after(const command& deletion) {
    ahead_ = true;
    for (const command* queued = deletion.following; queued && queued->kind != command_kind::emit;
         queued = queued->following) {
        if (queued->entity == deletion.entity) {
            predict(*queued);
        }
    }
}

// Updates the predicted states by one command. Called in the order in which the commands run.
void command_prediction::predict(const command& queued) {
    if (queued.entity != 0) {
        if (!world_.data.entities.find(queued.entity)) {
            return;
        }
        predicted_state& entity_state = states_.ensure(queued.entity, predicted_states::everything);
        if (entity_state.ends) {
            return;  // commands for a deleted entity are dropped
        }
        entity_state.is_predicted = true;
        entity_state.ends = queued.kind == command_kind::destruct;
    }
    switch (queued.kind) {
        case command_kind::add:
        case command_kind::set:
        case command_kind::emplace:
        case command_kind::ensure:
        case command_kind::modified:
            predict_added(queued, queued.id);
            break;
        case command_kind::add_list:
            each_listed(queued, [&](id_t id) { predict_added(queued, id); });
            break;
        case command_kind::clone:
        case command_kind::clone_types:
            predict_copied(queued);
            break;
        case command_kind::remove:
            predict_removed(queued);
            break;
        case command_kind::remove_all:
            states_.put_removal(0, queued.id, 0, queued.order);
            break;
        case command_kind::clear:
        case command_kind::destruct:
            states_.put_removal(queued.entity, predicted_states::everything, 0, queued.order);
            break;
        default:
            break;
    }
}

void command_prediction::predict_added(const command& queued, id_t id) {
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
}

id_info command_prediction::describe_inverse(entity_t entity, id_t pair) const noexcept {
    return traits::describe_id(world_.data, traits::inverse_of(entity, pair));
}

void command_prediction::predict_sides(const command& queued, entity_t entity, const id_info& id,
                                       bool is_set) {
    predict_one(queued, entity, id, is_set);
    if (const entity_t other = traits::inverse_holder(world_.data, id)) {
        predict_one(queued, other, describe_inverse(entity, id.id), is_set);
    }
}

void command_prediction::predict_implied(const command& queued, entity_t entity,
                                         const id_info& id) {
    each_implied(id,
                 [&](const id_info& implied) { predict_sides(queued, entity, implied, false); });
}

// Predicts the addition of one id, and the loss of the former target of an exclusive relationship.
void command_prediction::predict_one(const command& queued, entity_t entity, const id_info& id,
                                     bool is_set) {
    const bool is_added = queued.kind != command_kind::modified;
    if (const id_t replaced = traits::replaced_pattern(id); replaced && is_added) {
        states_.put_removal(entity, replaced, id.id, queued.order);
    }
    if (!is_tracked(id)) {
        return;
    }
    predicted_state& state = states_.ensure(entity, id.id);
    if (is_set) {
        state.set_at = queued.order;
    }
    if (is_added) {
        // An id that the entity has by then is added without consequences.
        const bool had = states_.will_have(state, state.reported_has);
        state.added_at = queued.order;
        if (!had) {
            predict_consequences(queued, entity, id.id);
        }
    }
}

void command_prediction::predict_consequences(const command& queued, entity_t entity, id_t id) {
    if (is_pair_of(id, IsA)) {
        predict_marked(queued, entity, world_.data.entities.alive_at(pair_second(id)));
    } else if (is_pair_of(id, ChildOf)) {
        if (will_be_prefab(world_.data.entities.alive_at(pair_second(id)))) {
            predict_prefab(queued, entity);
        }
    }
}

bool command_prediction::will_be_prefab(entity_t entity) noexcept {
    return will_have(entity, Prefab, is_prefab(world_.data, entity));
}

// The descendants of a new part of a prefab become prefabs as well, as far as they are none.
void command_prediction::predict_prefab(const command& queued, entity_t entity) {
    predict_one(queued, entity, traits::describe_id(world_.data, Prefab), false);
    auto predict_child = [&](entity_t child) {
        if (!will_be_prefab(child)) {
            predict_prefab(queued, child);
        }
    };
    storage::each_source(world_.data, ChildOf, index_of(entity), [&](entity_t child) {
        if (will_have(child, make_pair(ChildOf, entity), true)) {
            predict_child(child);
        }
        return true;
    });
    if (ahead_) {
        states_.each_gained_child(entity, predict_child);
    }
}

template <class Visit>
void command_prediction::each_mark_and_base(entity_t entity, Visit&& visit) {
    constexpr std::uint32_t flags = detail::shape_has_marks | detail::shape_has_base;
    auto is_sought = [](id_t id) { return id & Override || is_pair_of(id, IsA); };
    const storage::table& type = world_.data.tables.at(world_.data.entities.find(entity)->table);
    for (std::uint32_t i = 0; i < type.id_count && type.flags & flags; ++i) {
        if (is_sought(type.ids[i]) && will_have(entity, type.ids[i], true)) {
            visit(type.ids[i]);
        }
    }
    if (ahead_) {
        states_.each_gained(entity, [&](id_t id) {
            if (is_sought(id)) {
                visit(id);
            }
        });
    }
}

// The list of bases is the work list of the walk.
void command_prediction::collect_marked(entity_t base, traits::id_buffer& marked) {
    containers::small_vec<entity_t, 8> bases(world_.data.mem, purpose::commands);
    bases.push(base);
    for (std::uint32_t next = 0; next < bases.size(); ++next) {
        each_mark_and_base(bases[next], [&](id_t id) {
            const entity_t other =
                id & Override ? 0 : world_.data.entities.alive_at(pair_second(id));
            if (id & Override) {
                marked.push(id & ~Override);
            } else if (other && std::find(bases.begin(), bases.end(), other) == bases.end()) {
                bases.push(other);
            }
        });
    }
}

// Predicts the copies of marked ids that an instance of the base gets.
void command_prediction::predict_marked(const command& queued, entity_t entity, entity_t base) {
    if (!world_.data.entities.find(base)) {
        return;
    }
    traits::id_buffer marked(world_.data.mem, purpose::commands);
    collect_marked(base, marked);
    auto add = [&](const id_info& id) {
        if (id.event_mask != 0) {
            states_.ensure(entity, id.id).added_at = queued.order;
        }
    };
    for (id_t id : marked) {
        if (is_known(world_.data, id)) {
            const id_info info = traits::describe_id(world_.data, id);
            add(info);
            each_implied(info, add);
        }
    }
}

// Predicts the ids of a copy: those that the source has now and keeps, and those that it gains.
void command_prediction::predict_copied(const command& queued) {
    const entity_t source = queued.id;
    if (!world_.data.entities.find(source) || source == queued.entity) {
        return;
    }
    auto copy = [&](const id_info& id) {
        if (is_cloned(id.id) && !stays_with_partner(id)) {
            predict_sides(queued, queued.entity, id, false);
        }
    };
    auto copy_kept = [&](const id_info& id) {
        if (will_have(source, id.id, true)) {
            copy(id);
        }
    };
    each_owned(world_.data, source, Wildcard, copy_kept);
    each_owned(world_.data, source, make_pair(Wildcard, Wildcard), copy_kept);
    each_mark_and_base(source, [&](id_t id) {
        if (id & Override) {
            copy(traits::describe_id(world_.data, id));
        }
    });
    if (ahead_) {
        states_.each_gained(source, [&](id_t id) {
            if (!(id & Override)) {
                copy(traits::describe_id(world_.data, id));
            }
        });
    }
}

// Removals of single ids are stored in their states, removals by pattern in those of all.
void command_prediction::predict_removed(const command& queued) {
    if (is_wildcard(queued.id)) {
        states_.put_removal(queued.entity, queued.id, 0, queued.order);
        return;
    }
    if (!is_known(world_.data, queued.id)) {
        return;
    }
    const id_info info = traits::describe_id(world_.data, queued.id);
    if (is_tracked(info)) {
        states_.ensure(queued.entity, queued.id).removed_at = queued.order;
    }
    if (const entity_t other = traits::inverse_holder(world_.data, info)) {
        states_.ensure(other, traits::inverse_of(queued.entity, queued.id)).removed_at =
            queued.order;
    }
}

}  // namespace kith::mutate
