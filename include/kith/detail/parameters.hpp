// The meaning of a callback's parameters for a query: an entity, the value of a variable, or the
// value of a component.
//
// Covered by tests/features/idioms/world_each_test.cpp and variables_test.cpp.
#pragma once

#include <kith/detail/callable.hpp>
#include <kith/entity.hpp>

namespace kith {

template <class R>
class rel;

// The value of a query's variable as a parameter of a callback: kith::var<"port"> port. Null where
// the variable has no value.
template <literal Name>
class var : public kith::entity {
public:
    explicit var(world_t* world, entity_t value) noexcept : kith::entity(world, value) {}
};

namespace detail {

template <std::size_t I, class List>
struct arg_at;
template <class First, class... Rest>
struct arg_at<0, arg_list<First, Rest...>> {
    using type = First;
};
template <std::size_t I, class First, class... Rest>
struct arg_at<I, arg_list<First, Rest...>> : arg_at<I - 1, arg_list<Rest...>> {};

template <class T>
inline constexpr bool is_arg_list = false;
template <class... Args>
inline constexpr bool is_arg_list<arg_list<Args...>> = true;

template <class T>
inline constexpr bool is_rel_type = false;
template <class R>
inline constexpr bool is_rel_type<rel<R>> = true;

template <class T>
struct var_name {
    static constexpr const char* text = nullptr;
};
template <literal Name>
struct var_name<var<Name>> {
    static constexpr const char* text = Name.text;
};

enum class param_role : std::uint8_t { value, entity, variable, iter };

template <class P>
constexpr param_role role_of() noexcept {
    using plain = std::remove_cvref_t<P>;
    if constexpr (var_name<plain>::text != nullptr) {
        return param_role::variable;
    } else if constexpr (std::is_base_of_v<kith::entity_view, plain>) {
        return param_role::entity;
    } else if constexpr (std::is_same_v<plain, kith::iter>) {
        return param_role::iter;
    } else {
        return param_role::value;
    }
}

// The parameters of a callback by their roles. A row number behind an iterator belongs to it.
template <class Args>
struct parameter_roles;
template <class... Ps>
struct parameter_roles<arg_list<Ps...>> {
    static constexpr std::size_t count = sizeof...(Ps);
    static constexpr param_role roles[count + 1] = {role_of<Ps>()..., param_role::value};

    static constexpr std::size_t count_before(std::size_t end, param_role role) noexcept {
        std::size_t found = 0;
        for (std::size_t i = 0; i < end; ++i) {
            found += roles[i] == role;
        }
        return found;
    }
    static constexpr std::size_t count_of(param_role role) noexcept {
        return count_before(count, role);
    }
    // The values follow the iterator and the number of the row, if there is one.
    static constexpr bool integers[count + 1] = {std::is_integral_v<std::remove_cvref_t<Ps>>...,
                                                 false};
    static constexpr std::size_t row_numbers =
        count > 1 && roles[0] == param_role::iter&& integers[1] ? 1 : 0;
    static constexpr std::size_t value_count = count_of(param_role::value) - row_numbers;
    // The parameter that takes the n-th value.
    static constexpr std::size_t value_at(std::size_t number) noexcept {
        std::size_t left = number + row_numbers;
        for (std::size_t i = 0; i < count; ++i) {
            if (roles[i] == param_role::value && left-- == 0) {
                return i;
            }
        }
        return count;
    }
};

template <class Func>
using parameters_of = parameter_roles<args_of<Func>>;
template <class Func, std::size_t I>
using param_at = typename arg_at<I, args_of<Func>>::type;
// The parameter that takes the value of this number.
template <class Func, std::size_t I>
using value_param = param_at<Func, parameters_of<Func>::value_at(I)>;

// The template argument of a query that stands for a parameter, as an identity of types; of void
// where there is none.
template <class P>
constexpr auto find_param_term() noexcept {
    using plain = std::remove_cvref_t<P>;
    constexpr bool is_const = std::is_const_v<std::remove_reference_t<P>>;
    constexpr bool wants_variable = std::is_lvalue_reference_v<P> && !is_const;
    if constexpr (role_of<P>() != param_role::value || std::is_array_v<plain> ||
                  std::is_void_v<std::remove_pointer_t<plain>> ||
                  std::is_function_v<std::remove_pointer_t<plain>>) {
        return std::type_identity<void>{};
    } else if constexpr (std::is_pointer_v<plain>) {
        return std::type_identity<plain>{};
    } else if constexpr (is_rel_type<plain>) {
        return std::type_identity<std::conditional_t<wants_variable, void, plain>>{};
    } else if constexpr (is_pair_type<plain>) {
        using argument = std::conditional_t<is_const, const plain, plain>;
        return std::type_identity<std::conditional_t<wants_variable, void, argument>>{};
    } else if constexpr (std::is_lvalue_reference_v<P>) {
        return std::type_identity<std::remove_reference_t<P>>{};
    } else {
        return std::type_identity<
            std::conditional_t<std::is_rvalue_reference_v<P>, void, const plain>>{};
    }
}
template <class P>
using param_term = typename decltype(find_param_term<P>())::type;

// The template arguments of the query that a callback's values ask for.
template <class Args, class Indices>
struct deduced_terms;
template <class Args, std::size_t... I>
struct deduced_terms<Args, std::index_sequence<I...>> {
    using type =
        arg_list<param_term<typename arg_at<parameter_roles<Args>::value_at(I), Args>::type>...>;
};
template <class Func>
using terms_of_callback =
    typename deduced_terms<args_of<Func>,
                           std::make_index_sequence<parameters_of<Func>::value_count>>::type;

// A parameter through which the callback can change a value.
template <class P>
constexpr bool is_written_through() noexcept {
    using referred = std::remove_reference_t<P>;
    if constexpr (std::is_pointer_v<referred>) {
        return !std::is_const_v<std::remove_pointer_t<referred>>;
    } else if constexpr (is_pair_type<P>) {
        return !std::is_const_v<referred>;
    } else {
        return std::is_lvalue_reference_v<P> && !std::is_const_v<referred>;
    }
}

}  // namespace detail
}  // namespace kith
