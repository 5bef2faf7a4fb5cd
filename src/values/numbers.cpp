// Numbers of all kinds (numbers.hpp).
#include "numbers.hpp"

#include <kith/detail/assert.hpp>
#include <kith/detail/real_text.hpp>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace kith::values {

namespace {

// No alignment of the value is assumed.
template <class T>
bool store(void* value, T stored) noexcept {
    std::memcpy(value, &stored, sizeof(T));
    return true;
}

// A float without fraction becomes an integer; false if it has one, or is out of all ranges.
bool make_integer(number& from) noexcept {
    if (from.is != number::form::real) {
        return true;
    }
    const double value = from.real;
    if (!(value >= -0x1p63 && value < 0x1p64) || value != std::floor(value)) {
        return false;
    }
    from = value < 0 ? number::of(static_cast<std::int64_t>(value))
                     : number::of(static_cast<std::uint64_t>(value));
    return true;
}

// False, and nothing is written, if T cannot hold the number.
template <class T>
bool store_integer(void* value, number from) noexcept {
    if (!make_integer(from)) {
        return false;
    }
    if (from.is == number::form::negative) {
        // A negative number never fits an unsigned type, even if its bits would.
        return from.negative >= static_cast<std::int64_t>(std::numeric_limits<T>::min()) &&
               std::is_signed_v<T> && store(value, static_cast<T>(from.negative));
    }
    return from.positive <= static_cast<std::uint64_t>(std::numeric_limits<T>::max()) &&
           store(value, static_cast<T>(from.positive));
}

// Rounding to single precision is accepted, an overflow to infinity is not.
bool store_float(void* value, const number& from) noexcept {
    const double wide = from.as_double();
    const float narrow = static_cast<float>(wide);
    return (std::isfinite(narrow) || !std::isfinite(wide)) && store(value, narrow);
}

// Integers with floats, without rounding either.
int compare_mixed(const number& integer, double real) noexcept {
    if (std::isnan(real) || real >= 0x1p64) {
        return -1;
    }
    if (real < -0x1p63) {
        return 1;
    }
    number floor = number::of(std::floor(real));
    make_integer(floor);
    const int order = compare_numbers(integer, floor);
    return order == 0 && real != std::floor(real) ? -1 : order;
}

template <class T>
int order(T a, T b) noexcept {
    return a < b ? -1 : b < a ? 1 : 0;
}

// to_chars chooses between 1e+05 and 100000 by length; numbers below a million are written in full.
template <class T>
char* write_any_real(char* at, T value) noexcept {
    const bool plain = value == 0 || (std::fabs(value) >= T(1e-4) && std::fabs(value) < T(1e6));
    return detail::write_real(at, at + most_number_text, value, plain);
}

// True if no decimal with fewer digits than `count / unit` reads back as `size`, and no other one
// with as many is nearer. Decimals of up to six digits have floats of their own, those of up to
// fifteen have doubles of their own. Requires: `count / unit` reads back as `size`; count < 10^7
// for floats, < 10^15 for doubles.
template <class T>
bool is_shortest(std::uint32_t count, std::uint32_t unit, double scaled, T size) noexcept {
    if (sizeof(T) == sizeof(double) || count < 1'000'000 || count % 10 == 0) {
        return true;
    }
    const std::uint32_t shorter = (count + 5) / 10 * 10;
    return static_cast<T>(shorter) / static_cast<T>(unit) != size &&
           std::fabs(scaled - count) < 0.5;
}

char* write_whole(char* at, std::uint32_t size, bool negative) noexcept {
    *at = '-';
    at += negative;
    if (size < 10) {
        *at = static_cast<char>('0' + size);
        return at + 1;
    }
    return std::to_chars(at, at + most_number_text, size).ptr;
}

// Writes `size` if a short text in units of 1 / Unit is its shortest one; else null.
template <std::uint32_t Unit, class T>
char* write_units(char* at, T size, bool negative) noexcept {
    const double scaled = static_cast<double>(size) * Unit;
    const auto count = static_cast<std::uint32_t>(scaled + 0.5);
    if (static_cast<T>(count) / T{Unit} != size || !is_shortest(count, Unit, scaled, size)) {
        return nullptr;
    }
    at = write_whole(at, count / Unit, negative);
    std::uint32_t decimals = count % Unit;
    *at = '.';
    at += decimals != 0;
    for (std::uint32_t scale = Unit; decimals != 0; decimals %= scale) {
        scale /= 10;
        *at++ = static_cast<char>('0' + decimals / scale);
    }
    return at;
}

// Most numbers that programs set have few decimals. Null: another way has to find the text. A
// quotient of numbers that the type holds exactly is rounded as the decimal is when it is read.
template <class T>
char* write_short_real(char* at, T value) noexcept {
    const T size = std::fabs(value);
    const bool negative = std::signbit(value);
    if (!(size < T(1e6))) {
        return nullptr;
    }
    const auto whole = static_cast<std::uint32_t>(size);
    if (static_cast<T>(whole) == size) {
        return write_whole(at, whole, negative);
    }
    if (size < (sizeof(T) == sizeof(double) ? T(1e6) : T(1e4))) {
        return write_units<1000>(at, size, negative);
    }
    return size < T(1e5) ? write_units<100>(at, size, negative)
                         : write_units<10>(at, size, negative);
}

template <class T>
char* write_real_text(char* at, T value) noexcept {
    char* end = write_short_real(at, value);
    return end ? end : write_any_real(at, value);
}

}  // namespace

double number::as_double() const noexcept {
    return is == form::real       ? real
           : is == form::negative ? static_cast<double>(negative)
                                  : static_cast<double>(positive);
}

// Signed integers from 0 on become positive numbers, so that equal numbers of different kinds are
// equal.
number read_number(kind what, const void* value) noexcept {
    KITH_ASSERT(what >= kind::boolean && what <= kind::f64, "the kind is a number");
    switch (what) {
        case kind::boolean:
        case kind::u8:
        case kind::character:
            return number::of(std::uint64_t{load<std::uint8_t>(value)});
        case kind::u16:
            return number::of(std::uint64_t{load<std::uint16_t>(value)});
        case kind::u32:
            return number::of(std::uint64_t{load<std::uint32_t>(value)});
        case kind::u64:
            return number::of(load<std::uint64_t>(value));
        case kind::i8:
            return number::of(std::int64_t{load<std::int8_t>(value)});
        case kind::i16:
            return number::of(std::int64_t{load<std::int16_t>(value)});
        case kind::i32:
            return number::of(std::int64_t{load<std::int32_t>(value)});
        case kind::i64:
            return number::of(load<std::int64_t>(value));
        case kind::f32:
            return number::of(double{load<float>(value)});
        default:
            return number::of(load<double>(value));
    }
}

bool write_number(kind what, void* value, const number& from) noexcept {
    KITH_ASSERT(what >= kind::boolean && what <= kind::f64, "the kind is a number");
    switch (what) {
        case kind::boolean: {
            number integer = from;
            return make_integer(integer) && integer.is == number::form::positive &&
                   integer.positive <= 1 && store(value, integer.positive == 1);
        }
        case kind::character:
        case kind::u8:
            return store_integer<std::uint8_t>(value, from);
        case kind::u16:
            return store_integer<std::uint16_t>(value, from);
        case kind::u32:
            return store_integer<std::uint32_t>(value, from);
        case kind::u64:
            return store_integer<std::uint64_t>(value, from);
        case kind::i8:
            return store_integer<std::int8_t>(value, from);
        case kind::i16:
            return store_integer<std::int16_t>(value, from);
        case kind::i32:
            return store_integer<std::int32_t>(value, from);
        case kind::i64:
            return store_integer<std::int64_t>(value, from);
        case kind::f32:
            return store_float(value, from);
        default:
            return store(value, from.as_double());
    }
}

int compare_numbers(const number& a, const number& b) noexcept {
    const bool real_a = a.is == number::form::real;
    const bool real_b = b.is == number::form::real;
    if (real_a && real_b) {
        return std::isnan(a.real) || std::isnan(b.real)
                   ? order(std::isnan(a.real), std::isnan(b.real))
                   : order(a.real, b.real);
    }
    if (real_a) {
        return -compare_mixed(b, a.real);
    }
    if (real_b) {
        return compare_mixed(a, b.real);
    }
    if (a.is != b.is) {
        return a.is == number::form::negative ? -1 : 1;
    }
    return a.is == number::form::negative ? order(a.negative, b.negative)
                                          : order(a.positive, b.positive);
}

char* write_integer(char* at, std::int64_t value) noexcept {
    return std::to_chars(at, at + most_number_text, value).ptr;
}
char* write_integer(char* at, std::uint64_t value) noexcept {
    return std::to_chars(at, at + most_number_text, value).ptr;
}
char* write_real(char* at, float value) noexcept {
    return write_real_text(at, value);
}
char* write_real(char* at, double value) noexcept {
    return write_real_text(at, value);
}

void append_number(std::string& out, const number& value, bool is_single) {
    char text[most_number_text];
    if (value.is == number::form::real && std::isnan(value.real)) {
        out += "nan";
        return;
    }
    char* const end = value.is == number::form::positive   ? write_integer(text, value.positive)
                      : value.is == number::form::negative ? write_integer(text, value.negative)
                      : is_single ? write_real(text, static_cast<float>(value.real))
                                  : write_real(text, value.real);
    out.append(text, static_cast<std::size_t>(end - text));
}

}  // namespace kith::values
