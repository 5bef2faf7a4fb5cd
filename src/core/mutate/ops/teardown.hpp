// The end of a world: entities end one by one, in an order that programs can rely on, and hooks run
// for the ids of each. Teardown allocates no memory and throws nothing.
//
// 1. Entities without a parent that have children, in the order of their ids; each after everything
//    below it.
// 2. The remaining entities except components, modules and builtins; then components, modules and
//    builtins.
//
// Within both groups, an entity ends after the entities that its deletion would delete. Siblings
// end in the order of their ids (in tables of more than some thousand rows: in the order of rows,
// the last first). Cycles are cut at the lowest id. An ended entity stays alive, and empty, until
// the world is gone, so that references to it stay valid.
//
// Covered by tests/features/world/teardown_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"

namespace kith::mutate {

// Ends all entities. Changes that hooks make are queued and never run.
void end_all_entities(stage& world) noexcept;

}  // namespace kith::mutate
