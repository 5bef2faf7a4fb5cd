// Types of the standard library by their shape: concepts recognise the types, and functions read
// and write their values. None of its headers is included. Used by <kith/reflect.hpp>.
//
// Covered by tests/features/values/shapes_test.cpp.
#pragma once

#include <kith/detail/aggregate_members.hpp>
#include <kith/entity.hpp>

namespace kith {

template <class T>
class describer;

namespace detail {

// Concepts recognise a type by its functions. A type of the program with the same functions is
// described in the same way. The order of the tests in describe_class() decides between shapes.
template <class T>
concept text_shape = requires(const T& text) {
    typename T::traits_type;
    requires std::is_same_v<typename T::value_type, char>;
    static_cast<const char*>(text.data());
    static_cast<std::size_t>(text.size());
};
template <class T>
concept list_shape = requires(T& list) {
    typename T::value_type;
    list.begin();
    list.size();
    list.resize(std::size_t{});
    requires std::is_same_v<decltype(*list.begin()), typename T::value_type&>;
};
// A span does not own its elements: values are read, and not resized.
template <class T>
concept span_shape = requires(const T& span) {
    typename T::element_type;
    T::extent;
    span.data();
    span.size();
};
template <class T>
concept map_shape = requires(T& map) {
    typename T::key_type;
    typename T::mapped_type;
    map.try_emplace(map.begin()->first);
};
template <class T>
concept set_shape = requires(T& set, const typename T::key_type& key) {
    requires std::is_same_v<typename T::key_type, typename T::value_type>;
    set.insert(key).second;
    set.find(key) == set.end();
};
template <class T>
concept optional_shape = requires(T& optional) {
    typename T::value_type;
    optional.has_value();
    optional.reset();
    optional.emplace();
    *optional;
};
// A pointer that owns one object is described as an optional.
template <class T>
concept pointer_shape = requires(T& pointer) {
    typename T::deleter_type;
    pointer.reset(pointer.release());
    requires !std::is_array_v<typename T::element_type>;
    requires std::is_default_constructible_v<typename T::element_type>;
};
// Durations and atomics are described like the number inside of them, if they hold nothing else.
template <class T>
concept duration_shape = requires(const T& duration) {
    typename T::rep;
    typename T::period;
    duration.count();
    requires sizeof(T) == sizeof(typename T::rep);
};
template <class T>
concept atomic_shape = requires(T& atomic) {
    typename T::value_type;
    T::is_always_lock_free;
    atomic.store(atomic.load());
    requires sizeof(T) == sizeof(typename T::value_type);
};
template <class T>
concept bits_shape = requires(T& bits, const T& fixed) {
    bits.set(std::size_t{}, true);
    fixed.test(std::size_t{});
    fixed.to_ullong();
    fixed.size();
};
template <class T>
concept pair_shape = requires(T& pair) {
    typename T::first_type;
    typename T::second_type;
    pair.first;
    pair.second;
};
template <class T>
concept tuple_shape = requires {
    std::tuple_size<T>::value;
};
template <class T>
concept described_class = requires(describer<T>& to) {
    T::describe(to);
};

// An array is recognised by its template arguments and its size; std::array need not be included.
template <class T>
inline constexpr bool is_std_array = false;
template <template <class, std::size_t> class A, class E, std::size_t N>
inline constexpr bool is_std_array<A<E, N>> = std::is_aggregate_v<A<E, N>>&& N != 0 &&
                                              sizeof(A<E, N>) == N * sizeof(E) &&
                                              requires(A<E, N>& list) {
    list.data();
    list.fill(list[0]);
};

template <class T>
const T& as(const void* value) noexcept {
    return *static_cast<const T*>(value);
}
template <class T>
T& as(void* value) noexcept {
    return *static_cast<T*>(value);
}

// The functions of value_ops for the shapes above. Each is a constant without state: the value is
// the only input.
template <class T>
constexpr value_ops text_ops() {
    value_ops ops;
    ops.text = [](const description&, const void* value) {
        return text_view(as<T>(value).data(), as<T>(value).size());
    };
    if constexpr (requires(T & text) { text.assign("", std::size_t{}); }) {
        ops.assign_text = [](const description&, void* value, text_view text) {
            as<T>(value).assign(text.data, text.size);
            return true;
        };
    }
    return ops;
}
constexpr value_ops string_ops() {
    value_ops ops = text_ops<string>();
    ops.assign_text = [](const description&, void* value, text_view text) {
        as<string>(value) = string(text);
        return true;
    };
    return ops;
}
// An array of characters holds a text up to its first zero; shorter texts are filled with zeros,
// and texts with a zero inside do not fit.
template <std::size_t Size>
constexpr value_ops characters_ops() {
    value_ops ops;
    ops.text = [](const description&, const void* value) {
        std::size_t size = 0;
        for (; size < Size && static_cast<const char*>(value)[size]; ++size) {}
        return text_view(static_cast<const char*>(value), size);
    };
    ops.assign_text = [](const description&, void* value, text_view text) {
        if (text.size > Size || __builtin_memchr(text.data, 0, text.size)) {
            return false;
        }
        __builtin_memset(value, 0, Size);
        __builtin_memcpy(value, text.data, text.size);
        return true;
    };
    return ops;
}
// The text belongs to somebody else: it is read only, and null reads as empty.
constexpr value_ops pointer_text_ops() {
    value_ops ops;
    ops.text = [](const description&, const void* value) {
        const char* text = as<const char*>(value);
        return text_view(text ? text : "");
    };
    return ops;
}
template <class T>
constexpr value_ops entity_ops() {
    value_ops ops;
    ops.entity = [](const description&, const void* value) -> entity_t { return as<T>(value); };
    ops.assign_entity = [](const description&, void* value, [[maybe_unused]] world_t* world,
                           entity_t entity) {
        if constexpr (std::is_same_v<T, handle>) {
            as<T>(value) = handle(entity);
        } else {
            as<T>(value) = entity ? T(world, entity) : T();
        }
    };
    return ops;
}
// Containers without access by index, such as std::list, are walked from the front.
template <class T>
constexpr value_ops list_ops() {
    value_ops ops;
    ops.size = [](const description&, const void* value) { return as<T>(value).size(); };
    ops.at = [](const description&, void* value, std::size_t index) -> void* {
        if constexpr (requires(T & list) { list[index]; }) {
            return const_cast<std::remove_cv_t<typename T::value_type>*>(
                __builtin_addressof(as<T>(value)[index]));
        } else {
            auto at = as<T>(value).begin();
            for (; index > 0; --index) {
                ++at;
            }
            return __builtin_addressof(*at);
        }
    };
    ops.each = [](const description&, const void* value,
                  void (*visit)(void*, const void*, const void*), void* context) {
        for (const auto& element : as<T>(value)) {
            visit(context, nullptr, __builtin_addressof(element));
        }
    };
    if constexpr (list_shape<T>) {
        ops.resize = [](const description&, void* value, std::size_t size) {
            as<T>(value).resize(size);
        };
        ops.clear = [](const description&, void* value) { as<T>(value).clear(); };
    }
    return ops;
}
template <class T>
constexpr value_ops set_ops() {
    using key_type = typename T::key_type;
    value_ops ops;
    ops.is_sorted = requires {
        typename T::key_compare;
    };
    ops.size = [](const description&, const void* value) { return as<T>(value).size(); };
    ops.each = [](const description&, const void* value,
                  void (*visit)(void*, const void*, const void*), void* context) {
        for (const auto& element : as<T>(value)) {
            visit(context, nullptr, __builtin_addressof(element));
        }
    };
    ops.find = [](const description&, void* value, const void* key) -> void* {
        const auto found = as<T>(value).find(as<key_type>(key));
        return found == as<T>(value).end() ? nullptr
                                           : const_cast<key_type*>(__builtin_addressof(*found));
    };
    ops.insert = [](const description&, void* value, void* key) -> void* {
        return const_cast<key_type*>(__builtin_addressof(
            *as<T>(value).insert(static_cast<key_type&&>(as<key_type>(key))).first));
    };
    ops.erase = [](const description&, void* value, const void* key) {
        return as<T>(value).erase(as<key_type>(key)) != 0;
    };
    ops.clear = [](const description&, void* value) { as<T>(value).clear(); };
    return ops;
}
template <class T>
constexpr value_ops map_ops() {
    using key_type = typename T::key_type;
    value_ops ops;
    ops.is_sorted = requires {
        typename T::key_compare;
    };
    ops.size = [](const description&, const void* value) { return as<T>(value).size(); };
    ops.each = [](const description&, const void* value,
                  void (*visit)(void*, const void*, const void*), void* context) {
        for (const auto& entry : as<T>(value)) {
            visit(context, __builtin_addressof(entry.first), __builtin_addressof(entry.second));
        }
    };
    ops.find = [](const description&, void* value, const void* key) -> void* {
        const auto found = as<T>(value).find(as<key_type>(key));
        return found == as<T>(value).end() ? nullptr : __builtin_addressof(found->second);
    };
    ops.insert = [](const description&, void* value, void* key) -> void* {
        return __builtin_addressof(
            as<T>(value).try_emplace(static_cast<key_type&&>(as<key_type>(key))).first->second);
    };
    ops.erase = [](const description&, void* value, const void* key) {
        return as<T>(value).erase(as<key_type>(key)) != 0;
    };
    ops.clear = [](const description&, void* value) { as<T>(value).clear(); };
    return ops;
}
template <class T>
constexpr value_ops optional_ops() {
    value_ops ops;
    ops.inner = [](const description&, void* value) -> void* {
        return as<T>(value) ? __builtin_addressof(*as<T>(value)) : nullptr;
    };
    ops.emplace = [](const description&, void* value, std::uint32_t) -> void* {
        if constexpr (pointer_shape<T>) {
            as<T>(value).reset(new typename T::element_type());
        } else {
            as<T>(value).emplace();
        }
        return __builtin_addressof(*as<T>(value));
    };
    ops.clear = [](const description&, void* value) { as<T>(value).reset(); };
    return ops;
}
// `get_if` is found by the namespace of the variant, so that <variant> is not needed here.
template <class T, std::size_t... Is>
constexpr value_ops variant_ops(std::index_sequence<Is...>) {
    value_ops ops;
    ops.which = [](const description&, const void* value) {
        return as<T>(value).valueless_by_exception()
                   ? -1
                   : static_cast<std::int32_t>(as<T>(value).index());
    };
    ops.inner = [](const description&, void* value) -> void* {
        T& variant = as<T>(value);
        void* found = nullptr;
        ((variant.index() == Is ? static_cast<void>(found = get_if<Is>(&variant)) : void()), ...);
        return found;
    };
    ops.emplace = [](const description&, void* value, std::uint32_t which) -> void* {
        T& variant = as<T>(value);
        void* made = nullptr;
        ((which == Is
              ? static_cast<void>(made = __builtin_addressof(variant.template emplace<Is>()))
              : void()),
         ...);
        return made;
    };
    return ops;
}
// Calls use(context, representation) with a text as representation.
void use_text(text_view text, void (*use)(void*, const void*), void* context);
text_view used_text(const void* representation);
[[noreturn]] void refuse_text(text_view text, const char* expected);
const description* owned_text();
// Sets of bits are written as digits, the highest bit first; missing digits are zeros.
template <class T>
constexpr value_ops bits_ops() {
    value_ops ops;
    ops.represent = [](const description&, const void* value, void (*use)(void*, const void*),
                       void* context) {
        constexpr std::size_t count = T().size();
        char digits[count + 1];
        for (std::size_t i = 0; i < count; ++i) {
            digits[i] = as<T>(value).test(count - 1 - i) ? '1' : '0';
        }
        use_text({digits, count}, use, context);
    };
    ops.assign = [](const description&, void* value, const void* representation) {
        const text_view digits = used_text(representation);
        T read;
        for (std::size_t i = 0; i < digits.size; ++i) {
            if (digits.size > read.size() || (digits.data[i] != '0' && digits.data[i] != '1')) {
                refuse_text(digits, "0 and 1, and no more of them than bits");
            }
            read.set(digits.size - 1 - i, digits.data[i] == '1');
        }
        as<T>(value) = read;
    };
    return ops;
}

template <class T>
inline constexpr bool is_variant = false;
template <template <class...> class V, class... Ts>
    requires(sizeof...(Ts) != 0 && requires(const V<Ts...>& variant) {
        variant.valueless_by_exception();
        variant.index();
    })
inline constexpr bool is_variant<V<Ts...>> = true;

template <template <class...> class V, class... Ts>
void describe_variant(description_writer& writer, const V<Ts...>*) {
    static constexpr description_getter types[] = {description_of<Ts>...};
    static constexpr value_ops ops = variant_ops<V<Ts...>>(std::index_sequence_for<Ts...>{});
    writer.variant(types, sizeof...(Ts), ops);
}
template <class T, std::size_t... Is>
void describe_tuple(description_writer& writer, std::index_sequence<Is...>) {
    static constexpr description_getter types[] = {
        description_of<std::remove_cv_t<typename std::tuple_element<Is, T>::type>>..., nullptr};
    const std::uint32_t offsets[] = {offset_in(sample<T>.value, get<Is>(sample<T>.value))..., 0};
    writer.members(kind::tuple, sizeof...(Is), nullptr, types, offsets);
}

}  // namespace detail

}  // namespace kith
