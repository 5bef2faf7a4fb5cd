// Comparisons with constants, declared in value_leaf.hpp.
#include "value_leaf.hpp"

#include <kith/detail/assert.hpp>
#include <kith/syntax/constant_scanner.hpp>

#include "assign.hpp"
#include "literal.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace kith::values {

namespace {

// -- intervals of numbers ------------------------------------------------------------------------

template <class T>
struct interval {
    T low;
    T high;
};

template <class T>
number number_of(T value) noexcept {
    if constexpr (std::is_floating_point_v<T>) {
        return number::of(double{value});
    } else if constexpr (std::is_signed_v<T>) {
        return number::of(std::int64_t{value});
    } else {
        return number::of(std::uint64_t{value});
    }
}

// The value of T that is nearest to a number, before it is moved to the right side of it.
template <class T>
T near_to(const number& wanted) noexcept {
    using limits = std::numeric_limits<T>;
    if constexpr (std::is_floating_point_v<T>) {
        const double wide = wanted.as_double();
        return wide > double{limits::max()}      ? limits::infinity()
               : wide < double{limits::lowest()} ? -limits::infinity()
                                                 : static_cast<T>(wide);
    } else {
        if (compare_numbers(wanted, number_of(limits::max())) >= 0) {
            return limits::max();
        }
        if (compare_numbers(wanted, number_of(limits::lowest())) <= 0) {
            return limits::lowest();
        }
        return wanted.is == number::form::positive   ? static_cast<T>(wanted.positive)
               : wanted.is == number::form::negative ? static_cast<T>(wanted.negative)
                                                     : static_cast<T>(wanted.real);
    }
}

// The next value of T in a direction; the same one at the end.
template <class T>
T step(T from, bool up) noexcept {
    using limits = std::numeric_limits<T>;
    if constexpr (std::is_floating_point_v<T>) {
        return std::nextafter(from, up ? limits::infinity() : -limits::infinity());
    } else {
        return from == (up ? limits::max() : limits::lowest())
                   ? from
                   : static_cast<T>(up ? from + 1 : from - 1);
    }
}

// The value of T that is nearest to the number among those above it (`up`) or below it; with
// `inclusive`, the number itself counts. False if there is none.
template <class T>
bool find_bound(const number& wanted, bool up, bool inclusive, T& bound) noexcept {
    const auto fits = [&](T value) {
        const int order = compare_numbers(number_of(value), wanted);
        return order == 0 ? inclusive : (order > 0) == up;
    };
    bound = near_to<T>(wanted);
    for (T closer = step(bound, !up); closer != bound && fits(closer); closer = step(bound, !up)) {
        bound = closer;
    }
    for (T next = step(bound, up); next != bound && !fits(bound); next = step(bound, up)) {
        bound = next;
    }
    return fits(bound);
}

// The values of T that a comparison accepts. False if there are none.
template <class T>
bool find_interval(comparison how, const number& wanted, interval<T>& into) noexcept {
    using limits = std::numeric_limits<T>;
    constexpr bool real = std::is_floating_point_v<T>;
    into = {real ? static_cast<T>(-limits::infinity()) : limits::lowest(),
            real ? limits::infinity() : limits::max()};
    if (wanted.is == number::form::real && std::isnan(wanted.real)) {
        return false;
    }
    switch (how) {
        case less:
        case less_equal:
            return find_bound(wanted, false, how == less_equal, into.high);
        case greater:
        case greater_equal:
            return find_bound(wanted, true, how == greater_equal, into.low);
        default:
            return find_bound(wanted, true, true, into.low) &&
                   find_bound(wanted, false, true, into.high) && into.low <= into.high;
    }
}

template <class T>
bool is_inside(T value, const interval<T>& accepted) noexcept {
    if constexpr (std::is_floating_point_v<T>) {
        return (value >= accepted.low) & (value <= accepted.high);
    } else {
        using bits = std::make_unsigned_t<T>;
        return static_cast<bits>(static_cast<bits>(value) - static_cast<bits>(accepted.low)) <=
               static_cast<bits>(static_cast<bits>(accepted.high) -
                                 static_cast<bits>(accepted.low));
    }
}

template <class T>
T load_part(const std::byte* from) noexcept {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

// Eight parts at a time: shifts by constants, and comparisons that do not wait for each other.
template <class T, class Accepts>
std::uint64_t mask_of(const std::byte* first, std::size_t stride, std::uint32_t count,
                      const Accepts& accepts) noexcept {
    std::uint64_t mask = 0;
    std::uint32_t i = 0;
    for (; i + 8 <= count; i += 8) {
        std::uint64_t eight = 0;
#pragma GCC unroll 8
        for (std::uint32_t k = 0; k < 8; ++k) {
            eight |= std::uint64_t{accepts(load_part<T>(first + stride * k))} << k;
        }
        mask |= eight << i;
        first += stride * 8;
    }
    for (; i < count; ++i, first += stride) {
        mask |= std::uint64_t{accepts(load_part<T>(first))} << i;
    }
    return mask;
}

constexpr std::uint64_t all_of(std::uint32_t count) noexcept {
    return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// Numbers inside of one of several intervals, or outside of all.
template <class T>
class number_leaf final : public value_leaf {
public:
    number_leaf(std::vector<interval<T>> accepted, bool negated)
        : accepted_(std::move(accepted)), negated_(negated) {}

    std::uint64_t mask(const std::byte* first, std::size_t stride,
                       std::uint32_t count) const override {
        std::uint64_t inside = 0;
        for (const interval<T>& one : accepted_) {
            inside |=
                mask_of<T>(first, stride, count, [one](T value) { return is_inside(value, one); });
        }
        return negated_ ? ~inside & all_of(count) : inside;
    }
    bool find_keys(const index_keys& keys, std::vector<detail::key_interval>& into) const override {
        for (const interval<T>& one : accepted_) {
            if (!keys.append(key_of_number(one.low), key_of_number(one.high), into)) {
                return false;
            }
        }
        return !negated_;
    }

private:
    std::vector<interval<T>> accepted_;
    bool negated_;
};

// Flags that have all of some bits.
template <class T>
class bits_leaf final : public value_leaf {
public:
    explicit bits_leaf(T bits) noexcept : bits_(bits) {}
    std::uint64_t mask(const std::byte* first, std::size_t stride,
                       std::uint32_t count) const override {
        const T bits = bits_;
        return mask_of<T>(first, stride, count,
                          [bits](T value) { return static_cast<T>(value & bits) == bits; });
    }

private:
    T bits_;
};

// -- texts and entities --------------------------------------------------------------------------

// One part at a time, by a function that is not inlined.
class slow_leaf : public value_leaf {
public:
    std::uint64_t mask(const std::byte* first, std::size_t stride,
                       std::uint32_t count) const final {
        std::uint64_t mask = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            mask |= std::uint64_t{accepts(first + stride * i)} << i;
        }
        return mask;
    }

protected:
    virtual bool accepts(const void* part) const = 0;
};

part_order order_of(std::string_view a, std::string_view b) noexcept {
    const int order = a.compare(b);
    return order < 0 ? part_order::less : order > 0 ? part_order::greater : part_order::equal;
}

class text_leaf final : public slow_leaf {
public:
    text_leaf(const description& type, comparison how, std::vector<std::string> wanted,
              bool is_range)
        : type_(type), how_(how), wanted_(std::move(wanted)), is_range_(is_range) {}

private:
    bool accepts(const void* part) const override {
        const text_view shown = type_.ops->text(type_, part);
        const std::string_view text(shown.data, shown.size);
        if (how_ == comparison::contains) {
            return text.find(wanted_[0]) != std::string_view::npos;
        }
        if (is_range_) {
            return text >= wanted_[0] && text <= wanted_[1];
        }
        return std::any_of(wanted_.begin(), wanted_.end(), [&](const std::string& one) {
            return holds(how_ == is_in ? equal : how_, order_of(text, one));
        });
    }
    bool find_keys(const index_keys& keys, std::vector<detail::key_interval>& into) const override {
        if (is_range_) {
            return keys.append_between(wanted_[0], wanted_[1], into);
        }
        return std::all_of(wanted_.begin(), wanted_.end(), [&](const std::string& one) {
            return keys.append(how_ == is_in ? equal : how_, one, into);
        });
    }

    const description& type_;
    comparison how_;
    std::vector<std::string> wanted_;
    bool is_range_;
};

class entity_leaf final : public slow_leaf {
public:
    entity_leaf(const description& type, bool negated, std::vector<entity_t> wanted)
        : type_(type), negated_(negated), wanted_(std::move(wanted)) {}

private:
    bool accepts(const void* part) const override {
        const entity_t found = type_.ops->entity(type_, part);
        return (std::find(wanted_.begin(), wanted_.end(), found) != wanted_.end()) != negated_;
    }
    bool find_keys(const index_keys& keys, std::vector<detail::key_interval>& into) const override {
        return !negated_ && std::all_of(wanted_.begin(), wanted_.end(),
                                        [&](entity_t one) { return keys.append(one, one, into); });
    }

    const description& type_;
    bool negated_;
    std::vector<entity_t> wanted_;
};

// -- constants -----------------------------------------------------------------------------------

// The constants of one comparison.
struct constant_list {
    std::vector<literal> items;
    bool is_range = false;
};

// Reads constants; false, with the reason, for a mistake.
bool read_constants(std::string_view text, comparison how, constant_list& into,
                    std::string& fault) {
    const auto read_one = [&](std::string_view one) {
        std::size_t at = 0;
        const literal_fault wrong = read_literal(one, at, into.items.emplace_back());
        if (wrong || one.find_first_not_of(" \t", at) != std::string_view::npos) {
            fault = wrong ? wrong.message : "'" + std::string(one) + "' is no constant";
            return false;
        }
        return true;
    };
    const std::size_t end = syntax::find_end_of_constant(text, 0);
    if (how == is_in && syntax::find_end_of_range(text, end) != end) {
        into.is_range = true;
        return read_one(text.substr(0, end)) && read_one(text.substr(text.find("..", end) + 2));
    }
    if (!read_one(text)) {
        return false;
    }
    if (how != is_in) {
        return true;
    }
    literal list = std::move(into.items.front());
    into.items.clear();
    if (list.form != literal_form::list) {
        fault = "a list should follow 'in', as in [1, 2], or a range, as in 1..5";
        return false;
    }
    for (literal::item& item : list.items) {
        into.items.push_back(std::move(item.value));
    }
    return true;
}

const char* name_of(literal_form form) noexcept {
    switch (form) {
        case literal_form::null:
            return "null";
        case literal_form::boolean:
            return "a truth value";
        case literal_form::number:
            return "a number";
        case literal_form::character:
            return "a character";
        case literal_form::text:
            return "a text";
        case literal_form::name:
        case literal_form::flags:
            return "a name";
        default:
            return "a composed value";
    }
}

std::string refuse_constant(const description* type, kind stored, const literal& from) {
    return std::string("the value is ") + (type ? type->life.name : to_string(stored)) +
           ", which is never compared with " + name_of(from.form);
}

// The number that a constant means for a type; `type` may be null for plain numbers.
bool read_constant_number(const description* type, kind stored, const literal& from, number& into,
                          std::string& fault) {
    const bool has_names = type && (type->what == kind::enumeration || type->what == kind::flags);
    if (from.form == literal_form::number) {
        if (!parse_number(from.text, into)) {
            fault = from.text + " is out of the range of all numbers";
            return false;
        }
        return true;
    }
    if (from.form == literal_form::boolean && stored == kind::boolean) {
        into = number::of(std::uint64_t{from.truth});
        return true;
    }
    if (from.form == literal_form::character && stored == kind::character && !from.text.empty()) {
        into = number::of(std::uint64_t{static_cast<unsigned char>(from.text[0])});
        return true;
    }
    if (has_names && from.form == literal_form::name) {
        const constant_info* constant = find_constant(*type, from.text);
        if (!constant) {
            fault = std::string(type->life.name) + " has no constant '" + from.text + "'";
            return false;
        }
        into = is_signed(type->number) ? number::of(constant->value)
                                       : number::of(static_cast<std::uint64_t>(constant->value));
        return true;
    }
    if (has_names && from.form == literal_form::flags) {
        std::uint64_t bits = 0;
        for (const literal::item& item : from.items) {
            number one;
            if (!read_constant_number(type, stored, item.value, one, fault)) {
                return false;
            }
            bits |= one.is == number::form::negative ? static_cast<std::uint64_t>(one.negative)
                                                     : one.positive;
        }
        into = number::of(bits);
        return true;
    }
    fault = refuse_constant(type, stored, from);
    return false;
}

template <class T>
std::unique_ptr<value_leaf> make_interval_leaf(comparison how, const std::vector<number>& wanted,
                                               bool is_range) {
    KITH_ASSERT(!is_range || wanted.size() == 2, "a range has two limits");
    std::vector<interval<T>> accepted;
    interval<T> one;
    if (is_range) {
        interval<T> above;
        if (find_interval(greater_equal, wanted[0], above) &&
            find_interval(less_equal, wanted[1], one) && above.low <= one.high) {
            accepted.push_back({above.low, one.high});
        }
    } else {
        for (const number& constant : wanted) {
            const bool is_equal = how == is_in || how == not_equal;
            if (find_interval(is_equal ? equal : how, constant, one)) {
                accepted.push_back(one);
            }
        }
    }
    return std::make_unique<number_leaf<T>>(std::move(accepted), how == not_equal);
}

template <class T>
std::unique_ptr<value_leaf> make_numbers(comparison how, const std::vector<number>& wanted,
                                         bool is_range) {
    if constexpr (!std::is_floating_point_v<T>) {
        if (how == comparison::contains) {
            const std::uint64_t bits = wanted[0].is == number::form::negative
                                           ? static_cast<std::uint64_t>(wanted[0].negative)
                                           : wanted[0].positive;
            return std::make_unique<bits_leaf<std::make_unsigned_t<T>>>(
                static_cast<std::make_unsigned_t<T>>(bits));
        }
    }
    return make_interval_leaf<T>(how, wanted, is_range);
}

std::unique_ptr<value_leaf> make_numbers(kind stored, comparison how,
                                         const std::vector<number>& wanted, bool is_range) {
    switch (stored) {
        case kind::boolean:
        case kind::character:
        case kind::u8:
            return make_numbers<std::uint8_t>(how, wanted, is_range);
        case kind::u16:
            return make_numbers<std::uint16_t>(how, wanted, is_range);
        case kind::u32:
            return make_numbers<std::uint32_t>(how, wanted, is_range);
        case kind::u64:
            return make_numbers<std::uint64_t>(how, wanted, is_range);
        case kind::i8:
            return make_numbers<std::int8_t>(how, wanted, is_range);
        case kind::i16:
            return make_numbers<std::int16_t>(how, wanted, is_range);
        case kind::i32:
            return make_numbers<std::int32_t>(how, wanted, is_range);
        case kind::i64:
            return make_numbers<std::int64_t>(how, wanted, is_range);
        case kind::f32:
            return make_numbers<float>(how, wanted, is_range);
        default:
            return make_numbers<double>(how, wanted, is_range);
    }
}

std::unique_ptr<value_leaf> make_number_test(const description* type, kind stored, comparison how,
                                             const constant_list& constants, std::string& fault) {
    std::vector<number> wanted;
    for (const literal& one : constants.items) {
        if (!read_constant_number(type, stored, one, wanted.emplace_back(), fault)) {
            return nullptr;
        }
    }
    if (how == comparison::contains && !(type && type->what == kind::flags)) {
        fault = "'~=' is for texts, flags and lists; the value is a number";
        return nullptr;
    }
    return make_numbers(stored, how, wanted, constants.is_range);
}

std::unique_ptr<value_leaf> make_text_test(const description& type, comparison how,
                                           const constant_list& constants, std::string& fault) {
    std::vector<std::string> wanted;
    for (const literal& one : constants.items) {
        if (one.form != literal_form::text) {
            fault = refuse_constant(&type, kind::text, one);
            return nullptr;
        }
        wanted.push_back(one.text);
    }
    return std::make_unique<text_leaf>(type, how, std::move(wanted), constants.is_range);
}

std::unique_ptr<value_leaf> make_entity_test(world_t* world, const description& type,
                                             comparison how, const constant_list& constants,
                                             std::string& fault) {
    if ((how != equal && how != not_equal && how != is_in) || constants.is_range) {
        fault = "entities have no order: they are compared by ==, != and in";
        return nullptr;
    }
    assignment state;
    state.world = world;
    std::vector<entity_t> wanted;
    for (const literal& one : constants.items) {
        const bool is_null =
            one.form == literal_form::null || (one.form == literal_form::number && one.text == "0");
        const entity_t named =
            one.form == literal_form::name ? find_entity(state, one.text) : entity_t{0};
        if (!is_null && named == 0) {
            fault = one.form == literal_form::name ? "no entity '" + one.text + "'"
                                                   : refuse_constant(&type, kind::entity, one);
            return nullptr;
        }
        wanted.push_back(named);
    }
    return std::make_unique<entity_leaf>(type, how == not_equal, std::move(wanted));
}

}  // namespace

bool holds(comparison how, part_order order) noexcept {
    switch (how) {
        case less:
            return order == part_order::less;
        case less_equal:
            return order == part_order::less || order == part_order::equal;
        case greater:
            return order == part_order::greater;
        case greater_equal:
            return order == part_order::greater || order == part_order::equal;
        case not_equal:
            return order != part_order::equal;
        default:
            return order == part_order::equal;
    }
}

std::unique_ptr<value_leaf> make_leaf(world_t* world, const description& type, comparison how,
                                      std::string_view text, std::string& fault) {
    constant_list constants;
    if (!read_constants(text, how, constants, fault)) {
        return nullptr;
    }
    const kind stored = stored_kind(type);
    if (stored >= kind::boolean && stored <= kind::f64) {
        return make_number_test(&type, stored, how, constants, fault);
    }
    if (type.what == kind::text) {
        return make_text_test(type, how, constants, fault);
    }
    if (type.what == kind::entity) {
        return make_entity_test(world, type, how, constants, fault);
    }
    fault = std::string(type.life.name) + " is a " + to_string(type.what) +
            ": compare one of its parts";
    return nullptr;
}

std::unique_ptr<value_leaf> make_number_leaf(kind stored, comparison how, std::string_view text,
                                             std::string& fault) {
    KITH_ASSERT(stored >= kind::boolean && stored <= kind::f64, "the kind is a number");
    constant_list constants;
    if (!read_constants(text, how, constants, fault)) {
        return nullptr;
    }
    return make_number_test(nullptr, stored, how, constants, fault);
}

}  // namespace kith::values
