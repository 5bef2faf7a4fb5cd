// As much of <format> as <kith/format.hpp> is made of, for standard libraries that have none: so
// its formatters are compiled and called by every compiler. Include it before <kith/format.hpp>.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <version>

#if defined(__cpp_lib_format)

#include <format>

#else

#define __cpp_lib_format 201907L

namespace std {

struct format_parse_context {
    string_view text;  // behind the colon, up to the brace

    const char* begin() const { return text.data(); }
    const char* end() const { return text.data() + text.size(); }
};
struct format_context {
    string& made;

    string& out() { return made; }
};

template <class T, class Char = char>
struct formatter {
    formatter() = delete;
};
// Takes `>` and a width.
template <>
struct formatter<string_view, char> {
    const char* parse(format_parse_context& context) {
        const char* at = context.begin();
        for (; at != context.end(); ++at) {
            width = *at == '>' ? 0 : width * 10 + static_cast<size_t>(*at - '0');
        }
        return at;
    }
    string& format(string_view text, format_context& context) const {
        context.out().append(width > text.size() ? width - text.size() : 0, ' ');
        return context.out().append(text);
    }

    size_t width = 0;
};

// `{…}` alone, with an argument.
template <class T>
string format(string_view text, const T& argument) {
    formatter<T> made;
    format_parse_context parsed{text.size() > 2 ? text.substr(2, text.size() - 3) : string_view()};
    made.parse(parsed);
    string result;
    format_context context{result};
    made.format(argument, context);
    return result;
}

}  // namespace std

#endif

#include <kith/format.hpp>
