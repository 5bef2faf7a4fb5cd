// Implements deletion_events.hpp.
#include "mutate/notify/deletion_events.hpp"

#include "base/assert.hpp"
#include "mutate/apply/owned_ids.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/notify/bulk_removals.hpp"
#include "mutate/notify/notify.hpp"
#include "mutate/rules/referrers.hpp"
#include "traits/implications.hpp"
#include "traits/inherit.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;
using storage::entity_record;
using storage::id_info;
using storage::id_record;
using storage::table;

namespace {

// The events of a loss: before it (event_remove) and after it (event_after).
constexpr std::uint32_t event_loss = storage::event_remove | storage::event_after;

}  // namespace

deletion_events::~deletion_events() {
    losses_.release(data_.mem, purpose::commands);
    referrers_.release(data_.mem, purpose::commands);
    holders_.release(data_.mem, purpose::commands);
}

// Collects the losses that are not notified elsewhere: holders that end themselves are notified as
// ending entities, and pairs of two ending elements with their relationship.
void deletion_events::collect_losses(entity_t ending, const reference& use) {
    KITH_ASSERT(is_pending_delete(data_, index_of(ending)), "all ending entities are marked");
    const id_record& record = *use.record;
    auto mask_of = [&](id_t id) {
        return use.is_link ? traits::describe_link(data_, record, pair_second(id)).event_mask
                           : record.event_mask;
    };
    // All pairs with one target of one relationship have the same event mask.
    const bool has_losses =
        (use.is_link && use.is_first) || mask_of(make_pair(0, ending)) & event_loss;
    const bool is_target = notifies_targets_ && !use.is_first && !(record.id & Override);
    if (!has_losses && !is_target) {
        return;
    }
    each_referrer(data_, ending, use, [&](id_t id, entity_t holder) {
        if (is_target) {
            referrers_.push(data_.mem, {ending, {id, holder}}, purpose::commands);
        }
        const bool notified_with_first = !use.is_first && is_pending_delete(data_, pair_first(id));
        if (has_losses && mask_of(id) & event_loss && !notified_with_first &&
            !is_pending_delete(data_, index_of(holder))) {
            losses_.push(data_.mem, {ending, {id, holder}}, purpose::commands);
        }
    });
}

// Sorts the losses of one entity, so that the holders of one id are successive.
void deletion_events::sort_group() {
    std::sort(losses_.begin() + group_, losses_.end(), [](const loss& left, const loss& right) {
        return left.lost.id != right.lost.id ? left.lost.id < right.lost.id
                                             : left.lost.holder < right.lost.holder;
    });
    holders_.reserve_extra(data_.mem, losses_.size() - group_, purpose::commands);
    group_ = losses_.size();
}

// Dispatches OnDelete and OnDeleteTarget for all entities first, then the losses entity by entity,
// as one step.
void deletion_events::notify_all(const entity_t* entities, std::uint32_t count) {
    notify_deletions(entities, count);
    bulk_removals::notify_bulk_removal(world_, {entities, count, 0});
    parents_notify_ =
        (traits::describe_id(data_, make_pair(ChildOf, Wildcard)).event_mask & event_loss) != 0;
    world_.operation.begin_step();
    const loss* next = losses_.begin();
    for (std::uint32_t i = 0; i < count; ++i) {
        world_.deletion.entity = entities[i];
        notify_delete(entities[i]);
        const loss* first = next;
        next = std::find_if(first, static_cast<const loss*>(losses_.end()),
                            [&](const loss& removal) { return removal.ending != entities[i]; });
        notify_losses(first, next);
    }
    KITH_ASSERT(next == losses_.end(), "each loss belongs to one of the entities");
}

// Dispatches OnDelete for the entities, and OnDeleteTarget for their referrers, before the cleanup
// acts.
void deletion_events::notify_deletions(const entity_t* entities, std::uint32_t count) {
    if (!world_.events.has_listeners(OnDelete) && !world_.events.has_listeners(OnDeleteTarget)) {
        return;
    }
    const loss* next = referrers_.begin();
    for (std::uint32_t i = 0; i < count; ++i) {
        notify_deletion(world_, entities[i]);
        next = notify_referrers(next, entities[i]);
    }
}

// Dispatches OnDeleteTarget to the holders of pairs with the target. Returns the referrers of the
// next target.
const deletion_events::loss* deletion_events::notify_referrers(const loss* next, entity_t target) {
    for (; next != referrers_.end() && next->ending == target; ++next) {
        // A listener with suspended deferring may have removed the pair meanwhile.
        const auto& [id, holder] = next->lost;
        const entity_record* record = data_.entities.find(holder);
        if (record && storage::owns_id(data_, *record, holder, id)) {
            world_.events.dispatch({&world_, OnDeleteTarget, id, holder, nullptr});
        }
    }
    return next;
}

// Notifies of the end of one entity: the entity itself, delayed net effects, and its ids.
void deletion_events::notify_delete(entity_t entity) {
    const entity_record& record = *data_.entities.find(entity);
    if (record.state & storage::record_used_as_id || world_.mode & detail::mode_entity_events) {
        world_.events.dispatch({&world_, events::before_delete, entity, entity, nullptr});
    }
    if (world_.operation.net) {
        world_.operation.net->notify_lost(entity);
    }
    notify_own_ids(entity, record);
}

// Notifies of the ids of the entity, those of its table and the sparse ones.
void deletion_events::notify_own_ids(entity_t entity, const entity_record& record) {
    const table& from = data_.tables.at(record.table);
    const std::uint32_t sparse_flags =
        storage::record_any_sparse | (parents_notify_ ? storage::record_has_parent : 0u);
    if (!(from.flags & detail::shape_on_remove) && !(record.state & sparse_flags)) {
        return;
    }
    const change_view_scope after(world_, {entity, &data_.tables.at(storage::no_table)});
    if (from.flags & detail::shape_on_remove) {
        const detail::table_rows& rows = data_.tables.rows(from.number);
        for (std::uint32_t i = 0; i < from.id_count; ++i) {
            void* value =
                from.slots[i].size ? storage::value_in(rows, from.slots[i], record.row) : nullptr;
            notify_removal(*from.records[i], entity, value);
        }
    }
    auto notify_sparse = [&](const id_info& id) {
        if (id.event_mask & event_loss) {
            notify_removal(id, entity, value_sparse(data_, entity, id));
        }
    };
    constexpr id_t pairs = make_pair(Wildcard, Wildcard);
    if (record.state & storage::record_any_sparse) {
        each_sparse_id(data_, record, entity, Wildcard, notify_sparse);
        each_sparse_id(data_, record, entity, pairs, notify_sparse);
    } else if (parents_notify_) {
        each_sparse_id(data_, record, entity, pairs, notify_sparse);
    }
}

// Notifies of the losses of one ending entity: holders of one id together, then each of them.
void deletion_events::notify_losses(const loss* first, const loss* last) {
    while (first != last) {
        const loss* end = first;
        holders_.clear();
        for (; end != last && end->lost.id == first->lost.id; ++end) {
            holders_.push_reserved(end->lost.holder);
        }
        bulk_removals::notify_bulk_removal(world_,
                                           {holders_.data(), holders_.size(), first->lost.id});
        for (; first != end; ++first) {
            notify_loss(first->lost);
        }
    }
}

void deletion_events::notify_loss(const id_owner& lost) {
    // A listener with suspended deferring may have removed the id meanwhile.
    const entity_record* record = data_.entities.find(lost.holder);
    if (record && storage::owns_id(data_, *record, lost.holder, lost.id)) {
        const id_info id = traits::describe_id(data_, lost.id);
        notify_removal(id, lost.holder,
                       id.value_type ? find_own_value(world_, lost.holder, lost.id) : nullptr);
    }
}

// Notifies of a removal, and of the cascade if listeners wait for its end.
void deletion_events::notify_removal(const id_info& id, entity_t entity, void* value) noexcept {
    mutate::notify(world_, storage::event_remove, id, entity, value);
    if (id.event_mask & storage::event_after) {
        world_.deletion.wants_after = true;
        world_.events.dispatch_nothrow(
            {&world_, events::before_cascade_remove, id.id, entity, nullptr},
            world_.operation.failed);
    }
}

void notify_deletion(stage& world, entity_t entity) {
    if (!world.events.has_listeners(OnDelete)) {
        return;
    }
    // The ids are collected before the dispatch, since listeners that suspend deferring may change
    // the entity.
    traits::id_buffer ids(world.data.mem, purpose::commands);
    auto add = [&](const storage::id_info& info) { ids.push(info.id); };
    each_owned(world.data, entity, Wildcard, add);
    each_owned(world.data, entity, make_pair(Wildcard, Wildcard), add);
    // Ids of bases count as ids of the entity, except those with DontInherit; each id is listed
    // once.
    auto add_inherited = [&](const storage::id_info& info) {
        if (!(info.traits & traits::trait_dont_inherit) &&
            std::find(ids.begin(), ids.end(), info.id) == ids.end()) {
            ids.push(info.id);
        }
    };
    traits::base_walk bases(world.data,
                            world.data.tables.at(world.data.entities.find(entity)->table));
    for (entity_t base = bases.next(); base != 0; base = bases.next()) {
        each_owned(world.data, base, Wildcard, add_inherited);
        each_owned(world.data, base, make_pair(Wildcard, Wildcard), add_inherited);
    }
    world.operation.begin_step();
    world.events.dispatch_emitted({&world, OnDelete, 0, entity, nullptr});
    for (id_t id : ids) {
        world.events.dispatch({&world, OnDelete, id, entity, nullptr});
    }
}

deletion_scope::~deletion_scope() {
    world_.deletion.entity = outer_deleting_;
    world_.deletion.notified = outer_deletion_notified_;
    if (world_.deletion.wants_after && world_.deletion.entity == 0) {
        world_.deletion.wants_after = false;
        world_.operation.begin_step();
        world_.events.dispatch_nothrow({&world_, events::after_delete, 0, 0, nullptr},
                                       world_.operation.failed);
    }
}

}  // namespace kith::mutate
