// The ids of an entity, in its table and outside of it ("sparse" ids: components with sparse
// storage, and pairs of sparse relationships, which are links of a link_store): asking for them,
// iterating them, and dropping them at the end of an entity without a notification.
//
// Covered by tests/features/relationships/sparse_relationships_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"
#include "storage/find.hpp"
#include "traits/traits.hpp"

namespace kith::mutate {

// True if the entity has the id, itself or through a base.
bool has_id(const stage& world, const storage::entity_record& record, entity_t entity, id_t id);

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

// -- disabled ids

// Enables an id that the entity has lost, so that it is enabled when it is added again.
void clear_toggle(stage& world, entity_t entity, id_t id) noexcept;

// Enables all ids of an entity that is about to end, without notifying.
void clear_toggles(stage& world, entity_t entity) noexcept;

}  // namespace kith::mutate
