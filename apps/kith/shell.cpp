#include "shell.hpp"

#include "output.hpp"
#include "session.hpp"

#include <exception>
#include <memory>
#include <new>
#include <optional>

namespace kith_app {

namespace {

// One entry, of as many lines as it takes. Nothing at the end of the input; empty if it was
// dropped.
std::optional<std::string> read_lines(line_source& lines) {
    std::string text;
    for (bool more = false;; more = true) {
        const line_source::input one = lines.next(more);
        if (one.what == line_source::kind::cancelled) {
            return std::string();
        }
        if (one.what == line_source::kind::end) {
            return more ? std::optional<std::string>(text) : std::nullopt;
        }
        text += (more ? "\n" : "") + one.text;
        // An empty line ends what somebody does not know how to end.
        if (one.text.empty() || !goes_on(text)) {
            return text;
        }
    }
}

// False if the entry was bad, of which it tells.
bool follow(session& session, const std::string& text) {
    try {
        session.follow(read_entry(joined(text)));
        flush_out();
        return true;
    } catch (const std::bad_alloc&) {
        write_error("out of memory");
    } catch (const std::exception& problem) {
        write_error(problem.what());
    }
    return false;
}

}  // namespace

int run_shell(const command_line& command) {
    const bool interactive = is_interactive();
    // For as long as the shell lives: the key may be hit between the end of a line and its query.
    interrupt stop(interactive ? ctrl_c::stops_work : ctrl_c::ends_program);
    session session(command.form, command.limit, stop);
    const std::unique_ptr<line_source> lines = open_lines(session);
    if (interactive) {
        write_out("Ask with a query, say with + FACT; :help lists the rest.\n");
    }
    if (!command.file.empty()) {
        session.begin_with(command.file);
    }
    bool good = true;
    while (!session.is_over()) {
        stop.forget();
        const std::optional<std::string> text = read_lines(*lines);
        if (!text) {
            break;
        }
        if (text->find_first_not_of(" \t\n") != std::string::npos) {
            lines->remember(*text);
            good = follow(session, *text) && good;
        }
    }
    flush_out();
    return good || interactive ? 0 : 1;
}

}  // namespace kith_app
