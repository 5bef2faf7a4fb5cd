#include "entry.hpp"

#include <kith/syntax/lexer.hpp>

#include "assignment.hpp"

#include <algorithm>

namespace kith_app {

namespace {

using kith::syntax::token_kind;

constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

int nesting(token_kind kind) {
    switch (kind) {
        case token_kind::open_paren:
        case token_kind::open_brace:
        case token_kind::open_bracket:
            return 1;
        case token_kind::close_paren:
        case token_kind::close_brace:
        case token_kind::close_bracket:
            return -1;
        default:
            return 0;
    }
}

}  // namespace

bool goes_on(std::string_view text) {
    const std::string_view said = trimmed(text);
    if (said.empty() || (said[0] == ':' && !said.starts_with("::"))) {
        return false;
    }
    if (said.back() == '\\') {
        return true;
    }
    kith::syntax::lexer words(said);
    int depth = 0;
    token_kind last = token_kind::end;
    for (kith::syntax::token word = words.next(); word.kind != token_kind::end;
         word = words.next()) {
        depth += nesting(word.kind);
        last = word.kind;
    }
    return depth > 0 || last == token_kind::comma || last == token_kind::or_or;
}

std::string joined(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '\n') {
            continue;
        }
        result += text[i];
    }
    return result;
}

entry read_entry(std::string_view text) {
    const std::string_view said = trimmed(text);
    if (said.empty() || said.starts_with("//")) {
        return {};
    }
    const std::string rest(trimmed(said.substr(1)));
    if (said[0] == ':' && !said.starts_with("::")) {
        const std::size_t end = std::min(rest.find_first_of(blanks), rest.size());
        return {entry_kind::command, rest.substr(0, end),
                std::string(trimmed(std::string_view(rest).substr(end)))};
    }
    if (said[0] == '+' || said[0] == '-') {
        return {said[0] == '+' ? entry_kind::add_fact : entry_kind::remove_fact, {}, rest};
    }
    const bool assigns = find_assignment(said) != std::string_view::npos;
    return {assigns ? entry_kind::assignment : entry_kind::query, {}, std::string(said)};
}

}  // namespace kith_app
