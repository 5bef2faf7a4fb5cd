// Naming entities: at once, through the queue, and as a copy of another entity's name.
//
// The value of a name (kith::Identifier) is a component like others; names/name_index.hpp finds
// entities by it.
//
// Covered by tests/features/names/names_test.cpp and tests/model/naming_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"
#include "names/name_index.hpp"

namespace kith::mutate {

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
