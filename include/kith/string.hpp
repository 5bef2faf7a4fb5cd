// The strings that kith hands out: `string` owns its characters, `string_view` points into a world.
#pragma once

#include <cstddef>
#include <string_view>

namespace kith {

namespace detail {
// Null is the empty string.
constexpr std::string_view view_of(const char* text) noexcept {
    return text ? std::string_view{text} : std::string_view{};
}
}  // namespace detail

// Owning C string. Movable, compares with everything that is text.
class string {
public:
    string() noexcept = default;
    // Takes over memory from malloc.
    explicit string(char* text) noexcept : text_(text), size_(detail::view_of(text).size()) {}
    explicit string(std::string_view text);
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
    operator std::string_view() const noexcept { return {c_str(), size_}; }
    std::size_t size() const noexcept { return size_; }
    std::size_t length() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    // `entity.path().str()`: itself, for code that expects a string object's text.
    const char* str() const noexcept { return c_str(); }

    bool operator==(const char* text) const noexcept {
        return std::string_view{*this} == detail::view_of(text);
    }
    bool operator==(const string& other) const noexcept {
        return std::string_view{*this} == std::string_view{other};
    }

private:
    char* text_ = nullptr;
    std::size_t size_ = 0;
};

// Non-owning string; valid until the entity is renamed or deleted. Always zero-terminated.
class string_view {
public:
    constexpr string_view() noexcept = default;
    explicit constexpr string_view(const char* text) noexcept
        : text_(text ? text : ""), size_(detail::view_of(text).size()) {}
    constexpr string_view(const char* text, std::size_t size) noexcept : text_(text), size_(size) {}

    constexpr const char* c_str() const noexcept { return text_; }
    constexpr operator const char*() const noexcept { return text_; }
    constexpr operator std::string_view() const noexcept { return {text_, size_}; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr std::size_t length() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr const char* str() const noexcept { return text_; }

    constexpr bool operator==(const char* text) const noexcept {
        return std::string_view{*this} == detail::view_of(text);
    }
    constexpr bool operator==(const string_view& other) const noexcept {
        return std::string_view{*this} == std::string_view{other};
    }

private:
    const char* text_ = "";
    std::size_t size_ = 0;
};

}  // namespace kith
