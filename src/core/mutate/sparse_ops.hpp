// Ids that an entity has outside of its table ("sparse" ids): components with sparse storage, and
// pairs of sparse relationships, which are links of a link_store. The functions are the counterpart
// of move_entity(), which changes the ids of the table.
//
// Covered by tests/features/relationships/sparse_relationships_test.cpp.
#pragma once

#include "mutate/archetype_move.hpp"
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
// Remove all sparse ids except the link to the parent (discard_sparse), or the link to the parent
// (drop_parent), without notifying. Used at the end of an entity.
void discard_sparse(stage& world, entity_t entity, const storage::entity_record& record) noexcept;
void drop_parent(stage& world, entity_t entity, const storage::entity_record& record) noexcept;

// True if the entity has the sparse id.
bool has_sparse(const storage::store& data, entity_t entity, const storage::id_info& id) noexcept;
// The value of a sparse id, null if the id has no value. Requires: the entity has the id.
void* value_sparse(const storage::store& data, entity_t entity,
                   const storage::id_info& id) noexcept;

// Calls visit(id_info) for each sparse id of the entity that matches the pattern. Requires: `visit`
// does not change the entity.
template <class Visit>
void each_sparse_id(const storage::store& data, const storage::entity_record& record,
                    entity_t entity, id_t pattern, Visit&& visit) {
    storage::each_sparse(data, record, index_of(entity), pattern,
                         [&](const storage::id_record& pair_record) {
                             visit(static_cast<const storage::id_info&>(pair_record));
                             return true;
                         });
    storage::each_link(data, record, index_of(entity), pattern,
                       [&](const storage::id_record& relation, std::uint32_t target) {
                           visit(traits::describe_link(data, relation, target));
                           return true;
                       });
}

// Calls visit(id_info) for each id of the entity that matches the pattern, in its table or sparse;
// inherited ids are not visited.
template <class Visit>
void each_owned(const storage::store& data, entity_t entity, id_t pattern, Visit&& visit) {
    const storage::entity_record& record = *data.entities.find(entity);
    const storage::table& type = data.tables.at(record.table);
    for (std::int32_t position = storage::find_match(type, pattern, 0); position >= 0;
         position = storage::next_match(type, pattern, position)) {
        visit(static_cast<const storage::id_info&>(*type.records[position]));
    }
    each_sparse_id(data, record, entity, pattern, visit);
}

}  // namespace kith::mutate
