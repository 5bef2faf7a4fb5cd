// Reading plain values from JSON directly (json_input.hpp): one pass over the text by the
// description of the type.
#include <kith/detail/assert.hpp>

#include "json_input.hpp"
#include "json_program.hpp"
#include "life.hpp"
#include "numbers.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace kith::values {

namespace {

// Powers of ten that doubles hold exactly.
constexpr double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// False, and nothing is written, if T cannot hold the number. Requires: digits < 2^63.
template <class T>
bool assign_integer(void* value, bool negative, std::uint64_t digits) noexcept {
    const auto size = static_cast<std::int64_t>(digits);
    const T stored = static_cast<T>(negative ? -size : size);
    if ((std::is_unsigned_v<T> && negative) ||
        static_cast<std::int64_t>(stored) != (negative ? -size : size)) {
        return false;
    }
    std::memcpy(value, &stored, sizeof stored);
    return true;
}

template <class T>
bool assign_real(void* value, double real) noexcept {
    const T stored = static_cast<T>(real);
    std::memcpy(value, &stored, sizeof stored);
    return true;
}

bool assign_digits(kind what, void* value, bool negative, std::uint64_t digits) noexcept {
    switch (what) {
        case kind::i8:
            return assign_integer<std::int8_t>(value, negative, digits);
        case kind::i16:
            return assign_integer<std::int16_t>(value, negative, digits);
        case kind::i32:
            return assign_integer<std::int32_t>(value, negative, digits);
        case kind::i64:
            return assign_integer<std::int64_t>(value, negative, digits);
        case kind::u8:
            return assign_integer<std::uint8_t>(value, negative, digits);
        case kind::u16:
            return assign_integer<std::uint16_t>(value, negative, digits);
        case kind::u32:
            return assign_integer<std::uint32_t>(value, negative, digits);
        case kind::u64:
            return assign_integer<std::uint64_t>(value, negative, digits);
        default:
            return false;
    }
}

class plain_reader {
public:
    plain_reader(const json_program& program, std::string_view text, std::size_t at, bool complete)
        : program_(program),
          begin_(text.data()),
          at_(text.data() + std::min(at, text.size())),
          end_(text.data() + text.size()),
          complete_(complete) {}

    bool read(const json_program::member& member, void* value) {
        skip_space();
        switch (member.what) {
            case kind::none:
                return false;
            case kind::structure:
                return read_structure(program_.structures[member.structure], value);
            case kind::boolean:
                return read_boolean(value);
            case kind::text:
                return read_text(*member.type, value);
            default:
                return read_number_of(member.what, value);
        }
    }
    std::size_t at() const noexcept { return static_cast<std::size_t>(at_ - begin_); }

private:
    char peek() const noexcept { return at_ != end_ ? *at_ : '\0'; }
    void skip_space() noexcept {
        if (at_ != end_ && *at_ > ' ') [[likely]] {
            return;
        }
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) {
            ++at_;
        }
    }
    bool take(char wanted) noexcept {
        if (at_ != end_ && *at_ == wanted) [[likely]] {
            ++at_;
            return true;
        }
        skip_space();
        const bool found = at_ != end_ && *at_ == wanted;
        at_ += found;
        return found;
    }
    std::string_view rest() const noexcept { return {at_, static_cast<std::size_t>(end_ - at_)}; }
    bool read_boolean(void* value) noexcept {
        const bool truth = rest().starts_with("true");
        if (!truth && !rest().starts_with("false")) {
            return false;
        }
        at_ += truth ? 4 : 5;
        std::memcpy(value, &truth, sizeof truth);
        return true;
    }
    // Texts of ASCII without escapes.
    bool read_text(const description& type, void* value) {
        if (!take('"')) {
            return false;
        }
        const char* const begin = at_;
        while (at_ != end_ && *at_ >= 0x20 && *at_ < 0x7F && *at_ != '"' && *at_ != '\\') {
            ++at_;
        }
        const auto size = static_cast<std::size_t>(at_ - begin);
        return size <= most_plain_text && take('"') &&
               type.ops->assign_text(type, value, {begin, size});
    }
    // Up to 18 digits with a point among them. Longer numbers, exponents, -0, and integers with a
    // point are left to the other way.
    bool read_number_of(kind what, void* value) noexcept {
        const bool negative = peek() == '-';
        const char* const begin = at_ + negative;
        std::uint64_t digits = 0;
        at_ = read_digits(begin, digits);
        const auto whole = static_cast<std::size_t>(at_ - begin);
        std::size_t decimals = 0;
        if (peek() == '.') {
            const char* const point = at_;
            at_ = read_digits(at_ + 1, digits);
            decimals = static_cast<std::size_t>(at_ - point - 1);
            if (decimals == 0) {
                return false;
            }
        }
        if (whole == 0 || (whole > 1 && *begin == '0') || whole + decimals > 18 || peek() == 'e' ||
            peek() == 'E' || (negative && digits == 0)) {
            return false;
        }
        return !is_float(what) ? decimals == 0 && assign_digits(what, value, negative, digits)
                               : read_real(what, value, negative, digits, decimals);
    }
    // Returns the end of the digits.
    const char* read_digits(const char* at, std::uint64_t& digits) const noexcept {
        const char* const end = end_;
        std::uint64_t number = digits;
        for (; at != end && static_cast<unsigned char>(*at - '0') < 10; ++at) {
            number = number * 10 + static_cast<unsigned char>(*at - '0');
        }
        digits = number;
        return at;
    }
    // A quotient of two exact doubles is rounded correctly.
    static bool read_real(kind what, void* value, bool negative, std::uint64_t digits,
                          std::size_t decimals) noexcept {
        if (digits >= std::uint64_t{1} << 53) {
            return false;
        }
        const double size =
            static_cast<double>(static_cast<std::int64_t>(digits)) / exact_powers[decimals];
        const double real = negative ? -size : size;
        return what == kind::f32 ? assign_real<float>(value, real)
                                 : assign_real<double>(value, real);
    }
    // The members of a struct, 64 at most, are remembered by bits. Texts mostly have them in their
    // order.
    bool read_structure(const json_program::structure& type, void* value) {
        if (!take('{')) {
            return false;
        }
        std::uint64_t seen = 0;
        std::uint32_t expected = 0;
        for (bool first = true; !take('}'); first = false) {
            if ((!first && !take(',')) || !take('"')) {
                return false;
            }
            const std::uint32_t index = read_name(type, expected);
            if (index == type.count || (seen >> index & 1) != 0 || !take(':')) {
                return false;
            }
            seen |= std::uint64_t{1} << index;
            expected = index + 1;
            const json_program::member& member = program_.members[type.first + index];
            if (!read(member, part_at(value, member.offset))) {
                return false;
            }
        }
        const std::uint64_t all =
            type.count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << type.count) - 1;
        return !complete_ || seen == all;
    }
    // The number of the member with the name before the next quote; type.count: none.
    std::uint32_t read_name(const json_program::structure& type, std::uint32_t expected) noexcept {
        const json_program::member* const members = program_.members.data() + type.first;
        if (expected < type.count && take_name(members[expected].name)) {
            return expected;
        }
        std::uint32_t index = 0;
        while (index < type.count && !take_name(members[index].name)) {
            ++index;
        }
        return index;
    }
    // Names of members have no quotes inside, unless the member has to be read otherwise.
    bool take_name(std::string_view name) noexcept {
        const std::string_view text = rest();
        const bool found =
            text.size() > name.size() && text[name.size()] == '"' && text.starts_with(name);
        at_ += found ? name.size() + 1 : 0;
        return found;
    }

    const json_program& program_;
    const char* begin_;
    const char* at_;
    const char* end_;
    bool complete_;
};

}  // namespace

bool is_plain_json(const world_t* world, const description& type) {
    json_programs programs(world);
    return programs.find(type, {}).is_readable;
}

bool read_plain_json(const world_t* world, const description& type, void* value,
                     std::string_view text, std::size_t& at, bool complete) {
    KITH_ASSERT(value, "a text is read into a value");
    json_programs programs(world);
    const json_program& program = programs.find(type, {});
    if (!type.life.trivial_copy && !program.is_readable) {
        return false;
    }
    plain_reader reader(program, text, at, complete);
    const bool read = reader.read(program.whole, value);
    at = reader.at();
    return read;
}

}  // namespace kith::values
