// Reading plain values from JSON directly (json_input.hpp): one pass over the text by the
// description of the type.
#include <kith/detail/assert.hpp>

#include "json_input.hpp"
#include "life.hpp"
#include "numbers.hpp"

#include <cmath>

namespace kith::values {

namespace {

// Powers of ten that doubles hold exactly.
constexpr double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

class plain_reader {
public:
    plain_reader(const world_t* world, std::string_view text, std::size_t at, bool complete)
        : world_(world), text_(text), at_(at), complete_(complete) {}

    bool read(const description& described, void* value) {
        const description& type = detail::in_world(world_, described);
        if (type.validate) {
            return false;
        }
        skip_space();
        if (type.what == kind::structure) {
            return read_structure(type, value);
        }
        if (type.what == kind::boolean) {
            return read_boolean(value);
        }
        return type.what >= kind::i8 && type.what <= kind::f64 && read_number_of(type.what, value);
    }
    std::size_t at() const noexcept { return at_; }

private:
    char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
    void skip_space() noexcept {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' ||
                                      text_[at_] == '\t' || text_[at_] == '\r')) {
            ++at_;
        }
    }
    bool take(char wanted) noexcept {
        skip_space();
        const bool found = peek() == wanted;
        at_ += found;
        return found;
    }
    bool take_word(std::string_view word) noexcept {
        const bool found = text_.substr(at_, word.size()) == word;
        at_ += found ? word.size() : 0;
        return found;
    }
    bool read_boolean(void* value) noexcept {
        const bool truth = take_word("true");
        return (truth || take_word("false")) &&
               write_number(kind::boolean, value, number::of(std::uint64_t{truth}));
    }
    // Up to 18 digits with a point among them. Longer numbers, exponents and -0 are left to the
    // other way.
    bool read_number_of(kind what, void* value) noexcept {
        const bool negative = peek() == '-';
        at_ += negative;
        const std::size_t begin = at_;
        std::uint64_t digits = 0;
        read_digits(digits);
        const std::size_t whole = at_ - begin;
        std::size_t decimals = 0;
        if (peek() == '.') {
            ++at_;
            const std::size_t first = at_;
            read_digits(digits);
            decimals = at_ - first;
            if (decimals == 0) {
                return false;
            }
        }
        if (whole == 0 || (whole > 1 && text_[begin] == '0') || whole + decimals > 18 ||
            peek() == 'e' || peek() == 'E' || (negative && digits == 0)) {
            return false;
        }
        return write(what, value, negative, digits, decimals);
    }
    void read_digits(std::uint64_t& digits) noexcept {
        while (peek() >= '0' && peek() <= '9') {
            digits = digits * 10 + static_cast<std::uint64_t>(text_[at_++] - '0');
        }
    }
    // A quotient of two exact doubles is rounded correctly.
    static bool write(kind what, void* value, bool negative, std::uint64_t digits,
                      std::size_t decimals) noexcept {
        if (decimals == 0 && !is_float(what)) {
            return write_number(
                what, value,
                negative ? number::of(-static_cast<std::int64_t>(digits)) : number::of(digits));
        }
        if (digits >= std::uint64_t{1} << 53) {
            return false;
        }
        const double real = static_cast<double>(digits) / exact_powers[decimals];
        return write_number(what, value, number::of(negative ? -real : real));
    }
    // Members of up to 64 are remembered by bits.
    bool read_structure(const description& type, void* value) {
        if (!take('{') || type.count > 64) {
            return false;
        }
        std::uint64_t seen = 0;
        std::uint32_t expected = 0;  // texts mostly have members in their order
        for (bool first = true; !take('}'); first = false) {
            if ((!first && !take(',')) || !take('"')) {
                return false;
            }
            const std::uint32_t index = read_member_name(type, expected);
            if (index == type.count || (seen >> index & 1) != 0 || !take(':')) {
                return false;
            }
            seen |= std::uint64_t{1} << index;
            expected = index + 1;
            const member_info& member = type.members[index];
            if ((member.attributes && member.attributes->range.is_set) || ++depth_ > 32 ||
                !read(*member.type, part_at(value, member.offset))) {
                return false;
            }
            --depth_;
        }
        const std::uint64_t all =
            type.count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << type.count) - 1;
        return !complete_ || seen == all;
    }
    // The number of the member with the name before the next quote; type.count: none.
    std::uint32_t read_member_name(const description& type, std::uint32_t expected) noexcept {
        const std::size_t end = text_.find('"', at_);
        if (end == std::string_view::npos) {
            return type.count;
        }
        const std::string_view name = text_.substr(at_, end - at_);
        at_ = end + 1;
        if (expected < type.count && name == type.members[expected].name) {
            return expected;
        }
        std::uint32_t index = 0;
        while (index < type.count && name != type.members[index].name) {
            ++index;
        }
        return index;
    }

    const world_t* world_;
    std::string_view text_;
    std::size_t at_;
    bool complete_;
    std::uint32_t depth_ = 0;
};

}  // namespace

bool read_plain_json(const world_t* world, const description& type, void* value,
                     std::string_view text, std::size_t& at, bool complete) {
    KITH_ASSERT(value, "a text is read into a value");
    plain_reader reader(world, text, at, complete);
    const bool read = reader.read(type, value);
    at = reader.at();
    return read;
}

}  // namespace kith::values
