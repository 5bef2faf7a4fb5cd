// Returns memory that the world does not need.
//
// Covered by tests/core/api/shrink_test.cpp.
#pragma once

#include "mutate/stage.hpp"

namespace kith::mutate {

// Deletes empty tables and gives back spare room. Throws, and does nothing, if something of the
// world is being iterated. Must not be called while deferred.
void shrink(stage& world);

}  // namespace kith::mutate
