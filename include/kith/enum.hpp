// Enums as components: the constants of an enum type become entities, children of the enum's
// entity.
//
// Constants are found at compile time by asking the compiler for the name of every value of a
// range. The range is 0..127 (and -8..-1 for signed types); specialise kith::enum_range for enums
// with constants elsewhere. Covered by tests/core/api/enum_test.cpp.
#pragma once

#include <kith/detail/ops.hpp>

namespace kith {

template <class E>
struct enum_range {
    static constexpr std::int64_t min = std::is_signed_v<std::underlying_type_t<E>> ? -8 : 0;
    static constexpr std::int64_t max = 127;
};

namespace detail {

template <class E, E Value>
constexpr text_view enum_label() noexcept {
    // "... Value = Color::Red]" for a constant, "... Value = (Color)5]" for any other value. The
    // name of a namespace without one may be in parentheses, too.
    const text_view all = __PRETTY_FUNCTION__;
    const char* start = all.data;
    for (const char* at = all.data; at + 8 <= all.data + all.size; ++at) {
        start = text_view(at, 8) == text_view("Value = ") ? at + 8 : start;
    }
    const char* end = start;
    bool in_name = true;
    for (; *end && *end != ']' && *end != ';'; ++end) {
        if (*end == ':') {
            start = end + 1;
            in_name = true;
        }
        in_name &= *end != ')';
    }
    if (!in_name || *start == '-' || (*start >= '0' && *start <= '9')) {
        return {};
    }
    return {start, static_cast<std::size_t>(end - start)};
}

template <class E, std::int64_t Number>
constexpr E enum_value = __builtin_bit_cast(E, static_cast<std::underlying_type_t<E>>(Number));

template <class E>
struct enum_table {
    static constexpr std::size_t range =
        static_cast<std::size_t>(enum_range<E>::max - enum_range<E>::min + 1);
    enum_constant constants[range] = {};
    std::size_t count = 0;
};

template <class E, std::size_t... Offsets>
constexpr enum_table<E> make_enum_table(std::index_sequence<Offsets...>) {
    constexpr std::int64_t min = enum_range<E>::min;
    const text_view names[] = {
        enum_label<E, enum_value<E, min + static_cast<std::int64_t>(Offsets)>>()...};
    enum_table<E> table;
    for (std::size_t i = 0; i < sizeof...(Offsets); ++i) {
        if (names[i].size != 0) {
            table.constants[table.count++] = {min + static_cast<std::int64_t>(i), names[i]};
        }
    }
    return table;
}

template <class E>
inline constexpr enum_table<E> enum_constants =
    make_enum_table<E>(std::make_index_sequence<enum_table<E>::range>{});

template <class E>
const enum_desc& enum_desc_of() {
    static const enum_desc desc{
        enum_constants<E>.constants, enum_constants<E>.count,
        [](void* value, std::int64_t constant) { ::new (value) E(static_cast<E>(constant)); }};
    return desc;
}

template <class E>
entity_t enum_entity(world_t* world) {
    return ensure_enum(world, ensure_type_id<E>(), enum_desc_of<E>());
}

template <class E>
entity_t enum_entity(world_t* world, E value) {
    return enum_constant_entity(world, ensure_type_id<E>(), enum_desc_of<E>(),
                                static_cast<std::int64_t>(value));
}

}  // namespace detail

// What is known of an enum in a world.
template <class E>
class enum_data {
public:
    explicit enum_data(world_t* world) noexcept : world_(world) {}

    kith::entity entity() const;
    kith::entity entity(E value) const;
    // Lowest and highest known constant; 0 and -1 if the enum has none.
    int first() const noexcept {
        return count() ? static_cast<int>(detail::enum_constants<E>.constants[0].value) : 0;
    }
    int last() const noexcept {
        return count() ? static_cast<int>(detail::enum_constants<E>.constants[count() - 1].value)
                       : -1;
    }
    bool is_valid(int value) const noexcept {
        for (std::size_t i = 0; i < count(); ++i) {
            if (detail::enum_constants<E>.constants[i].value == value) {
                return true;
            }
        }
        return false;
    }

private:
    static constexpr std::size_t count() noexcept { return detail::enum_constants<E>.count; }

    world_t* world_;
};

// Reflection data of enum E in a world.
template <class E>
enum_data<E> enum_type(world_t* world) {
    detail::enum_entity<E>(world);
    return enum_data<E>(world);
}

}  // namespace kith
