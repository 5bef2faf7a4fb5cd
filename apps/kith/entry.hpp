// What is typed into the shell, one or several lines at a time.
#pragma once

#include <string>
#include <string_view>

namespace kith_app {

// True if the text asks for another line: brackets are open, or it ends in `,`, `||` or a
// backslash.
bool goes_on(std::string_view text);

// The text without backslashes that join lines.
std::string joined(std::string_view text);

// What a line is, by how it begins.
enum class entry_kind { nothing, command, add_fact, remove_fact, assignment, query };
struct entry {
    entry_kind kind = entry_kind::nothing;
    std::string word;  // of a command, without its colon
    std::string text;  // of a command its argument, else what follows + or -
};
entry read_entry(std::string_view text);

}  // namespace kith_app
