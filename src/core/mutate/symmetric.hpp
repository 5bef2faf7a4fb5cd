// Symmetric relationships: what one side gets or loses, the other gets or loses too.
#pragma once

#include "mutate/archetype_move.hpp"

namespace kith::mutate {

// The change on the other side that a pair of a symmetric relationship involves. prepare_…() throws
// if it cannot be made, and makes room for it; the change itself comes when the pair is there, or
// gone.
void prepare_add_inverse(stage& world, entity_t entity, const storage::id_info& added);
void prepare_remove_inverse(stage& world, entity_t entity, const storage::id_info& removed);
// The same without room for the change. False if the other side has nothing to lose.
bool check_unmirror(const stage& world, entity_t entity, const storage::id_info& removed);
void add_inverse(stage& world, entity_t entity, const storage::id_info& added);
void remove_inverse(stage& world, entity_t entity, const storage::id_info& removed);

// The value of a pair was set: so is the other side's.
void assign_inverse_value(stage& world, entity_t entity, const storage::id_info& pair);

}  // namespace kith::mutate
