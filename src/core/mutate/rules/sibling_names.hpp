// The rule that a name is unique among the children of a parent: checks before entities get a name
// or another parent, and the name index after that.
//
// Covered by tests/features/names/names_test.cpp and tests/model/naming_test.cpp.
#pragma once

#include "mutate/context/command.hpp"
#include "mutate/context/stage.hpp"
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

}  // namespace kith::mutate
