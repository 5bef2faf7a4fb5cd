// Enums as components: the constants of an enum type become entities, children of the enum's
// entity, and an entity has an enum component if it has the pair (E, constant). The value is that
// of the constant; a component type that is an enum stands for (E, *) wherever it is asked for. See
// docs/design/0019-enum-components.md.
//
// Constants are found at compile time: the compiler names the values of a range in one text. The
// range is -128..127 and the single bits; specialise kith::enum_range for enums with constants
// elsewhere. Covered by tests/features/enums/enum_test.cpp and tests/features/enums/.
#pragma once

#include <kith/detail/ops.hpp>
#include <kith/pair.hpp>

namespace kith {

template <class E>
struct enum_range {
    static constexpr std::int64_t min = std::is_signed_v<std::underlying_type_t<E>> ? -128 : 0;
    static constexpr std::int64_t max = 127;
};

namespace detail {

// "… Values = {Color::Red, (Color)5}]" by g++, "… Values = <Color::Red, (Color)5>]" by clang: a
// constant has its name, any other value its number.
template <class E, E... Values>
constexpr text_view enum_labels() noexcept {
    return __PRETTY_FUNCTION__;
}

// The places of the names in a label; size 0 for values that are no constants.
template <std::size_t Count>
struct enum_names_found {
    std::uint32_t begin[Count + 1] = {};
    std::uint32_t size[Count + 1] = {};
    std::size_t count = 0;  // of names
    std::size_t bytes = 0;  // of all names
};

// Reads a label from its end, where the names are simple; a name ends behind ':' or a space. The
// brackets of a type's name, or of a number's, are in front of that.
template <std::size_t Count>
constexpr enum_names_found<Count> find_enum_names(text_view label) {
    enum_names_found<Count> found;
    std::size_t at = label.size - 2;  // behind the last value
    for (std::size_t i = Count; i-- > 0;) {
        const std::size_t end = at;
        while (label.data[at - 1] != ':' && label.data[at - 1] != ' ' &&
               label.data[at - 1] != ')' && label.data[at - 1] != '{' &&
               label.data[at - 1] != '<') {
            --at;
        }
        const char before = label.data[at - 1];
        const char first = label.data[at];
        if (before != ')' && first != '-' && (first < '0' || first > '9')) {
            found.begin[i] = static_cast<std::uint32_t>(at);
            found.size[i] = static_cast<std::uint32_t>(end - at);
            found.bytes += end - at + 1;
            ++found.count;
        }
        // To the comma in front of this value, outside of all brackets.
        for (std::size_t depth = 0; i > 0 && (depth > 0 || label.data[at - 1] != ','); --at) {
            const char c = label.data[at - 1];
            depth += c == ')' || c == '>' || c == '}' || c == ']';
            depth -= (c == '(' || c == '<' || c == '{' || c == '[') && depth > 0;
        }
        at -= i > 0;
    }
    return found;
}

template <class E, std::int64_t Number>
constexpr E enum_constant_at = __builtin_bit_cast(E,
                                                  static_cast<std::underlying_type_t<E>>(Number));

// Values that are named in one text. Compilers limit the steps of one constant expression, so a
// long range has several blocks.
template <class E, std::int64_t... Numbers>
struct enum_block {
    static constexpr text_view label = enum_labels<E, enum_constant_at<E, Numbers>...>();
    static constexpr std::int64_t numbers[sizeof...(Numbers) + 1] = {Numbers...};
    static constexpr auto found = find_enum_names<sizeof...(Numbers)>(label);
};

template <class E>
struct enum_values {
    static constexpr bool is_signed = std::is_signed_v<std::underlying_type_t<E>>;
    static constexpr int digits = std::is_same_v<std::underlying_type_t<E>, bool>
                                      ? 1
                                      : static_cast<int>(8 * sizeof(E)) - is_signed;
    static constexpr std::int64_t highest =
        digits >= 63 ? INT64_MAX : (std::int64_t{1} << (digits < 63 ? digits : 0)) - 1;
    static constexpr std::int64_t lowest = is_signed ? -highest - 1 : 0;
    static constexpr std::int64_t min =
        enum_range<E>::min > lowest ? std::int64_t{enum_range<E>::min} : lowest;
    static constexpr std::int64_t max =
        enum_range<E>::max < highest ? std::int64_t{enum_range<E>::max} : highest;
    static constexpr std::int64_t block_size = 256;
    static constexpr std::size_t blocks =
        max < min ? 0 : static_cast<std::size_t>((max - min) / block_size + 1);
    // Bits above the range.
    static constexpr int first_bit = [] {
        int bit = 0;
        while (bit < digits && bit < 63 && (std::int64_t{1} << bit) <= max) {
            ++bit;
        }
        return bit;
    }();
    static constexpr int bits = (digits < 63 ? digits : 63) - first_bit;

    template <std::size_t... Offsets>
    static auto bit_block(std::index_sequence<Offsets...>)
        -> enum_block<E, (std::int64_t{1} << (first_bit + static_cast<int>(Offsets)))...>;
    template <std::int64_t First, std::size_t... Offsets>
    static auto block(std::index_sequence<Offsets...>)
        -> enum_block<E, (First + static_cast<std::int64_t>(Offsets))...>;
    template <std::size_t Block,
              std::int64_t First = min + static_cast<std::int64_t>(Block) * block_size>
    using block_at =
        decltype(block<First>(std::make_index_sequence<static_cast<std::size_t>(
                                  max - First < block_size ? max - First + 1 : block_size)>{}));
};

// The constants of blocks by ascending value. The names are copied, so that the labels, which also
// name all other values, do not become part of the program.
template <class... Blocks>
struct enum_list {
    static constexpr std::size_t count = (Blocks::found.count + ... + 0);
    struct text {
        char at[(Blocks::found.bytes + ... + 1)] = {};  // each name ends with a zero
        enum_constant places[count + 1] = {};           // the sizes of the names are right
    };
    template <class Block>
    static constexpr void add(text& all, std::size_t& bytes, std::size_t& found) {
        for (std::size_t i = 0; i < sizeof(Block::numbers) / sizeof(std::int64_t); ++i) {
            const std::uint32_t size = Block::found.size[i];
            for (std::uint32_t c = 0; c < size; ++c) {
                all.at[bytes++] = Block::label.data[Block::found.begin[i] + c];
            }
            bytes += size != 0;
            found += size != 0 ? (all.places[found] = {Block::numbers[i], {"", size}}, 1) : 0;
        }
    }
    static constexpr text names = [] {
        text all;
        [[maybe_unused]] std::size_t bytes = 0, found = 0;
        (add<Blocks>(all, bytes, found), ...);
        return all;
    }();
    enum_constant constants[count + 1] = {};
    constexpr enum_list() {
        const char* name = names.at;
        for (std::size_t i = 0; i < count; name += constants[i++].name.size + 1) {
            constants[i] = {names.places[i].value, {name, names.places[i].name.size}};
        }
    }
};
template <class E, std::size_t... Blocks>
constexpr auto make_enum_list(std::index_sequence<Blocks...>) {
    using all = enum_values<E>;
    return enum_list<typename all::template block_at<Blocks>...,
                     decltype(all::bit_block(
                         std::make_index_sequence<static_cast<std::size_t>(all::bits)>{}))>();
}
template <class E>
inline constexpr auto enum_constants =
    make_enum_list<E>(std::make_index_sequence<enum_values<E>::blocks>{});

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
