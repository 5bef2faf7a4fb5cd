// Where the lines of former sessions are kept.
#pragma once

#include <string>

namespace kith_app {

// $XDG_STATE_HOME/kith/history, or the same in ~/.local/state. Makes the folders; empty if that is
// not possible: then nothing is kept.
std::string history_path();

}  // namespace kith_app
