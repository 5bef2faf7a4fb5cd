// Adding and removing ids: from a table and an id to the table behind it, and the move of an
// entity. Every structural change of one entity goes through move_entity().
//
// Covered by tests/core/mutate/transition_test.cpp.
#pragma once

#include "containers/small_vec.hpp"
#include "mutate/stage.hpp"

namespace kith::mutate {

using id_buffer = containers::small_vec<id_t, 64>;

// Checks that the id can be added to something, makes its types known, and returns its record.
storage::id_record& prepare_id(stage& owner, id_t id);

// Throws if a value of the id cannot be made without being given one.
void check_default_constructible(const stage& owner, const storage::id_record& record);
// The parent of the entities of a table, 0 if they have none.
entity_t parent_in(const storage::store& data, const detail::table_shape& type) noexcept;

// A value for one of the ids that an entity gains.
struct given_value {
    const storage::id_record* record;
    const detail::value_source* source;
};

// The table with the ids of `from`, without `removed`, with `added`.
storage::table& table_after(stage& owner, const storage::table& from, const id_t* added,
                            std::uint32_t added_count, const id_t* removed,
                            std::uint32_t removed_count);

// Moves an entity to another table: constructs what is new (from the given values, or by default),
// destroys what is gone, runs hooks. If it throws before a hook ran, nothing has changed.
void move_entity(stage& owner, entity_t entity, storage::entity_record& record, storage::table& to,
                 const given_value* given, std::uint32_t given_count);

// The table that adding an id leads to, exclusive relationships considered. Remembers the way.
storage::table& resolve_add(stage& owner, storage::table& from, const storage::id_record& added);

// Gives an entity that has no row yet its row in the root table.
void place_entity(stage& owner, entity_t entity, storage::entity_record& record);

// The operations. They must not be called while deferred.
void add_id(stage& owner, entity_t entity, id_t id);
// Adds all of them in one step, all or nothing.
void add_ids(stage& owner, entity_t entity, const id_t* ids, std::uint32_t count);
void remove_id(stage& owner, entity_t entity, id_t id);  // wildcards allowed
void clear_entity(stage& owner, entity_t entity);

bool has_id(const stage& owner, const storage::entity_record& record, entity_t entity,
            id_t id) noexcept;

// True if the values of the id lie in a sparse store.
bool is_sparse(const storage::id_record& record) noexcept;
// Adds an id with sparse storage, constructing its value from `source` if given. True if it was
// new.
bool add_sparse(stage& owner, entity_t entity, storage::entity_record& record,
                storage::id_record& added, const detail::value_source* source);
void remove_sparse(stage& owner, entity_t entity, storage::id_record& removed);

// Throws if the entity may not be changed at all: outside of the range that is checked.
void check_range(const stage& owner, entity_t entity, id_t id);
// Throws if the id may not be removed from the entity.
void check_removable(stage& owner, entity_t entity, id_t id);

// Properties: what adding or removing a property id to a component or relationship does.
// Checking comes first, and throws if things in use would change.
void check_property(stage& owner, entity_t entity, id_t id, bool added);
void apply_property(stage& owner, entity_t entity, id_t id, bool added) noexcept;

// Describes all records anew that have this element, after its type or traits changed.
void redescribe(stage& owner, std::uint32_t element) noexcept;

void run_hook(stage& owner, types::hook_kind kind, const storage::id_record& record,
              entity_t entity, void* value);

}  // namespace kith::mutate
