// The ends of constants and of member paths inside of queries: `-1.5e3`, `"text"`, `[1, 2]`,
// `3..5`,
// `.slots[2].count`. They are no sequences of tokens; what they mean is found when the type of the
// value is known. The code can run at compile time.
#pragma once

#include <kith/syntax/lexer.hpp>

namespace kith::syntax {

// The offset behind a text in quotes that begins at `at`; `at` if the quote is not closed.
constexpr std::size_t find_end_of_quote(std::string_view text, std::size_t at) noexcept {
    const char quote = text[at];
    for (std::size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
        if (text[i] == quote) {
            return i + 1;
        }
        i += text[i] == '\\';
    }
    return at;
}

// The offset behind a number that begins at `at`, with its sign; `at` if there is none. `..` ends a
// number, and a sign inside of it follows an `e`.
constexpr std::size_t find_end_of_number(std::string_view text, std::size_t at) noexcept {
    std::size_t i = at + (at < text.size() && text[at] == '-');
    const bool is_word = i > at && text.substr(i).starts_with("inf");
    if (i >= text.size() || !(chars::is_digit(text[i]) || is_word)) {
        return at;
    }
    const bool is_hex = text.substr(i).starts_with("0x") || text.substr(i).starts_with("0X");
    for (; i < text.size(); ++i) {
        const char c = text[i];
        const char before = text[i - (i > at)];
        const bool is_point = c == '.' && i + 1 < text.size() && text[i + 1] != '.';
        const bool is_sign = (c == '+' || c == '-') && (before == 'e' || before == 'E') && !is_hex;
        if (!(chars::is_name(c) && chars::is_ascii(c)) && !is_point && !(is_sign && i > at)) {
            break;
        }
    }
    return i;
}

// The offset behind a list that begins at `at`; `at` if it is not closed.
constexpr std::size_t find_end_of_list(std::string_view text, std::size_t at) noexcept {
    for (std::size_t i = at + 1; i < text.size(); ++i) {
        if (text[i] == ']') {
            return i + 1;
        }
        if (text[i] == '"' || text[i] == '\'') {
            const std::size_t end = find_end_of_quote(text, i);
            if (end == i) {
                return at;
            }
            i = end - 1;
        }
    }
    return at;
}

// The offset behind a constant that is no name; `at` if none begins there.
constexpr std::size_t find_end_of_constant(std::string_view text, std::size_t at) noexcept {
    if (at >= text.size()) {
        return at;
    }
    switch (text[at]) {
        case '"':
        case '\'':
            return find_end_of_quote(text, at);
        case '[':
            return find_end_of_list(text, at);
        default:
            return find_end_of_number(text, at);
    }
}

// The offset behind `.. constant`; `at` if that does not follow.
constexpr std::size_t find_end_of_range(std::string_view text, std::size_t at) noexcept {
    std::size_t i = at;
    const auto skip = [&] {
        while (i < text.size() && (text[i] == ' ' || text[i] == '\t')) {
            ++i;
        }
    };
    skip();
    if (!text.substr(i < text.size() ? i : text.size()).starts_with("..")) {
        return at;
    }
    i += 2;
    skip();
    const std::size_t end = find_end_of_constant(text, i);
    return end == i || text[i] == '[' ? at : end;
}

// The offset behind members: `.name`, `[2]`, `["key"]`, `[*]`; `at` if one of them has a mistake.
constexpr std::size_t find_end_of_members(std::string_view text, std::size_t at) noexcept {
    std::size_t i = at;
    while (i < text.size()) {
        if (text[i] == '.') {
            const std::size_t begin = ++i;
            while (i < text.size() && chars::is_name(text[i])) {
                ++i;
            }
            if (i == begin) {
                return at;
            }
        } else if (text[i] == '[') {
            const std::size_t end = find_end_of_list(text, i);
            if (end == i || end == i + 2) {
                return at;
            }
            i = end;
        } else {
            break;
        }
    }
    return i;
}

}  // namespace kith::syntax
