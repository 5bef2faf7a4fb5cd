// What a shell works on: the world, the last answer, and how answers are shown.
#pragma once

#include <kith/kith.hpp>
#include <kith/world_text.hpp>

#include "entry.hpp"
#include "formats.hpp"
#include "line_source.hpp"
#include "session_states.hpp"

#include <string>

namespace kith_app {

class session final : public completer {
public:
    session(format form, std::optional<std::size_t> limit, interrupt& stop)
        : stop_(stop), form_(form), limit_(limit) {}

    // Does what an entry says, and writes what comes of it. Throws what is wrong with it.
    void follow(const entry& said);
    // Adds the facts of a file with which the session begins.
    void begin_with(const std::string& path);

    bool is_over() const noexcept { return over_; }
    completions complete(const std::string& text) const override;

private:
    completions complete_snapshot(const std::string& text, std::size_t from) const;
    static completions complete_command(const std::string& beginning, std::size_t from);
    void run_command(const std::string& word, const std::string& argument);
    bool is_bare_command(const std::string& text) const;
    void show();
    void ask(const std::string& text);
    void add_facts(const std::string& text);
    void remove_facts(const std::string& text);
    void assign_value(const std::string& text);
    void note(const std::string& text) const;
    void note_loaded(const std::string& path, const kith::load_result& loaded) const;

    // The commands. `argument` is what stands behind their name.
    void help(const std::string& argument);
    void load(const std::string& argument);
    void save(const std::string& argument);
    void start_anew(const std::string& argument);
    void explain(const std::string& argument);
    void index(const std::string& argument);
    void why(const std::string& argument);
    void tree(const std::string& argument);
    void show_entity(const std::string& argument);
    void schema(const std::string& argument);
    void stats(const std::string& argument);
    void set_time(const std::string& argument);
    void set_limit(const std::string& argument);
    void set_format(const std::string& argument);
    void draw(const std::string& argument);
    void remove_entity(const std::string& argument);
    void take_snapshot(const std::string& argument);
    void restore(const std::string& argument);
    void show_changes(const std::string& argument);
    void undo(const std::string& argument);
    void redo(const std::string& argument);
    void quit(const std::string& argument);

    struct command;
    static const command commands[];

    interrupt& stop_;
    kith::world world_;
    session_states states_{world_};
    kith::filter<> last_;  // null: nothing was asked yet
    answer answer_;        // of the last query
    format form_;
    std::optional<std::size_t> limit_;  // of rows that are shown, 0: none
    bool with_time_ = true;
    bool over_ = false;
};

}  // namespace kith_app
