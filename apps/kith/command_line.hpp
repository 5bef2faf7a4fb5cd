// What the program was asked to do.
#pragma once

#include "formats.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kith_app {

struct command_line {
    enum class verb {
        shell,
        query,
        check,
        fmt,
        explain,
        trace,
        convert,
        diff,
        show,
        schema,
        completions
    };

    verb what = verb::shell;
    std::string file;   // `-` is standard input; empty: none
    std::string query;  // of query and explain
    format form = format::table;
    std::optional<std::size_t> limit;  // rows to show, 0: all
    std::string graph;                 // a file to draw to; empty: none
    std::string select;                // numbers over results; empty: the results themselves
    std::string by;                    // of select: what makes groups
    std::string order;                 // of rows; empty: by their texts
    bool in_place = false;
    std::string other;  // of convert: the file to write; of diff: the second file
    std::string from;   // of convert: formats; empty: by the endings
    std::string to;
    bool quiet = false;
    bool zstd = false;
    bool pretty = false;
    bool shows_values = false;  // of show: values only, types, parts of a save file
    bool shows_schema = false;
    bool shows_blocks = false;
    std::vector<std::string> values;  // columns of values; empty: those of the query
    std::string entity;               // of show; empty: all entities
    bool as_json = false;             // of schema
    bool verbose = false;
    std::string text;  // of completions: what to write
};

// What was asked for; or, where there is nothing more to do (help, a mistake, of which it tells),
// the code to exit with.
struct parsed_command_line {
    command_line command;
    int exit_code = -1;  // -1: go on
};
parsed_command_line parse_command_line(int argc, char** argv);

}  // namespace kith_app
