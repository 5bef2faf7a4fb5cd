// Constraints of relationships: no cycles (Acyclic), targets within a scope (OneOf), no inheritance
// from final bases (Final), required companions (With). Each check throws an error that names the
// offender, and changes nothing. Staged changes (change_set.hpp) count as made.
//
// Covered by tests/features/relationships/acyclic_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"
#include "traits/traits.hpp"

namespace kith::mutate {

// Throws if the entity may not get this pair. `entity` is 0 for an entity that is about to be
// created.
void check_pair(const stage& world, entity_t entity, const storage::id_info& pair);
// Throws if the entity is the target of a pair that demands (OneOf) that it is a child of `parent`.
void check_leaves(const stage& world, entity_t entity, entity_t parent);
// Throws if an entity with children or a name may not get the parent `after` instead of `before`
// (0: none). Returns true if its entry in the name index must move.
bool check_parent(stage& world, entity_t entity, const storage::entity_record& record,
                  entity_t before, entity_t after);
// Throws: "entity … cannot lose … while it has …".
[[noreturn]] void raise_required(const stage& world, entity_t entity, id_t lost, id_t required_by);
// Throws if an id that the entity keeps requires (With) one of the ids that it is about to lose.
void check_not_required(const stage& world, entity_t entity, const id_t* removed,
                        std::uint32_t count);

// Throws if existing pairs contradict the traits that a component or relationship is about to get.
// `type_after` is the table that the element itself is about to have.
void check_new_traits(const stage& world, entity_t element, std::uint32_t before,
                      std::uint32_t after, const storage::table& type_after);
// Throws if an entity has `element` without `implied`: (With, implied) is about to demand both.
void check_new_with(const stage& world, entity_t element, entity_t implied);
// Throws if an existing pair of the relation has a target outside of the scope that OneOf is about
// to demand. `type_after` is the table that the relation is about to have. Entities that are being
// deleted do not count.
void check_new_scope(const stage& world, entity_t relation, const storage::table& type_after);

}  // namespace kith::mutate
