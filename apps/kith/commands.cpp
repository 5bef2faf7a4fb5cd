#include "commands.hpp"

#include <kith/json.hpp>
#include <kith/snapshot.hpp>

#include "files.hpp"
#include "graph.hpp"
#include "input_error.hpp"
#include "load_world.hpp"
#include "names.hpp"
#include "output.hpp"
#include "shell.hpp"
#include "summary.hpp"
#include "trace_report.hpp"
#include "world_diff.hpp"
#include "world_report.hpp"

#include <exception>

namespace kith_app {

namespace {

void run_query(const command_line& command) {
    const interrupt stop(ctrl_c::ends_program);
    kith::world world;
    load_file(world, command.file, stop);
    const kith::filter<> query = make_query(world, command.query);
    answer result = command.select.empty() ? evaluate(query, stop, command.values)
                                           : summarize(query, command.select, command.by);
    if (!command.order.empty()) {
        order_rows(result, command.order);
    }
    result.limit = rows_to_show(command.limit, command.form);
    write_out(text_of(result, command.form, command.select.empty(), out_has_colours()));
    if (!command.graph.empty()) {
        write_graph(world, result, command.graph);
    }
}

void run_explain(const command_line& command) {
    const interrupt stop(ctrl_c::ends_program);
    kith::world world;
    load_file(world, command.file, stop);
    write_out(std::string_view(make_query(world, command.query).explain()));
}

// Loads it, too: cycles and contradictions are no matter of syntax.
void run_check(const command_line& command) {
    const interrupt stop(ctrl_c::ends_program);
    kith::world world;
    const kith::load_result loaded = load_file(world, command.file, stop);
    write_out(shown_path(command.file) + ": " + counted(loaded.facts, "fact", "facts") + ", " +
              counted(loaded.entities, "entity", "entities") + "\n");
}

void check_syntax(const std::string& text, const std::string& file) {
    std::string found;
    for (const kith::text_error& mistake : kith::check_text(text)) {
        found += (found.empty() ? "" : "\n") + file + ":" + std::to_string(mistake.line) + ":" +
                 std::to_string(mistake.column) + ": " + mistake.message + "\n" + mistake.excerpt;
    }
    if (!found.empty()) {
        throw input_error(found);
    }
}

void run_fmt(const command_line& command) {
    const std::string text = read_text(command.file);
    check_syntax(text, shown_path(command.file));  // its messages name the file
    const std::string formatted = kith::format_text(text);
    if (!command.in_place) {
        write_out(formatted);
    } else if (formatted != text) {
        replace_file(command.file, formatted);
    }
}

file_form chosen_form(const std::string& name, const std::string& path) {
    return find_form(name).value_or(form_of(path));
}

void run_convert(const command_line& command) {
    const interrupt stop(ctrl_c::ends_program);
    kith::world world;
    load_file(world, command.file, chosen_form(command.from, command.file), stop);
    save_world(
        world, command.other,
        {chosen_form(command.to, command.other), command.query, command.zstd, command.pretty});
}

// A world from a file, with its state before.
struct loaded_world {
    loaded_world(const std::string& path, const interrupt& stop) {
        empty.take();
        load_file(world, path, stop);
    }
    kith::world world;
    kith::snapshot empty{world};
};

// 0: equal, 1: different, 2: a file is bad.
int run_diff(const command_line& command) {
    const interrupt stop(ctrl_c::ends_program);
    try {
        const loaded_world before(command.file, stop);
        const loaded_world after(command.other, stop);
        const world_diff found(before.empty, before.world, after.empty, after.world);
        if (!command.quiet) {
            write_out(command.form == format::json ? found.json() : found.text());
        }
        flush_out();
        return found.empty() ? 0 : 1;
    } catch (const std::exception& problem) {
        write_error(problem.what());
        return 2;
    }
}

// Entities, with --values only their values; types and parts of the file, if they are asked for.
void run_show(const command_line& command) {
    const interrupt stop(ctrl_c::ends_program);
    kith::world world;
    load_file(world, command.file, stop);
    const bool shows_entities = command.shows_values || !command.entity.empty() ||
                                (!command.shows_schema && !command.shows_blocks);
    if (command.shows_blocks) {
        write_out(blocks_text(command.file));
    }
    if (command.shows_schema) {
        write_out(types_text(world));
    }
    if (shows_entities) {
        const shown_ids shown = command.shows_values ? shown_ids::values : shown_ids::all;
        write_out(command.entity.empty()
                      ? entities_text(world, shown)
                      : entity_text(world, find_named(world, command.entity), shown));
    }
}

void run_schema(const command_line& command) {
    const interrupt stop(ctrl_c::ends_program);
    kith::world world;
    load_file(world, command.file, stop);
    write_out(command.as_json ? kith::json_schema(world) : types_text(world));
}

void run_trace(const command_line& command) {
    write_out(trace_report(read_text(command.file), shown_path(command.file), out_has_colours()));
}

}  // namespace

int run_command(const command_line& command) {
    switch (command.what) {
        case command_line::verb::shell:
            return run_shell(command);
        case command_line::verb::query:
            run_query(command);
            break;
        case command_line::verb::explain:
            run_explain(command);
            break;
        case command_line::verb::check:
            run_check(command);
            break;
        case command_line::verb::fmt:
            run_fmt(command);
            break;
        case command_line::verb::trace:
            run_trace(command);
            break;
        case command_line::verb::convert:
            run_convert(command);
            break;
        case command_line::verb::show:
            run_show(command);
            break;
        case command_line::verb::schema:
            run_schema(command);
            break;
        case command_line::verb::diff:
            return run_diff(command);
        case command_line::verb::completions:
            write_out(command.text);
            break;
    }
    flush_out();
    return 0;
}

}  // namespace kith_app
