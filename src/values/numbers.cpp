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

// load() and store() assume no alignment of the value.
template <class T>
T load(const void* value) noexcept {
    T loaded;
    std::memcpy(&loaded, value, sizeof(T));
    return loaded;
}
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
void append_real(std::string& out, T value) {
    char text[64];
    const bool plain = value == 0 || (std::fabs(value) >= T(1e-4) && std::fabs(value) < T(1e6));
    out.append(text, detail::write_real(text, text + sizeof text, value, plain));
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

void append_number(std::string& out, const number& value, bool is_single) {
    char text[32];
    if (value.is != number::form::real) {
        const auto end = value.is == number::form::negative
                             ? std::to_chars(text, text + sizeof text, value.negative)
                             : std::to_chars(text, text + sizeof text, value.positive);
        out.append(text, end.ptr);
    } else if (std::isnan(value.real)) {
        out += "nan";
    } else if (is_single) {
        append_real(out, static_cast<float>(value.real));
    } else {
        append_real(out, value.real);
    }
}

}  // namespace kith::values
