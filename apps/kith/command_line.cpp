// The only place that includes CLI11: it takes seconds to compile.
#include "command_line.hpp"

#include "completions.hpp"
#include "graph.hpp"
#include "nearest.hpp"
#include "output.hpp"
#include "version.hpp"
#include "world_files.hpp"

#include <algorithm>
#include <vector>

#include <CLI/CLI.hpp>

namespace kith_app {

namespace {

constexpr int wrong_usage = 2;

using verb = command_line::verb;

void add_format(CLI::App& app, std::string& name) {
    app.add_option("--format", name, "How to write results: table, json, csv or tsv")
        ->check(CLI::IsMember({"table", "json", "csv", "tsv"}))
        ->capture_default_str();
}

void add_limit(CLI::App& app, command_line& command) {
    app.add_option("--limit", command.limit,
                   "How many results to show, 0: all. On a terminal 1000 if nothing is said")
        ->type_name("N")
        ->check([](const std::string& number) {
            return number.starts_with('-') ? "'" + number + "' is below 0" : std::string();
        });
}

void add_file(CLI::App& app, command_line& command) {
    app.add_option("FILE", command.file, "A world: .kith, .json or .kithb; - is standard input")
        ->required();
}

void add_query(CLI::App& app, command_line& command) {
    app.add_option("QUERY", command.query, "What to ask, such as 'Planet, (Orbits, $star)'")
        ->required();
}

CLI::App* add_verb(CLI::App& app, command_line& command, const char* name, verb what,
                   const char* help) {
    CLI::App* made = app.add_subcommand(name, help);
    made->callback([&command, what] { command.what = what; });
    return made;
}

void add_verb_of_types(CLI::App& app, command_line& command) {
    CLI::App* schema =
        add_verb(app, command, "schema", verb::schema, "Show the types of the values in a world");
    add_file(*schema, command);
    schema->add_flag("--json", command.as_json, "As JSON Schema");
}

// Commands about whole files.
void describe_files(CLI::App& app, command_line& command, std::string& form) {
    CLI::App* save =
        add_verb(app, command, "save", verb::convert, "Write a world as a save file (.kithb)");
    add_file(*save, command);
    save->add_option("OUT", command.other, "The save file")->required();
    save->add_option("--query", command.query, "Save the entities of the results only");
    save->add_flag("--zstd", command.zstd, "Compress the file");
    save->callback([&command] {
        command.what = verb::convert;
        command.to = "binary";
    });

    CLI::App* load = add_verb(app, command, "load", verb::shell, "Ask a save file, line by line");
    load->add_option("FILE", command.file, "A save file, a world as text or as JSON")->required();

    CLI::App* convert = add_verb(app, command, "convert", verb::convert,
                                 "Write a world in another format: .kith, .json, .kithb");
    add_file(*convert, command);
    convert->add_option("OUT", command.other, "The file to write; - is standard output")
        ->required();
    const CLI::IsMember forms({"text", "json", "binary"});
    convert->add_option("--from", command.from, "text, json or binary, whatever the ending says")
        ->check(forms);
    convert->add_option("--to", command.to, "The same for OUT")->check(forms);
    convert->add_option("--query", command.query, "Write the entities of the results only");
    convert->add_flag("--zstd", command.zstd, "Compress a save file");
    convert->add_flag("--pretty", command.pretty, "Indent JSON");

    CLI::App* show =
        add_verb(app, command, "show", verb::show, "Show entities with their ids and values");
    add_file(*show, command);
    show->add_option("ENTITY", command.entity, "One entity only");
    show->add_flag("--values", command.shows_values, "Only ids with values");
    show->add_flag("--schema", command.shows_schema, "The types of the values");
    show->add_flag("--blocks", command.shows_blocks, "The parts of a save file: sizes and methods");
    add_verb_of_types(app, command);

    CLI::App* diff = add_verb(app, command, "diff", verb::diff,
                              "Show the facts that differ; ends with 1 if there are some");
    diff->add_option("A", command.file, "A world of any format")->required();
    diff->add_option("B", command.other, "Another one")->required();
    diff->add_flag("--quiet", command.quiet, "Show nothing");
    diff->add_option("--format", form, "How to write the facts: table (lines) or json")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
}

void describe(CLI::App& app, command_line& command, std::string& form) {
    CLI::Option* verbose = app.add_flag("--verbose", command.verbose,
                                        "With --version: also compiler, options, commit");
    app.set_version_flag(
        "--version",
        [verbose] { return verbose->count() != 0 ? verbose_version_text() : version_text(); },
        "Show the version and end");
    app.require_subcommand(1);

    CLI::App* shell = add_verb(app, command, "shell", verb::shell, "Ask a world, line by line");
    shell->add_option("FILE", command.file,
                      "A world to begin with: .kith, .json or .kithb; none: an empty one");
    add_format(*shell, form);
    add_limit(*shell, command);

    CLI::App* query = add_verb(app, command, "query", verb::query, "Answer one query");
    add_file(*query, command);
    add_query(*query, command);
    add_format(*query, form);
    add_limit(*query, command);
    query
        ->add_option("--graph", command.graph,
                     "Also draw the entities of the results, to FILE.svg or FILE.dot")
        ->type_name("FILE")
        ->check([](const std::string& path) {
            return is_graph_path(path) ? std::string()
                                       : "'" + path + "' ends neither in .svg nor in .dot";
        });

    query
        ->add_option("--order", command.order, "The order of rows, such as 'Cargo.tons desc, this'")
        ->type_name("COLUMNS");
    query
        ->add_option(
            "--values", command.values,
            "Columns of values, such as Cargo,Health.points; of the query if nothing is said")
        ->type_name("LIST")
        ->delimiter(',');
    CLI::Option* select =
        query
            ->add_option("--select", command.select,
                         "Numbers over the results, such as 'count, sum(Cargo.tons)'")
            ->type_name("LIST");
    query
        ->add_option("--by", command.by,
                     "With --select: one row for each value of a variable, target or member")
        ->type_name("COLUMN")
        ->needs(select);

    add_file(*add_verb(app, command, "check", verb::check, "Say what is wrong with a world"),
             command);

    CLI::App* fmt =
        add_verb(app, command, "fmt", verb::fmt, "Write a world as kith would write it");
    fmt->add_option("FILE", command.file, "A world as text; - is standard input")->required();
    fmt->add_flag("--in-place", command.in_place, "Replace the file");

    CLI::App* explain =
        add_verb(app, command, "explain", verb::explain, "Show how a query is evaluated");
    add_file(*explain, command);
    add_query(*explain, command);

    describe_files(app, command, form);

    add_verb(app, command, "trace", verb::trace, "Check a trace of frames and sum it up")
        ->add_option("FILE", command.file, "What world.trace_json() gave; - is standard input")
        ->required();

    add_verb(app, command, "completions", verb::completions,
             "Write a script that completes command lines in a shell")
        ->add_option("SHELL", command.text, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

// The words of {a,b,c} in the name of a type, which CLI11 makes of the values that it accepts.
std::vector<std::string> accepted_values(const std::string& type) {
    std::vector<std::string> values;
    const std::size_t begin = type.find('{');
    const std::size_t end = type.find('}');
    if (begin == std::string::npos || end == std::string::npos) {
        return values;
    }
    for (const std::string& value :
         CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',')) {
        values.push_back(value);
    }
    return values;
}

command_help describe_command(const CLI::App& app, const std::string& name) {
    command_help made{name, app.get_description(), {}, {}};
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional()) {
            const std::vector<std::string> words = accepted_values(option->get_type_name());
            made.words.insert(made.words.end(), words.begin(), words.end());
        } else {
            made.options.push_back({"--" + option->get_lnames().front(), option->get_description(),
                                    option->get_items_expected_max() != 0,
                                    accepted_values(option->get_type_name())});
        }
    }
    return made;
}

program_help describe_program(const CLI::App& app) {
    program_help program{describe_command(app, "")};
    for (const CLI::App* command : app.get_subcommands({})) {
        program.push_back(describe_command(*command, command->get_name()));
    }
    return program;
}

// CLI11 would only say that it did not expect the word.
bool tell_unknown_verb(const CLI::App& app, int argc, char** argv) {
    const std::string word = argc > 1 ? argv[1] : "";
    if (word.empty() || word[0] == '-') {
        return false;
    }
    std::vector<std::string> known;
    for (const CLI::App* one : app.get_subcommands({})) {
        known.push_back(one->get_name());
    }
    if (std::find(known.begin(), known.end(), word) != known.end()) {
        return false;
    }
    write_error("kith: there is no command '" + word + "'" + did_you_mean(word, known) +
                "\n'kith --help' lists them");
    return true;
}

void check_standard_input(const command_line& command) {
    if (command.file != "-") {
        return;
    }
    if (command.in_place) {
        throw CLI::ValidationError("--in-place", "standard input has no place");
    }
    if (command.what == verb::shell) {
        throw CLI::ValidationError("FILE",
                                   "the shell reads its lines from standard input, no world");
    }
}

void check_ending(const command_line& command) {
    if (command.what == verb::convert && command.to.empty() && command.other != "-" &&
        !is_world_path(command.other)) {
        throw CLI::ValidationError("OUT", "'" + command.other +
                                              "' ends in none of .kith, .json and .kithb: --to "
                                              "says what to write");
    }
}

int tell(CLI::App& app, const CLI::ParseError& ended) {
    if (ended.get_exit_code() == 0) {
        return app.exit(ended);  // help, version
    }
    std::string call = "kith ";
    for (const CLI::App* begun : app.get_subcommands()) {
        call += begun->get_name() + " ";
    }
    write_error(std::string("kith: ") + ended.what() + "\n'" + call +
                "--help' says how to call it");
    return wrong_usage;
}

}  // namespace

parsed_command_line parse_command_line(int argc, char** argv) {
    parsed_command_line parsed;
    std::string form = "table";
    CLI::App app("kith asks worlds questions: entities, and how they are related.", "kith");
    describe(app, parsed.command, form);
    if (tell_unknown_verb(app, argc, argv)) {
        parsed.exit_code = wrong_usage;
        return parsed;
    }
    try {
        app.parse(argc, argv);
        parsed.command.form = *find_format(form);
        check_standard_input(parsed.command);
        check_ending(parsed.command);
        if (parsed.command.what == verb::completions) {
            parsed.command.text = completion_script(describe_program(app), parsed.command.text);
        }
    } catch (const CLI::ParseError& ended) {
        parsed.exit_code = tell(app, ended);
    }
    return parsed;
}

}  // namespace kith_app
