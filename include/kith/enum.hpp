// Enums as components: the constants of an enum type become entities, children of the enum's
// entity, and an entity has an enum component if it has the pair (E, constant). The value is that
// of the constant; a component type that is an enum stands for (E, *) wherever it is asked for. See
// docs/design/0019-enum-components.md.
//
// Constants are found at compile time by asking the compiler for the name of every value of a
// range. The range is 0..127 (and -8..-1 for signed types); specialise kith::enum_range for enums
// with constants elsewhere. Covered by tests/features/enums/enum_test.cpp and
// tests/features/enums/.
#pragma once

#include <kith/detail/ops.hpp>
#include <kith/pair.hpp>

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

// Evaluated by itself for each value: compilers limit the steps of one constant expression.
template <class E, E Value>
inline constexpr text_view enum_label_of = enum_label<E, Value>();

template <class E, std::int64_t Number>
constexpr E enum_constant_at = __builtin_bit_cast(E,
                                                  static_cast<std::underlying_type_t<E>>(Number));

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
        enum_label_of<E, enum_constant_at<E, min + static_cast<std::int64_t>(Offsets)>>...};
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

template <class T>
inline constexpr bool is_enum_type = std::is_enum_v<base_type<T>>;

// The id that a C++ type stands for where it is asked for, removed or counted: any constant of an
// enum.
template <class T>
KITH_ALWAYS_INLINE id_t pattern_of([[maybe_unused]] world_t* world) {
    if constexpr (is_enum_type<T>) {
        return make_pair(enum_entity<base_type<T>>(world), Wildcard);
    } else {
        return id_of<T>();
    }
}
// The same where one id is added, which says nothing about an enum's constant.
template <class T>
id_t id_to_add() {
    KITH_STATIC_ASSERT(!is_enum_type<T>,
                       "an enum is added with its constant: add(E::Constant), set(E::Constant)");
    return id_of<T>();
}

template <class E>
id_t constant_pair(world_t* world, E value) {
    return make_pair(enum_entity<E>(world), enum_entity(world, value));
}
// The value of the constant in a pair (E, constant); null if there is no such constant.
template <class E>
const E* constant_in(const world_t* world, id_t pair) {
    const entity_t constant = get_alive(world, pair_second(pair));
    const std::uint32_t type = known_type_id<E>();
    return constant ? static_cast<const E*>(get_value(world, constant, type, type)) : nullptr;
}
// The same as a value, also while the constant is being deleted.
template <class E>
E constant_value(const world_t* world, id_t pair) {
    const E* found = constant_in<E>(world, pair);
    return found ? *found
                 : static_cast<E>(constant_number(world, known_type_id<E>(), pair_second(pair)));
}
// The value of an entity's enum component, inherited ones too; null if it has none. A constant has
// its own value.
template <class E>
const E* find_constant(world_t* world, entity_t entity) {
    const entity_t type = enum_entity<E>(world);
    const entity_t constant = target_of(world, entity, type, 0);
    return static_cast<const E*>(
        get_value(world, constant ? constant : entity, type, known_type_id<E>()));
}
// The pair (E, constant) that the entity itself has, or the bare E if it has none.
template <class E>
id_t own_constant_pair(world_t* world, entity_t entity) {
    const entity_t type = enum_entity<E>(world);
    return owns_id(world, entity, make_pair(type, Wildcard))
               ? make_pair(type, target_of(world, entity, type, 0))
               : type;
}
// The id of the component that an entity has.
template <class T>
id_t own_id_of([[maybe_unused]] world_t* world, [[maybe_unused]] entity_t entity) {
    if constexpr (is_enum_type<T>) {
        return own_constant_pair<base_type<T>>(world, entity);
    } else {
        return id_of<T>();
    }
}
template <class E>
void set_constant(world_t* world, entity_t entity, E value) {
    add_id(world, entity, constant_pair(world, value));
}

}  // namespace detail

// The enum component of an entity, to be read and written: an assignment replaces the constant.
// What get_mut(), ensure() and ref give for an enum.
template <class E>
class enum_value {
public:
    enum_value(world_t* world, entity_t entity) noexcept : world_(world), entity_(entity) {}
    enum_value(const enum_value&) noexcept = default;

    // An error if the entity has no constant.
    operator E() const {
        const E* found = detail::find_constant<E>(world_, entity_);
        if (!found) [[unlikely]] {
            detail::raise_ref(world_, entity_, detail::ensure_type_id<E>());
        }
        return *found;
    }
    const enum_value& operator=(E value) const {
        detail::set_constant(world_, entity_, value);
        return *this;
    }
    const enum_value& operator=(const enum_value& other) const { return *this = E{other}; }
    enum_value& operator=(const enum_value& other) {
        *this = E{other};
        return *this;
    }

private:
    world_t* world_;
    entity_t entity_;
};

// As a pointer to the value of an enum component; null for entity 0.
template <class E>
class enum_pointer {
public:
    enum_pointer(world_t* world, entity_t entity) noexcept
        : value_(world, entity), is_set_(entity != 0) {}
    const enum_value<E>& operator*() const noexcept { return value_; }
    explicit operator bool() const noexcept { return is_set_; }

private:
    enum_value<E> value_;
    bool is_set_;
};

namespace detail {
template <class T, bool = is_enum_type<T>>
struct access {
    using pointer = value_of<T>*;
    using reference = value_of<T>&;
};
template <class T>
struct access<T, true> {
    using pointer = enum_pointer<base_type<T>>;
    using reference = enum_value<base_type<T>>;
};
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
