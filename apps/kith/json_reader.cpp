// Recursive descent over the text; its depth is limited.
#include "json_reader.hpp"

#include <kith/syntax/lexer.hpp>

#include "input_error.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace kith_app {

namespace {

constexpr int deepest = 200;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

void append_utf8(std::string& out, std::uint32_t code) {
    if (code < 0x80) {
        out += static_cast<char>(code);
        return;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    const std::uint32_t lead[] = {0, 0xC0, 0xE0, 0xF0};
    out += static_cast<char>(lead[more] | code >> (6 * more));
    for (int i = more - 1; i >= 0; --i) {
        out += static_cast<char>(0x80 | (code >> (6 * i) & 0x3F));
    }
}

class json_parser {
public:
    explicit json_parser(std::string_view text) : text_(text) {}

    json_value whole() {
        json_value value = read_value(0);
        skip_blanks();
        if (at_ < text_.size()) {
            fail("nothing may follow the value");
        }
        return value;
    }

private:
    [[noreturn]] void fail(const std::string& why) const {
        const std::string_view before = text_.substr(0, at_);
        const auto line = 1 + std::count(before.begin(), before.end(), '\n');
        const std::size_t start = before.rfind('\n');
        const std::size_t column = start == std::string_view::npos ? at_ + 1 : at_ - start;
        throw input_error(std::to_string(line) + ":" + std::to_string(column) + ": " + why);
    }

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

    bool take(char c) {
        skip_blanks();
        if (peek() != c || at_ == text_.size()) {
            return false;
        }
        ++at_;
        return true;
    }

    void expect(char c, const char* where) {
        if (!take(c)) {
            fail(std::string("expected '") + c + "' " + where);
        }
    }

    json_value read_value(int depth) {
        if (depth > deepest) {
            fail("more than 200 levels");
        }
        skip_blanks();
        switch (peek()) {
            case '{':
                return read_object(depth);
            case '[':
                return read_array(depth);
            case '"': {
                json_value value;
                value.is = json_value::kind::text;
                value.text = read_text();
                return value;
            }
            default:
                return is_digit(peek()) || peek() == '-' ? read_number() : read_word();
        }
    }

    json_value read_object(int depth) {
        json_value value;
        value.is = json_value::kind::object;
        ++at_;
        if (take('}')) {
            return value;
        }
        do {
            skip_blanks();
            if (peek() != '"') {
                fail("expected a key in quotes");
            }
            std::string key = read_text();
            if (value.find(key)) {
                fail("the key \"" + key + "\" is there twice");
            }
            expect(':', "behind a key");
            value.members.emplace_back(std::move(key), read_value(depth + 1));
        } while (take(','));
        expect('}', "or ',' in an object");
        return value;
    }

    json_value read_array(int depth) {
        json_value value;
        value.is = json_value::kind::array;
        ++at_;
        if (take(']')) {
            return value;
        }
        do {
            value.items.push_back(read_value(depth + 1));
        } while (take(','));
        expect(']', "or ',' in an array");
        return value;
    }

    json_value read_word() {
        json_value value;
        const auto is = [&](std::string_view word) {
            const bool found = text_.substr(at_, word.size()) == word;
            at_ += found ? word.size() : 0;
            return found;
        };
        if (is("true") || is("false")) {
            value.is = json_value::kind::boolean;
            value.boolean = text_[at_ - 2] == 'u';
        } else if (!is("null")) {
            fail(at_ < text_.size() ? "expected a value" : "the text ends where a value should be");
        }
        return value;
    }

    void skip_digits() {
        if (!is_digit(peek())) {
            fail("expected a digit");
        }
        while (is_digit(peek())) {
            ++at_;
        }
    }

    json_value read_number() {
        const std::size_t begin = at_;
        at_ += peek() == '-' ? 1 : 0;
        if (peek() == '0') {
            ++at_;
        } else {
            skip_digits();
        }
        if (peek() == '.') {
            ++at_;
            skip_digits();
        }
        if (peek() == 'e' || peek() == 'E') {
            ++at_;
            at_ += peek() == '+' || peek() == '-' ? 1 : 0;
            skip_digits();
        }
        json_value value;
        value.is = json_value::kind::number;
        value.number = std::strtod(std::string(text_.substr(begin, at_ - begin)).c_str(), nullptr);
        return value;
    }

    std::string read_text() {
        std::string out;
        ++at_;
        while (at_ < text_.size() && text_[at_] != '"') {
            const auto byte = static_cast<unsigned char>(text_[at_]);
            if (byte < 0x20) {
                fail("a control character in a text must be escaped");
            }
            if (byte == '\\') {
                ++at_;
                read_escape(out);
                continue;
            }
            const std::uint32_t length = kith::syntax::chars::utf8_length(text_, at_);
            if (length == 0) {
                fail("no UTF-8");
            }
            out += text_.substr(at_, length);
            at_ += length;
        }
        if (at_ >= text_.size()) {
            fail("the text has no closing quote");
        }
        ++at_;
        return out;
    }

    void read_escape(std::string& out) {
        constexpr std::string_view letters = "\"\\/bfnrt";
        constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
        const char letter = peek();
        const std::size_t known = letters.find(letter);
        if (known != std::string_view::npos && at_ < text_.size()) {
            out += meanings[known];
            ++at_;
        } else if (letter == 'u') {
            append_utf8(out, read_code());
        } else {
            fail("unknown escape");
        }
    }

    // The character of \uXXXX, or of two of them that stand for one.
    std::uint32_t read_code() {
        const std::uint32_t first = read_unit();
        if (first < 0xD800 || first > 0xDFFF) {
            return first;
        }
        if (first > 0xDBFF || text_.substr(at_, 2) != "\\u") {
            fail("half of a surrogate pair");
        }
        ++at_;
        const std::uint32_t second = read_unit();
        if (second < 0xDC00 || second > 0xDFFF) {
            fail("half of a surrogate pair");
        }
        return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
    }

    std::uint32_t read_unit() {
        ++at_;  // the u
        std::uint32_t unit = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            constexpr std::string_view digits = "0123456789abcdef";
            const char lower =
                static_cast<char>(peek() >= 'A' && peek() <= 'F' ? peek() + 32 : peek());
            const std::size_t digit = digits.find(lower);
            if (digit == std::string_view::npos || at_ >= text_.size()) {
                fail("\\u needs four hexadecimal digits");
            }
            unit = unit << 4 | static_cast<std::uint32_t>(digit);
        }
        return unit;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

const json_value* json_value::find(std::string_view key) const {
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&](const auto& member) { return member.first == key; });
    return found == members.end() ? nullptr : &found->second;
}

json_value read_json(std::string_view text) {
    return json_parser(text).whole();
}

}  // namespace kith_app
