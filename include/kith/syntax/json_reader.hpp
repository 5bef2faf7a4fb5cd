// A strict reader of JSON (RFC 8259) that hands out one event at a time. Texts are checked as
// UTF-8, also in skipped parts; duplicate keys, half surrogates, comments, trailing commas and text
// behind the end are mistakes. Implemented in src/values.
//
// Covered by tests/features/values/json_reader_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace kith::syntax {

enum class json_event : unsigned char {
    begin_object,
    end_object,
    begin_array,
    end_array,
    key,
    text,
    number,
    boolean,
    null,
    end,  // of the whole text, also after further calls
};

struct json_limits {
    std::size_t depth = 64;
    std::size_t text = std::size_t{16} << 20;  // bytes of one text
    std::size_t digits = 400;                  // characters of one number
};

// "file:line:column: " of a place in bytes; columns count code points. `file` may be null.
std::string json_place(std::string_view text, std::size_t at, const char* file);

// Reads one text, which must live longer. A mistake throws kith::error (invalid_text, or limit)
// with line and column; the reader must not be used afterwards.
class json_reader {
public:
    explicit json_reader(std::string_view text, const json_limits& limits = {},
                         const char* file = nullptr)
        : input_(text), limits_(limits), file_(file) {}

    json_event next();
    // Behind a begin of an object or array: reads up to the matching end. Behind a key: reads the
    // value. Other events have nothing to skip.
    void skip();

    // The key or text without escapes, or the digits of a number; valid until the next event.
    std::string_view text() const noexcept { return text_; }
    bool truth() const noexcept { return truth_; }
    // The number of open objects and arrays.
    std::size_t depth() const noexcept { return open_.size(); }
    // The place of the last event in bytes.
    std::size_t begin() const noexcept { return begin_; }
    std::size_t offset() const noexcept { return at_; }
    // Throws kith::error (invalid_text) about the last event.
    [[noreturn]] void fail(const std::string& message) const;

private:
    struct container {
        bool is_object = false;
        bool is_empty = true;
        std::unordered_set<std::string> keys;
    };

    char peek() const noexcept { return at_ < input_.size() ? input_[at_] : '\0'; }
    void skip_space() noexcept;
    json_event read_value();
    json_event read_key();
    json_event read_word(std::string_view word, json_event event);
    json_event read_number();
    json_event open(bool is_object);
    json_event close();
    void read_text();
    void read_escape();
    unsigned read_hex();
    void read_digits();
    [[noreturn]] void fail_at(std::size_t begin, const std::string& message,
                              bool limit = false) const;

    std::string_view input_;
    json_limits limits_;
    const char* file_;
    std::size_t at_ = 0;
    std::size_t begin_ = 0;
    std::string text_;
    bool truth_ = false;
    bool expects_value_ = true;  // at the start, and behind a key
    json_event last_ = json_event::end;
    std::vector<container> open_;
};

}  // namespace kith::syntax
