// The interactive program: reads lines, answers queries, follows commands.
#pragma once

#include "command_line.hpp"

namespace kith_app {

// The code to exit with: 1 if the lines came from no terminal and one of them was bad.
int run_shell(const command_line& command);

}  // namespace kith_app
