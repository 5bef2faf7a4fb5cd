#include "support/corpus/corpus.hpp"

#include <algorithm>
#include <utility>

namespace corpus {

line_list split_lines(std::string_view text) {
    line_list lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

namespace {

constexpr std::string_view indentation = "    ";
constexpr std::size_t longest_line = 100;

class reader {
public:
    explicit reader(std::string_view text) : lines_(split_lines(text)) {}

    file read() {
        while (at_ < lines_.size()) {
            const std::string& line = lines_[at_];
            if (has_control_character(line)) {
                add_mistake("a control character");
                ++at_;
            } else if (is_blank(line) || line[0] == '#') {
                ++at_;
            } else if (line[0] == ' ') {
                add_mistake("this line belongs to no section, or is not indented as far");
                ++at_;
            } else {
                read_section();
            }
        }
        check_answers();
        return std::move(file_);
    }

private:
    static constexpr std::size_t most_mistakes = 20;

    static bool is_blank(std::string_view line) {
        return line.find_first_not_of(' ') == std::string_view::npos;
    }
    static bool has_control_character(std::string_view line) {
        for (char c : line) {
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
                return true;
            }
        }
        return false;
    }
    void add_mistake(std::size_t line, std::string message, bool of_answer = false) {
        if (file_.diagnostics.size() < most_mistakes) {
            file_.diagnostics.push_back({line, std::move(message), of_answer});
        }
    }
    void add_mistake(std::string message) { add_mistake(at_ + 1, std::move(message)); }

    void read_section() {
        const std::string& line = lines_[at_];
        const std::size_t end = std::min(line.find(' '), line.size());
        const std::size_t begin = std::min(line.find_first_not_of(' ', end), line.size());
        const bool inlined = begin < line.size();
        section made;
        made.first_line = at_ + 1;
        if (inlined) {
            made.lines.push_back(line.substr(begin));
        }
        ++at_;
        read_lines(made, inlined ? begin : indentation.size());
        made.end_line = at_ + 1;
        keep(line.substr(0, end), std::move(made));
    }
    // Blank lines belong to a section if others of it follow.
    void read_lines(section& made, std::size_t indent) {
        std::size_t blank = 0;
        for (; at_ < lines_.size() && !has_control_character(lines_[at_]); ++at_) {
            const std::string& line = lines_[at_];
            if (is_blank(line)) {
                ++blank;
            } else if (line.find_first_not_of(' ') >= indent) {
                made.lines.insert(made.lines.end(), blank, std::string());
                made.lines.push_back(line.substr(indent));
                blank = 0;
            } else {
                break;
            }
        }
        at_ -= blank;
    }
    void keep(const std::string& keyword, section made) {
        const std::size_t line = made.first_line;
        if (keyword == "world") {
            file_.worlds.push_back(std::move(made));
            return;
        }
        if (keyword == "query") {
            if (file_.worlds.empty()) {
                add_mistake(line, "a query before the first world");
                return;
            }
            question asked;
            asked.world = file_.worlds.size() - 1;
            asked.query = std::move(made);
            file_.questions.push_back(std::move(asked));
            return;
        }
        std::optional<section> question::*member = keyword == "plan"    ? &question::plan
                                                   : keyword == "text"  ? &question::text
                                                   : keyword == "rows"  ? &question::rows
                                                   : keyword == "error" ? &question::error
                                                                        : nullptr;
        if (!member) {
            add_mistake(line, "'" + keyword + "' is no section");
        } else if (file_.questions.empty() || file_.questions.back().end_line() != line) {
            add_mistake(line, "'" + keyword + "' stands directly below its query");
        } else if (file_.questions.back().*member) {
            add_mistake(line, "a query has one '" + keyword + "'");
        } else {
            file_.questions.back().*member = std::move(made);
        }
    }

    void check_answers() {
        for (const question& one : file_.questions) {
            const std::size_t line = one.query.first_line;
            if (one.rows.has_value() == one.error.has_value()) {
                add_mistake(line,
                            one.rows ? "a query has rows or an error, not both"
                                     : "a query without rows or an error",
                            true);
            } else if (one.error && (one.plan || one.text)) {
                add_mistake(line, "a query that is refused has no plan and no text", true);
            } else if (one.error && one.error->lines.size() != 1) {
                add_mistake(one.error->first_line, "an error is one line", true);
            } else if (one.rows && one.rows->lines.empty()) {
                add_mistake(one.rows->first_line, "'none' stands for no rows", true);
            }
        }
    }

    line_list lines_;
    std::size_t at_ = 0;
    file file_;
};

// -- back to text

void append_section(line_list& out, const char* keyword, const line_list& lines) {
    if (lines.empty()) {
        return;
    }
    const std::string inlined = std::string(keyword) + " " + lines[0];
    const bool fits = inlined.size() <= longest_line && !lines[0].starts_with(' ');
    if (lines.size() == 1 && fits) {
        out.push_back(inlined);
        return;
    }
    out.push_back(keyword);
    for (const std::string& line : lines) {
        out.push_back(line.empty() ? line : std::string(indentation) + line);
    }
}

}  // namespace

file read(std::string_view text) {
    return reader(text).read();
}
std::string rewrite(std::string_view text, const file& read, const std::vector<answer>& answers) {
    const line_list before = split_lines(text);
    line_list after;
    std::size_t at = 0;  // lines that are done
    for (std::size_t i = 0; i < read.questions.size() && i < answers.size(); ++i) {
        const question& asked = read.questions[i];
        for (; at < asked.query.end_line - 1; ++at) {
            after.push_back(before[at]);
        }
        at = asked.end_line() - 1;
        append_section(after, "plan", answers[i].plan);
        append_section(after, "text", answers[i].text);
        append_section(after, "rows", answers[i].rows);
        append_section(after, "error", answers[i].error);
    }
    for (; at < before.size(); ++at) {
        after.push_back(before[at]);
    }
    std::string joined;
    for (const std::string& line : after) {
        joined += line + "\n";
    }
    return joined;
}

}  // namespace corpus
