// Files of cases of the query language, tests/corpus/*.kq: from text to cases, and from answers
// back to text. Nothing here knows of worlds.
//
//   # Prose, in lines that begin so, anywhere between sections.
//   world
//       Likes(Bob, Alice)          facts, for all cases up to the next world
//   query (Likes, $x)              a case: what is asked
//   plan                           how it is evaluated; if given, it is compared
//   text (Likes,$x)                how the query is written by itself; if given, it is compared
//   rows                           the results, sorted, or `none`
//       Bob x=Alice
//   error 1:2: no entity 'Likse'   or, instead of rows, the first line of the refusal
//
// A section begins behind its keyword and goes on in lines that are indented as far, or it begins
// below the keyword, indented by four spaces.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace corpus {

using line_list = std::vector<std::string>;

// Lines count from 1.
struct section {
    std::size_t first_line = 0;
    std::size_t end_line = 0;  // behind its last line
    line_list lines;           // without their indentation

    std::string text() const {
        std::string joined;
        for (const std::string& line : lines) {
            joined += (&line == lines.data() ? "" : "\n") + line;
        }
        return joined;
    }
};

struct question {
    std::size_t world = 0;  // of the file
    section query;
    std::optional<section> plan;
    std::optional<section> text;
    std::optional<section> rows;
    std::optional<section> error;

    // Behind everything that belongs to it.
    std::size_t end_line() const {
        std::size_t end = query.end_line;
        for (const std::optional<section>* part : {&plan, &text, &rows, &error}) {
            end = *part && (*part)->end_line > end ? (*part)->end_line : end;
        }
        return end;
    }
};

struct mistake {
    std::size_t line = 0;
    std::string message;
    bool of_answer = false;  // one that can be written anew
};

struct file {
    std::vector<section> worlds;
    std::vector<question> questions;
    std::vector<mistake> diagnostics;
};

// What a question's sections ought to say. Empty lists are sections that it does not have.
struct answer {
    line_list plan;
    line_list text;
    line_list rows;
    line_list error;
};

line_list split_lines(std::string_view text);

file read(std::string_view text);

// The text with other answers, everything else as it was.
std::string rewrite(std::string_view text, const file& read, const std::vector<answer>& answers);

}  // namespace corpus
