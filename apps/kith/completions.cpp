// Completion scripts (completions.hpp).
#include "completions.hpp"

namespace kith_app {

namespace {

// The endings of files that the program reads.
const std::vector<std::string> endings = {"kith", "kithb", "json"};

std::string joined(const std::vector<std::string>& words, const char* between = " ") {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : between) + word;
    }
    return text;
}

std::vector<std::string> names_of(const std::vector<option_help>& options) {
    std::vector<std::string> names;
    for (const option_help& option : options) {
        names.push_back(option.name);
    }
    return names;
}

// The text without the characters that are special inside of '...' and [...] of shells.
std::string quotable(const std::string& text) {
    std::string kept;
    for (const char one : text) {
        if (one == '\'') {
            kept += "\u2019";
        } else if (one == '[' || one == ']' || one == ':') {
            kept += ' ';
        } else {
            kept += one;
        }
    }
    return kept;
}

std::string bash_words(const std::vector<std::string>& words) {
    return "COMPREPLY=($(compgen -W '" + joined(words) + "' -- \"$word\"))";
}

std::string bash_script(const program_help& program) {
    std::vector<std::string> first;
    std::string values;
    std::string options;
    std::string arguments;
    for (const command_help& command : program) {
        if (command.name.empty()) {
            for (const std::string& name : names_of(command.options)) {
                first.push_back(name);
            }
            continue;
        }
        first.push_back(command.name);
        options +=
            "            " + command.name + ") " + bash_words(names_of(command.options)) + " ;;\n";
        if (!command.words.empty()) {
            arguments +=
                "        " + command.name + ") " + bash_words(command.words) + "; return ;;\n";
        }
        for (const option_help& option : command.options) {
            if (!option.values.empty()) {
                values += "        " + command.name + ":" + option.name + ") " +
                          bash_words(option.values) + "; return ;;\n";
            }
        }
    }
    std::string files;
    for (const std::string& ending : endings) {
        files += " $(compgen -f -X '!*." + ending + "' -- \"$word\")";
    }
    return "# Completion of kith for bash, written by: kith completions bash\n"
           "_kith() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    local command=${COMP_WORDS[1]-}\n"
           "    COMPREPLY=()\n"
           "    if ((COMP_CWORD == 1)); then\n"
           "        " +
           bash_words(first) +
           "\n        return\n"
           "    fi\n"
           "    case $command:$before in\n" +
           values +
           "    esac\n"
           "    if [[ $word == -* ]]; then\n"
           "        case $command in\n" +
           options +
           "        esac\n"
           "        return\n"
           "    fi\n"
           "    case $command in\n" +
           arguments +
           "    esac\n"
           "    COMPREPLY=($(compgen -d -- \"$word\")" +
           files +
           ")\n"
           "}\n"
           "complete -o filenames -F _kith kith\n";
}

std::string zsh_option(const option_help& option) {
    std::string text = " '" + option.name + "[" + quotable(option.help) + "]";
    if (!option.values.empty()) {
        text += ":value:(" + joined(option.values) + ")";
    } else if (option.takes_value) {
        text += ":value:";
    }
    return text + "'";
}

std::string zsh_script(const program_help& program) {
    std::string commands;
    std::string cases;
    std::string first;
    for (const command_help& command : program) {
        std::string options;
        for (const option_help& option : command.options) {
            options += zsh_option(option);
        }
        if (command.name.empty()) {
            first = options;
            continue;
        }
        commands += "        '" + command.name + ":" + quotable(command.help) + "'\n";
        cases += "        " + command.name + ") _arguments" + options + " '*:argument:" +
                 (command.words.empty() ? "_files -g \"*.(" + joined(endings, "|") + ")\""
                                        : "(" + joined(command.words) + ")") +
                 "' ;;\n";
    }
    return "#compdef kith\n"
           "# Completion of kith for zsh, written by: kith completions zsh\n"
           "_kith() {\n"
           "    local -a commands\n"
           "    commands=(\n" +
           commands +
           "    )\n"
           "    if ((CURRENT == 2)); then\n"
           "        _describe command commands\n"
           "        _arguments" +
           first +
           "\n        return\n"
           "    fi\n"
           "    local command=$words[2]\n"
           "    shift words\n"
           "    ((CURRENT--))\n"
           "    case $command in\n" +
           cases +
           "    esac\n"
           "}\n"
           "_kith \"$@\"\n";
}

std::string fish_line(const std::string& condition, const std::string& rest) {
    return "complete -c kith -n '" + condition + "' " + rest + "\n";
}

std::string fish_script(const program_help& program) {
    std::string text =
        "# Completion of kith for fish, written by: kith completions fish\n"
        "complete -c kith -f\n";
    for (const command_help& command : program) {
        const std::string here = command.name.empty()
                                     ? "__fish_use_subcommand"
                                     : "__fish_seen_subcommand_from " + command.name;
        if (!command.name.empty()) {
            text += fish_line("__fish_use_subcommand",
                              "-a " + command.name + " -d '" + quotable(command.help) + "'");
            text += command.words.empty() ? fish_line(here, "-F")
                                          : fish_line(here, "-a '" + joined(command.words) + "'");
        }
        for (const option_help& option : command.options) {
            text += fish_line(
                here, "-l " + option.name.substr(2) + " -d '" + quotable(option.help) + "'" +
                          (option.takes_value ? " -x" : "") +
                          (option.values.empty() ? "" : " -a '" + joined(option.values) + "'"));
        }
    }
    return text;
}

}  // namespace

std::string completion_script(const program_help& program, const std::string& shell) {
    return shell == "bash"  ? bash_script(program)
           : shell == "zsh" ? zsh_script(program)
                            : fish_script(program);
}

}  // namespace kith_app
