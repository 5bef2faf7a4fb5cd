// What each command does, from beginning to end. They throw what is wrong with the input.
#pragma once

#include "command_line.hpp"

namespace kith_app {

// The code to exit with.
int run_command(const command_line& command);

}  // namespace kith_app
