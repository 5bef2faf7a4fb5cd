// Descriptions of sort orders from the arguments of order_by().
//
// Covered by tests/features/ordering/sort_test.cpp.
#pragma once

#include <kith/detail/callable.hpp>
#include <kith/detail/ops.hpp>
#include <kith/pair.hpp>
#include <kith/query_desc.hpp>

namespace kith::detail {

template <class T>
constexpr order_number number_kind() noexcept {
    if constexpr (std::is_enum_v<T>) {
        return number_kind<std::underlying_type_t<T>>();
    } else if constexpr (std::is_floating_point_v<T>) {
        return sizeof(T) == 4   ? order_number::f32
               : sizeof(T) == 8 ? order_number::f64
                                : order_number::none;
    } else if constexpr (std::is_integral_v<T>) {
        constexpr order_number first = std::is_signed_v<T> ? order_number::i8 : order_number::u8;
        constexpr std::uint8_t size = sizeof(T) == 1   ? 0
                                      : sizeof(T) == 2 ? 1
                                      : sizeof(T) == 4 ? 2
                                                       : 3;
        return static_cast<order_number>(static_cast<std::uint8_t>(first) + size);
    } else {
        return order_number::none;
    }
}

template <class T>
concept has_less = requires(const T& one) {
    static_cast<bool>(one < one);
};

// Describes how values are compared: numbers by the library, other types by their operator.
template <class T>
void compare_values(order_desc& made) noexcept {
    made.number = number_kind<T>();
    if constexpr (number_kind<T>() == order_number::none) {
        KITH_STATIC_ASSERT(has_less<T>, "values without operator< need a function to sort them by");
        made.compare = [](entity_t, const void* v1, entity_t, const void* v2) {
            const T& a = *static_cast<const T*>(v1);
            const T& b = *static_cast<const T*>(v2);
            return a < b ? -1 : b < a ? 1 : 0;
        };
    }
}

template <class T>
order_desc make_order(id_t component) noexcept {
    order_desc made;
    made.component = component;
    made.type = ensure_type_id<value_of<T>>();
    compare_values<value_of<T>>(made);
    return made;
}

template <class T, class M>
order_desc make_order(id_t component, M T::*member) noexcept {
    order_desc made;
    made.component = component;
    made.type = ensure_type_id<T>();
    alignas(T) std::byte room[sizeof(T)];
    const T* value = reinterpret_cast<const T*>(room);
    made.offset = static_cast<std::uint32_t>(
        reinterpret_cast<const std::byte*>(address_of(value->*member)) - room);
    compare_values<M>(made);
    return made;
}

// Calls a comparison. A bool means that the first value comes before the second, as in the standard
// library; a number means what strcmp returns.
template <class Func, class Value>
int compare_by(Func& func, entity_t e1, const Value* v1, entity_t e2, const Value* v2) {
    if constexpr (std::is_same_v<
                      std::invoke_result_t<Func&, entity_t, const Value*, entity_t, const Value*>,
                      bool>) {
        return func(e1, v1, e2, v2) ? -1 : func(e2, v2, e1, v1) ? 1 : 0;
    } else {
        return func(e1, v1, e2, v2);
    }
}

// Owns a function object that compares values; `Value` is the type that its pointers refer to.
template <class Value, class Func>
comparer make_comparer(Func func) {
    struct holder : comparer::head {
        explicit holder(Func&& kept) : function(std::move(kept)) {}
        Func function;
    };
    auto* made = new holder(std::move(func));
    made->call = [](comparer::head* kept, entity_t e1, const void* v1, entity_t e2,
                    const void* v2) -> int {
        return compare_by(static_cast<holder*>(kept)->function, e1, static_cast<const Value*>(v1),
                          e2, static_cast<const Value*>(v2));
    };
    made->end = [](comparer::head* kept) noexcept { delete static_cast<holder*>(kept); };
    return comparer(made);
}

// A function, or an object with a call operator.
template <class T, class Func>
order_desc make_order(id_t component, Func func) {
    using value = value_of<T>;
    using typed = int (*)(entity_t, const value*, entity_t, const value*);
    KITH_STATIC_ASSERT(
        (std::is_invocable_r_v<int, Func&, entity_t, const value*, entity_t, const value*>),
        "the function must take (const T&, const T&), or with their entities (entity_t, const T*, "
        "entity_t, const T*), and return an int, or a bool: less");
    order_desc made;
    made.component = component;
    made.type = ensure_type_id<value>();
    if constexpr (!std::is_invocable_v<Func&, entity_t, const value*, entity_t, const value*>) {
        return made;
    } else if constexpr (std::is_empty_v<Func> && std::is_default_constructible_v<Func> &&
                         std::is_convertible_v<Func, typed>) {
        made.compare = [](entity_t e1, const void* v1, entity_t e2, const void* v2) {
            return int{
                Func{}(e1, static_cast<const value*>(v1), e2, static_cast<const value*>(v2))};
        };
    } else if constexpr (std::is_convertible_v<Func, typed>) {
        made.func = reinterpret_cast<void (*)()>(static_cast<typed>(func));
        made.call = [](void (*kept)(), entity_t e1, const void* v1, entity_t e2, const void* v2) {
            return reinterpret_cast<typed>(kept)(e1, static_cast<const value*>(v1), e2,
                                                 static_cast<const value*>(v2));
        };
    } else if constexpr (std::is_convertible_v<Func, order_by_action_t>) {
        made.compare = func;
    } else {
        made.callable = make_comparer<value>(std::move(func));
    }
    return made;
}
// A function that compares values of an unknown type.
inline order_desc make_order(id_t component, order_by_action_t func) noexcept {
    order_desc made;
    made.component = component;
    made.compare = func;
    return made;
}
template <class Func>
    requires(!std::is_convertible_v<Func, order_by_action_t>)
order_desc make_order(id_t component, Func func) {
    KITH_STATIC_ASSERT(
        (std::is_invocable_r_v<int, Func&, entity_t, const void*, entity_t, const void*>),
        "the function must take (entity_t, const void*, entity_t, const void*) and return an int, "
        "or a bool: less");
    order_desc made;
    made.component = component;
    made.callable = make_comparer<void>(std::move(func));
    return made;
}

// The component type of a comparing function's parameters.
template <class Args>
struct compared_type;
template <class A, class B>
struct compared_type<arg_list<A, B>> {
    using type = base_type<A>;
};
template <class E1, class A, class E2, class B>
struct compared_type<arg_list<E1, A, E2, B>> {
    using type = base_type<A>;
};
template <class Func>
using ordered_type = typename compared_type<args_of<Func>>::type;

// An order by a function that compares values of T, with or without their entities.
template <class T, class Func>
order_desc make_order_of(id_t component, Func func) {
    KITH_STATIC_ASSERT(
        !std::is_void_v<T>,
        "name the component of a function that takes const void*: order_by<T>(func)");
    using value = value_of<T>;
    if constexpr (std::is_invocable_v<Func&, const value&, const value&>) {
        return make_order<T>(
            component, [kept = std::move(func)](entity_t, const value* a, entity_t,
                                                const value* b) mutable { return kept(*a, *b); });
    } else {
        return make_order<T>(component, std::move(func));
    }
}

[[noreturn]] void raise_many_orders(std::uint32_t most);

// The sort keys of a query that is being built. The memory is not initialized until a key is added.
class order_list {
public:
    order_list() noexcept = default;
    order_list(const order_list& other) { add_all(other); }
    order_list& operator=(const order_list& other) {
        if (this != &other) {
            clear();
            add_all(other);
        }
        return *this;
    }
    ~order_list() { clear(); }

    void add(const order_desc& one) {
        if (count_ == most) [[unlikely]] {
            raise_many_orders(most);
        }
        ::new (static_cast<void*>(room_ + sizeof(order_desc) * count_++)) order_desc(one);
    }
    const order_desc* data() const noexcept { return reinterpret_cast<const order_desc*>(room_); }
    std::uint32_t size() const noexcept { return count_; }

private:
    static constexpr std::uint32_t most = 8;

    void add_all(const order_list& other) {
        for (std::uint32_t i = 0; i < other.count_; ++i) {
            add(other.data()[i]);
        }
    }
    void clear() noexcept {
        while (count_ != 0) {
            data()[--count_].~order_desc();
        }
    }

    std::uint32_t count_ = 0;
    alignas(order_desc) std::byte room_[most * sizeof(order_desc)];
};

// Adds the keys of a text: "Health.points desc, Tag.text". Throws for members that do not exist.
void add_orders(world_t* world, text_view members, order_list& orders);

}  // namespace kith::detail
