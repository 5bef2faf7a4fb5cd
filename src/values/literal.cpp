// The parser of values as text (literal.hpp), by recursive descent with a limit of depth.
#include "literal.hpp"

#include <kith/syntax/lexer.hpp>

namespace kith::values {

literal::literal() = default;
literal::literal(literal&&) noexcept = default;
literal& literal::operator=(literal&&) noexcept = default;
literal::~literal() = default;

namespace {

bool is_word_start(char c) noexcept {
    return syntax::chars::is_name(c) && !syntax::chars::is_digit(c);
}

void append_code_point(std::string& out, std::uint32_t code) {
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xC0 | (code >> 6));
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        out += static_cast<char>(0xE0 | (code >> 12));
        out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | (code >> 18));
        out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
        out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    }
}

// The first mistake is kept and ends the parse. Positions are bytes of the text.
class literal_parser {
public:
    literal_parser(std::string_view text, std::size_t at) : text_(text), at_(at) {}

    std::size_t position() const noexcept { return at_; }
    literal_fault take_fault() { return std::move(fault_); }

    // Each function returns false after a mistake.
    bool read(literal& into, std::size_t depth) {
        if (depth > most_depth) {
            return fail_limit(at_, "values are nested deeper than 64");
        }
        skip_space(depth > 1);
        const std::size_t begin = at_;
        const char c = peek();
        const bool read = c == '{'    ? read_braces(into, depth)
                          : c == '['  ? read_list(into, depth)
                          : c == '"'  ? read_quoted_value(into)
                          : c == '\'' ? read_character(into)
                          : c == '-' || c == '+' || syntax::chars::is_digit(c)
                              ? read_number(into)
                              : read_name_value(into, depth);
        into.at = span(begin);
        return read && read_alternatives(into, begin, depth);
    }

private:
    char peek(std::size_t ahead = 0) const noexcept {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    syntax::span span(std::size_t begin) const noexcept {
        return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
    }
    bool fail(std::size_t begin, std::string message) {
        if (!fault_) {
            const std::size_t end = at_ > begin ? at_ : begin + (begin < text_.size());
            fault_ = {{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)},
                      std::move(message),
                      false};
        }
        return false;
    }
    bool fail_limit(std::size_t begin, std::string message) {
        fail(begin, std::move(message));
        fault_.is_limit = true;
        return false;
    }
    // Line ends belong to the value only inside of brackets. Comments are skipped inside of
    // brackets only.
    void skip_space(bool across_lines) {
        for (;;) {
            while (at_ < text_.size() && syntax::chars::is_space(text_[at_]) &&
                   (across_lines || text_[at_] != '\n')) {
                ++at_;
            }
            if (!across_lines || text_.substr(at_, 2) != "//") {
                return;
            }
            while (at_ < text_.size() && text_[at_] != '\n') {
                ++at_;
            }
        }
    }

    bool read_list(literal& into, std::size_t depth) {
        into.form = literal_form::list;
        return read_items(into, ']', depth);
    }
    bool read_braces(literal& into, std::size_t depth) {
        into.form = literal_form::braces;
        return read_items(into, '}', depth);
    }
    bool read_items(literal& into, char close, std::size_t depth) {
        const std::size_t begin = at_++;
        for (;;) {
            skip_space(true);
            if (peek() == close) {
                ++at_;
                return true;
            }
            literal::item& item = into.items.emplace_back();
            if (close == '}' && !read_key(item)) {
                return false;
            }
            const std::size_t value_begin = at_;
            const bool in_brackets =
                close == '}' && peek() == '[' && item.keyed == literal::item::key_form::none;
            if (!read(item.value, depth + 1) ||
                (in_brackets && !finish_bracket_key(item, value_begin, depth))) {
                return false;
            }
            skip_space(true);
            if (peek() == ',') {
                ++at_;
            } else if (peek() != close) {
                return at_ >= text_.size() ? fail(begin, close == ']' ? "this '[' is not closed"
                                                                      : "this '{' is not closed")
                                           : fail(at_, close == ']' ? "expected ',' or ']'"
                                                                    : "expected ',' or '}'");
            }
        }
    }
    // A key is a word, a text or a value in brackets, with a colon behind it; finish_bracket_key()
    // reads the last form. True without a key: the item is a value, and the position is where it
    // was.
    bool read_key(literal::item& item) {
        const std::size_t begin = at_;
        if (is_word_start(peek())) {
            while (syntax::chars::is_name(peek())) {
                ++at_;
            }
            return finish_key(item, begin, literal::item::key_form::word);
        }
        if (peek() == '"') {
            item.key.form = literal_form::text;
            return read_quoted(item.key.text) &&
                   finish_key(item, begin, literal::item::key_form::text);
        }
        return true;
    }
    // Without a colon the text was a value: it is read again.
    bool finish_key(literal::item& item, std::size_t begin, literal::item::key_form keyed) {
        const std::size_t end = at_;
        item.key.at = span(begin);
        skip_space(true);
        if (peek() != ':' || peek(1) == ':') {
            at_ = begin;
            item.key = {};
            return true;
        }
        ++at_;
        if (keyed == literal::item::key_form::word) {
            item.key.form = literal_form::name;
            item.key.text = text_.substr(begin, end - begin);
        }
        item.keyed = keyed;
        return true;
    }
    // A list in brackets that a colon follows was a key: the value comes behind it. Each list is
    // read once, so that the time follows the length of the text.
    bool finish_bracket_key(literal::item& item, std::size_t begin, std::size_t depth) {
        skip_space(true);
        if (item.value.form != literal_form::list || peek() != ':') {
            return true;
        }
        ++at_;
        if (item.value.items.size() != 1) {
            return fail(begin, "a key in brackets is one value, as in {[1]: 2}");
        }
        literal key = std::move(item.value.items[0].value);
        item.key = std::move(key);
        item.keyed = literal::item::key_form::value;
        item.value = {};
        return read(item.value, depth + 1);
    }

    bool read_quoted_value(literal& into) {
        into.form = literal_form::text;
        const std::size_t begin = at_;
        if (!read_quoted(into.text)) {
            return false;
        }
        // "Big Bob".Arm is a path.
        if (peek() == '.' || (peek() == ':' && peek(1) == ':')) {
            at_ = begin;
            return read_path(into);
        }
        return true;
    }
    bool read_quoted(std::string& into) {
        const std::size_t begin = at_++;
        while (at_ < text_.size() && text_[at_] != '"') {
            if (text_[at_] == '\n') {
                break;
            }
            if (into.size() > most_text) {
                return fail_limit(begin, "a text is longer than 16 MiB");
            }
            if (text_[at_] == '\\') {
                if (!read_escape(into)) {
                    return false;
                }
                continue;
            }
            const std::uint32_t length = syntax::chars::utf8_length(text_, at_);
            if (length == 0) {
                ++at_;
                return fail(at_ - 1, "this is not UTF-8; write the byte as \\xNN");
            }
            into.append(text_, at_, length);
            at_ += length;
        }
        if (peek() != '"') {
            return fail(begin, "a quote is not closed on its line");
        }
        ++at_;
        return true;
    }
    bool read_escape(std::string& into) {
        const std::size_t begin = at_++;
        const char c = peek();
        ++at_;
        switch (c) {
            case '"':
            case '\\':
            case '\'':
                into += c;
                return true;
            case 'n':
                into += '\n';
                return true;
            case 't':
                into += '\t';
                return true;
            case 'r':
                into += '\r';
                return true;
            case '0':
                into += '\0';
                return true;
            case 'x':
                if (syntax::chars::hex_value(peek()) >= 0 &&
                    syntax::chars::hex_value(peek(1)) >= 0) {
                    into += static_cast<char>(syntax::chars::hex_value(peek()) * 16 +
                                              syntax::chars::hex_value(peek(1)));
                    at_ += 2;
                    return true;
                }
                break;
            case 'u':
                if (read_code_point(into)) {
                    return true;
                }
                break;
            default:
                break;
        }
        return fail(begin,
                    "after '\\' comes one of \" ' \\ n t r 0, x and two hexadecimal digits, or "
                    "u{…} with a code point");
    }
    // {1f600}
    bool read_code_point(std::string& into) {
        std::uint32_t code = 0;
        if (peek() != '{') {
            return false;
        }
        ++at_;
        std::size_t digits = 0;
        for (; syntax::chars::hex_value(peek()) >= 0 && digits < 7; ++at_, ++digits) {
            code = code * 16 + static_cast<std::uint32_t>(syntax::chars::hex_value(peek()));
        }
        if (digits == 0 || peek() != '}' || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
            return false;
        }
        ++at_;
        append_code_point(into, code);
        return true;
    }
    bool read_character(literal& into) {
        const std::size_t begin = at_++;
        into.form = literal_form::character;
        if (peek() == '\\') {
            if (!read_escape(into.text)) {
                return false;
            }
        } else if (at_ < text_.size() && peek() != '\'' && peek() != '\n') {
            into.text += text_[at_++];
        }
        if (peek() != '\'' || into.text.size() != 1) {
            return fail(begin, "a character is one byte in single quotes, as 'a'");
        }
        ++at_;
        return true;
    }

    void skip_digits() {
        while (syntax::chars::is_digit(peek())) {
            ++at_;
        }
    }
    bool read_number(literal& into) {
        const std::size_t begin = at_;
        into.form = literal_form::number;
        at_ += peek() == '-';
        if (text_.substr(at_, 3) == "inf" && !syntax::chars::is_name(peek(3))) {
            at_ += 3;
        } else if (peek() == '0' && (peek(1) | 0x20) == 'x') {
            at_ += 2;
            if (syntax::chars::hex_value(peek()) < 0) {
                return fail(begin, "digits are missing behind 0x");
            }
            while (syntax::chars::hex_value(peek()) >= 0) {
                ++at_;
            }
        } else if (!read_decimal(begin)) {
            return false;
        }
        if (at_ - begin > most_digits) {
            return fail_limit(begin, "a number has more than 400 characters");
        }
        if (syntax::chars::is_name(peek())) {
            ++at_;
            return fail(begin, "this is no number");
        }
        into.text = text_.substr(begin, at_ - begin);
        return true;
    }
    bool read_decimal(std::size_t begin) {
        if (!syntax::chars::is_digit(peek())) {
            ++at_;
            return fail(begin, "this is no number");
        }
        skip_digits();
        // `1..5` is a range of queries.
        if (peek() == '.' && peek(1) != '.') {
            ++at_;
            if (!syntax::chars::is_digit(peek())) {
                return fail(begin, "digits are missing behind the point");
            }
            skip_digits();
        }
        if ((peek() | 0x20) == 'e') {
            at_ += 1 + (peek(1) == '+' || peek(1) == '-');
            if (!syntax::chars::is_digit(peek())) {
                return fail(begin, "digits are missing behind the exponent's 'e'");
            }
            skip_digits();
        }
        return true;
    }

    // null, true, false, nan, inf, a path, or an alternative with its value.
    bool read_name_value(literal& into, std::size_t depth) {
        if (!read_path(into)) {
            return false;
        }
        if (into.text == "null") {
            into.form = literal_form::null;
        } else if (into.text == "true" || into.text == "false") {
            into.form = literal_form::boolean;
            into.truth = into.text == "true";
        } else if (into.text == "nan" || into.text == "inf") {
            into.form = literal_form::number;
        }
        if (peek() != '(') {
            return true;
        }
        const std::size_t begin = at_++;
        into.form = literal_form::variant;
        if (!read(into.items.emplace_back().value, depth + 1)) {
            return false;
        }
        skip_space(true);
        if (peek() != ')') {
            return fail(begin, "this '(' is not closed");
        }
        ++at_;
        return true;
    }
    // Elements with `.` or `::` between them; `#12`, `#12@3`. The text keeps quotes and separators
    // as they were written.
    bool read_path(literal& into) {
        const std::size_t begin = at_;
        into.form = literal_form::name;
        into.text.clear();
        at_ += text_.substr(at_, 2) == "::" ? 2 : 0;
        for (;;) {
            if (!read_element()) {
                return fail(begin, at_ >= text_.size() || peek() == '\n'
                                       ? "a value is missing"
                                       : "expected a value: a number, a text in quotes, a name, "
                                         "[…] or {…}");
            }
            if (peek() == '.' && (syntax::chars::is_name(peek(1)) || peek(1) == '"')) {
                ++at_;
            } else if (text_.substr(at_, 2) == "::") {
                at_ += 2;
            } else {
                break;
            }
        }
        into.text = text_.substr(begin, at_ - begin);
        return true;
    }
    bool read_element() {
        if (peek() == '"') {
            std::string ignored;
            return read_quoted(ignored);
        }
        const std::size_t begin = at_;
        at_ += peek() == '#';
        while (syntax::chars::is_name(peek())) {
            const std::uint32_t length = syntax::chars::utf8_length(text_, at_);
            if (length == 0) {
                return fail(at_, "this is not UTF-8");
            }
            at_ += length;
        }
        if (peek() == '@' && text_[begin] == '#') {
            ++at_;
            skip_digits();
        }
        return at_ > begin + (begin < text_.size() && text_[begin] == '#');
    }
    // a | b | c
    // Only names and numbers can be flags; `||` ends the value.
    bool read_alternatives(literal& into, std::size_t begin, std::size_t depth) {
        const std::size_t end = at_;
        skip_space(depth > 1);
        const bool is_part = into.form == literal_form::name || into.form == literal_form::number;
        if (!is_part || peek() != '|' || peek(1) == '|') {
            at_ = end;
            return true;
        }
        literal all;
        all.form = literal_form::flags;
        all.items.emplace_back().value = std::move(into);
        while (peek() == '|') {
            ++at_;
            skip_space(depth > 1);
            literal& part = all.items.emplace_back().value;
            const std::size_t part_begin = at_;
            if (!(syntax::chars::is_digit(peek()) || peek() == '-' ? read_number(part)
                                                                   : read_path(part))) {
                return false;
            }
            part.at = span(part_begin);
            skip_space(depth > 1);
        }
        into = std::move(all);
        into.at = span(begin);
        return true;
    }

    std::string_view text_;
    std::size_t at_;
    literal_fault fault_;
};

}  // namespace

literal_fault read_literal(std::string_view text, std::size_t& at, literal& into) {
    literal_parser reading(text, at);
    reading.read(into, 1);
    at = reading.position();
    return reading.take_fault();
}

}  // namespace kith::values
