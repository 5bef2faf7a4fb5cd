// The tokens of the query language and of worlds as text, with their places. The code can run at
// compile time: literal queries (query_literal.hpp) are parsed by the compiler.
#pragma once

#include <cstdint>
#include <string_view>

namespace kith::syntax {

// A part of a text, in bytes.
struct span {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    constexpr std::string_view of(std::string_view text) const noexcept {
        return text.substr(begin, end - begin);
    }
};

// The kinds of tokens. Marks are named for their characters.
enum class token_kind : std::uint8_t {
    end,
    name,      // a path: elements, bare or in quotes, with `.` or `::` between them; `#12`
    quoted,    // one element in quotes: a name, or a text to compare with
    number,    // digits only
    variable,  // $name
    dollar,    // $ by itself
    star,
    underscore,
    comma,
    colon,
    semicolon,
    bar,
    or_or,
    bang,
    question,
    equal,
    equal_equal,
    not_equal,
    tilde_equal,
    open_paren,
    close_paren,
    open_brace,
    close_brace,
    open_bracket,
    close_bracket,
    // -- comparisons of values; only where they are asked for
    less,
    less_equal,
    greater,
    greater_equal,
    dot,      // in front of a member, behind a mark
    comment,  // only where they are asked for
    bad,      // lexer::problem() says why
};

// A token and its place.
struct token {
    token_kind kind = token_kind::end;
    bool on_new_line = false;  // the first on its line
    span at;
};

// The name of a token in messages.
constexpr const char* to_string(token_kind kind) noexcept {
    switch (kind) {
        case token_kind::end:
            return "the end";
        case token_kind::name:
        case token_kind::quoted:
            return "a name";
        case token_kind::number:
            return "a number";
        case token_kind::variable:
            return "a variable";
        case token_kind::dollar:
            return "'$'";
        case token_kind::star:
            return "'*'";
        case token_kind::underscore:
            return "'_'";
        case token_kind::comma:
            return "','";
        case token_kind::colon:
            return "':'";
        case token_kind::semicolon:
            return "';'";
        case token_kind::bar:
            return "'|'";
        case token_kind::or_or:
            return "'||'";
        case token_kind::bang:
            return "'!'";
        case token_kind::question:
            return "'?'";
        case token_kind::equal:
            return "'='";
        case token_kind::equal_equal:
            return "'=='";
        case token_kind::not_equal:
            return "'!='";
        case token_kind::tilde_equal:
            return "'~='";
        case token_kind::open_paren:
            return "'('";
        case token_kind::close_paren:
            return "')'";
        case token_kind::open_brace:
            return "'{'";
        case token_kind::close_brace:
            return "'}'";
        case token_kind::open_bracket:
            return "'['";
        case token_kind::close_bracket:
            return "']'";
        case token_kind::less:
            return "'<'";
        case token_kind::less_equal:
            return "'<='";
        case token_kind::greater:
            return "'>'";
        case token_kind::greater_equal:
            return "'>='";
        case token_kind::dot:
            return "'.'";
        case token_kind::comment:
            return "a comment";
        case token_kind::bad:
            return "something unreadable";
    }
    return "";
}

}  // namespace kith::syntax
