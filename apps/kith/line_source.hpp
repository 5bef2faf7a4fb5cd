// Where the shell's lines come from: a terminal with editing and history, or any other file.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace kith_app {

class line_source {
public:
    enum class kind { line, cancelled, end };
    struct input {
        kind what = kind::end;
        std::string text;  // without its line end
    };

    virtual ~line_source() = default;
    // `goes_on`: a line before this one asks for more.
    virtual input next(bool goes_on) = 0;
    // Something that was entered, perhaps of several lines, for later.
    virtual void remember(const std::string& text) = 0;
};

// What could stand in place of the end of a line; `text` is all of it up to the cursor. The words
// begin at `from`.
struct completions {
    std::size_t from = 0;
    std::vector<std::string> words;
};

// Who knows how a line may go on.
class completer {
public:
    virtual completions complete(const std::string& text) const = 0;

protected:
    ~completer() = default;
};

// Somebody types, and sees what comes of it.
bool is_interactive();
// Of standard input: with prompts and editing if somebody types, else just line by line.
std::unique_ptr<line_source> open_lines(const completer& names);
std::unique_ptr<line_source> open_terminal(const completer& names);

}  // namespace kith_app
