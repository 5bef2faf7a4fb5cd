// The limit of recursion: an error for observers and hooks whose changes cause further changes
// without end. The message names the last callbacks.
//
// Covered by tests/features/observers/endless_recursion_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"

namespace kith::mutate {

// The number of rounds in which a flush runs commands that earlier rounds have caused.
inline constexpr std::uint32_t most_rounds = 1000;

// Throws the error for a flush that exceeds the limit. `last` has the last callbacks.
[[noreturn]] void raise_endless(const stage& world, const events::trace& last);

}  // namespace kith::mutate
