#include "display_width.hpp"

#include <kith/syntax/lexer.hpp>

#include <cstdint>
#include <cwchar>

namespace kith_app {

namespace {

// The character at `at`, and how many bytes it has; a byte that is no UTF-8 is a character itself.
struct decoded {
    std::uint32_t value;
    std::uint32_t length;
};

decoded decode(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    const std::uint32_t length = kith::syntax::chars::utf8_length(text, at);
    if (length <= 1) {
        return {length == 1 ? byte(0) : 0xFFFDu, 1};
    }
    std::uint32_t value = byte(0) & (0x7Fu >> length);
    for (std::uint32_t i = 1; i < length; ++i) {
        value = value << 6 | (byte(i) & 0x3Fu);
    }
    return {value, length};
}

std::size_t cells(std::uint32_t character) {
    // The C library knows, if the locale is one that has the character.
    const int known = wcwidth(static_cast<wchar_t>(character));
    return known >= 0 ? static_cast<std::size_t>(known) : 1;
}

bool is_control(std::uint32_t character) {
    return character < 0x20 || (character >= 0x7F && character < 0xA0);
}

// Marks that turn the direction of what follows, also of other texts in the line.
bool turns_direction(std::uint32_t character) {
    return character == 0x061C || character == 0x200E || character == 0x200F ||
           (character >= 0x202A && character <= 0x202E) ||
           (character >= 0x2066 && character <= 0x2069);
}

}  // namespace

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    for (std::size_t at = 0; at < text.size();) {
        const decoded one = decode(text, at);
        width += cells(one.value);
        at += one.length;
    }
    return width;
}

std::string printable(std::string_view text) {
    static const char* digits = "0123456789ABCDEF";
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const decoded one = decode(text, at);
        if (is_control(one.value)) {
            result += "\\x";
            result += digits[one.value >> 4];
            result += digits[one.value & 0xF];
        } else if (turns_direction(one.value)) {
            result += "\\u{";
            for (int shift = 12; shift >= 0; shift -= 4) {
                result += digits[(one.value >> shift) & 0xF];
            }
            result += "}";
        } else {
            result += text.substr(at, one.length);
        }
        at += one.length;
    }
    return result;
}

std::string printable_lines(const std::string& text) {
    std::string lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines += printable(std::string_view(text).substr(at, end - at)) + "\n";
        at = end + 1;
    }
    return lines;
}

}  // namespace kith_app
