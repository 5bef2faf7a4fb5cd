// From results of queries to calls of callbacks: the forms of callbacks, the conversion of fields
// to their parameters, and the loops over rows.
#pragma once

#include <kith/detail/parameters.hpp>
#include <kith/iter.hpp>

namespace kith {

// One pair (R, target) of a wildcard term, as a callback's parameter: the target, and the value if
// the pair has one.
template <class R>
class rel {
public:
    rel(world_t* world, id_t pair, R* value) noexcept : world_(world), pair_(pair), value_(value) {}

    kith::entity target() const { return kith::id(world_, pair_).second(); }
    kith::id id() const noexcept { return kith::id(world_, pair_); }
    R* operator->() noexcept { return value_; }
    const R* operator->() const noexcept { return value_; }
    R& operator*() noexcept { return *value_; }
    const R& operator*() const noexcept { return *value_; }
    // True if there is a pair. The pair of a tag has no value.
    explicit operator bool() const noexcept { return pair_ != 0; }
    bool has_value() const noexcept { return value_ != nullptr; }
    // The same pair, to be read.
    operator rel<const R>() const noexcept requires(!std::is_const_v<R>) {
        return rel<const R>(world_, pair_, value_);
    }

private:
    world_t* world_;
    id_t pair_;
    R* value_;
};

template <class R>
rel<const R> entity_view::edge() const {
    const kith::entity first = target<R>();
    return first ? edge<R>(first) : rel<const R>(world_, 0, nullptr);
}
template <class R>
rel<const R> entity_view::edge(detail::id_arg target) const {
    if (!has<R>(target)) {
        return rel<const R>(world_, 0, nullptr);
    }
    const id_t pair = make_pair(detail::id_of<R>(), target.in(world_));
    const R* value = nullptr;
    if constexpr (std::is_enum_v<R>) {
        value = detail::constant_in<R>(world_, pair);
    } else if constexpr (!std::is_empty_v<R>) {
        value = get<R>(target);
    }
    return rel<const R>(world_, pair, value);
}

namespace detail {

template <class T>
struct query_arg;

// The object that pointers and references to a tag refer to.
template <class T>
T* tag_object() noexcept {
    static std::remove_const_t<T> only{};
    return address_of(only);
}
// A pointer to the value of a field; null if the term did not match.
template <class T>
KITH_ALWAYS_INLINE typename query_arg<T>::value* pointer_to(const field_data& field,
                                                            std::byte* at) noexcept {
    using value = typename query_arg<T>::value;
    if constexpr (query_arg<T>::is_tag) {
        return field.flags & field_set ? tag_object<value>() : nullptr;
    } else {
        return reinterpret_cast<value*>(at);
    }
}

// The meaning of a template argument of a query: T, const T, T* (optional), a tag, a pair, rel<R>.
// `value` is the type of values, `direct` the parameter type that costs nothing, and make()
// converts a field to it.
template <class T>
struct query_arg {
    using base = base_type<T>;
    using value = std::conditional_t<std::is_const_v<std::remove_reference_t<T>>, const base, base>;
    static constexpr bool is_enum = std::is_enum_v<base>;
    static constexpr bool is_tag = std::is_empty_v<base> || is_enum;
    static constexpr bool is_optional = false;
    static constexpr bool is_plain = !is_tag;
    static constexpr bool wants_id = is_enum;  // make() looks at the field's id
    using direct = std::conditional_t<is_tag, base, value&>;
    static id_t id() { return id_of<base>(); }
    static direct make(world_t* world, const field_data& field, std::byte* at) {
        if constexpr (is_enum) {
            return constant_value<base>(world, field.id);
        } else if constexpr (is_tag) {
            return base{};
        } else {
            return *reinterpret_cast<value*>(at);
        }
    }
};
template <class T>
struct query_arg<T*> : query_arg<T> {
    using value = typename query_arg<T>::value;
    static constexpr bool is_optional = true;
    static constexpr bool is_plain = true;
    // The constant of an enum is read where it is.
    using direct = std::conditional_t<query_arg<T>::is_enum, const value, value>*;
    static direct make(world_t* world, const field_data& field, std::byte* at) {
        if constexpr (query_arg<T>::is_enum) {
            return field.flags & field_set
                       ? constant_in<typename query_arg<T>::base>(world, field.id)
                       : nullptr;
        } else {
            static_cast<void>(world);
            return pointer_to<T>(field, at);
        }
    }
};
template <class T>
struct query_arg<T&> : query_arg<T> {};
template <class A, class B>
struct query_arg<kith::pair<A, B>> {
    using base = kith::pair<A, B>;
    using value = typename base::type;
    static constexpr bool is_enum = false;
    static constexpr bool is_tag = std::is_empty_v<value>;
    static constexpr bool is_optional = false;
    static constexpr bool is_plain = !is_tag;
    static constexpr bool wants_id = false;
    using direct = base;
    static id_t id() { return id_of<base>(); }
    static direct make(world_t*, const field_data&, std::byte* at) {
        if constexpr (is_tag) {
            return base(*tag_object<value>());
        } else {
            return base(*reinterpret_cast<value*>(at));
        }
    }
};
template <class A, class B>
struct query_arg<const kith::pair<A, B>> : query_arg<kith::pair<A, B>> {
    using value = const typename query_arg<kith::pair<A, B>>::value;
};
template <class R>
struct query_arg<rel<R>> {
    using base = R;
    using relation = R;
    using value = R;
    static constexpr bool is_enum = false;
    static constexpr bool is_tag = std::is_empty_v<R> || std::is_enum_v<R>;
    static constexpr bool is_optional = false;
    static constexpr bool is_plain = false;
    static constexpr bool wants_id = true;
    using direct = rel<R>;
    static direct make(world_t* world, const field_data& field, std::byte* at) {
        if constexpr (std::is_enum_v<R>) {
            return rel<R>(world, field.id,
                          const_cast<std::remove_const_t<R>*>(
                              constant_in<std::remove_const_t<R>>(world, field.id)));
        } else {
            return rel<R>(world, field.id, reinterpret_cast<R*>(at));
        }
    }
};
template <class R>
struct query_arg<const rel<R>> : query_arg<rel<R>> {
    using base = const R;
    using value = const R;
    using direct = const rel<R>;
};
template <class R>
struct query_arg<rel<R>*> : query_arg<rel<R>> {
    KITH_STATIC_ASSERT(sizeof(R*) == 0,
                       "rel<R> has no optional form: build the query with term<R>(kith::Wildcard)"
                       ".optional(), and read it with iter()");
};

// The argument for parameters that differ from the direct form: a pointer instead of a reference,
// the value of a pair, a tag by reference. It converts to each of these.
template <class T>
class loose_arg {
    using arg = query_arg<T>;
    using value = typename arg::value;

public:
    loose_arg(world_t* world, const field_data& field, std::byte* at) noexcept
        : world_(world), field_(&field), at_(at) {}

    operator value&() const {
        value* found = pointer_to<T>(*field_, at_);
        if (!found) [[unlikely]] {
            raise_unset_reference();
        }
        return *found;
    }
    operator value*() const noexcept { return pointer_to<T>(*field_, at_); }
    operator typename arg::direct() const requires(!std::is_reference_v<typename arg::direct> &&
                                                   !std::is_same_v<typename arg::direct, value*> &&
                                                   !std::is_same_v<typename arg::direct, value>) {
        return arg::make(world_, *field_, at_);
    }

private:
    world_t* world_;
    const field_data* field_;
    std::byte* at_;
};

// The argument for an enum: a copy of the constant's value. A write of the callback replaces the
// constant of the entity.
template <class T>
    requires(query_arg<T>::is_enum)
class loose_arg<T> {
    using value = typename query_arg<T>::value;
    using constant = std::remove_const_t<value>;

public:
    loose_arg(world_t* world, const field_data& field, std::byte*) {
        if (field.flags & field_set) {
            copy_ = before_ = constant_value<constant>(world, field.id);
            is_set_ = true;
        }
    }

    operator value&() const {
        if (!is_set_) [[unlikely]] {
            raise_unset_reference();
        }
        return copy_;
    }
    operator value*() const noexcept { return is_set_ ? address_of(copy_) : nullptr; }
    void write(world_t* world, entity_t entity) const {
        if (copy_ != before_) {
            set_constant(world, entity, copy_);
        }
    }

private:
    mutable constant copy_{};
    constant before_{};
    bool is_set_ = false;
};

// The set of the values of Ts that a callback may write: bit i for the i-th.
template <class Func, class... Ts>
class written_fields {
    template <class T>
    static constexpr bool can_write =
        !std::is_const_v<typename query_arg<T>::value> && !query_arg<T>::is_tag && !is_rel_type<T>;
    template <std::size_t... I>
    static constexpr std::uint64_t find(std::index_sequence<I...>) noexcept {
        if constexpr (!callback<Func>) {
            return (std::uint64_t{0} | ... | (std::uint64_t{can_write<Ts>} << I));
        } else if constexpr (parameters_of<Func>::value_count == sizeof...(Ts)) {
            return (
                std::uint64_t{0} | ... |
                (std::uint64_t{can_write<Ts> && is_written_through<value_param<Func, I>>()} << I));
        } else {
            return 0;
        }
    }

public:
    // Queries have 64 fields at most.
    static constexpr std::uint64_t mask = [] {
        if constexpr (sizeof...(Ts) <= 64) {
            return find(std::index_sequence_for<Ts...>{});
        } else {
            return std::uint64_t{0};
        }
    }();
};

// The parameters of a callback: values, with an entity or an iterator and a row before them; or one
// of these without values.
enum class call_form : std::uint8_t {
    values,
    entity_values,
    iter_values,
    nothing,
    entity,
    iter,
    bound,  // variables, by their order or by name, and values
};

// The value of T can be passed where a callback takes a P.
template <class T, class P>
inline constexpr bool fits_param = std::is_convertible_v<typename query_arg<T>::direct, P> ||
                                   (std::is_convertible_v<loose_arg<T>, P> &&
                                    !(query_arg<T>::is_enum && is_written_through<P>()));

// The form in which a callback is called with the values of Ts, or `none`. Direct arguments are
// preferred to loose ones.
template <class Func, class... Ts>
struct callback_form {
    template <template <class> class Arg>
    static constexpr call_form find() {
        if constexpr (std::is_invocable_v<Func&, typename Arg<Ts>::type...>) {
            return call_form::values;
        } else if constexpr (std::is_invocable_v<Func&, kith::entity, typename Arg<Ts>::type...>) {
            return call_form::entity_values;
        } else if constexpr (std::is_invocable_v<Func&, kith::iter&, std::size_t,
                                                 typename Arg<Ts>::type...>) {
            return call_form::iter_values;
        } else {
            return none;
        }
    }
    template <class T>
    struct direct {
        using type = typename query_arg<T>::direct;
    };
    template <class T>
    struct loose {
        using type = loose_arg<T>;
    };
    // As `loose`, except for enums: the callback gets their value and cannot write it.
    template <class T>
    struct constant {
        using type =
            std::conditional_t<query_arg<T>::is_enum, typename query_arg<T>::direct, loose_arg<T>>;
    };
    static constexpr call_form none = static_cast<call_form>(0xFF);
    // A callback may omit all values.
    static constexpr call_form find_bare() {
        if constexpr (std::is_invocable_v<Func&, kith::entity>) {
            return call_form::entity;
        } else if constexpr (std::is_invocable_v<Func&, kith::iter&, std::size_t>) {
            return call_form::iter;
        } else if constexpr (std::is_invocable_v<Func&>) {
            return call_form::nothing;
        } else {
            return takes_variables() ? call_form::bound : none;
        }
    }
    template <std::size_t... I>
    static constexpr bool fit_all(std::index_sequence<I...>) {
        return (fits_param<Ts, value_param<Func, I>> && ...);
    }
    // True if parameters besides the values take variables of the query.
    static constexpr bool takes_variables() {
        if constexpr (callback<Func>) {
            using params = parameters_of<Func>;
            if constexpr (params::count_of(param_role::iter) != 0 ||
                          params::count_of(param_role::value) == params::count) {
                return false;
            } else if constexpr (params::value_count == sizeof...(Ts)) {
                return fit_all(std::index_sequence_for<Ts...>{});
            } else {
                return params::value_count == 0;
            }
        } else {
            return false;
        }
    }
    static constexpr bool is_direct = find<direct>() != none;
    static constexpr bool is_loose = !is_direct && find<loose>() != none;
    static constexpr call_form form = is_direct  ? find<direct>()
                                      : is_loose ? find<loose>()
                                                 : find_bare();
    static constexpr bool is_known = form != none;
    static constexpr bool is_bound = form == call_form::bound;
    static constexpr bool writes_enums =
        is_loose && (query_arg<Ts>::is_enum || ...) && find<constant>() == none;
};

// Mistakes of callbacks, as types that fail to compile when they are instantiated: the compiler's
// message names the number of the parameter, from 1, its type, and the component for it.
template <std::size_t Number, class Parameter, class Component>
struct parameter_of_callback {
    KITH_STATIC_ASSERT(
        (fits_param<Component, Parameter>),
        "the callback must take the query's components: the parameter of this number "
        "and type does not take that component");
};
template <std::size_t Values, std::size_t Components>
struct values_of_callback {
    KITH_STATIC_ASSERT(Values == Components,
                       "the callback must take the query's components: one value for each of them, "
                       "or none; before them nothing, an entity, or (iter&, size_t)");
};
template <class Func, class... Ts>
struct generic_callback {
    KITH_STATIC_ASSERT((callback_form<Func, Ts...>::is_known),
                       "the callback must take the query's components: (T&...), (entity, T&...) "
                       "or (iter&, size_t, T&...)");
};

// Finds the type of the mistake. Requires: callback_form is not known.
template <class Func, class... Ts>
class mistake_finder {
    template <std::size_t... I>
    static constexpr std::size_t first_wrong(std::index_sequence<I...>) {
        std::size_t at = 0;
        static_cast<void>(((fits_param<Ts, value_param<Func, I>> && ++at) && ...));
        return at;
    }
    static constexpr auto find() {
        if constexpr (!callback<Func>) {
            return std::type_identity<generic_callback<Func, Ts...>>{};
        } else {
            using params = parameters_of<Func>;
            using values = values_of_callback<params::value_count, sizeof...(Ts)>;
            if constexpr (params::value_count != sizeof...(Ts)) {
                return std::type_identity<values>{};
            } else {
                constexpr std::size_t at = first_wrong(std::index_sequence_for<Ts...>{});
                if constexpr (at == sizeof...(Ts)) {
                    return std::type_identity<generic_callback<Func, Ts...>>{};
                } else {
                    return std::type_identity<
                        parameter_of_callback<params::value_at(at) + 1, value_param<Func, at>,
                                              typename arg_at<at, arg_list<Ts...>>::type>>{};
                }
            }
        }
    }

public:
    using type = typename decltype(find())::type;
};
template <class Func, class... Ts>
using callback_mistake = typename mistake_finder<Func, Ts...>::type;

// The values of variables in a result, and the number of the variable that each parameter of the
// callback takes.
template <std::size_t Params>
struct bound_variables {
    const entity_t* values = nullptr;
    std::int32_t numbers[Params];
};
template <>
struct bound_variables<0> {};

// The number of parameters whose variables have to be remembered.
template <class Func, class... Ts>
constexpr std::size_t count_bound_params() noexcept {
    if constexpr (callback_form<Func, Ts...>::is_bound) {
        return parameters_of<Func>::count;
    } else {
        return 0;
    }
}

// Calls a callback for rows of results. The form of the callback is known at compile time, so the
// loops contain only the conversions that its parameters need.
template <class Func, class... Ts>
class row_caller : bound_variables<count_bound_params<Func, Ts...>()> {
    using form = callback_form<Func, Ts...>;

public:
    // `it` may be null unless the callback takes an iterator.
    row_caller(Func& func, world_t* world, const query_head* query, kith::iter* it)
        : func_(func), world_(world), query_(query), it_(it) {
        if constexpr (form::is_bound) {
            find_variables(std::make_index_sequence<parameters_of<Func>::count>{});
        }
    }

    static constexpr bool wants_entity =
        form::form == call_form::entity_values || form::form == call_form::entity;
    static constexpr bool wants_iter =
        form::form == call_form::iter_values || form::form == call_form::iter;

    // The flags of a field say whether its term matched. All rows of a result share them.
    static constexpr bool wants_flags =
        ((query_arg<Ts>::is_optional && query_arg<Ts>::is_tag) || ...) ||
        (query_arg<Ts>::is_enum || ...);
    // Writing an enum is a change of the entity.
    static constexpr bool writes_enums = form::writes_enums;
    static constexpr bool needs_entities = wants_entity || writes_enums;

    // The callback takes at most the entity and the value of a single field.
    static constexpr bool is_about_row =
        !wants_iter && sizeof...(Ts) <= 1 && !form::is_loose && !form::is_bound &&
        (!form::is_direct || ((query_arg<Ts>::is_plain && !query_arg<Ts>::is_optional) && ...));
    static constexpr bool wants_value = form::is_direct && sizeof...(Ts) != 0;

    // All rows of a result; false if the callback wants no more.
    bool call(const result& found) {
        if constexpr (form::is_bound) {
            this->values = found.variables;
        }
        return call_all(found, std::index_sequence_for<Ts...>{});
    }

    // One row: the value of each field is at `at`.
    template <std::size_t... I, class... At>
    KITH_ALWAYS_INLINE bool call_one(const entity_t* entities, std::size_t row,
                                     const field_data* fields, std::index_sequence<I...>,
                                     At... at) {
        if constexpr (form::is_direct) {
            return call_with(entities, row, query_arg<Ts>::make(world_, fields[I], at)...);
        } else if constexpr (form::is_loose) {
            return call_loose(entities, row, fields, std::index_sequence<I...>{},
                              loose_arg<Ts>(world_, fields[I], at)...);
        } else if constexpr (form::is_bound) {
            std::byte* const values[] = {at..., nullptr};
            return call_bound(entities, row, fields, values,
                              std::make_index_sequence<parameters_of<Func>::count>{});
        } else {
            static_cast<void>(fields);
            (static_cast<void>(at), ...);
            return call_with(entities, row);
        }
    }

private:
    // Calls the callback with loose arguments, then stores enum values that it has written.
    template <std::size_t... I>
    KITH_ALWAYS_INLINE bool call_loose(const entity_t* entities, std::size_t row,
                                       [[maybe_unused]] const field_data* fields,
                                       std::index_sequence<I...>, const loose_arg<Ts>&... args) {
        const bool more = call_with(entities, row, args...);
        if constexpr (writes_enums) {
            auto write = [&]<class T>(const loose_arg<T>& arg, const field_data& field) {
                if constexpr (query_arg<T>::is_enum) {
                    arg.write(world_, field.source ? field.source : entities[row]);
                }
            };
            (write.template operator()<Ts>(args, fields[I]), ...);
        }
        return more;
    }

    // Calls the callback with the entity or iterator that it takes before the values.
    template <class... Args>
    KITH_ALWAYS_INLINE bool call_with([[maybe_unused]] const entity_t* entities,
                                      [[maybe_unused]] std::size_t row, Args&&... args) {
        if constexpr (wants_entity) {
            return call_row(func_, kith::entity(world_, entities[row]),
                            std::forward<Args>(args)...);
        } else if constexpr (wants_iter) {
            return call_row(func_, *it_, row, std::forward<Args>(args)...);
        } else {
            return call_row(func_, std::forward<Args>(args)...);
        }
    }

    // -- callbacks that take variables
    // The number of the variable that a parameter takes, by its name or by the order of the
    // parameters. Without $this in the query, the order begins with the first variable.
    template <std::size_t I>
    std::int32_t variable_of() const {
        using params = parameters_of<Func>;
        if constexpr (params::roles[I] == param_role::variable) {
            return checked_variable(query_, var_name<std::remove_cvref_t<param_at<Func, I>>>::text);
        } else if constexpr (params::roles[I] == param_role::entity) {
            return variable_in_order(query_, params::count_before(I, param_role::entity));
        } else {
            return 0;
        }
    }
    template <std::size_t... I>
    void find_variables(std::index_sequence<I...>) {
        ((this->numbers[I] = variable_of<I>()), ...);
    }
    // The argument for one parameter of a callback that takes variables.
    template <std::size_t I>
    KITH_ALWAYS_INLINE decltype(auto) make_param(const entity_t* entities, std::size_t row,
                                                 const field_data* fields,
                                                 std::byte* const* values) const {
        using params = parameters_of<Func>;
        if constexpr (params::roles[I] == param_role::value) {
            constexpr std::size_t number = params::count_before(I, param_role::value);
            using T = typename arg_at<number, arg_list<Ts...>>::type;
            using taken = param_at<Func, I>;
            if constexpr (std::is_convertible_v<typename query_arg<T>::direct, taken>) {
                return query_arg<T>::make(world_, fields[number], values[number]);
            } else {
                return loose_arg<T>(world_, fields[number], values[number]);
            }
        } else {
            const std::int32_t number = this->numbers[I];
            const entity_t value = number == 0 ? entities[row] : this->values[number];
            if constexpr (params::roles[I] == param_role::variable) {
                return std::remove_cvref_t<param_at<Func, I>>(world_, value);
            } else {
                return kith::entity(world_, value);
            }
        }
    }
    template <std::size_t... I>
    KITH_ALWAYS_INLINE bool call_bound(const entity_t* entities, std::size_t row,
                                       const field_data* fields, std::byte* const* values,
                                       std::index_sequence<I...>) {
        return call_row(func_, make_param<I>(entities, row, fields, values)...);
    }

    // Chooses the loop: rows that are no neighbours, a match without rows, arrays, or strided
    // values.
    template <std::size_t... I>
    bool call_all(const result& found, std::index_sequence<I...> indices) {
        const field_data* fields = found.fields;
        if (found.rows) {
            return call_scattered(found, indices);
        }
        (check_set<Ts>(fields[I].value, I), ...);
        if (found.count == 0) {
            if constexpr (wants_entity) {
                // Without $this in the query, the first variable is the entity.
                if (!found.variables) {
                    raise_no_this(query_);
                }
                return call_one(found.variables + variable_in_order(query_, 0), 0, fields, indices,
                                fields[I].value...);
            } else {
                return call_one(found.entities, 0, fields, indices, fields[I].value...);
            }
        }
        const bool arrays = (is_array<Ts>(fields[I]) && ...);
        if (arrays) [[likely]] {
            return call_arrays(
                found, indices,
                reinterpret_cast<typename query_arg<Ts>::value*>(fields[I].value)...);
        }
        for (std::size_t row = 0; row < found.count; ++row) {
            if (!call_one(found.entities, row, fields, indices,
                          fields[I].value + fields[I].stride * row...)) {
                return false;
            }
        }
        return true;
    }
    // The values of a field of rows that are no neighbours.
    struct scattered_values {
        std::byte* const* listed;  // of each row; null: they follow a stride
        std::byte* first;
        std::size_t stride;

        explicit scattered_values(const field_data& field) noexcept
            : listed(field.values), first(field.value), stride(field.stride) {}
        KITH_ALWAYS_INLINE std::byte* at(std::size_t number, std::size_t row) const noexcept {
            return listed ? listed[number] : first + stride * row;
        }
    };
    // Rows that are no neighbours. Values lie in columns, or are listed row by row.
    template <std::size_t... I>
    bool call_scattered(const result& found, std::index_sequence<I...> indices) {
        const field_data* fields = found.fields;
        ((fields[I].values ? void() : check_set<Ts>(fields[I].value, I)), ...);
        if (((!fields[I].values && is_array<Ts>(fields[I])) && ...)) {
            return call_listed(
                found, indices,
                reinterpret_cast<typename query_arg<Ts>::value*>(fields[I].value)...);
        }
        return call_mixed(found, indices, scattered_values(fields[I])...);
    }
    // The values are passed one by one, which lets compilers keep them in registers.
    template <std::size_t... I, class... Values>
    bool call_mixed(const result& found, std::index_sequence<I...> indices,
                    const Values... values) {
        const std::uint32_t* const rows = found.rows;
        const std::uint32_t count = found.count;  // callbacks may write any memory
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::size_t row = rows[i];
            ((values.listed ? check_set<Ts>(values.listed[i], I) : void()), ...);
            if (!call_one(found.entities, row, found.fields, indices, values.at(i, row)...)) {
                return false;
            }
        }
        return true;
    }
    // Rows that are no neighbours, of columns alone.
    template <std::size_t... I, class... Values>
    bool call_listed(const result& found, std::index_sequence<I...> indices, Values*... values) {
        const std::uint32_t* const rows = found.rows;
        const std::uint32_t count = found.count;  // callbacks may write any memory
        for (std::uint32_t i = 0; i < count; ++i) {
            if (!call_one(found.entities, rows[i], found.fields, indices,
                          address<Ts>(values, rows[i])...)) {
                return false;
            }
        }
        return true;
    }
    // The loop that compilers can vectorise.
    template <std::size_t... I, class... Values>
    bool call_arrays(const result& found, std::index_sequence<I...> indices, Values*... values) {
        const std::size_t count = found.count;  // callbacks may write any memory
        for (std::size_t row = 0; row < count; ++row) {
            if (!call_one(found.entities, row, found.fields, indices,
                          address<Ts>(values, row)...)) {
                return false;
            }
        }
        return true;
    }
    template <class T, class Value>
    static std::byte* address(Value* values, std::size_t row) noexcept {
        if constexpr (query_arg<T>::is_tag) {
            static_cast<void>(row);
            return nullptr;
        } else {
            return const_cast<std::byte*>(reinterpret_cast<const std::byte*>(values + row));
        }
    }
    template <class T>
    static bool is_array(const field_data& field) noexcept {
        if constexpr (query_arg<T>::is_tag) {
            return true;
        } else {
            return field.stride == sizeof(typename query_arg<T>::value);
        }
    }
    // A reference to what is not there must not reach a callback.
    template <class T>
    void check_set([[maybe_unused]] const std::byte* value,
                   [[maybe_unused]] std::size_t index) const {
        constexpr bool is_handed_out = form::is_direct || (form::is_bound && takes_values);
        if constexpr (query_arg<T>::is_plain && !query_arg<T>::is_optional && is_handed_out) {
            if (!value) [[unlikely]] {
                raise_unset_field(query_, static_cast<std::int32_t>(index) + 1);
            }
        }
    }

    static constexpr bool takes_values = [] {
        if constexpr (form::is_bound) {
            return parameters_of<Func>::value_count != 0;
        } else {
            return form::is_direct || form::is_loose;
        }
    }();

    Func& func_;
    world_t* world_;
    const query_head* query_;
    kith::iter* it_;
};

// Values as a callback of iter() takes them: a pointer to the first row's; a column of an enum.
template <class T>
KITH_ALWAYS_INLINE auto table_arg(const kith::iter& it, std::size_t at) {
    const field_data& field = it.raw().fields[at];
    if constexpr (query_arg<T>::is_enum) {
        return it.template constants<typename query_arg<T>::base>(field);
    } else {
        return pointer_to<T>(field, field.value);
    }
}
template <class T>
using table_arg_of = decltype(table_arg<T>(std::declval<const kith::iter&>(), 0));

// Removes const from a pointer: a callback may take T* for a component that the query only reads.
template <class Arg>
struct without_const {
    using type = Arg;
};
template <class T>
struct without_const<const T*> {
    using type = T*;
};
template <class T>
using writable_arg = typename without_const<table_arg_of<T>>::type;
template <class T>
KITH_ALWAYS_INLINE writable_arg<T> make_writable(table_arg_of<T> arg) noexcept {
    if constexpr (std::is_pointer_v<table_arg_of<T>>) {
        return const_cast<writable_arg<T>>(arg);
    } else {
        return arg;
    }
}
// The callback takes argument `At` to write it, though the query only reads it.
template <std::size_t At, class Func, class... Ts, std::size_t... I>
constexpr bool drops_const(std::index_sequence<I...>) {
    return !std::is_invocable_v<Func&, kith::iter&,
                                std::conditional_t<I == At, table_arg_of<Ts>, writable_arg<Ts>>...>;
}

// Calls a callback for the rows of a result together; false if it returned false.
template <class... Ts, class Func, std::size_t... I>
KITH_ALWAYS_INLINE bool call_table(Func& func, kith::iter& it, std::index_sequence<I...>) {
    if constexpr (std::is_invocable_v<Func&, kith::iter&, table_arg_of<Ts>...>) {
        return call_row(func, it, table_arg<Ts>(it, I)...);
    } else if constexpr (std::is_invocable_v<Func&, kith::iter&, writable_arg<Ts>...>) {
        const bool more = call_row(func, it, make_writable<Ts>(table_arg<Ts>(it, I))...);
        constexpr bool written[] = {
            drops_const<I, Func, Ts...>(std::index_sequence_for<Ts...>{})...};
        (mark_field_written(it.c_world(), it.raw(), I, written[I]), ...);
        return more;
    } else if constexpr (std::is_invocable_v<Func&, kith::iter&>) {
        return call_row(func, it);
    } else if constexpr (std::is_invocable_v<Func&, kith::iter>) {
        return call_row(func, kith::iter(it));
    } else {
        KITH_STATIC_ASSERT((std::is_invocable_v<Func&, kith::iter>),
                           "the callback must take (iter&) or (iter&, T*...), or, for an "
                           "enum, kith::column<const E>");
        return false;
    }
}

}  // namespace detail
}  // namespace kith
