// Real numbers as text and back, whatever the locale: std::from_chars and std::to_chars, and own
// versions for standard libraries that have these for integers only (libc++).
#pragma once

#include <charconv>

namespace kith::detail {

// The same results as std::from_chars and std::to_chars. `fixed`: without an exponent.
std::from_chars_result read_real_slowly(const char* first, const char* last, double& value);
char* write_real_slowly(char* first, char* last, float value, bool fixed);
char* write_real_slowly(char* first, char* last, double value, bool fixed);

template <class T>
std::from_chars_result read_real(const char* first, const char* last, T& value) {
    if constexpr (requires { std::from_chars(first, last, value); }) {
        return std::from_chars(first, last, value);
    } else {
        return read_real_slowly(first, last, value);
    }
}

// Writes the shortest text that reads back as the value; returns its end. Requires: the text fits.
template <class T>
char* write_real(char* first, char* last, T value, bool fixed) {
    if constexpr (requires { std::to_chars(first, last, value, std::chars_format::fixed); }) {
        return fixed ? std::to_chars(first, last, value, std::chars_format::fixed).ptr
                     : std::to_chars(first, last, value).ptr;
    } else {
        return write_real_slowly(first, last, value, fixed);
    }
}

}  // namespace kith::detail
