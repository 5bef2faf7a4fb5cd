// Implements consequences.hpp.
#include "mutate/ops/consequences.hpp"

#include "mutate/apply/values.hpp"
#include "mutate/commit/inverses.hpp"
#include "mutate/ops/add_remove.hpp"
#include "mutate/ops/instantiate.hpp"
#include "mutate/rules/destination.hpp"
#include "traits/implications.hpp"

namespace kith::mutate {

using storage::id_info;

void consequences::add_inverse(stage& world, entity_t entity, const id_info& added) const {
    const entity_t other = traits::inverse_holder(world.data, added);
    const id_t pair = traits::inverse_of(entity, added.id);
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

void consequences::remove_inverse(stage& world, entity_t entity, const id_info& removed) const {
    const entity_t other = traits::inverse_holder(world.data, removed);
    const id_t pair = traits::inverse_of(entity, removed.id);
    if (other && has_pair(world, other, pair)) {
        remove_id(world, other, pair);
    }
}

void consequences::instantiate(stage& world, entity_t entity, const entity_t* bases,
                               std::uint32_t count) const {
    mutate::instantiate(world, entity, bases, count);
}

void consequences::add_prefab(stage& world, entity_t entity) const {
    add_id(world, entity, Prefab);
}

void consequences::make_prefab(stage& world, entity_t entity) const {
    mutate::make_prefab(world, entity);
}

}  // namespace kith::mutate
