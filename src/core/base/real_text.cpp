// Real numbers as text by the functions of C (kith/detail/real_text.hpp).
#include <kith/detail/real_text.hpp>

#include "base/assert.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#if __has_include(<locale.h>) && !defined(_WIN32)
#include <locale.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif
#define KITH_HAS_C_LOCALE 1
#endif

namespace kith::detail {

namespace {

// strtod() of the locale "C": its decimal separator is a dot.
double read_in_c_locale(const char* text) noexcept {
#if defined(KITH_HAS_C_LOCALE)
    static const locale_t plain = ::newlocale(LC_ALL_MASK, "C", locale_t{});
    return plain ? ::strtod_l(text, nullptr, plain) : std::strtod(text, nullptr);
#else
    return std::strtod(text, nullptr);
#endif
}

const char* skip_digits(const char* at, const char* last) noexcept {
    while (at != last && *at >= '0' && *at <= '9') {
        ++at;
    }
    return at;
}

// The end of the number that the text begins with; `first` if it begins with none. An exponent
// without digits is not part of the number.
const char* end_of_number(const char* first, const char* last) noexcept {
    const char* begin = first != last && *first == '-' ? first + 1 : first;
    const char* at = skip_digits(begin, last);
    std::size_t digits = static_cast<std::size_t>(at - begin);
    if (at != last && *at == '.') {
        const char* fraction = skip_digits(at + 1, last);
        digits += static_cast<std::size_t>(fraction - at - 1);
        at = fraction;
    }
    if (digits == 0) {
        return first;
    }
    if (at != last && (*at == 'e' || *at == 'E')) {
        const char* power = at + 1;
        power += power != last && (*power == '-' || *power == '+') ? 1 : 0;
        const char* end = skip_digits(power, last);
        return end == power ? at : end;
    }
    return at;
}

bool is_zero(std::string_view number) noexcept {
    return number.substr(0, number.find_first_of("eE")).find_first_of("123456789") ==
           std::string_view::npos;
}

// The significant digits of a number and the place of its decimal point: 0.d1d2d3... * 10^point.
struct decimal {
    std::string digits;
    int point = 0;
};

template <class T>
T read_back(const char* text) noexcept {
    if constexpr (sizeof(T) == sizeof(float)) {
        return std::strtof(text, nullptr);
    } else {
        return std::strtod(text, nullptr);
    }
}

// The fewest digits that read back as the value. Requires: the value is finite and not negative.
// The locale does not matter: the separator that snprintf() writes is left out.
template <class T>
decimal shortest_decimal(T value) {
    char text[40];
    for (int precision = 0; precision < 17; ++precision) {
        std::snprintf(text, sizeof text, "%.*e", precision, static_cast<double>(value));
        if (read_back<T>(text) == value) {
            break;
        }
    }
    decimal made;
    const char* power = std::strchr(text, 'e');
    KITH_ASSERT(power, "the format %e has an exponent");
    for (const char* at = text; at != power; ++at) {
        if (*at >= '0' && *at <= '9') {
            made.digits += *at;
        }
    }
    made.point = std::atoi(power + 1) + 1;
    return made;
}

// A whole number is written with its exact digits, as to_chars writes it.
std::string as_fixed(const decimal& number, double value) {
    const int count = static_cast<int>(number.digits.size());
    if (number.point <= 0) {
        return "0." + std::string(static_cast<std::size_t>(-number.point), '0') + number.digits;
    }
    if (number.point >= count) {
        char text[320];
        std::snprintf(text, sizeof text, "%.0f", value);
        return text;
    }
    const auto point = static_cast<std::size_t>(number.point);
    return number.digits.substr(0, point) + "." + number.digits.substr(point);
}

std::string as_scientific(const decimal& number) {
    std::string text = number.digits.substr(0, 1);
    if (number.digits.size() > 1) {
        text += "." + number.digits.substr(1);
    }
    const int power = number.point - 1;
    char exponent[16];
    std::snprintf(exponent, sizeof exponent, "e%c%02d", power < 0 ? '-' : '+', std::abs(power));
    return text + exponent;
}

template <class T>
std::string text_of_real(T value, bool fixed) {
    const std::string sign = std::signbit(value) ? "-" : "";
    if (std::isnan(value)) {
        return sign + "nan";
    }
    if (std::isinf(value)) {
        return sign + "inf";
    }
    if (value == 0) {
        return sign + "0";
    }
    const decimal number = shortest_decimal(std::fabs(value));
    const std::string plain = as_fixed(number, static_cast<double>(std::fabs(value)));
    const std::string scientific = as_scientific(number);
    return sign + (fixed || plain.size() <= scientific.size() ? plain : scientific);
}

template <class T>
char* write_text_of_real(char* first, char* last, T value, bool fixed) {
    const std::string text = text_of_real(value, fixed);
    KITH_ASSERT(text.size() <= static_cast<std::size_t>(last - first), "the text fits");
    const std::size_t room = static_cast<std::size_t>(last - first);
    return first + text.copy(first, room);
}

}  // namespace

std::from_chars_result read_real_slowly(const char* first, const char* last, double& value) {
    const char* end = end_of_number(first, last);
    if (end == first) {
        return {first, std::errc::invalid_argument};
    }
    const std::string number(first, end);
    const double read = read_in_c_locale(number.c_str());
    if (std::isinf(read) || (read == 0 && !is_zero(number))) {
        return {end, std::errc::result_out_of_range};
    }
    value = read;
    return {end, std::errc{}};
}

char* write_real_slowly(char* first, char* last, float value, bool fixed) {
    return write_text_of_real(first, last, value, fixed);
}
char* write_real_slowly(char* first, char* last, double value, bool fixed) {
    return write_text_of_real(first, last, value, fixed);
}

}  // namespace kith::detail
