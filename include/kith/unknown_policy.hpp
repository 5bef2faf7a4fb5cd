// The treatment of types and members that a program does not have, by readers of saved worlds.
#pragma once

namespace kith {

enum class unknown_policy : unsigned char {
    keep,   // they stay with their entities, and are written again
    error,  // they are refused
    skip,   // they are left out
};

}  // namespace kith
