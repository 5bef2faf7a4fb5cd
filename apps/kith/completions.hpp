// Scripts that complete command lines of the program in shells, made from its commands and options.
#pragma once

#include <string>
#include <vector>

namespace kith_app {

struct option_help {
    std::string name;  // with its dashes
    std::string help;
    bool takes_value = false;
    std::vector<std::string> values;  // all that it accepts; empty: any
};

struct command_help {
    std::string name;
    std::string help;
    std::vector<option_help> options;
    std::vector<std::string> words;  // that its first argument can be; empty: files
};

// The commands, and the options in front of a command as those of a command without a name.
using program_help = std::vector<command_help>;

// The script for bash, zsh or fish. Requires: `shell` is one of these.
std::string completion_script(const program_help& program, const std::string& shell);

}  // namespace kith_app
