// The lexer of the query language and of worlds as text: from text to tokens, one at a time. It can
// run at compile time.
#pragma once

#include <kith/syntax/token.hpp>

namespace kith::syntax {

namespace chars {

constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}
constexpr bool is_space(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
constexpr bool is_ascii(char c) noexcept {
    return static_cast<unsigned char>(c) < 0x80;
}
// True for a character of a bare name; characters beyond ASCII count as letters.
constexpr bool is_name(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           !is_ascii(c);
}
// The value of a hexadecimal digit, -1 for other characters.
constexpr std::int32_t hex_value(char c) noexcept {
    if (is_digit(c)) {
        return c - '0';
    }
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The length of the character at an offset; 0 if the bytes are not valid UTF-8.
constexpr std::uint32_t utf8_length(std::string_view text, std::size_t at) noexcept {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
    };
    const unsigned lead = byte(at);
    if (lead < 0x80) {
        return 1;
    }
    const std::uint32_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                                 : lead >= 0xE0 && lead <= 0xEF ? 3
                                 : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                                : 0;
    for (std::uint32_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0) != 0x80) {
            return 0;
        }
    }
    const unsigned second = byte(at + 1);
    const bool wrong = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
                       (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
    return wrong ? 0 : length;
}

// True for a typographic quote, which editors put in the place of " and '.
constexpr bool is_curly_quote(std::string_view text, std::size_t at) noexcept {
    return text.substr(at).starts_with("\xE2\x80") && at + 2 < text.size() &&
           (static_cast<unsigned char>(text[at + 2]) & 0xF8) == 0x98;
}

}  // namespace chars

// The kinds of tokens beyond those of all texts: comments, or marks of comparisons.
enum class lexer_mode : std::uint8_t { plain, with_comments, with_comparisons };

// Reads tokens from a text, which must live longer. Comments are skipped unless they are asked for.
class lexer {
public:
    constexpr explicit lexer(std::string_view text, bool with_comments = false) noexcept
        : text_(text), with_comments_(with_comments) {}
    constexpr lexer(std::string_view text, lexer_mode mode) noexcept
        : text_(text),
          with_comments_(mode == lexer_mode::with_comments),
          with_comparisons_(mode == lexer_mode::with_comparisons) {}

    constexpr std::string_view text() const noexcept { return text_; }
    // Goes on reading at this offset: another parser has read what lies before it.
    constexpr void seek(std::size_t offset) noexcept { at_ = offset; }
    // The message about the last token, if its kind is `bad`.
    constexpr const char* problem() const noexcept { return problem_; }

    // The next token; `end` at the end of the text, also after further calls.
    constexpr token next() noexcept {
        bool new_line = at_ == 0;
        while (skip_space(new_line) && !with_comments_ && starts("//")) {
            skip_line();
        }
        const std::size_t begin = at_;
        end_of_bad_ = 0;
        const token_kind kind = read();
        const std::size_t end = end_of_bad_ != 0 ? end_of_bad_ : at_;
        return {
            kind, new_line, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}};
    }

private:
    constexpr char peek(std::size_t ahead = 0) const noexcept {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    constexpr bool starts(std::string_view with) const noexcept {
        return text_.substr(at_ < text_.size() ? at_ : text_.size()).starts_with(with);
    }
    // Skips spaces and line ends. False at the end of the text.
    constexpr bool skip_space(bool& new_line) noexcept {
        for (; at_ < text_.size() && chars::is_space(text_[at_]); ++at_) {
            new_line = new_line || text_[at_] == '\n';
        }
        return at_ < text_.size();
    }
    constexpr void skip_line() noexcept {
        while (at_ < text_.size() && text_[at_] != '\n') {
            ++at_;
        }
    }
    // Remembers the message and returns `bad`.
    constexpr token_kind fail(const char* problem) noexcept {
        problem_ = problem;
        return token_kind::bad;
    }
    // Skips the characters of a token and returns its kind.
    constexpr token_kind take(std::size_t count, token_kind kind) noexcept {
        at_ += count;
        return kind;
    }

    // Reads a token that begins at the present offset.
    constexpr token_kind read() noexcept {
        if (at_ >= text_.size()) {
            return token_kind::end;
        }
        const char c = peek();
        if (chars::is_name(c) || c == '"' || c == '#' || (c == ':' && peek(1) == ':')) {
            return read_path();
        }
        if (c == '$') {
            return read_variable();
        }
        if (starts("//")) {
            skip_line();
            return token_kind::comment;
        }
        return read_mark(c);
    }

    // Reads a mark of a comparison; `bad`, without a problem, for other characters.
    constexpr token_kind read_comparison_mark(char c) noexcept {
        const bool or_equal = peek(1) == '=';
        switch (c) {
            case '<':
                return or_equal ? take(2, token_kind::less_equal) : take(1, token_kind::less);
            case '>':
                return or_equal ? take(2, token_kind::greater_equal) : take(1, token_kind::greater);
            case '.':
                return take(1, token_kind::dot);
            default:
                return token_kind::bad;
        }
    }

    // Reads a mark of one or two characters.
    constexpr token_kind read_mark(char c) noexcept {
        const char second = peek(1);
        if (with_comparisons_) {
            if (const token_kind kind = read_comparison_mark(c); kind != token_kind::bad) {
                return kind;
            }
        }
        switch (c) {
            case '*':
                return take(1, token_kind::star);
            case ',':
                return take(1, token_kind::comma);
            case ':':
                return take(1, token_kind::colon);
            case ';':
                return take(1, token_kind::semicolon);
            case '(':
                return take(1, token_kind::open_paren);
            case ')':
                return take(1, token_kind::close_paren);
            case '{':
                return take(1, token_kind::open_brace);
            case '}':
                return take(1, token_kind::close_brace);
            case '[':
                return take(1, token_kind::open_bracket);
            case ']':
                return take(1, token_kind::close_bracket);
            case '?':
                return take(1, token_kind::question);
            case '|':
                return second == '|' ? take(2, token_kind::or_or) : take(1, token_kind::bar);
            case '!':
                return second == '=' ? take(2, token_kind::not_equal) : take(1, token_kind::bang);
            case '=':
                return second == '=' ? take(2, token_kind::equal_equal)
                                     : take(1, token_kind::equal);
            case '~':
                if (second == '=') {
                    return take(2, token_kind::tilde_equal);
                }
                break;
            default:
                break;
        }
        ++at_;
        return fail(c == '~'   ? "'~' is no mark of the language; '~=' compares names"
                    : c == '&' ? "'&' is no mark of the language; ',' means and"
                               : "this character has no meaning here");
    }

    // Reads `$name`, or a lone `$`.
    constexpr token_kind read_variable() noexcept {
        ++at_;
        const std::size_t begin = at_;
        if (!read_letters()) {
            return token_kind::bad;
        }
        return at_ == begin ? token_kind::dollar : token_kind::variable;
    }

    // Reads the elements of a path, as long as separators follow.
    constexpr token_kind read_path() noexcept {
        const std::size_t begin = at_;
        const bool rooted = starts("::");
        at_ += rooted ? 2 : 0;
        std::uint32_t elements = 0;
        bool quoted = false;
        for (;;) {
            quoted = peek() == '"';
            if (!(quoted ? read_quoted() : read_element())) {
                return token_kind::bad;
            }
            ++elements;
            if (peek() == '.' && !(with_comparisons_ && peek(1) == '.')) {
                ++at_;
            } else if (starts("::")) {
                at_ += 2;
            } else {
                break;
            }
        }
        if (rooted || elements > 1) {
            return token_kind::name;
        }
        return quoted ? token_kind::quoted : kind_of(text_.substr(begin, at_ - begin));
    }
    // The kind of a single bare element: `_`, a number or a name.
    static constexpr token_kind kind_of(std::string_view element) noexcept {
        if (element == "_") {
            return token_kind::underscore;
        }
        for (char c : element) {
            if (!chars::is_digit(c)) {
                return token_kind::name;
            }
        }
        return token_kind::number;
    }
    // Reads letters and digits. False, with the problem, for invalid characters.
    constexpr bool read_letters() noexcept {
        while (at_ < text_.size() && chars::is_name(text_[at_])) {
            const std::uint32_t length = chars::utf8_length(text_, at_);
            if (length == 0) {
                ++at_;
                fail(not_utf8);
                return false;
            }
            if (chars::is_curly_quote(text_, at_)) {
                at_ += length;
                fail("curly quotes quote nothing: names are put in straight ones, \"like this\"");
                return false;
            }
            at_ += length;
        }
        return true;
    }
    // Letters and digits, with the <…> of a type's name; or `#12`.
    constexpr bool read_element() noexcept {
        const std::size_t begin = at_;
        at_ += peek() == '#' ? 1 : 0;
        if (!read_letters()) {
            return false;
        }
        if (at_ > begin && peek() == '<' && !compares_here() && !read_angles()) {
            return false;
        }
        if (at_ == begin || (text_[begin] == '#' && !is_index(begin))) {
            fail(at_ == begin ? "a path ends with a separator: a name should follow"
                              : "'#' needs the number of an entity, as in #123");
            return false;
        }
        return true;
    }
    // True if the characters behind `#` are digits.
    constexpr bool is_index(std::size_t begin) const noexcept {
        for (std::size_t i = begin + 1; i < at_; ++i) {
            if (!chars::is_digit(text_[i])) {
                return false;
            }
        }
        return at_ > begin + 1;
    }
    // True if the `<` directly behind a word compares: no `>` follows in the line, or a `=` does.
    constexpr bool compares_here() noexcept {
        if (!with_comparisons_ || peek(1) == '=') {
            return with_comparisons_;
        }
        if (at_ >= line_end_) {
            line_end_ = text_.find('\n', at_);
            line_end_ = line_end_ == text_.npos ? text_.size() : line_end_;
            const std::size_t last = text_.substr(at_, line_end_ - at_).rfind('>');
            last_angle_ = last == text_.npos ? 0 : at_ + last;
        }
        return last_angle_ < at_;
    }
    // Reads the template arguments of a type's name, up to the matching `>` on the same line.
    constexpr bool read_angles() noexcept {
        const std::size_t begin = at_;
        std::uint32_t depth = 0;
        for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
            depth += text_[at_] == '<';
            depth -= text_[at_] == '>';
            if (depth == 0) {
                ++at_;
                return read_letters();
            }
        }
        // The bad token ends behind the '<', but reading continues behind the line: beginning again
        // behind each '<' would search for the same '>' many times.
        end_of_bad_ = begin + 1;
        fail("'<' of a type's name has no '>'");
        return false;
    }
    // Reads a name in quotes, with escapes.
    constexpr bool read_quoted() noexcept {
        const std::size_t begin = at_++;
        while (at_ < text_.size() && text_[at_] != '\n') {
            if (text_[at_] == '"') {
                ++at_;
                if (at_ == begin + 2) {
                    fail("a name has at least one character");
                    return false;
                }
                return true;
            }
            if (text_[at_] == '\\' && !read_escape()) {
                return false;
            }
            const std::uint32_t length = chars::utf8_length(text_, at_);
            if (length == 0) {
                ++at_;
                fail(not_utf8);
                return false;
            }
            at_ += length;
        }
        fail("a quote is not closed on its line");
        return false;
    }
    // Reads an escape, and stops at its last character.
    constexpr bool read_escape() noexcept {
        ++at_;
        const char c = peek();
        if (c == 'x' && chars::hex_value(peek(1)) >= 0 && chars::hex_value(peek(2)) >= 0) {
            at_ += 2;
            return true;
        }
        if (c == '"' || c == '\\' || c == 'n' || c == 't' || c == 'r') {
            return true;
        }
        fail("after '\\' comes one of \" \\ n t r, or x and two hexadecimal digits");
        return false;
    }

    static constexpr const char* not_utf8 = "this is not UTF-8";

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t end_of_bad_ = 0;  // where a bad token ends, if before the read text; else 0
    const char* problem_ = "";
    bool with_comments_;
    bool with_comparisons_ = false;
    std::size_t line_end_ = 0;    // of the line for which `last_angle_` was found
    std::size_t last_angle_ = 0;  // the last `>` before `line_end_`
};

}  // namespace kith::syntax
