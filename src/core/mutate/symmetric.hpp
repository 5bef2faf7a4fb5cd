// Symmetric relationships: if an entity has (R, T), then T has (R, entity), the inverse pair. Both
// are added and removed in one operation, and share the value if their types are equal.
#pragma once

#include "mutate/archetype_move.hpp"

namespace kith::mutate {

// Check and reserve the change of the inverse pair, before a pair of a symmetric relationship is
// added or removed. They throw if the target cannot change. add_inverse() and remove_inverse() make
// the change after that of the pair itself.
void prepare_add_inverse(stage& world, entity_t entity, const storage::id_info& added);
void prepare_remove_inverse(stage& world, entity_t entity, const storage::id_info& removed);
// Checks the removal of the inverse without reserving memory. Returns false if the target lacks the
// inverse pair.
bool check_remove_inverse(const stage& world, entity_t entity, const storage::id_info& removed);
// Add or remove the inverse pair on the target. A change of hooks meanwhile makes them do nothing.
void add_inverse(stage& world, entity_t entity, const storage::id_info& added);
void remove_inverse(stage& world, entity_t entity, const storage::id_info& removed);

// Copies the value of a pair that was set to the inverse pair, and notifies.
void assign_inverse_value(stage& world, entity_t entity, const storage::id_info& pair);

}  // namespace kith::mutate
