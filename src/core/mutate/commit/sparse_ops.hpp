// Ids that an entity has outside of its table ("sparse" ids): components with sparse storage, and
// pairs of sparse relationships, which are links of a link_store. The functions are the counterpart
// of move_entity(), which changes the ids of the table.
//
// Covered by tests/features/relationships/sparse_relationships_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"
#include "storage/find.hpp"

namespace kith::mutate {

// Adds a sparse id and constructs its value: from `source`, as a copy of the inherited value, or by
// default. Returns false if the entity had the id already. If an exception leaves before the first
// hook ran, nothing has changed. Requires: the id was prepared (prepare_id).
bool add_sparse(stage& world, entity_t entity, const storage::id_info& added,
                const detail::value_source* source);
// Throws if add_sparse() would throw, except for errors of values. The caller checks whether a
// replaced pair may be removed.
void check_addable_sparse(stage& world, entity_t entity, const storage::id_info& added);
// Removes a sparse id and notifies. Requires: the entity has the id.
void remove_sparse(stage& world, entity_t entity, const storage::id_info& removed);
// The parts of add_sparse() and remove_sparse(), for changes that are part of a larger step
// (`sparse_delta`): notifying before the change, the change, notifying after it. insert_sparse()
// requires that the entity has no other target of an exclusive relationship; erase_sparse()
// requires that check_removable_sparse() succeeded.
void notify_before_insert(stage& world, entity_t entity, const storage::id_info& added);
void insert_sparse(stage& world, entity_t entity, const storage::id_info& added,
                   const detail::value_source* source);
void notify_after_insert(stage& world, entity_t entity, const storage::id_info& added);
void notify_before_erase(stage& world, entity_t entity, const storage::id_info& removed);
void erase_sparse(stage& world, entity_t entity, const storage::id_info& removed) noexcept;
void notify_after_erase(stage& world, entity_t entity, const storage::id_info& removed);
// Throws if remove_sparse() would throw before its first hook. `keeps_name`: the entity keeps its
// name, which must be free among its new siblings.
void check_removable_sparse(stage& world, entity_t entity, const storage::id_info& removed,
                            bool keeps_name);

}  // namespace kith::mutate
