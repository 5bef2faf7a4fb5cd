// Returning memory to the system: empty tables are deleted, and spare capacity is given back.
//
// Covered by tests/features/deferring/busy_tables_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"

namespace kith::mutate {

// Deletes empty tables and gives back spare capacity of tables and sparse stores. Throws, and
// changes nothing, while the world is being iterated. Requires: the world is not deferred.
void shrink(stage& world);

}  // namespace kith::mutate
