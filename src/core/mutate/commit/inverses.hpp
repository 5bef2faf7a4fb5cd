// Inverses: if an entity has the pair (R, T) of a symmetric relationship, then T has (R, entity).
// Both are added and removed in one operation, and share the value if their types are equal.
//
// Covered by tests/features/relationships/symmetric_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"
#include "storage/find.hpp"

namespace kith::mutate {

// True if the pair and its inverse share one value. Their types differ where the relationship has
// no data and its targets are components: then each side has a value of its own.
inline bool shares_value(const storage::id_info& pair, const storage::id_info& inverse) noexcept {
    return pair.value_type && pair.value_type == inverse.value_type;
}

// Requires: the entity is alive.
inline bool has_pair(const stage& world, entity_t entity, id_t pair) noexcept {
    return storage::owns_id(world.data, *world.data.entities.find(entity), entity, pair);
}

// Check and reserve the change of the inverse pair, before a pair of a symmetric relationship is
// added or removed. They throw if the target cannot change. The consequences of the change
// (change_consequences) make it.
void prepare_add_inverse(stage& world, entity_t entity, const storage::id_info& added);
void prepare_remove_inverse(stage& world, entity_t entity, const storage::id_info& removed);
// Checks the removal of the inverse without reserving memory. Returns false if the target lacks the
// inverse pair.
bool check_remove_inverse(const stage& world, entity_t entity, const storage::id_info& removed);

// Notifies that a value of the entity was set; the inverse of a symmetric pair gets the value as
// well.
void dispatch_set(stage& world, entity_t entity, const storage::id_info& id, void* value);

}  // namespace kith::mutate
