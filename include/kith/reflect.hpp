// Automatic descriptions of C++ types: aggregates with up to 64 members by their structure, enums
// by their constants, types of the standard library by their shape, so that none of its headers is
// needed. Not part of <kith/kith.hpp>.
//
//   kith::reflect<Position, Cargo>();   // worlds know the members of both from now on
//
// Other classes describe themselves by `static void describe(kith::describer<T>&)`, or are
// described in one world by component<T>().member(…) and .opaque(…). See docs/manual/reflection.md
// and docs/design/0040-descriptions.md. Covered by tests/features/values/.
#pragma once

#include <kith/component.hpp>
#include <kith/description.hpp>
#include <kith/detail/shapes.hpp>
#include <kith/world.hpp>

namespace kith {

namespace detail {

// The kind by size and sign; kind::none for long double.
template <class T>
constexpr kind kind_of_number() {
    if constexpr (std::is_same_v<T, bool>) {
        return kind::boolean;
    } else if constexpr (std::is_same_v<T, char>) {
        return kind::character;
    } else if constexpr (std::is_floating_point_v<T>) {
        return sizeof(T) == 4 ? kind::f32 : sizeof(T) == 8 ? kind::f64 : kind::none;
    } else {
        constexpr kind sized[] = {kind::i8, kind::i16, kind::i32, kind::i64,
                                  kind::u8, kind::u16, kind::u32, kind::u64};
        constexpr int log = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
        return sized[log + (std::is_signed_v<T> ? 0 : 4)];
    }
}
template <class E>
void describe_enum(description_writer& writer) {
    constexpr std::size_t count = enum_constants<E>.count;
    constant_info constants[count + 1];
    for (std::size_t i = 0; i < count; ++i) {
        // The table of names has a zero behind each.
        constants[i] = {enum_constants<E>.constants[i].name.data,
                        enum_constants<E>.constants[i].value};
    }
    using integer = std::underlying_type_t<E>;
    writer.constants(is_flags<E> ? kind::flags : kind::enumeration,
                     std::is_same_v<integer, bool> ? kind::u8 : kind_of_number<integer>(),
                     constants, count);
}
template <class T>
void describe_aggregate(description_writer& writer) {
    constexpr const char* obstacle = aggregate_obstacle<T>();
    if constexpr (obstacle != nullptr) {
        writer.obstacle(obstacle);
    } else {
        fields<member_count<T>>::bind(sample<T>.value, write_members<T>{writer});
    }
}
// The last case is a pointer that owns one object.
template <class T>
void describe_container(description_writer& writer) {
    if constexpr (map_shape<T>) {
        static constexpr value_ops ops = map_ops<T>();
        writer.container(kind::map, description_of<typename T::key_type>(),
                         description_of<typename T::mapped_type>(), ops);
    } else if constexpr (set_shape<T>) {
        static constexpr value_ops ops = set_ops<T>();
        writer.container(kind::set, nullptr, description_of<typename T::value_type>(), ops);
    } else if constexpr (list_shape<T> || span_shape<T>) {
        static constexpr value_ops ops = list_ops<T>();
        writer.container(kind::list, nullptr,
                         description_of<std::remove_cv_t<typename T::value_type>>(), ops);
    } else if constexpr (optional_shape<T>) {
        static constexpr value_ops ops = optional_ops<T>();
        writer.container(kind::optional, nullptr, description_of<typename T::value_type>(), ops);
    } else {
        static constexpr value_ops ops = optional_ops<T>();
        writer.container(kind::optional, nullptr, description_of<typename T::element_type>(), ops);
    }
}
template <class T>
void describe_class(description_writer& writer) {
    if constexpr (text_shape<T>) {
        static constexpr value_ops ops = text_ops<T>();
        writer.text(ops);
    } else if constexpr (std::is_same_v<T, string>) {
        static constexpr value_ops ops = string_ops();
        writer.text(ops);
    } else if constexpr (map_shape<T> || set_shape<T> || list_shape<T> || span_shape<T> ||
                         optional_shape<T> || pointer_shape<T>) {
        describe_container<T>(writer);
    } else if constexpr (is_variant<T>) {
        describe_variant(writer, static_cast<const T*>(nullptr));
    } else if constexpr (duration_shape<T>) {
        writer.like(*description_of<typename T::rep>());
    } else if constexpr (atomic_shape<T>) {
        writer.like(*description_of<typename T::value_type>());
    } else if constexpr (bits_shape<T>) {
        static constexpr value_ops ops = bits_ops<T>();
        writer.opaque(*owned_text(), ops, nullptr);
    } else if constexpr (pair_shape<T>) {
        static constexpr description_getter types[] = {
            description_of<std::remove_cv_t<typename T::first_type>>,
            description_of<std::remove_cv_t<typename T::second_type>>};
        const std::uint32_t offsets[] = {offset_in(sample<T>.value, sample<T>.value.first),
                                         offset_in(sample<T>.value, sample<T>.value.second)};
        writer.members(kind::tuple, 2, nullptr, types, offsets);
    } else if constexpr (tuple_shape<T>) {
        describe_tuple<T>(writer, std::make_index_sequence<std::tuple_size<T>::value>{});
    } else {
        writer.obstacle(
            "it has constructors, private members, virtual functions or bases; give it `static "
            "void describe(kith::describer<T>&)`, or describe it by .member(name, &T::m) or "
            ".opaque(to, from)");
    }
}
// The tests go from the certain to the vague: a class that describes itself comes before shapes,
// and aggregates before other classes.
template <class T>
void describe_type(description_writer& writer) {
    if constexpr (std::is_arithmetic_v<T>) {
        if constexpr (kind_of_number<T>() == kind::none) {
            writer.obstacle("long double has no portable form");
        } else {
            writer.number(kind_of_number<T>());
        }
    } else if constexpr (std::is_enum_v<T>) {
        describe_enum<T>(writer);
    } else if constexpr (std::is_array_v<T>) {
        using element = std::remove_cv_t<std::remove_extent_t<T>>;
        if constexpr (std::is_same_v<element, char>) {
            static constexpr value_ops ops = characters_ops<std::extent_v<T>>();
            writer.text(ops);
        } else {
            writer.array(*description_of<element>(), std::extent_v<T>);
        }
    } else if constexpr (std::is_pointer_v<T>) {
        if constexpr (std::is_same_v<T, const char*>) {
            static constexpr value_ops ops = pointer_text_ops();
            writer.text(ops);
        } else {
            writer.obstacle(
                "a pointer owns nothing that could be read: leave it out by an "
                "explicit description, or use a handle");
        }
    } else if constexpr (std::is_union_v<T>) {
        writer.obstacle("a union does not tell which member it has: use std::variant");
    } else if constexpr (!std::is_class_v<T>) {
        writer.obstacle("values of this type cannot be read");
    } else if constexpr (described_class<T>) {
        describer<T> own(writer);
        T::describe(own);
    } else if constexpr (std::is_same_v<T, handle> || std::is_base_of_v<kith::id, T>) {
        static constexpr value_ops ops = entity_ops<T>();
        writer.entity(ops);
    } else if constexpr (is_std_array<T>) {
        writer.array(*description_of<typename T::value_type>(), std::tuple_size<T>::value);
    } else if constexpr (std::is_aggregate_v<T>) {
        describe_aggregate<T>(writer);
    } else {
        describe_class<T>(writer);
    }
}

// The slot of a type in one binary. It is read without a lock and written once, when the
// description is complete.
template <class T>
struct description_slot {
    KITH_ONE_PER_FILE static inline const description* known = nullptr;
};
// The functions for values. Empty types count as one byte here, unlike components, which are tags
// then.
template <class T>
constexpr type_info life_of() noexcept {
    if constexpr (std::is_array_v<T>) {
        type_info info;  // the description of an array makes and copies its elements
        info.size = sizeof(T);
        info.alignment = alignof(T);
        return info;
    } else {
        type_info info = make_type_info<T>();
        info.size = sizeof(T);
        info.alignment = alignof(T);
        if constexpr (std::is_empty_v<T>) {
            info.zero_construct = info.trivial_copy = info.trivial_move = true;
            info.trivial_destroy = true;
        }
        return info;
    }
}
template <class T>
const description* description_of() {
    if constexpr (std::is_const_v<T>) {
        return description_of<std::remove_const_t<T>>();
    } else {
        if (const description* known =
                __atomic_load_n(&description_slot<T>::known, __ATOMIC_ACQUIRE)) {
            return known;
        }
        type_source source{life_of<T>(), type_label<T>(), nullptr, nullptr, describe_type<T>};
#if defined(__cpp_rtti)
        source.mangled = typeid(T).name();
#endif
        if constexpr (!std::is_array_v<T> && !std::is_pointer_v<T>) {
            source.type_id = &type_slot<T>::id;
        }
        return ensure_description(&description_slot<T>::known, source);
    }
}

// The functions `to` and `from` of an opaque type.
template <class T, class To, class From>
struct opaque_functions {
    using representation =
        std::remove_cvref_t<decltype(std::declval<To&>()(std::declval<const T&>()))>;
    To to;
    From from;

    static constexpr value_ops ops() {
        value_ops made;
        made.represent = [](const description& type, const void* value,
                            void (*use)(void*, const void*), void* context) {
            const auto& shown = static_cast<opaque_functions*>(type.context)->to(as<T>(value));
            use(context, __builtin_addressof(shown));
        };
        made.assign = [](const description& type, void* value, const void* representation_value) {
            static_cast<opaque_functions*>(type.context)
                ->from(as<T>(value), as<representation>(representation_value));
        };
        return made;
    }
};

// The functions of a member of T that is read and written by them.
template <class T, class Get, class Set>
struct member_functions {
    Get get;
    Set set;

    static decltype(auto) read(Get& get, const T& whole) {
        if constexpr (std::is_member_function_pointer_v<Get>) {
            return (whole.*get)();
        } else {
            return get(whole);
        }
    }
    using member_type =
        std::remove_cvref_t<decltype(read(std::declval<Get&>(), std::declval<const T&>()))>;
    static constexpr bool writes = !std::is_same_v<Set, std::nullptr_t>;

    static void assign(void* functions, const void* whole, void* into) {
        as<member_type>(into) = read(static_cast<member_functions*>(functions)->get, as<T>(whole));
    }
    static void write(void* functions, void* whole, const void* from) {
        Set& set = static_cast<member_functions*>(functions)->set;
        if constexpr (std::is_member_function_pointer_v<Set>) {
            (as<T>(whole).*set)(as<member_type>(from));
        } else if constexpr (writes) {
            set(as<T>(whole), as<member_type>(from));
        }
    }
    static function_member make(const char* name, Get get, Set set) {
        const description* type = description_of<member_type>();
        return {name,
                type,
                new member_functions{get, set},
                [](void* kept) noexcept { delete static_cast<member_functions*>(kept); },
                assign,
                writes ? write : nullptr};
    }
};

}  // namespace detail

// Describes the class T, from inside of its function `describe`.
template <class T>
class describer {
public:
    explicit describer(detail::description_writer& writer) noexcept : writer_(writer) {}

    // A const member is described as read-only.
    template <class M, class C>
        requires(!std::is_function_v<M>)
    describer& member(const char* name, M C::*pointer) {
        const auto& whole = detail::sample<T>.value;
        writer_.member(name, *detail::description_of<std::remove_cv_t<M>>(),
                       detail::offset_in(whole, whole.*pointer), std::is_const_v<M>);
        return *this;
    }
    // A member that functions read and write: get(const T&) and set(T&, value), or functions of T.
    // Without `set` it can only be read.
    template <class Get, class Set = std::nullptr_t>
    requires detail::member_getter<T, Get> describer& member(const char* name, Get get,
                                                             Set set = nullptr) {
        writer_.member(detail::member_functions<T, Get, Set>::make(name, get, set));
        return *this;
    }
    // The members of a base.
    template <class B>
    describer& base() {
        const auto& whole = detail::sample<T>.value;
        writer_.members_of(*detail::description_of<B>(),
                           detail::offset_in(whole, static_cast<const B&>(whole)));
        return *this;
    }
    // Values are read and written as values of another type: `to(const T&)` gives one, and
    // `from(T&, const X&)` takes one and may throw.
    template <class To, class From>
    describer& opaque(To to, From from) {
        using functions = detail::opaque_functions<T, To, From>;
        static functions kept{to, from};
        static constexpr value_ops ops = functions::ops();
        writer_.opaque(*detail::description_of<typename functions::representation>(), ops, &kept);
        return *this;
    }

private:
    detail::description_writer& writer_;
};

// The description of a C++ type.
template <class T>
const description& describe() {
    return *detail::description_of<std::remove_cvref_t<T>>();
}

// Attaches the descriptions of C++ types, for all worlds of the process.
template <class... Ts>
void reflect() {
    (detail::attach_description(detail::ensure_type_id<Ts>(), describe<Ts>()), ...);
}

}  // namespace kith

#include <kith/detail/description_inl.hpp>
