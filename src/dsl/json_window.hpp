// The part of a JSON text that was not read yet, and how far it is complete: texts arrive in chunks
// that are cut anywhere, and readers need whole members and elements.
#pragma once

#include <kith/syntax/json_reader.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kith::dsl {

// Follows a text byte by byte, without checking it. A text with a mistake is followed wrongly only
// behind the mistake, which its reader meets first. Places count from the beginning of the text.
class json_boundaries {
public:
    explicit json_boundaries(std::size_t longest_text) : longest_text_(longest_text) {}

    void follow(std::string_view chunk) noexcept {
        for (const char c : chunk) {
            follow(c);
            ++at_;
        }
    }

    // Behind the first bracket; 0: none so far.
    std::size_t begin = 0;
    // Behind the last bracket that opened a member of the outermost object.
    std::size_t opened = 0;
    // The end of the last whole member of the outermost object: its comma, or behind the brace.
    std::size_t member_end = 0;
    // The same of elements inside of members.
    std::size_t element_end = 0;
    // A text is longer than allowed: its reader will refuse it.
    bool is_too_long = false;

private:
    void follow(char c) noexcept {
        if (in_text_) {
            follow_text(c);
            return;
        }
        switch (c) {
            case '"':
                in_text_ = true;
                text_size_ = 0;
                break;
            case '{':
            case '[':
                ++depth_;
                begin = depth_ == 1 && begin == 0 ? at_ + 1 : begin;
                opened = depth_ == 2 ? at_ + 1 : opened;
                break;
            case '}':
            case ']':
                end_part(at_ + 1);
                depth_ -= depth_ > 0;
                break;
            case ',':
                end_part(at_);
                break;
            default:
                break;
        }
    }
    // An escape stands for one byte at least, whatever its length is.
    void follow_text(char c) noexcept {
        if (hex_left_ > 0 && c != '"') {
            --hex_left_;
            return;
        }
        text_size_ += !escaped_;
        is_too_long |= text_size_ > longest_text_ + 1;
        hex_left_ = escaped_ && c == 'u' ? 4 : 0;
        in_text_ = escaped_ || c != '"';
        escaped_ = !escaped_ && c == '\\';
    }
    void end_part(std::size_t place) noexcept {
        member_end = depth_ == 1 ? place : member_end;
        element_end = depth_ == 2 ? place : element_end;
    }

    std::size_t longest_text_;
    std::size_t at_ = 0;
    std::size_t depth_ = 0;
    std::size_t text_size_ = 0;
    std::uint8_t hex_left_ = 0;  // digits of an escape
    bool in_text_ = false;
    bool escaped_ = false;
};

}  // namespace kith::dsl
