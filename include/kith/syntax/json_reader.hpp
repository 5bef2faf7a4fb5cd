// A strict reader of JSON (RFC 8259) that hands out one event at a time. Texts are checked as
// UTF-8, also in skipped parts; duplicate keys, half surrogates, comments, trailing commas and text
// behind the end are mistakes. Implemented in src/values.
//
// Covered by tests/features/values/json_reader_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
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

// A place in a text; columns count code points.
struct json_position {
    std::uint32_t line = 1;
    std::uint32_t column = 1;

    // "file:line:column: "; `file` may be null.
    std::string str(const char* file) const;
};
// "file:line:column: " of a place in bytes.
std::string json_place(std::string_view text, std::size_t at, const char* file);

// Reads one text, which must live longer. A mistake throws kith::error (invalid_text, or limit)
// with line and column; the reader must not be used afterwards.
//
// A long text may pass by in a window: the program moves it on when all events before a place were
// read. Requires: the event that is asked for ends inside of the window.
class json_reader {
public:
    explicit json_reader(std::string_view text, const json_limits& limits = {},
                         const char* file = nullptr)
        : input_(text), limits_(limits), file_(file) {}

    json_event next();
    // Behind a begin of an object or array: reads up to the matching end. Behind a key: reads the
    // value. Other events have nothing to skip.
    void skip();

    // The window from the value that follows on. Requires: a value follows a key.
    std::string_view ahead_text() noexcept {
        skip_space();
        return input_.substr(at_);
    }
    // Moves behind this value, which was read by other means: so many bytes of ahead_text(). It
    // counts as null. Requires: they are one value without mistakes.
    void pass_value(std::size_t size) noexcept;

    // The key or text without escapes, or the digits of a number; valid until the next event.
    std::string_view text() const noexcept { return text_; }
    bool truth() const noexcept { return truth_; }
    // The number of open objects and arrays.
    std::size_t depth() const noexcept { return open_.size(); }
    // The place of the last event in bytes, from the beginning of the whole text.
    std::size_t begin() const noexcept { return base_ + begin_; }
    std::size_t offset() const noexcept { return base_ + at_; }
    // The place of the next character that is no white space.
    std::size_t ahead() noexcept {
        skip_space();
        return base_ + at_;
    }
    // A part of the window, by places in the whole text.
    std::string_view part(std::size_t begin, std::size_t end) const noexcept {
        return input_.substr(begin - base_, end - begin);
    }
    // The window becomes `window`, whose first byte is the byte `dropped` of the present one.
    // Requires: dropped bytes lie before offset().
    void move_window(std::string_view window, std::size_t dropped);
    // Line and column of a place, both from 1. Places are asked for in their order.
    json_position position_of(std::size_t at);
    // "file:line:column: " of a place that is not before the last one that was asked for.
    std::string place_of(std::size_t at) const;
    // Throws kith::error (invalid_text) about the last event.
    [[noreturn]] void fail(const std::string& message) const;

private:
    struct container {
        bool is_object = false;
        bool is_empty = true;
        std::size_t first_key = 0;                              // in keys_
        std::unique_ptr<std::unordered_set<std::string>> many;  // all keys, if they are many
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
    void read_plain_text();
    void note_key();
    void read_escape();
    unsigned read_hex();
    void read_digits();
    [[noreturn]] void fail_at(std::size_t begin, const std::string& message,
                              bool limit = false) const;

    std::string_view input_;
    json_limits limits_;
    const char* file_;
    std::size_t base_ = 0;  // of the window in the whole text
    std::size_t mark_ = 0;  // in the window; lines and columns are counted up to here
    json_position marked_;
    std::size_t at_ = 0;  // in the window
    std::size_t begin_ = 0;
    std::string text_;
    bool truth_ = false;
    bool expects_value_ = true;  // at the start, and behind a key
    json_event last_ = json_event::end;
    std::vector<container> open_;
    // Keys of open objects, the innermost behind; strings behind key_count_ keep their memory.
    std::vector<std::string> keys_;
    std::size_t key_count_ = 0;
};

}  // namespace kith::syntax
