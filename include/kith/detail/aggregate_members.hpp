// The members of aggregates: their number, names and offsets, found by the compiler. Used by
// <kith/reflect.hpp>; see docs/design/0040-descriptions.md.
//
// Covered by tests/features/values/aggregates_test.cpp.
#pragma once

#include <kith/description.hpp>
#include <kith/enum.hpp>
#include <kith/fields.hpp>

namespace kith::detail {

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

}  // namespace kith::detail
