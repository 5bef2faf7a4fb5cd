// Implements kith/detail/effects.hpp.
#include <kith/detail/effects.hpp>

#include "mutate/rules/change_set.hpp"
#include "mutate/rules/prefabs.hpp"
#include "storage/find.hpp"

namespace kith::detail {

void each_effect(world_t* handle, entity_t entity, id_t id,
                 void (*visit)(const id_effect& effect, void* context), void* context) {
    const mutate::stage& world = mutate::stage_of(handle);
    mutate::get_record(world, entity);
    mutate::change_set change(world.data);
    change.gain(entity, id);
    for (const mutate::id_change& lost : change.losses()) {
        visit({lost.entity, lost.id.id, false, traits::is_sparse(lost.id)}, context);
    }
    for (const mutate::id_change& gained : change.gains()) {
        visit({gained.entity, gained.id.id, true, traits::is_sparse(gained.id)}, context);
    }
}

bool has_effects(const world_t* handle, entity_t entity, id_t id) {
    const storage::store& data = mutate::stage_of(handle).data;
    const storage::entity_record& record = mutate::get_record(mutate::stage_of(handle), entity);
    const storage::id_info added = traits::describe_id(data, id);
    const std::uint32_t relation = is_pair(id) ? pair_first(id) : 0;
    const id_t replaced = traits::replaced_pattern(added);
    return traits::implies_others(added.traits) || traits::has_inverse(added) || relation == IsA ||
           (relation == ChildOf &&
            mutate::is_prefab(data, data.entities.alive_at(pair_second(id)))) ||
           (replaced && storage::owns_id(data, record, entity, replaced));
}

bool has_one_target(const world_t* handle, entity_t relation) {
    return traits::has_one_target(mutate::stage_of(handle).data, index_of(relation));
}

}  // namespace kith::detail
