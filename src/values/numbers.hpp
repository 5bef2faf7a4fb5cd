// Numbers of all kinds: reading them from memory, and writing them where nothing is lost.
#pragma once

#include <kith/description.hpp>
#include <kith/query_desc.hpp>

#include <cstring>
#include <string>

namespace kith::values {

// A number that is kept exactly: a non-negative integer, a negative one, or a float.
struct number {
    enum class form : std::uint8_t { positive, negative, real };
    form is = form::positive;
    std::uint64_t positive = 0;
    std::int64_t negative = 0;
    double real = 0;

    static number of(std::uint64_t value) noexcept { return {form::positive, value, 0, 0}; }
    static number of(std::int64_t value) noexcept {
        return value < 0 ? number{form::negative, 0, value, 0}
                         : of(static_cast<std::uint64_t>(value));
    }
    static number of(double value) noexcept { return {form::real, 0, 0, value}; }
    double as_double() const noexcept;
};

constexpr bool is_float(kind what) noexcept {
    return what == kind::f32 || what == kind::f64;
}
constexpr bool is_signed(kind what) noexcept {
    return what >= kind::i8 && what <= kind::i64;
}
// The kind under which plain memory holds the value: the integer of enums and flags.
constexpr kind stored_kind(const description& type) noexcept {
    return type.what == kind::enumeration || type.what == kind::flags ? type.number : type.what;
}

// A value that may lie anywhere in memory.
template <class T>
T load(const void* value) noexcept {
    T loaded;
    std::memcpy(&loaded, value, sizeof(T));
    return loaded;
}

// The kind of a number that C++ names.
constexpr kind kind_of(order_number stored) noexcept {
    constexpr kind kinds[] = {kind::none, kind::u8,  kind::u16, kind::u32, kind::u64, kind::i8,
                              kind::i16,  kind::i32, kind::i64, kind::f32, kind::f64};
    return kinds[static_cast<std::size_t>(stored)];
}

// Requires: the kind is boolean, character, an integer or a float.
number read_number(kind what, const void* value) noexcept;
// False, and nothing is written, if the kind cannot hold the number: integers must fit, floats take
// any number that does not overflow, and integers take floats without fraction.
bool write_number(kind what, void* value, const number& from) noexcept;

// -1, 0, 1 for less, equal, greater, exactly for all kinds; NaN equals NaN and is the greatest.
int compare_numbers(const number& a, const number& b) noexcept;

// The shortest decimal form that reads back to the same number; floats: `1`, `0.1`, `1e+30`, `-0`,
// `inf`, `nan`. `is_single` for an f32.
void append_number(std::string& out, const number& value, bool is_single = false);

// The longest text of a number.
inline constexpr std::size_t most_number_text = 32;
// The same for a number that need not be asked for its kind: writes the text to `at`, returns its
// end. Requires: there is room for `most_number_text`; floats are finite.
char* write_integer(char* at, std::int64_t value) noexcept;
char* write_integer(char* at, std::uint64_t value) noexcept;
char* write_real(char* at, float value) noexcept;
char* write_real(char* at, double value) noexcept;

}  // namespace kith::values
