// Implements inverses.hpp.
#include "mutate/commit/inverses.hpp"

#include "base/assert.hpp"
#include "mutate/apply/owned_ids.hpp"
#include "mutate/apply/rows.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/commit/first_row.hpp"
#include "mutate/notify/notify.hpp"
#include "mutate/rules/change_set.hpp"
#include "mutate/rules/constraints.hpp"
#include "mutate/rules/destination.hpp"
#include "traits/implications.hpp"
#include "traits/inherit.hpp"

namespace kith::mutate {

using storage::id_info;
using storage::table;

namespace {

// A shared value is copied to the other side.
void check_inverse_value(const stage& world, const id_info& pair) {
    if (!pair.value_type->info.can_copy()) {
        raise_id(world, errc::not_copyable, pair.id,
                 "belongs to a symmetric relationship: its value must be copyable");
    }
}

// Throws if the value of the inverse pair can neither be copied nor constructed by default.
void check_value_there(const stage& world, entity_t entity, const id_info& pair, entity_t other,
                       const id_info& inverse) {
    if (shares_value(pair, inverse)) {
        check_inverse_value(world, pair);
    } else if (inverse.value_type && !inverse.value_type->info.can_construct() &&
               !traits::find_base(world.data, *world.data.entities.find(other), other,
                                  inverse.id)) {
        raise_about(world, errc::not_constructible, "entity ", entity, ", id ", pair.id,
                    ": the relationship is symmetric, and entity ", other, " cannot get ",
                    inverse.id,
                    ", whose value has no default constructor; add kith::Tag to the relationship "
                    "if its pairs should have no values");
    }
}

// Throws if the target may not have the inverse pair, or an id that it implies.
void check_addable_there(stage& world, entity_t other, const id_info& inverse) {
    change_set change(world.data);
    change.gain(other, inverse.id);
    for (const id_change& gained : change.gains()) {
        if (gained.cause == change_cause::inverse) {
            continue;
        }
        if (gained.cause == change_cause::implied) {
            check_default_constructible(world, prepare_id(world, gained.id.id));
            if (gained.id.traits & traits::trait_no_cycles) {
                // This side gets the implied pair in the opposite direction, which closes the
                // cycle.
                raise_entity_id(world, errc::cycle, other, gained.id.id,
                                "would close a cycle: both sides of the symmetric pair "
                                "that it comes with would have it");
            }
        }
        if (gained.id.traits & traits::trait_checked) {
            check_pair(world, other, gained.id);
        }
    }
    id_buffer lost(world.data.mem, containers::purpose::commands);
    change.collect_lost(other, lost);
    check_not_required(world, other, lost.data(), lost.size());
}

// Checks locks and reserves the row for a move, so that the move itself cannot fail.
void prepare_move(stage& world, entity_t entity, id_t id, table& to) {
    storage::entity_record& record = *world.data.entities.find(entity);
    if (is_iterating()) {
        check_unlocked(world, entity, id, record.table, to.number);
    }
    world.data.tables.reserve_rows(to, 1);
}

}  // namespace

bool check_remove_inverse(const stage& world, entity_t entity, const id_info& removed) {
    const entity_t other = traits::inverse_holder(world.data, removed);
    const id_t pair = traits::inverse_of(entity, removed.id);
    if (other == entity || !has_pair(world, other, pair)) {
        return false;
    }
    check_not_required(world, other, &pair, 1);
    return true;
}

void prepare_remove_inverse(stage& world, entity_t entity, const id_info& removed) {
    // Table, edge and row are reserved here, so that the removal itself cannot fail.
    if (!check_remove_inverse(world, entity, removed)) {
        return;
    }
    const entity_t other = traits::inverse_holder(world.data, removed);
    const id_t pair = traits::inverse_of(entity, removed.id);
    if (is_sparse(removed)) {
        check_sparse_unlocked(world, other, pair);
    } else {
        table& from = world.data.tables.at(world.data.entities.find(other)->table);
        table& to = table_after(world, from, nullptr, 0, &pair, 1);
        if (!world.data.tables.find_edge(from, pair)) {
            world.data.tables.connect(to, from, pair);
        }
        prepare_move(world, other, pair, to);
    }
}

void prepare_add_inverse(stage& world, entity_t entity, const id_info& added) {
    KITH_ASSERT(world.data.entities.alive_at(pair_second(added.id)), "the target is alive");
    entity_t other = traits::inverse_holder(world.data, added);
    id_t pair = traits::inverse_of(entity, added.id);
    if (other == entity || has_pair(world, other, pair)) {
        return;
    }
    id_info inverse = prepare_id(world, pair);
    check_value_there(world, entity, added, other, inverse);
    check_addable_there(world, other, inverse);
    ensure_row(world, other, *world.data.entities.find(other));
    // An exclusive target loses its former partner, and the partner its inverse pair.
    if (const id_t any = traits::replaced_pattern(added)) {
        each_owned(world.data, other, any, [&](const id_info& former) {
            if (traits::inverse_holder(world.data, former) != entity) {
                prepare_remove_inverse(world, other, former);
            }
        });
    }
    if (is_sparse(inverse)) {
        check_sparse_unlocked(world, other, pair);
        storage::find_links(world.data, pair_first(pair))
            ->reserve_pair(index_of(other), index_of(entity),
                           inverse.value_type ? &inverse.value_type->info : nullptr);
    } else {
        table& from = world.data.tables.at(world.data.entities.find(other)->table);
        prepare_move(world, other, pair, resolve_add(world, from, inverse));
    }
}

namespace {

// Copies the value of a pair that was set to the inverse pair, and notifies.
void assign_inverse_value(stage& world, entity_t entity, const id_info& pair) {
    const entity_t other = traits::inverse_holder(world.data, pair);
    const id_info inverse = traits::describe_id(world.data, traits::inverse_of(entity, pair.id));
    if (other == entity || !shares_value(pair, inverse)) {
        return;
    }
    void* from = find_own_value(world, entity, pair.id);
    void* to = find_own_value(world, other, inverse.id);
    if (!from || !to) {
        return;
    }
    check_inverse_value(world, pair);
    note_value_written(world.data, get_record(world, other), inverse.id);
    copy_context context{&pair.value_type->info, from};
    assign_value(pair.value_type->info, to, copying_source(context));
    notify(world, storage::event_set, inverse, other, to);
}

}  // namespace

void dispatch_set(stage& world, entity_t entity, const id_info& id, void* value) {
    notify(world, storage::event_set, id, entity, value);
    if (traits::has_inverse(id)) {
        assign_inverse_value(world, entity, id);
    }
}

}  // namespace kith::mutate
