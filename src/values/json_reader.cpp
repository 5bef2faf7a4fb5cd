// The strict reader of JSON (include/kith/syntax/json_reader.hpp).
#include <kith/detail/assert.hpp>
#include <kith/syntax/json_reader.hpp>
#include <kith/syntax/lexer.hpp>

#include "raise.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace kith::syntax {

namespace {

bool is_json_space(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Requires: the code is no surrogate and at most 0x10FFFF.
void append_utf8(std::string& out, unsigned code) {
    if (code < 0x80) {
        out += static_cast<char>(code);
        return;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static constexpr unsigned lead[] = {0, 0xC0, 0xE0, 0xF0};
    out += static_cast<char>(lead[more] | (code >> (6 * more)));
    for (int i = more - 1; i >= 0; --i) {
        out += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F));
    }
}

// Moves a position behind a text.
void pass_text(std::string_view text, json_position& at) noexcept {
    if (const auto found = std::count(text.begin(), text.end(), '\n')) {
        at.line += static_cast<std::uint32_t>(found);
        at.column = 1;
        text.remove_prefix(text.rfind('\n') + 1);
    }
    at.column += static_cast<std::uint32_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

constexpr bool is_plain_in_text(char c) noexcept {
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

// Finds the first of eight characters that may need a look; null if there is none. Bytes are
// compared by subtraction, which borrows from the next byte only behind a byte that was found.
const char* find_special(const char* text) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101;
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text, sizeof bytes);
    const auto has = [bytes](char c) {
        const std::uint64_t differs = bytes ^ (ones * static_cast<unsigned char>(c));
        return (differs - ones) & ~differs;
    };
    const std::uint64_t controls = (bytes - ones * 0x20) & ~bytes;
    const std::uint64_t found =
        (bytes | controls | has('"') | has('\\') | has('\x7F')) & ones * 0x80;
    return found != 0 ? text + std::countr_zero(found) / 8 : nullptr;
}

// The end of the characters that need no look.
const char* skip_plain(const char* at, const char* end) noexcept {
    if constexpr (std::endian::native == std::endian::little) {
        for (; end - at >= 8; at += 8) {
            if (const char* special = find_special(at)) {
                return special;
            }
        }
    }
    while (at != end && is_plain_in_text(*at)) {
        ++at;
    }
    return at;
}

}  // namespace

std::string json_position::str(const char* file) const {
    return (file ? std::string(file) + ":" : "") + std::to_string(line) + ":" +
           std::to_string(column) + ": ";
}

// The place is found only for a mistake: lines are counted from the start.
std::string json_place(std::string_view text, std::size_t at, const char* file) {
    json_position position;
    pass_text(text.substr(0, at), position);
    return position.str(file);
}

void json_reader::move_window(std::string_view window, std::size_t dropped) {
    KITH_ASSERT(dropped <= at_, "bytes that were not read stay");
    if (dropped > mark_) {
        position_of(base_ + dropped);
    }
    input_ = window;
    base_ += dropped;
    at_ -= dropped;
    mark_ -= dropped;
    begin_ -= std::min(begin_, dropped);
}

json_position json_reader::position_of(std::size_t at) {
    KITH_ASSERT(at >= base_ + mark_, "places are asked for in their order");
    pass_text(input_.substr(mark_, at - base_ - mark_), marked_);
    mark_ = at - base_;
    return marked_;
}

std::string json_reader::place_of(std::size_t at) const {
    json_position position = marked_;
    pass_text(input_.substr(mark_, std::max(at, base_ + mark_) - base_ - mark_), position);
    return position.str(file_);
}

// `begin` is a place in the window.
void json_reader::fail_at(std::size_t begin, const std::string& message, bool limit) const {
    values::raise(limit ? errc::limit : errc::invalid_text, place_of(base_ + begin) + message);
}

void json_reader::fail(const std::string& message) const {
    fail_at(begin_, message);
}

void json_reader::skip_space() noexcept {
    while (at_ < input_.size() && is_json_space(input_[at_])) {
        ++at_;
    }
}

// The state is the list of open containers and whether a value must follow (at the beginning, and
// behind a key). A comma is consumed with the event behind it, a colon with the key before it.
json_event json_reader::next() {
    skip_space();
    begin_ = at_;
    if (expects_value_) {
        return last_ = read_value();
    }
    if (open_.empty()) {
        if (at_ < input_.size()) {
            fail_at(at_, "nothing follows the value");
        }
        return last_ = json_event::end;
    }
    container& inner = open_.back();
    const char closing = inner.is_object ? '}' : ']';
    if (peek() == closing) {
        return last_ = close();
    }
    if (!inner.is_empty) {
        if (peek() != ',') {
            fail_at(at_, at_ < input_.size() ? std::string("expected ',' or '") + closing + "'"
                                             : "the text ends inside of an object or array");
        }
        ++at_;
        skip_space();
        begin_ = at_;
    }
    inner.is_empty = false;
    return last_ = inner.is_object ? read_key() : read_value();
}

// Behind a key, its value is skipped; at the beginning of a container, all of it. Other values are
// read already.
void json_reader::skip() {
    if (last_ == json_event::key) {
        next();
    }
    if (last_ != json_event::begin_object && last_ != json_event::begin_array) {
        return;
    }
    for (const std::size_t depth = open_.size(); open_.size() >= depth;) {
        next();
    }
}

void json_reader::pass_value(std::size_t size) noexcept {
    KITH_ASSERT(expects_value_ && size <= input_.size() - at_, "the value follows a key");
    begin_ = at_;
    at_ += size;
    expects_value_ = false;
    last_ = json_event::null;
}

json_event json_reader::read_value() {
    expects_value_ = false;
    switch (peek()) {
        case '{':
            return open(true);
        case '[':
            return open(false);
        case '"':
            read_text();
            return json_event::text;
        case 't':
            truth_ = true;
            return read_word("true", json_event::boolean);
        case 'f':
            truth_ = false;
            return read_word("false", json_event::boolean);
        case 'n':
            return read_word("null", json_event::null);
        default:
            break;
    }
    if (peek() == '-' || chars::is_digit(peek())) {
        return read_number();
    }
    fail_at(at_,
            at_ < input_.size() ? "expected a value" : "the text ends where a value should be");
}

json_event json_reader::open(bool is_object) {
    if (open_.size() >= limits_.depth) {
        fail_at(at_, "objects and arrays are nested deeper than " + std::to_string(limits_.depth),
                true);
    }
    ++at_;
    container& opened = open_.emplace_back();
    opened.is_object = is_object;
    opened.first_key = key_count_;
    return is_object ? json_event::begin_object : json_event::begin_array;
}

json_event json_reader::close() {
    KITH_ASSERT(!open_.empty(), "an object or array is open");
    ++at_;
    const bool is_object = open_.back().is_object;
    key_count_ = open_.back().first_key;
    open_.pop_back();
    return is_object ? json_event::end_object : json_event::end_array;
}

// Keys that occur twice are refused: readers of JSON disagree about their meaning.
json_event json_reader::read_key() {
    KITH_ASSERT(!open_.empty() && open_.back().is_object, "keys belong to objects");
    if (peek() != '"') {
        fail_at(at_, "expected a key in quotes");
    }
    read_text();
    note_key();
    skip_space();
    if (peek() != ':') {
        fail_at(at_, "expected ':' behind the key");
    }
    ++at_;
    expects_value_ = true;
    return json_event::key;
}

// Few keys are compared one by one, many by a hash table.
void json_reader::note_key() {
    constexpr std::size_t few = 16;
    container& object = open_.back();
    const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(object.first_key);
    const auto last = keys_.begin() + static_cast<std::ptrdiff_t>(key_count_);
    bool is_new = false;
    if (object.many) {
        is_new = object.many->insert(text_).second;
    } else {
        is_new = std::find(first, last, text_) == last;
    }
    if (!is_new) {
        fail_at(begin_, "the key \"" + text_ + "\" is there twice");
    }
    if (object.many) {
        return;
    }
    if (key_count_ - object.first_key == few) {
        object.many = std::make_unique<std::unordered_set<std::string>>(first, last);
        object.many->insert(text_);
        return;
    }
    if (key_count_ == keys_.size()) {
        keys_.emplace_back();
    }
    keys_[key_count_++] = text_;
}

json_event json_reader::read_word(std::string_view word, json_event event) {
    if (input_.substr(at_, word.size()) != word) {
        fail_at(at_, "expected a value");
    }
    at_ += word.size();
    return event;
}

void json_reader::read_digits() {
    if (!chars::is_digit(peek())) {
        fail_at(begin_, "a number lacks digits");
    }
    while (chars::is_digit(peek())) {
        ++at_;
    }
}

json_event json_reader::read_number() {
    at_ += peek() == '-';
    if (peek() == '0') {
        ++at_;
        if (chars::is_digit(peek())) {
            fail_at(begin_, "a number has no zeros in front");
        }
    } else {
        read_digits();
    }
    if (peek() == '.') {
        ++at_;
        read_digits();
    }
    if (peek() == 'e' || peek() == 'E') {
        ++at_;
        at_ += peek() == '+' || peek() == '-';
        read_digits();
    }
    if (at_ - begin_ > limits_.digits) {
        fail_at(begin_, "a number has more than " + std::to_string(limits_.digits) + " characters",
                true);
    }
    text_.assign(input_, begin_, at_ - begin_);
    return json_event::number;
}

// The limit is tested before a character is appended, so that a text may exceed it by one character
// at most.
void json_reader::read_text() {
    text_.clear();
    const std::size_t quote = at_++;
    read_plain_text();
    while (peek() != '"' || at_ >= input_.size()) {
        if (at_ >= input_.size()) {
            fail_at(quote, "a text is not closed");
        }
        if (text_.size() > limits_.text) {
            fail_at(quote, "a text is longer than " + std::to_string(limits_.text) + " bytes",
                    true);
        }
        const char c = input_[at_];
        if (c == '\\') {
            read_escape();
            continue;
        }
        if (static_cast<unsigned char>(c) < 0x20) {
            fail_at(at_, "a control character in a text must be escaped");
        }
        const std::uint32_t length = chars::utf8_length(input_, at_);
        if (length == 0) {
            fail_at(at_, "this is not UTF-8");
        }
        text_.append(input_, at_, length);
        at_ += length;
        read_plain_text();
    }
    ++at_;
}

// Appends the characters up to the next one that needs a look.
void json_reader::read_plain_text() {
    const std::size_t begin = at_;
    const std::size_t end = std::min(input_.size(), at_ + limits_.text + 1);
    at_ = static_cast<std::size_t>(skip_plain(input_.data() + begin, input_.data() + end) -
                                   input_.data());
    text_.append(input_, begin, at_ - begin);
}

unsigned json_reader::read_hex() {
    unsigned code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
        const int digit = at_ < input_.size() ? chars::hex_value(input_[at_]) : -1;
        if (digit < 0) {
            fail_at(at_, "\\u needs four hexadecimal digits");
        }
        code = code * 16 + static_cast<unsigned>(digit);
    }
    return code;
}

// Code points beyond 0xFFFF are written as two escapes, a pair of surrogates; a lone half is
// refused.
void json_reader::read_escape() {
    static constexpr std::string_view names = "\"\\/bfnrt";
    static constexpr std::string_view meant = "\"\\/\b\f\n\r\t";
    const std::size_t begin = at_++;
    const char c = peek();
    ++at_;
    if (c != 'u') {
        const std::size_t index = at_ <= input_.size() ? names.find(c) : std::string_view::npos;
        if (index == std::string_view::npos) {
            fail_at(begin, "after '\\' comes one of \" \\ / b f n r t, or u and four digits");
        }
        text_ += meant[index];
        return;
    }
    unsigned code = read_hex();
    if (code >= 0xD800 && code < 0xDC00 && input_.substr(at_, 2) == "\\u") {
        at_ += 2;
        const unsigned low = read_hex();
        if (low < 0xDC00 || low > 0xDFFF) {
            fail_at(begin, "half of a surrogate pair");
        }
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code >= 0xD800 && code <= 0xDFFF) {
        fail_at(begin, "half of a surrogate pair");
    }
    append_utf8(text_, code);
}

}  // namespace kith::syntax
