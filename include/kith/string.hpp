// The strings that kith hands out: `string` owns its characters, `string_view` points into a world.
#pragma once

#include <cstddef>
#include <type_traits>

namespace kith {

namespace detail {

// std::string_view and its like, known by their shape: <string_view> would double the cost of
// including kith.
template <class T>
concept text_like = requires(const T& text) {
    static_cast<const char*>(text.data());
    static_cast<std::size_t>(text.size());
    typename T::traits_type;
};
template <class T>
concept view_like = text_like<T> && std::is_trivially_copyable_v<T>;

// A parameter that is text. Null is the empty text.
struct text_view {
    const char* data = "";
    std::size_t size = 0;

    constexpr text_view() noexcept = default;
    constexpr text_view(const char* text) noexcept
        : data(text ? text : ""), size(text ? __builtin_strlen(text) : 0) {}
    constexpr text_view(const char* text, std::size_t length) noexcept : data(text), size(length) {}
    template <text_like T>
    constexpr text_view(const T& text) noexcept : data(text.data()), size(text.size()) {}
    template <view_like T>
    constexpr operator T() const noexcept {
        return T(data, size);
    }
    friend constexpr bool operator==(const text_view& a, const text_view& b) noexcept {
        return a.size == b.size && __builtin_memcmp(a.data, b.data, a.size) == 0;
    }
};

}  // namespace detail

// Owning C string. Movable, compares with everything that is text.
class string {
public:
    string() noexcept = default;
    // Takes over memory from malloc.
    explicit string(char* text) noexcept : text_(text), size_(detail::text_view(text).size) {}
    explicit string(detail::text_view text);
    string(string&& other) noexcept : text_(other.text_), size_(other.size_) {
        other.text_ = nullptr;
        other.size_ = 0;
    }
    string& operator=(string&& other) noexcept {
        char* text = text_;
        text_ = other.text_;
        other.text_ = text;
        std::size_t size = size_;
        size_ = other.size_;
        other.size_ = size;
        return *this;
    }
    string(const string&) = delete;
    string& operator=(const string&) = delete;
    ~string();

    const char* c_str() const noexcept { return text_ ? text_ : ""; }
    operator const char*() const noexcept { return c_str(); }
    template <detail::view_like T>
    operator T() const noexcept {
        return T(c_str(), size_);
    }
    std::size_t size() const noexcept { return size_; }
    std::size_t length() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    // `entity.path().str()`: itself, for code that expects a string object's text.
    const char* str() const noexcept { return c_str(); }

    bool operator==(const char* text) const noexcept { return view() == detail::text_view(text); }
    bool operator==(const string& other) const noexcept { return view() == other.view(); }

private:
    detail::text_view view() const noexcept { return {c_str(), size_}; }

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
    constexpr operator const char*() const noexcept { return text_.data; }
    template <detail::view_like T>
    constexpr operator T() const noexcept {
        return text_;
    }
    constexpr std::size_t size() const noexcept { return text_.size; }
    constexpr std::size_t length() const noexcept { return text_.size; }
    constexpr bool empty() const noexcept { return text_.size == 0; }
    constexpr const char* str() const noexcept { return text_.data; }

    constexpr bool operator==(const char* text) const noexcept {
        return text_ == detail::text_view(text);
    }
    constexpr bool operator==(const string_view& other) const noexcept {
        return text_ == other.text_;
    }

private:
    detail::text_view text_;
};

}  // namespace kith
