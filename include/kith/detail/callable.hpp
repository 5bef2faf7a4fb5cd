// The parameter types of callbacks: lambdas, functors and functions.
#pragma once

#include <kith/fwd.hpp>
#include <kith/id.hpp>
#include <kith/pair.hpp>
#include <kith/string.hpp>

#include <type_traits>

namespace kith::detail {

template <class... Args>
struct arg_list {
    static constexpr std::size_t count = sizeof...(Args);
};

template <class F>
struct signature;
template <class R, class... Args>
struct signature<R(Args...)> {
    using args = arg_list<Args...>;
};
template <class R, class... Args>
struct signature<R (*)(Args...)> : signature<R(Args...)> {};
template <class C, class R, class... Args>
struct signature<R (C::*)(Args...)> : signature<R(Args...)> {};
template <class C, class R, class... Args>
struct signature<R (C::*)(Args...) const> : signature<R(Args...)> {};
template <class R, class... Args>
struct signature<R(Args...) noexcept> : signature<R(Args...)> {};
template <class R, class... Args>
struct signature<R (*)(Args...) noexcept> : signature<R(Args...)> {};
template <class C, class R, class... Args>
struct signature<R (C::*)(Args...) noexcept> : signature<R(Args...)> {};
template <class C, class R, class... Args>
struct signature<R (C::*)(Args...) const noexcept> : signature<R(Args...)> {};
template <class F>
    requires requires {
        &F::operator();
    }
struct signature<F> : signature<decltype(&F::operator())> {};

template <class F>
using args_of = typename signature<std::remove_cvref_t<F>>::args;

// A callback, as opposed to an id or a value.
template <class F>
concept callback = requires {
    typename args_of<F>;
};

template <class F>
concept value_callback = callback<F> &&(args_of<F>::count > 0);

// Calls the callback of a loop; false if it returned false, which ends the loop.
template <class Func, class... Args>
KITH_ALWAYS_INLINE bool call_row(Func& func, Args&&... args) {
    if constexpr (!std::is_invocable_v<Func&, Args...>) {
        KITH_STATIC_ASSERT((std::is_invocable_v<Func&, Args...>),
                           "the callback must take these arguments");
        return false;
    } else if constexpr (std::is_same_v<std::invoke_result_t<Func&, Args...>, bool>) {
        return func(std::forward<Args>(args)...);
    } else {
        func(std::forward<Args>(args)...);
        return true;
    }
}

template <class T>
concept enum_class = std::is_enum_v<std::remove_cvref_t<T>>;

template <class T>
concept not_reference = !std::is_reference_v<T>;

// The type of a lambda, as compilers write it.
template <class F>
constexpr bool is_closure_type() noexcept {
    if constexpr (!std::is_class_v<F>) {
        return false;
    } else {
        for (const char* at = type_label<F>(); *at != 0; ++at) {
            const char* part = at;
            const char* word = "lambda";
            while (*word != 0 && *part == *word) {
                ++part;
                ++word;
            }
            // `<lambda(…)>`, `(lambda at …)`, `<lambda_…>`
            if (*word == 0 && (at[-1] == '<' || at[-1] == '(') &&
                (*part == '(' || *part == ' ' || *part == '_')) {
                return true;
            }
        }
        return false;
    }
}

// Functions and lambdas are callbacks; other types with a call operator are values.
template <class F>
inline constexpr bool is_function_like =
    std::is_function_v<std::remove_pointer_t<std::remove_cvref_t<F>>> ||
    is_closure_type<std::remove_cvref_t<F>>();

// A callback that set() calls with values to write, as opposed to a value that can be called.
template <class F>
concept writing_callback = value_callback<F> && is_function_like<F>;

// A component value as such: neither a reference nor a pair type nor a callback.
template <class T>
concept plain_value =
    !std::is_reference_v<T> && !is_pair_type<T> && !(callback<T> && is_function_like<T>);

// A component value given to world::entity(), as opposed to a name, an id or an enum constant.
template <class T>
concept new_value = std::is_class_v<std::remove_cvref_t<T>> && !std::is_convertible_v<T, id_t> &&
                    !text_source<std::remove_cvref_t<T>>;

}  // namespace kith::detail
