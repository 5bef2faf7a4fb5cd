#include "mutate/deletion_events.hpp"

#include "mutate/emit.hpp"
#include "mutate/net_effects.hpp"
#include "mutate/sparse_ops.hpp"
#include "mutate/values.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;
using storage::entity_record;
using storage::id_info;
using storage::id_record;
using storage::table;

namespace {

// What is told of a loss: that it comes, and that it is over.
constexpr std::uint32_t event_loss = storage::event_remove | storage::event_after;

}  // namespace

deletion_events::~deletion_events() {
    losses_.release(data_.mem, purpose::commands);
    together_.release(data_.mem, purpose::commands);
}

void deletion_events::collect_losses(entity_t entity, const entity_record& record) {
    const std::uint32_t first = losses_.size();
    if (record.state & storage::record_used_as_id) {
        each_id_naming(data_, entity, [&](const id_record& use, bool is_first) {
            if (use.event_mask & event_loss) {
                each_entity_with(data_, use,
                                 [&](entity_t holder) { add_loss(entity, use, holder, is_first); });
            }
        });
    }
    each_link_relation_to(
        data_, entity, record.state, [&](const id_record& relation, bool is_first) {
            // Of a target, all pairs are alike.
            if (is_first ||
                traits::describe_link(data_, relation, index_of(entity)).event_mask & event_loss) {
                each_link_source(
                    data_, relation, entity, is_first, [&](entity_t source, std::uint32_t target) {
                        add_loss(entity, traits::describe_link(data_, relation, target), source,
                                 is_first);
                    });
            }
        });
    std::sort(losses_.begin() + first, losses_.end(), [](const loss& one, const loss& other) {
        return one.what.id != other.what.id ? one.what.id < other.what.id
                                            : one.what.holder < other.what.holder;
    });
    together_.reserve_extra(data_.mem, losses_.size() - first, purpose::commands);
}

// Those that end, too, are told so themselves; and pairs of two that do, with the relationship.
void deletion_events::add_loss(entity_t ending, const id_info& id, entity_t holder, bool is_first) {
    const bool notified_with_first = !is_first && is_pending_delete(data_, pair_first(id.id));
    if (id.event_mask & event_loss && !notified_with_first &&
        !is_pending_delete(data_, index_of(holder))) {
        losses_.push(data_.mem, {ending, {id.id, holder}}, purpose::commands);
    }
}

void deletion_events::notify_all(const entity_t* all, std::uint32_t count) {
    notify_deletions(all, count);
    bulk_removals::notify_bulk_removal(world_, {all, count, 0});
    parents_notify_ =
        (traits::describe_id(data_, make_pair(ChildOf, Wildcard)).event_mask & event_loss) != 0;
    world_.begin_step();
    const loss* next = losses_.begin();
    for (std::uint32_t i = 0; i < count; ++i) {
        world_.deleting = all[i];
        notify_delete(all[i]);
        const loss* first = next;
        next = std::find_if(first, static_cast<const loss*>(losses_.end()),
                            [&](const loss& removal) { return removal.ending != all[i]; });
        notify_losses(first, next);
    }
}

// Before the cleanup acts: who is about to go, and to those who refer to it.
void deletion_events::notify_deletions(const entity_t* all, std::uint32_t count) {
    if (!world_.events.has_listeners(OnDelete) && !world_.events.has_listeners(OnDeleteTarget)) {
        return;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        notify_deletion(world_, all[i]);
        if (world_.events.has_listeners(OnDeleteTarget)) {
            notify_holders(all[i]);
        }
    }
}

void deletion_events::notify_holders(entity_t target) {
    containers::small_vec<id_owner, 32> all(data_.mem, purpose::commands);
    const std::uint32_t state = data_.entities.find(target)->state;
    if (state & storage::record_used_as_id) {
        each_id_naming(data_, target, [&](const id_record& use, bool is_first) {
            if (!is_first && !(use.id & Override)) {
                each_entity_with(data_, use, [&](entity_t holder) { all.push({use.id, holder}); });
            }
        });
    }
    each_link_relation_to(data_, target, state, [&](const id_record& relation, bool is_first) {
        const id_t pair = make_pair(pair_first(relation.id), target);
        if (!is_first) {
            each_link_source(data_, relation, target, false, [&](entity_t source, std::uint32_t) {
                all.push({pair, source});
            });
        }
    });
    for (const id_owner& holder : all) {
        world_.events.dispatch({&world_, OnDeleteTarget, holder.id, holder.holder, nullptr});
    }
}

void deletion_events::notify_delete(entity_t entity) {
    const entity_record& record = *data_.entities.find(entity);
    if (record.state & storage::record_used_as_id || world_.mode & detail::mode_entity_events) {
        world_.events.dispatch({&world_, events::before_delete, entity, entity, nullptr});
    }
    if (world_.net) {
        world_.net->notify_lost(entity);
    }
    notify_own_ids(entity, record);
}

void deletion_events::notify_own_ids(entity_t entity, const entity_record& record) {
    const table& from = data_.tables.at(record.table);
    const std::uint32_t sparse_change =
        storage::record_any_sparse | (parents_notify_ ? storage::record_has_parent : 0u);
    if (!(from.flags & detail::shape_on_remove) && !(record.state & sparse_change)) {
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

// Those who lose the same are told so together, and then each by itself.
void deletion_events::notify_losses(const loss* first, const loss* last) {
    while (first != last) {
        const loss* end = first;
        together_.clear();
        for (; end != last && end->what.id == first->what.id; ++end) {
            together_.push_reserved(end->what.holder);
        }
        bulk_removals::notify_bulk_removal(world_,
                                           {together_.data(), together_.size(), first->what.id});
        for (; first != end; ++first) {
            notify_loss(first->what);
        }
    }
}

void deletion_events::notify_loss(const id_owner& lost) {
    // Somebody who was told may have taken it at once.
    const entity_record* record = data_.entities.find(lost.holder);
    if (record && storage::owns_id(data_, *record, lost.holder, lost.id)) {
        const id_info id = traits::describe_id(data_, lost.id);
        notify_removal(id, lost.holder,
                       id.value_type ? find_own_value(world_, lost.holder, lost.id) : nullptr);
    }
}

void deletion_events::notify_removal(const id_info& id, entity_t entity, void* value) noexcept {
    mutate::notify(world_, storage::event_remove, id, entity, value);
    if (id.event_mask & storage::event_after) {
        world_.wants_after_delete = true;
        world_.events.dispatch_nothrow(
            {&world_, events::before_cascade_remove, id.id, entity, nullptr}, world_.failed);
    }
}

deletion_scope::~deletion_scope() {
    world_.deleting = outer_deleting_;
    world_.deletion_notified = outer_deletion_notified_;
    if (world_.wants_after_delete && world_.deleting == 0) {
        world_.wants_after_delete = false;
        world_.begin_step();
        world_.events.dispatch_nothrow({&world_, events::after_delete, 0, 0, nullptr},
                                       world_.failed);
    }
}

}  // namespace kith::mutate
