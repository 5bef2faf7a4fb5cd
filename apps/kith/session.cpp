#include "session.hpp"

#include <kith/syntax/lexer.hpp>

#include "assignment.hpp"
#include "display_width.hpp"
#include "files.hpp"
#include "graph.hpp"
#include "input_error.hpp"
#include "load_world.hpp"
#include "names.hpp"
#include "nearest.hpp"
#include "output.hpp"
#include "path_completion.hpp"
#include "world_report.hpp"

#include <algorithm>
#include <charconv>

namespace kith_app {

namespace {

enum class wants { nothing, something, anything };  // an argument

// A fact to remove is read as a query: `Likes(Bob, Alice)` asks whether Bob has it.
struct known_fact {
    kith::entity source;
    kith::id id;
    std::size_t count;  // how many it stands for: it may have wildcards
};

constexpr const char* how_to_remove =
    "a fact to remove is written Tag(Entity), Relationship(Entity, Target) or Entity: Tag, "
    "(Relationship, Target)";

// `Bob: Tall, (Likes, Alice)` as `Tall(Bob), Likes(Bob, Alice)`; what is no description stays as it
// is.
std::string without_description(const std::string& text) {
    using kith::syntax::token_kind;
    kith::syntax::lexer words(text);
    const auto next_text = [&](token_kind& kind) {
        const kith::syntax::token word = words.next();
        kind = word.kind;
        return std::string(word.at.of(text));
    };
    token_kind kind;
    const std::string source = next_text(kind);
    token_kind colon;
    next_text(colon);
    if (colon != token_kind::colon) {
        return text;
    }
    std::string facts;
    for (std::string word = next_text(kind); kind != token_kind::end; word = next_text(kind)) {
        if (kind == token_kind::comma) {
            facts += ", ";
        } else if (kind != token_kind::open_paren) {
            facts += word + "(" + source + ")";
        } else {
            token_kind comma;
            token_kind close;
            const std::string relation = next_text(kind);
            next_text(comma);
            const std::string target = next_text(kind);
            next_text(close);
            if (comma != token_kind::comma || close != token_kind::close_paren) {
                throw input_error(how_to_remove);
            }
            facts += relation + "(" + source + ", " + target + ")";
        }
    }
    return facts;
}

known_fact find_fact(const kith::term& term) {
    const kith::entity source = term.get_src();
    if (!source || source == kith::This || term.oper() != kith::And) {
        throw input_error(how_to_remove);
    }
    known_fact fact{source, term.id(), 0};
    source.match(fact.id, [&](kith::id) { ++fact.count; });
    if (fact.count == 0) {
        throw input_error(path_of(source) + " does not have " + fact.id.str().c_str());
    }
    return fact;
}

}  // namespace

struct session::command {
    const char* name;
    wants argument;
    void (session::*run)(const std::string& argument);
    const char* usage;
    const char* help;
};

const session::command session::commands[] = {
    {"help", wants::nothing, &session::help, ":help", "this"},
    {"load", wants::something, &session::load, ":load FILE", "add the facts of a file"},
    {"save", wants::something, &session::save, ":save FILE", "write the world to a file"},
    {"new", wants::nothing, &session::start_anew, ":new", "forget the world"},
    {"explain", wants::something, &session::explain, ":explain QUERY", "how it is evaluated"},
    {"index", wants::something, &session::index, ":index C.MEMBER",
     "let queries find values of a member faster"},
    {"why", wants::something, &session::why, ":why ENTITY",
     "why it is, or is not, a result of the last query"},
    {"tree", wants::anything, &session::tree, ":tree [[R] ENTITY]",
     "who is below whom, by ChildOf or another relationship"},
    {"show", wants::something, &session::show_entity, ":show ENTITY",
     "an entity with its ids and values"},
    {"schema", wants::nothing, &session::schema, ":schema",
     "relationships and tags, and how often they occur"},
    {"stats", wants::nothing, &session::stats, ":stats", "how large the world is"},
    {"snapshot", wants::anything, &session::take_snapshot, ":snapshot [NAME]",
     "keep the present state under a name; list the names"},
    {"restore", wants::something, &session::restore, ":restore NAME", "return to such a state"},
    {"diff", wants::something, &session::show_changes, ":diff NAME",
     "what has changed since such a state"},
    {"undo", wants::nothing, &session::undo, ":undo", "take back the last change"},
    {"redo", wants::nothing, &session::redo, ":redo", "make it again"},
    {"graph", wants::something, &session::draw, ":graph FILE",
     "draw the last results, to FILE.svg or FILE.dot"},
    {"delete", wants::something, &session::remove_entity, ":delete ENTITY",
     "remove an entity with all that refers to it"},
    {"format", wants::something, &session::set_format, ":format NAME",
     "show results as table, json, csv or tsv"},
    {"limit", wants::something, &session::set_limit, ":limit N",
     "show so many results at most, 0: all"},
    {"time", wants::something, &session::set_time, ":time on|off", "show how long queries take"},
    {"quit", wants::nothing, &session::quit, ":quit, :exit", "end; so does ctrl-D"},
    {"exit", wants::nothing, &session::quit, nullptr, nullptr},
};

void session::follow(const entry& said) {
    switch (said.kind) {
        case entry_kind::nothing:
            break;
        case entry_kind::command:
            run_command(said.word, said.text);
            break;
        case entry_kind::add_fact:
            add_facts(said.text);
            break;
        case entry_kind::remove_fact:
            remove_facts(said.text);
            break;
        case entry_kind::assignment:
            assign_value(said.text);
            break;
        case entry_kind::query:
            if (is_bare_command(said.text)) {
                run_command(said.text, {});
            } else {
                ask(said.text);
            }
            break;
    }
}

void session::run_command(const std::string& word, const std::string& argument) {
    std::vector<std::string> known;
    for (const command& one : commands) {
        if (one.name != word) {
            known.push_back(std::string(":") + one.name);
            continue;
        }
        if ((one.argument == wants::something && argument.empty()) ||
            (one.argument == wants::nothing && !argument.empty())) {
            throw input_error(std::string("it is called like this: ") +
                              (one.usage ? one.usage : ":exit"));
        }
        return (this->*one.run)(argument);
    }
    throw input_error("there is no command ':" + word + "'" + did_you_mean(":" + word, known) +
                      "\n':help' lists them");
}

// Words that a newcomer types without the colon, unless something in the world is called so.
bool session::is_bare_command(const std::string& text) const {
    return (text == "help" || text == "quit" || text == "exit") && !world_.lookup(text.c_str());
}

void session::ask(const std::string& text) {
    kith::filter<> query = make_query(world_, text);
    answer_ = evaluate(query, stop_);
    last_ = query;
    show();
}

void session::show() {
    // What stopped the query does not stop showing what it found.
    stop_.forget();
    answer_.limit = rows_to_show(limit_, form_);
    if (!write_out(text_of(answer_, form_, with_time_, out_has_colours()), stop_)) {
        write_out("(stopped)\n");
    }
}

void session::add_facts(const std::string& text) {
    kith::load_result added;
    states_.edit("+ " + text, [&] { added = kith::load_text(world_, text); });
    note("added " + counted(added.facts, "fact", "facts") +
         (added.entities != 0 ? ", " + counted(added.entities, "new entity", "new entities")
                              : std::string()));
}

// All or nothing: each of them must be there before the first is removed.
void session::remove_facts(const std::string& text) {
    const kith::filter<> query = make_query(world_, without_description(text));
    std::vector<known_fact> facts;
    query.each_term([&](const kith::term& term) { facts.push_back(find_fact(term)); });
    std::size_t count = 0;
    states_.edit("- " + text, [&] {
        for (known_fact& fact : facts) {
            fact.source.remove(fact.id);
            count += fact.count;
        }
    });
    note("removed " + counted(count, "fact", "facts"));
}

// What was done. Not for programs: the formats that they read have results and nothing else.
void session::note(const std::string& text) const {
    if (form_ == format::table) {
        write_out(text + "\n");
    }
}

void session::assign_value(const std::string& text) {
    states_.edit(text, [&] { assign(world_, text); });
}

void session::begin_with(const std::string& path) {
    note_loaded(path, load_file(world_, path, stop_));
}

void session::load(const std::string& path) {
    kith::load_result loaded;
    states_.edit(":load " + path, [&] { loaded = load_file(world_, path, stop_); });
    note_loaded(path, loaded);
}

void session::note_loaded(const std::string& path, const kith::load_result& loaded) const {
    note(shown_path(path) + ": " + counted(loaded.facts, "fact", "facts") + ", " +
         counted(loaded.entities, "new entity", "new entities"));
}

void session::save(const std::string& path) {
    replace_file(path, kith::save_text(world_));
    note("saved " + path);
}

void session::start_anew(const std::string&) {
    last_ = {};
    answer_ = {};
    states_.edit(":new", [&] { states_.restart(); });
}

void session::help(const std::string&) {
    std::string text =
        "QUERY               answer it, such as: Planet, (Orbits, $star)\n"
        "+ FACT              add it, such as: + Likes(Bob, Alice) or + Bob: Tall\n"
        "- FACT              remove it\n"
        "PATH = VALUE        set a value or a member, such as: Earth.Position.x = 3\n";
    for (const command& one : commands) {
        if (one.usage) {
            std::string usage = one.usage;
            usage.resize(20, ' ');
            text += usage + one.help + "\n";
        }
    }
    write_out(text +
              "A line goes on if brackets are open, or if it ends in , or || or \\\n"
              "Tab completes names; ctrl-C stops a query and its output, or drops a line\n");
}

void session::explain(const std::string& text) {
    write_out(std::string_view(make_query(world_, text).explain()));
}

// The component is the longest path in front of a dot that names one.
void session::index(const std::string& text) {
    for (std::size_t end = text.rfind('.'); end != std::string::npos && end != 0;
         end = text.rfind('.', end - 1)) {
        const kith::entity component = world_.lookup(text.substr(0, end).c_str());
        if (component && component.has<kith::Component>()) {
            kith::untyped_component(world_.c_ptr(), component.id()).index(text.substr(end + 1));
            return;
        }
    }
    throw input_error("':index' takes a component and a member, as in Health.points");
}

void session::why(const std::string& path) {
    if (!last_) {
        throw input_error("':why' is about the last query, and there was none");
    }
    const std::string text(std::string_view(last_.explain(find_named(world_, path))));
    write_out(text.ends_with('\n') ? text : text + "\n");
}

void session::tree(const std::string& path) {
    const std::size_t cut = end_of_first_path(path);
    const std::string rest = path.substr(std::min(path.find_first_not_of(" \t", cut), path.size()));
    const kith::entity relation =
        rest.empty() ? world_.entity(kith::ChildOf) : find_named(world_, path.substr(0, cut));
    const std::string root = rest.empty() ? path : rest;
    const std::string text =
        tree_text(world_, relation, root.empty() ? kith::entity() : find_named(world_, root));
    if (!write_out(text, stop_)) {
        write_out("(stopped)\n");
    }
}

void session::show_entity(const std::string& path) {
    write_out(entity_text(world_, find_named(world_, path), shown_ids::all));
}

void session::schema(const std::string&) {
    write_out(schema_text(world_));
}

void session::stats(const std::string&) {
    write_out(stats_text(world_));
}

void session::set_time(const std::string& argument) {
    if (argument != "on" && argument != "off") {
        throw input_error("it is called like this: :time on|off");
    }
    with_time_ = argument == "on";
}

void session::set_limit(const std::string& argument) {
    std::size_t rows = 0;
    const char* const last = argument.data() + argument.size();
    const auto [end, failed] = std::from_chars(argument.data(), last, rows);
    if (failed != std::errc() || end != last) {
        throw input_error("it is called like this: :limit N");
    }
    limit_ = rows;
}

void session::set_format(const std::string& argument) {
    const format* found = find_format(argument);
    if (!found) {
        throw input_error("there is no format '" + argument + "'" +
                          did_you_mean(argument, {"table", "json", "csv", "tsv"}) +
                          "\nthere are table, json, csv and tsv");
    }
    form_ = *found;
}

void session::draw(const std::string& path) {
    if (!last_) {
        throw input_error("':graph' draws the last results, and there were none");
    }
    if (!is_graph_path(path)) {
        throw input_error("'" + path + "' ends neither in .svg nor in .dot");
    }
    write_graph(world_, answer_, path);
    note("drew " + counted(answer_.entities.size(), "entity", "entities") + " to " + path);
}

void session::remove_entity(const std::string& path) {
    const kith::entity found = find_named(world_, path);
    if (is_builtin(found.id())) {
        throw input_error("every world has '" + path + "'; it cannot be removed");
    }
    states_.edit(":delete " + path, [&] { found.destruct(); });
    note("removed " + path);
}

void session::take_snapshot(const std::string& name) {
    if (name.empty()) {
        for (const std::string& one : states_.names()) {
            write_out(printable(one) + "\n");
        }
        return;
    }
    const bool replaced = states_.take(name);
    note((replaced ? "took another snapshot " : "took snapshot ") + name);
}

void session::restore(const std::string& name) {
    states_.edit(":restore " + name, [&] { states_.restore(name); });
    note("restored " + name);
}

void session::show_changes(const std::string& name) {
    const kith::diff changes = states_.changes_since(name);
    if (form_ == format::json) {
        write_out(std::string(std::string_view(changes.to_json())) + "\n");
        return;
    }
    if (changes.empty()) {
        note("nothing has changed since " + name);
    }
    write_out(printable_lines(std::string(std::string_view(changes.str()))));
}

void session::undo(const std::string&) {
    note("took back: " + states_.undo());
}

void session::redo(const std::string&) {
    note("made again: " + states_.redo());
}

void session::quit(const std::string&) {
    over_ = true;
}

completions session::complete(const std::string& text) const {
    const std::size_t start = text.find_first_not_of(" \t");
    if (start == std::string::npos || text[start] != ':') {
        return complete_name(world_, text);
    }
    const std::string word = text.substr(start, text.find(' ', start) - start);
    const std::size_t argument = text.find_first_not_of(" \t", start + word.size());
    if (start + word.size() == text.size()) {
        return complete_command(word, start);
    }
    if (word == ":restore" || word == ":diff") {
        return complete_snapshot(text, std::min(argument, text.size()));
    }
    if (word == ":load" || word == ":save" || word == ":graph") {
        return complete_path(text, std::min(argument, text.size()));
    }
    return complete_name(world_, text);
}

completions session::complete_snapshot(const std::string& text, std::size_t from) const {
    completions found{from, {}};
    for (const std::string& name : states_.names()) {
        if (name.starts_with(text.substr(from))) {
            found.words.push_back(name);
        }
    }
    return found;
}

completions session::complete_command(const std::string& beginning, std::size_t from) {
    completions found{from, {}};
    for (const command& one : commands) {
        const std::string word = std::string(":") + one.name;
        if (word.starts_with(beginning)) {
            found.words.push_back(word);
        }
    }
    return found;
}

}  // namespace kith_app
