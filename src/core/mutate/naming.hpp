// Names of entities in changes: the rule that a name is unique among the children of a parent, kept
// when entities get a name, another parent, or a copy.
//
// The value of a name (kith::Identifier) is a component like others; names/name_index.hpp finds
// entities by it.
//
// Covered by tests/features/names/names_test.cpp and tests/model/naming_test.cpp.
#pragma once

#include "mutate/stage.hpp"
#include "names/name_index.hpp"

namespace kith::mutate {

// Throws errc::name_taken: another entity, `holder`, has the name.
[[noreturn]] void raise_name_taken(const stage& world, std::string_view name, entity_t parent,
                                   entity_t holder);

// Each check throws errc::name_taken and changes nothing.

// A named entity is about to get another parent (0: none).
void check_name_under(const stage& world, entity_t entity, entity_t parent);
// The children are about to become roots together.
void check_names_as_roots(const stage& world, const entity_t* children, std::uint32_t count);
// A queued name is about to be stored for an entity of this parent.
void check_queued_name(const stage& world, entity_t entity, entity_t parent, const command& queued);

// The entity has another parent now; its name is found there from here on.
void move_name(stage& world, entity_t entity, entity_t parent) noexcept;
// A queued name belongs to its entity from here on. The call comes before the value is stored,
// because listeners of that may fail.
void commit_queued_name(stage& world, entity_t parent, const command& queued) noexcept;

// Stores the identifier of an entity, or queues that (`later`). Takes ownership of the node.
void store_identifier(stage& world, entity_t entity, entity_t kind, names::name_node* node,
                      bool later);
// Names an entity of this parent; throws errc::name_taken. Requires: not deferred.
void give_name(stage& world, entity_t entity, entity_t parent, std::string_view name);
// Queues a name. The name can be looked up from now on; whether it is free is checked when the
// command runs.
void queue_name(stage& world, entity_t entity, entity_t parent, std::string_view name);
// Gives an entity the name of another one, under its own parent; throws errc::name_taken.
void copy_name(stage& world, entity_t from, entity_t to);

}  // namespace kith::mutate
