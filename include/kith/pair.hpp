// Pairs of types, and the mapping from C++ types to ids and value types.
//
//   ship.set<kith::pair<Begins, Position>>({1, 2});  // Begins is empty: the value is a Position
#pragma once

#include <kith/type_info.hpp>

namespace kith {

namespace detail {
template <class T>
inline constexpr bool carries_data = !std::is_empty_v<T> && !std::is_enum_v<T>;

template <class First, class Second>
struct pair_value {
    using type = std::conditional_t<carries_data<First> || !carries_data<Second>, First, Second>;
};
}  // namespace detail

// A pair of two types, usable wherever a component type is. Its value has the type of First, or
// that of Second if First is empty. As an argument of a callback it refers to the value.
template <class First, class Second>
class pair {
public:
    using first = First;
    using second = Second;
    using type = typename detail::pair_value<First, Second>::type;

    explicit pair(type& value) noexcept : value_(detail::address_of(value)) {}

    type* operator->() noexcept { return value_; }
    const type* operator->() const noexcept { return value_; }
    type& operator*() noexcept { return *value_; }
    const type& operator*() const noexcept { return *value_; }

private:
    type* value_;
};

// A pair whose value has the type of its second element.
template <class First, class Second>
using pair_object = pair<First, Second>;

namespace detail {

template <class T>
struct type_traits {
    using value = T;
    static constexpr bool is_pair = false;
    static id_t id() { return ensure_type_id<T>(); }
    static std::uint32_t value_type() { return ensure_type_id<T>(); }
};

template <class First, class Second>
struct type_traits<pair<First, Second>> {
    using value = typename pair<First, Second>::type;
    static constexpr bool is_pair = true;
    static id_t id() { return make_pair(ensure_type_id<First>(), ensure_type_id<Second>()); }
    static std::uint32_t value_type() { return ensure_type_id<value>(); }
};

// The value type of a component or pair type, without const and reference.
template <class T>
using value_of = typename type_traits<base_type<T>>::value;

template <class T>
KITH_ALWAYS_INLINE id_t id_of() {
    return type_traits<base_type<T>>::id();
}

template <class T>
inline constexpr bool is_pair_type = type_traits<base_type<T>>::is_pair;

}  // namespace detail
}  // namespace kith
