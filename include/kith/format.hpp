// Names and texts of kith as arguments of std::format, where the standard library has it:
//
//   std::format("{:>10} {}", ship.name(), ship.path());
//
// Streams need no header: kith.hpp is enough for `std::cout << ship.name()`. Not part of
// <kith/kith.hpp>.
#pragma once

#include <kith/string.hpp>

#if __has_include(<format>)
#include <format>
#endif

#if defined(__cpp_lib_format)

#include <string_view>

template <>
struct std::formatter<kith::string_view> : std::formatter<std::string_view> {
    auto format(const kith::string_view& text, auto& context) const {
        return std::formatter<std::string_view>::format(std::string_view(text), context);
    }
};
template <>
struct std::formatter<kith::string> : std::formatter<std::string_view> {
    auto format(const kith::string& text, auto& context) const {
        return std::formatter<std::string_view>::format(std::string_view(text), context);
    }
};

#endif
