// Lines of a terminal, by libedit.
#include "display_width.hpp"
#include "history_file.hpp"
#include "input_error.hpp"
#include "line_source.hpp"

#include <algorithm>
#include <cstdio>

#include <histedit.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace kith_app {

namespace {

constexpr const char* first_prompt = "kith> ";
constexpr const char* next_prompt = "  ... ";

std::size_t terminal_width() {
    winsize size{};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : 80;
}

// What all words begin with.
std::string common_start(const std::vector<std::string>& words) {
    std::string start = words.front();
    for (const std::string& word : words) {
        const auto end = std::mismatch(start.begin(), start.end(), word.begin(), word.end()).first;
        start.erase(end, start.end());
    }
    // Not in the middle of a character.
    while (!start.empty() && start.size() < words.front().size() &&
           (static_cast<unsigned char>(words.front()[start.size()]) & 0xC0) == 0x80) {
        start.pop_back();
    }
    return start;
}

std::string in_columns(const std::vector<std::string>& words) {
    constexpr std::size_t most = 200;
    std::size_t widest = 0;
    for (const std::string& word : words) {
        widest = std::max(widest, display_width(word) + 2);
    }
    const std::size_t per_line = std::max<std::size_t>(1, terminal_width() / widest);
    std::string text;
    for (std::size_t i = 0; i < std::min(most, words.size()); ++i) {
        const bool last = i % per_line == per_line - 1 || i + 1 == words.size();
        text += words[i];
        text += last ? "\n" : std::string(widest - display_width(words[i]), ' ');
    }
    if (words.size() > most) {
        text += "and " + std::to_string(words.size() - most) + " more\n";
    }
    return text;
}

class terminal_lines final : public line_source {
public:
    explicit terminal_lines(const completer& names)
        : names_(names), editor_(el_init("kith", stdin, stdout, stderr)), history_(history_init()) {
        if (!editor_ || !history_) {
            throw input_error("the terminal cannot be used");
        }
        HistEvent event;
        history(history_, &event, H_SETSIZE, 1000);
        history(history_, &event, H_SETUNIQUE, 1);
        if (!path_.empty()) {
            history(history_, &event, H_LOAD, path_.c_str());
        }
        el_set(editor_, EL_CLIENTDATA, this);
        el_set(editor_, EL_PROMPT, prompt);
        el_set(editor_, EL_EDITOR, "emacs");
        el_set(editor_, EL_HIST, history, history_);
        el_set(editor_, EL_ADDFN, "kith-complete", "Complete a name", complete);
        el_set(editor_, EL_BIND, "\t", "kith-complete", nullptr);
        // While a line is typed, ctrl-C is a key: it drops the line.
        el_set(editor_, EL_ADDFN, "kith-cancel", "Drop the line", cancel);
        el_set(editor_, EL_SETTY, "-d", "-isig", nullptr);
        el_set(editor_, EL_BIND, "\003", "kith-cancel", nullptr);
        el_set(editor_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    }
    ~terminal_lines() override {
        save_history();
        history_end(history_);
        el_end(editor_);
    }
    terminal_lines(const terminal_lines&) = delete;
    terminal_lines& operator=(const terminal_lines&) = delete;

    input next(bool goes_on) override {
        std::fflush(stdout);
        prompt_ = goes_on ? next_prompt : first_prompt;
        cancelled_ = false;
        int count = 0;
        const char* text = el_gets(editor_, &count);
        if (cancelled_) {
            return {kind::cancelled, {}};
        }
        if (!text || count <= 0) {
            std::fputs("\n", stdout);  // ctrl-D leaves the cursor behind the prompt
            return {};
        }
        std::string line(text, static_cast<std::size_t>(count));
        while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) {
            line.pop_back();
        }
        return {kind::line, std::move(line)};
    }

    void remember(const std::string& text) override {
        std::string line = text;
        std::replace(line.begin(), line.end(), '\n', ' ');
        HistEvent event;
        history(history_, &event, H_ENTER, line.c_str());
    }

private:
    static terminal_lines& of(EditLine* editor) {
        void* self = nullptr;
        el_get(editor, EL_CLIENTDATA, &self);
        return *static_cast<terminal_lines*>(self);
    }

    static char* prompt(EditLine* editor) { return of(editor).prompt_.data(); }

    static unsigned char complete(EditLine* editor, int) {
        const LineInfo* line = el_line(editor);
        const std::string text(line->buffer, line->cursor);
        const completions found = of(editor).names_.complete(text);
        if (found.words.empty()) {
            return CC_REFRESH_BEEP;
        }
        std::string start = common_start(found.words);
        const std::string typed = text.substr(found.from);
        const bool is_whole = found.words.size() == 1;
        // A folder is not all of a path, and what follows the cursor is there already.
        if (is_whole && !start.ends_with('/') && line->cursor == line->lastchar) {
            start += ' ';
        }
        // Names with and without quotes have less in common than what was typed.
        if (start != typed && start.size() >= typed.size()) {
            el_deletestr(editor, static_cast<int>(typed.size()));
            el_insertstr(editor, start.c_str());
            return CC_REFRESH;
        }
        if (is_whole) {
            return CC_REFRESH;
        }
        std::fputs(("\n" + in_columns(found.words)).c_str(), stdout);
        std::fflush(stdout);
        return CC_REDISPLAY;
    }

    static unsigned char cancel(EditLine* editor, int) {
        of(editor).cancelled_ = true;
        std::fputs("^C\n", stdout);
        std::fflush(stdout);
        return CC_NEWLINE;
    }

    // Nothing depends on it: where it cannot be kept, it is lost.
    void save_history() {
        HistEvent event;
        if (!path_.empty()) {
            history(history_, &event, H_SAVE, path_.c_str());
        }
    }

    const completer& names_;
    EditLine* editor_;
    History* history_;
    std::string path_ = history_path();
    std::string prompt_;
    bool cancelled_ = false;
};

}  // namespace

std::unique_ptr<line_source> open_terminal(const completer& names) {
    return std::make_unique<terminal_lines>(names);
}

}  // namespace kith_app
