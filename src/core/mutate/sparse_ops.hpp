// Ids that an entity has beside its table: components with sparse storage, and pairs that are
// links. The counterpart of move_entity().
//
// Covered by tests/core/traits/sparse_relationships_test.cpp.
#pragma once

#include "mutate/archetype_move.hpp"
#include "storage/find.hpp"

namespace kith::mutate {

// Adds a sparse id, constructing its value from `source` if given. True if it was new. If it throws
// before a hook ran, nothing has changed.
bool add_sparse(stage& world, entity_t entity, const storage::id_info& added,
                const detail::value_source* source);
// Throws if add_sparse() would, values aside. Whether what it replaces may go is up to the caller.
void check_addable_sparse(stage& world, entity_t entity, const storage::id_info& added);
// The entity must have it.
void remove_sparse(stage& world, entity_t entity, const storage::id_info& removed);
// The parts of both, for changes that happen together with others (`sparse_delta`): telling of it
// before, making it, telling of it afterwards. The entity must not have another target of an
// exclusive relationship when it is given one. erase_sparse() needs what
// check_removable_sparse() looks at.
void notify_before_insert(stage& world, entity_t entity, const storage::id_info& added);
void insert_sparse(stage& world, entity_t entity, const storage::id_info& added,
                   const detail::value_source* source);
void notify_after_insert(stage& world, entity_t entity, const storage::id_info& added);
void notify_before_erase(stage& world, entity_t entity, const storage::id_info& removed);
void erase_sparse(stage& world, entity_t entity, const storage::id_info& removed) noexcept;
void notify_after_erase(stage& world, entity_t entity, const storage::id_info& removed);
// Throws if remove_sparse() would, before it ran a hook. A name that goes too needs no new place.
void check_removable_sparse(stage& world, entity_t entity, const storage::id_info& removed,
                            bool keeps_name);
// Removes all but the link to the parent, or that one, without telling anybody.
void discard_sparse(stage& world, entity_t entity, const storage::entity_record& record) noexcept;
void drop_parent(stage& world, entity_t entity, const storage::entity_record& record) noexcept;

// The entity has the sparse id.
bool has_sparse(const storage::store& data, entity_t entity, const storage::id_info& id) noexcept;
// The value of a sparse id that the entity has, null if the id has none.
void* value_sparse(const storage::store& data, entity_t entity,
                   const storage::id_info& id) noexcept;

// Calls visit(id_info) for the sparse ids that the entity has and that the pattern stands for. The
// entity must not change meanwhile.
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

// The same for all ids that the entity has by itself.
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
