// Text that is given to kith, and the strings that kith hands out: `text_view` is a parameter,
// `string` owns its characters, `string_view` points into a world.
//
// The standard's strings are known by their shape: <string_view> would double the cost of including
// kith. Covered by tests/features/idioms/text_test.cpp.
#pragma once

#include <cstddef>
#include <type_traits>

namespace kith {

namespace detail {

template <class T>
concept has_characters = requires(const T& text) {
    static_cast<const char*>(text.data());
    static_cast<std::size_t>(text.size());
};
// std::string, std::string_view and their like: can be made from characters, too.
template <class T>
concept text_like = has_characters<T> && requires {
    typename T::traits_type;
};
template <class T>
concept view_like = text_like<T> && std::is_trivially_copyable_v<T>;
// Arrays of characters have no end of their own, so they are no text.
template <class T>
concept sized_text = text_like<T> ||(has_characters<T>&& requires(const T& text) { text.c_str(); });

// Everything that is text for kith: strings of any kind, and pointers to characters.
template <class T>
concept text_source = sized_text<T> || std::is_convertible_v<const T&, const char*>;

}  // namespace detail

// A parameter that is text, valid during the call; not always zero-terminated. Null is the empty
// text.
struct text_view {
    const char* data = "";
    std::size_t size = 0;

    constexpr text_view() noexcept = default;
    constexpr text_view(const char* text, std::size_t length) noexcept : data(text), size(length) {}
    template <detail::text_source T>
    constexpr text_view(const T& text) noexcept {
        if constexpr (detail::sized_text<T>) {
            data = text.data();
            size = static_cast<std::size_t>(text.size());
        } else if (const char* start = text) {
            data = start;
            size = __builtin_strlen(start);
        }
    }
    template <detail::view_like T>
    constexpr operator T() const noexcept {
        return T(data, size);
    }
    friend constexpr bool operator==(const text_view& a, const text_view& b) noexcept {
        return a.size == b.size && __builtin_memcmp(a.data, b.data, a.size) == 0;
    }
};

namespace detail {

using kith::text_view;

// Negative, 0 or positive, as strings compare everywhere: by bytes, a prefix first.
constexpr int compare(text_view a, text_view b) noexcept {
    const int common = __builtin_memcmp(a.data, b.data, a.size < b.size ? a.size : b.size);
    return common != 0 ? common : a.size < b.size ? -1 : a.size > b.size ? 1 : 0;
}
std::size_t hash_text(text_view text) noexcept;

}  // namespace detail

// An owning C string. Strings compare with texts of any type, and convert to strings of any type.
class string {
public:
    string() noexcept = default;
    // Takes over memory from malloc.
    explicit string(char* text) noexcept : text_(text), size_(text_view(text).size) {}
    explicit string(text_view text) : string(text, {}) {}
    // Two texts, one behind the other.
    explicit string(text_view first, text_view second);
    string(const string& other) : string(text_view(other)) {}
    string(string&& other) noexcept : text_(other.text_), size_(other.size_) {
        other.text_ = nullptr;
        other.size_ = 0;
    }
    string& operator=(string other) noexcept {
        char* text = text_;
        text_ = other.text_;
        other.text_ = text;
        size_ = other.size_;
        return *this;
    }
    ~string();

    const char* c_str() const noexcept { return text_ ? text_ : ""; }
    const char* data() const noexcept { return c_str(); }
    explicit operator const char*() const noexcept { return c_str(); }
    template <detail::text_like T>
    operator T() const {
        return T(c_str(), size_);
    }
    // True unless the text is empty.
    explicit operator bool() const noexcept { return size_ != 0; }
    std::size_t size() const noexcept { return size_; }
    std::size_t length() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    // `entity.path().str()`: itself, for code that expects a string object's text.
    const char* str() const noexcept { return c_str(); }

private:
    char* text_ = nullptr;
    std::size_t size_ = 0;
};

// Non-owning string; valid until the entity is renamed or deleted. Always zero-terminated.
class string_view {
public:
    constexpr string_view() noexcept = default;
    explicit constexpr string_view(const char* text) noexcept : text_(text) {}
    constexpr string_view(const char* text, std::size_t size) noexcept : text_(text, size) {}

    constexpr const char* c_str() const noexcept { return text_.data; }
    constexpr const char* data() const noexcept { return text_.data; }
    explicit constexpr operator const char*() const noexcept { return text_.data; }
    template <detail::text_like T>
    constexpr operator T() const {
        return T(text_.data, text_.size);
    }
    explicit constexpr operator bool() const noexcept { return text_.size != 0; }
    constexpr std::size_t size() const noexcept { return text_.size; }
    constexpr std::size_t length() const noexcept { return text_.size; }
    constexpr bool empty() const noexcept { return text_.size == 0; }
    constexpr const char* str() const noexcept { return text_.data; }

private:
    text_view text_;
};

namespace detail {

template <class T>
concept own_string = std::is_same_v<T, string> || std::is_same_v<T, string_view>;
// A string of kith on at least one side. (<compare> is as large as half of kith.)
template <class A, class B>
concept texts = (own_string<A> && text_source<B>) || (text_source<A> && own_string<B>);

}  // namespace detail

template <class A, class B>
    requires(detail::texts<A, B>)
constexpr bool operator==(const A& a, const B& b) noexcept {
    return text_view(a) == text_view(b);
}
template <class A, class B>
    requires(detail::texts<A, B>)
constexpr bool operator<(const A& a, const B& b) noexcept {
    return detail::compare(a, b) < 0;
}
template <class A, class B>
    requires(detail::texts<A, B>)
constexpr bool operator>(const A& a, const B& b) noexcept {
    return detail::compare(a, b) > 0;
}
template <class A, class B>
    requires(detail::texts<A, B>)
constexpr bool operator<=(const A& a, const B& b) noexcept {
    return detail::compare(a, b) <= 0;
}
template <class A, class B>
    requires(detail::texts<A, B>)
constexpr bool operator>=(const A& a, const B& b) noexcept {
    return detail::compare(a, b) >= 0;
}

// With a std::string on one side, the result is one; else it is a kith::string.
template <class A, class B>
    requires(detail::texts<A, B>)
auto operator+(const A& a, const B& b) {
    const text_view first(a);
    const text_view second(b);
    if constexpr (requires(A owner) { owner.append(second.data, second.size); }) {
        return A(a).append(second.data, second.size);
    } else if constexpr (requires(B owner) { owner.append(second.data, second.size); }) {
        return B(first.data, first.size).append(second.data, second.size);
    } else {
        return string(first, second);
    }
}

// Streams of the standard, which is not included here.
template <class Stream, detail::own_string Text>
    requires requires(Stream& out, const char* text) {
        typename Stream::char_type;
        out << text;
    }
auto& operator<<(Stream& out, const Text& text) {
    return out << text.c_str();
}

}  // namespace kith
