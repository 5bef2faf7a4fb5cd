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
#include <kith/enum.hpp>
#include <kith/fields.hpp>
#include <kith/world.hpp>

namespace kith {

template <class T>
class describer;

namespace detail {

// The description of T, made at the first call and the same for the whole process. Thread-safe.
template <class T>
const description* description_of();

// Memory for a T that is never made: members have addresses in it.
template <class T>
union unmade {
    char none;
    T value;
    constexpr unmade() noexcept : none() {}
    constexpr ~unmade() {}
};
template <class T>
inline unmade<T> sample;

// The distance of a member from the beginning of its object, by addresses only: no value is read.
template <class T, class M>
std::uint32_t offset_in(const T& whole, const M& part) noexcept {
    return static_cast<std::uint32_t>(
        reinterpret_cast<const volatile char*>(__builtin_addressof(part)) -
        reinterpret_cast<const volatile char*>(__builtin_addressof(whole)));
}

// -- the number of members ----------------------------------------------------------------------

// Converts to the bases of T that are empty, or to those that are not.
template <class T, bool Empty>
struct base_probe {
    template <class U>
        requires(std::is_base_of_v<U, T> && !std::is_same_v<U, T> && std::is_empty_v<U> == Empty)
    constexpr operator U() const;
};
template <class T>
constexpr int count_empty_bases() {
    using probe = base_probe<T, true>;
    if constexpr (requires { T{probe{}, probe{}, probe{}}; }) {
        return 3;
    } else if constexpr (requires { T{probe{}, probe{}}; }) {
        return 2;
    } else {
        return requires {
            T{probe{}};
        }
        ? 1 : 0;
    }
}
template <class T>
constexpr bool has_full_base() {
    using empty = base_probe<T, true>;
    using full = base_probe<T, false>;
    return requires {
        T{full{}};
    }
    || requires {
        T{empty{}, full{}};
    }
    || requires {
        T{empty{}, empty{}, full{}};
    };
}

// Binary search: the number of braces lies in [Low, High], and T can be made from Low.
template <class T, int Low, int High>
constexpr int count_braces_between() {
    if constexpr (Low == High) {
        return Low;
    } else {
        constexpr int middle = (Low + High + 1) / 2;
        if constexpr (fields<middle>::template makes<T>) {
            return count_braces_between<T, middle, High>();
        } else {
            return count_braces_between<T, Low, middle - 1>();
        }
    }
}
// The number of `{}` that T can be made from: its bases and members.
template <class T, int Low = 0, int High = 4>
constexpr int count_braces() {
    if constexpr (High <= most_fields &&
                  fields<(High <= most_fields ? High + 1 : 0)>::template makes<T>) {
        return count_braces<T, High + 1, (High == most_fields ? most_fields + 1 : 2 * High)>();
    } else {
        return count_braces_between<T, Low, High>();
    }
}

// The addresses of members as a constant, which a template argument can be.
template <std::size_t Count>
struct pointer_list {
    const volatile void* at[Count + (Count == 0)] = {};
};
struct collect_pointers {
    template <class... Ms>
    constexpr auto operator()(Ms&... members) const {
        return pointer_list<sizeof...(Ms)>{{__builtin_addressof(members)...}};
    }
};
// Empty bases take a brace in aggregate initialisation, and are no members.
template <class T>
inline constexpr int member_count = count_braces<T>() - count_empty_bases<T>();
// A bit-field has no address, so that the members cannot be bound to references.
template <class T>
constexpr bool has_bit_field() {
    return std::is_same_v<
        decltype(fields<member_count<T>>::bind(sample<T>.value, collect_pointers{})), no_fields>;
}

// Null if members can be found; else the reason, for a message.
template <class T>
constexpr const char* aggregate_obstacle() {
    if constexpr (!fields<0>::template makes<T>) {
        return "a member (a reference, or one without default constructor) cannot be made by {}";
    } else if constexpr (has_full_base<T>()) {
        return "it has a base with members; describe it by .base<B>() and .member(name, &T::m)";
    } else if constexpr (count_braces<T>() > most_fields) {
        return "it has more than 64 members; describe them by .member(name, &T::m)";
    } else if constexpr (has_bit_field<T>()) {
        return "it has a bit-field, which has no address";
    } else {
        return nullptr;
    }
}

// -- the names of members -----------------------------------------------------------------------

// "… P = {{&sample.value.x, &sample.value.y}}]" by clang; g++ adds types and brackets.
template <auto Pointers>
constexpr text_view pointer_label() noexcept {
    return __PRETTY_FUNCTION__;
}
constexpr bool is_word_character(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}
// Searches the label from its end: each name is the last word of its pointer, and commas outside of
// brackets separate pointers.
template <std::size_t Count>
constexpr enum_names_found<Count> find_member_names(text_view label) {
    enum_names_found<Count> found;
    std::size_t at = label.size;
    for (std::size_t i = Count; i-- > 0;) {
        while (!is_word_character(label.data[at - 1])) {
            --at;
        }
        const std::size_t end = at;
        while (is_word_character(label.data[at - 1])) {
            --at;
        }
        found.begin[i] = static_cast<std::uint32_t>(at);
        found.size[i] = static_cast<std::uint32_t>(end - at);
        found.bytes += end - at + 1;
        for (std::size_t depth = 0; i > 0 && (depth > 0 || label.data[at - 1] != ','); --at) {
            const char c = label.data[at - 1];
            depth += c == ')' || c == '>' || c == '}' || c == ']';
            depth -= (c == '(' || c == '<' || c == '{' || c == '[') && depth > 0;
        }
    }
    return found;
}

template <class T, std::size_t Count = static_cast<std::size_t>(member_count<T>)>
struct member_names {
    // clang shortens lists of more than ten pointers.
    static constexpr std::size_t slice_size = 8;
    static constexpr auto pointers =
        fields<static_cast<int>(Count)>::bind(sample<T>.value, collect_pointers{});

    template <std::size_t Slice>
    struct slice {
        static constexpr std::size_t first = Slice * slice_size;
        static constexpr std::size_t count =
            Count - first < slice_size ? Count - first : slice_size;
        static constexpr auto own = [] {
            pointer_list<count> list;
            for (std::size_t i = 0; i < count; ++i) {
                list.at[i] = pointers.at[first + i];
            }
            return list;
        }();
        static constexpr text_view label = pointer_label<own>();
        static constexpr auto found = find_member_names<count>(label);
    };
    template <std::size_t Bytes>
    struct text {
        char at[Bytes + 1] = {};
    };
    template <std::size_t... Slices>
    static constexpr auto join(std::index_sequence<Slices...>) {
        text<(slice<Slices>::found.bytes + ... + 0)> all;
        std::size_t end = 0;
        const auto append = [&](text_view label, const auto& found, std::size_t count) {
            for (std::size_t i = 0; i < count; ++i) {
                for (std::uint32_t c = 0; c < found.size[i]; ++c) {
                    all.at[end++] = label.data[found.begin[i] + c];
                }
                all.at[end++] = 0;
            }
        };
        (append(slice<Slices>::label, slice<Slices>::found, slice<Slices>::count), ...);
        return all;
    }
    // The names in order, each with a zero behind it.
    static constexpr auto joined =
        join(std::make_index_sequence<(Count + slice_size - 1) / slice_size>{});
};

// Hands the members of an aggregate to the writer.
template <class T>
struct write_members {
    description_writer& writer;

    template <class... Ms>
    void operator()(const Ms&... members) const {
        constexpr std::size_t count = sizeof...(Ms);
        const std::uint32_t offsets[count + 1] = {offset_in(sample<T>.value, members)..., 0};
        static constexpr description_getter types[count + 1] = {
            description_of<std::remove_volatile_t<Ms>>..., nullptr};
        const char* names = "";
        if constexpr (count != 0) {
            names = member_names<T>::joined.at;
        }
        writer.members(kind::structure, count, names, types, offsets);
    }
};

// -- shapes of std types ------------------------------------------------------------------------

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

// -- describing a type --------------------------------------------------------------------------

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

}  // namespace detail

// Describes the class T, from inside of its function `describe`.
template <class T>
class describer {
public:
    explicit describer(detail::description_writer& writer) noexcept : writer_(writer) {}

    // A const member is described as read-only.
    template <class M, class C>
    describer& member(const char* name, M C::*pointer) {
        const auto& whole = detail::sample<T>.value;
        writer_.member(name, *detail::description_of<std::remove_cv_t<M>>(),
                       detail::offset_in(whole, whole.*pointer), std::is_const_v<M>);
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

namespace detail {

// The id of a member's type; texts by pointer have one of their own.
template <class M>
std::uint32_t member_type_id() {
    if constexpr (std::is_same_v<M, const char*> || std::is_same_v<M, char*>) {
        return ensure_type_id<pointer_text_tag>();
    } else {
        return ensure_type_id<std::remove_cv_t<std::remove_all_extents_t<M>>>();
    }
}

}  // namespace detail

template <class T>
template <class M, class C>
component<T>& component<T>::member(const char* name, M C::*pointer) {
    // The offset in memory that holds no T: only addresses are used.
    alignas(T) char memory[sizeof(T)];
    const T& whole = *reinterpret_cast<const T*>(memory);
    const auto offset = reinterpret_cast<const volatile char*>(&(whole.*pointer)) - memory;
    detail::add_member(world_, id_,
                       {detail::member_type_id<std::remove_all_extents_t<M>>(), name,
                        static_cast<std::int32_t>(sizeof(M) / sizeof(std::remove_all_extents_t<M>)),
                        static_cast<std::size_t>(offset), true, std::is_const_v<M>});
    return *this;
}

namespace detail {

// Calls of component<T> and of untyped components share these functions.
template <class Self>
Self& describe_by(description_calls<Self>& calls, auto&& call) {
    Self& self = static_cast<Self&>(calls);
    call(self.c_world(), self.id());
    return self;
}
template <class Self>
Self& set_member_attribute(description_calls<Self>& calls, attribute what, double a = 0,
                           double b = 0, const char* text = nullptr) {
    return describe_by(calls, [&](world_t* world, entity_t component) {
        set_attribute(world, component, what, a, b, text);
    });
}
template <class Self>
Self& description_calls<Self>::member(entity_t type, const char* name, std::int32_t count,
                                      std::size_t offset) {
    return describe_by(*this, [&](world_t* world, entity_t component) {
        add_member(world, component, {type, name, count, offset, offset != 0});
    });
}
template <class Self>
template <class M>
Self& description_calls<Self>::member(const char* name, std::int32_t count, std::size_t offset) {
    return member(member_type_id<M>(), name, count, offset);
}
template <class Self>
Self& description_calls<Self>::constant(const char* name, std::int64_t value) {
    return describe_by(*this, [&](world_t* world, entity_t component) {
        add_constant(world, component, name, value, false);
    });
}
template <class Self>
Self& description_calls<Self>::bit(const char* name, std::uint64_t value) {
    return describe_by(*this, [&](world_t* world, entity_t component) {
        add_constant(world, component, name, static_cast<std::int64_t>(value), true);
    });
}
template <class Self>
Self& description_calls<Self>::range(double min, double max) {
    return set_member_attribute(*this, attribute::range, min, max);
}
template <class Self>
Self& description_calls<Self>::warning_range(double min, double max) {
    return set_member_attribute(*this, attribute::warning_range, min, max);
}
template <class Self>
Self& description_calls<Self>::error_range(double min, double max) {
    return set_member_attribute(*this, attribute::error_range, min, max);
}
template <class Self>
Self& description_calls<Self>::step(double width) {
    return set_member_attribute(*this, attribute::step, width);
}
template <class Self>
Self& description_calls<Self>::unit(const char* symbol) {
    return set_member_attribute(*this, attribute::unit_symbol, 0, 0, symbol);
}
template <class Self>
Self& description_calls<Self>::doc(const char* text) {
    return set_member_attribute(*this, attribute::doc, 0, 0, text);
}
template <class Self>
Self& description_calls<Self>::was(const char* former_name) {
    return set_member_attribute(*this, attribute::was, 0, 0, former_name);
}
template <class Self>
Self& description_calls<Self>::hidden() {
    return set_member_attribute(*this, attribute::hidden);
}
template <class Self>
Self& description_calls<Self>::read_only() {
    return set_member_attribute(*this, attribute::read_only);
}
template <class Self>
Self& description_calls<Self>::on(const char* member) {
    return describe_by(*this, [&](world_t* world, entity_t component) {
        select_member(world, component, member);
    });
}

}  // namespace detail

// The letters of `form` are those of detail::compose_type().
inline entity world::compose(char form, const entity_t* types, std::size_t count,
                             std::int32_t size) const {
    return kith::entity(world_, detail::compose_type(world_, form, types, count, size));
}
inline entity world::array(entity_t type, std::int32_t size) const {
    return compose('n', &type, 1, size);
}
inline entity world::vector(entity_t type) const {
    return compose('l', &type, 1, 0);
}
inline entity world::optional(entity_t type) const {
    return compose('?', &type, 1, 0);
}
inline entity world::map(entity_t key, entity_t value) const {
    const entity_t types[] = {key, value};
    return compose('m', types, 2, 0);
}
template <class... Types>
entity world::variant(const Types&... alternatives) const {
    const entity_t types[] = {entity_t(alternatives)...};
    return compose('|', types, sizeof...(Types), 0);
}
template <class... Types>
entity world::tuple(const Types&... elements) const {
    const entity_t types[] = {entity_t(elements)...};
    return compose('(', types, sizeof...(Types), 0);
}

template <class T>
component<T>& component<T>::reflect() {
    detail::attach_description(detail::ensure_type_id<T>(), describe<T>());
    return *this;
}
template <class T>
template <class To, class From>
component<T>& component<T>::opaque(To to, From from) {
    using functions = detail::opaque_functions<T, To, From>;
    static constexpr value_ops ops = functions::ops();
    detail::set_opaque(world_, id_, describe<typename functions::representation>(), ops,
                       new functions{to, from},
                       [](void* kept) noexcept { delete static_cast<functions*>(kept); });
    return *this;
}
// `refusal` returns null for good values, else the reason, which must stay valid until the error is
// raised.
template <class T>
component<T>& component<T>::validate(const char* (*refusal)(const T& value)) {
    using function = const char* (*)(const T&);
    reflect();
    detail::set_validate(
        world_, id_,
        [](const description& type, const void* value) {
            return reinterpret_cast<function>(const_cast<void*>(type.validate_context))(
                *static_cast<const T*>(value));
        },
        reinterpret_cast<const void*>(refusal));
    return *this;
}

// Attaches the descriptions of C++ types, for all worlds of the process.
template <class... Ts>
void reflect() {
    (detail::attach_description(detail::ensure_type_id<Ts>(), describe<Ts>()), ...);
}

}  // namespace kith
