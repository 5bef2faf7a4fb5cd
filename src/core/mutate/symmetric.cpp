// Implements symmetric.hpp.
#include "mutate/symmetric.hpp"

#include "base/assert.hpp"
#include "mutate/add_remove.hpp"
#include "mutate/constraints.hpp"
#include "mutate/sparse_ops.hpp"
#include "mutate/values.hpp"
#include "traits/inherit.hpp"

namespace kith::mutate {

using storage::id_info;
using storage::table;

namespace {

// The inverse pair (R, entity), which the target of (R, target) has or gets.
id_t other_pair(entity_t entity, const id_info& pair) noexcept {
    return make_pair(pair_first(pair.id), entity);
}
// The target of the pair; 0 if it is not alive.
entity_t other_entity(const stage& world, const id_info& pair) noexcept {
    return world.data.entities.alive_at(pair_second(pair.id));
}
bool has_pair(const stage& world, entity_t entity, id_t pair) noexcept {
    return storage::owns_id(world.data, *world.data.entities.find(entity), entity, pair);
}

// True if the pair and its inverse share one value. Their types differ where the relationship has
// no data and its targets are components: then each side has a value of its own.
bool shares_value(const id_info& pair, const id_info& back) noexcept {
    return pair.value_type && pair.value_type == back.value_type;
}

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

// Throws if the target may not have the inverse pair, or an id that it implies (With).
void check_addable_there(stage& world, entity_t other, const id_info& inverse) {
    if (inverse.traits & traits::trait_checked) {
        check_pair(world, other, inverse);
    }
    id_buffer removed(world.data.mem, containers::purpose::commands);
    collect_replaced(world, other, inverse, removed);
    if (inverse.traits & traits::trait_with) {
        id_buffer implied(world.data.mem, containers::purpose::commands);
        traits::collect_implied(world.data, inverse, implied);
        for (id_t id : implied) {
            if (!has_pair(world, other, id)) {
                id_info added = prepare_id(world, id);
                check_default_constructible(world, added);
                collect_replaced(world, other, added, removed);
                if (added.traits & traits::trait_no_cycles) {
                    // This side gets the implied pair in the opposite direction, which closes the
                    // cycle.
                    raise_entity_id(world, errc::cycle, other, id,
                                    "would close a cycle: both sides of the symmetric pair "
                                    "that it comes with would have it");
                }
                if (added.traits & traits::trait_checked) {
                    check_pair(world, other, added);
                }
            }
        }
    }
    check_not_required(world, other, removed.data(), removed.size());
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
    const entity_t other = other_entity(world, removed);
    const id_t pair = other_pair(entity, removed);
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
    const entity_t other = other_entity(world, removed);
    const id_t pair = other_pair(entity, removed);
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
    entity_t other = other_entity(world, added);
    id_t pair = other_pair(entity, added);
    if (other == entity || has_pair(world, other, pair)) {
        return;
    }
    id_info inverse = prepare_id(world, pair);
    check_value_there(world, entity, added, other, inverse);
    check_addable_there(world, other, inverse);
    ensure_row(world, other, *world.data.entities.find(other));
    // An exclusive target loses its former partner, and the partner its inverse pair.
    if (added.traits & traits::trait_exclusive) {
        id_t any = make_pair(pair_first(pair), Wildcard);
        storage::store& data = world.data;
        each_owned(data, other, any, [&](const id_info& former) {
            if (other_entity(world, former) != entity) {
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

void add_inverse(stage& world, entity_t entity, const id_info& added) {
    entity_t other = other_entity(world, added);
    id_t pair = other_pair(entity, added);
    // A hook may have changed the entities meanwhile; its own changes are queued and get inverses
    // later.
    if (has_pair(world, other, pair) || !has_pair(world, entity, added.id)) {
        return;
    }
    id_info inverse = prepare_id(world, pair);
    if (!shares_value(added, inverse)) {
        add_with_others(world, other, inverse, nullptr);
        return;
    }
    // Both sides begin with equal values.
    copy_context context{&added.value_type->info, find_own_value(world, entity, added.id)};
    const detail::value_source source = copying_source(context);
    add_with_others(world, other, inverse, &source);
}

void remove_inverse(stage& world, entity_t entity, const id_info& removed) {
    entity_t other = other_entity(world, removed);
    id_t pair = other_pair(entity, removed);
    if (other && has_pair(world, other, pair)) {
        remove_id(world, other, pair);
    }
}

void assign_inverse_value(stage& world, entity_t entity, const id_info& pair) {
    entity_t other = other_entity(world, pair);
    if (!(pair.traits & traits::trait_symmetric) || other == entity || !is_pair(pair.id)) {
        return;
    }
    const id_info inverse = traits::describe_id(world.data, other_pair(entity, pair));
    if (!shares_value(pair, inverse)) {
        return;
    }
    void* from = find_own_value(world, entity, pair.id);
    void* to = find_own_value(world, other, inverse.id);
    if (!from || !to) {
        return;
    }
    check_inverse_value(world, pair);
    copy_context context{&pair.value_type->info, from};
    assign_value(pair.value_type->info, to, copying_source(context));
    notify(world, storage::event_set, inverse, other, to);
}

}  // namespace kith::mutate
