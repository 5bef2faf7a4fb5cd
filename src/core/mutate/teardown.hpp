// The end of a world: entities end one by one, in an order that programs can rely on, and hooks run
// for what each of them has. Takes no memory, and throws nothing.
//
//   1. Entities without a parent that have children, in the order of their ids; each after
//      everything below it.
//   2. All others that are no components, modules or builtins, then those.
//
// In both, an entity ends after those that its deletion would delete, siblings in the order of
// their ids (of more than some thousand in one table: of their rows, the last first); cycles are
// cut at the lowest id.
// An entity that has ended is alive, and empty, until the world is gone: whoever refers to it does
// not refer to nothing.
//
// Covered by tests/core/mutate/teardown_test.cpp.
#pragma once

#include "mutate/stage.hpp"

namespace kith::mutate {

// Hooks' own changes are queued, and never run.
void end_all_entities(stage& world) noexcept;

}  // namespace kith::mutate
