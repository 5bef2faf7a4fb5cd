// Observers and hooks whose changes lead to further changes without end: a limit, and a message
// that names them.
//
// Covered by tests/core/observe/endless_chains_test.cpp.
#pragma once

#include "mutate/stage.hpp"

namespace kith::mutate {

// Changes that are made because of changes, one after the other.
inline constexpr std::uint32_t most_rounds = 1000;

[[noreturn]] void raise_endless(const stage& world, const events::trace& last);

}  // namespace kith::mutate
