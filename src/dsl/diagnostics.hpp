// Mistakes in a text: where they are and how they are told.
#pragma once

#include <kith/error.hpp>
#include <kith/syntax/token.hpp>
#include <kith/world_text.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kith::dsl {

// Line and column of a place, both from 1; columns count characters.
struct place {
    std::uint32_t line = 1;
    std::uint32_t column = 1;
};
place place_of(std::string_view text, std::size_t offset) noexcept;

// The line of a place with carets below the span; a long line is cut around it.
std::string excerpt(std::string_view text, syntax::span span);

// Collects the mistakes of one text. Beyond `most` they are only counted: the later ones are seldom
// more than the consequences of the first.
class diagnostics {
public:
    static constexpr std::size_t most = 20;

    explicit diagnostics(std::string_view text, const char* file = nullptr)
        : text_(text), file_(file) {}

    void add(syntax::span span, std::string message);
    bool empty() const noexcept { return count_ == 0; }
    bool full() const noexcept { return count_ >= most; }
    std::vector<text_error> take() && { return std::move(list_); }
    // All of them, each with its place and excerpt.
    std::string str() const;
    // Throws kith::error with all of them.
    [[noreturn]] void raise(errc code) const;

private:
    std::string_view text_;
    const char* file_;
    std::size_t count_ = 0;
    std::vector<text_error> list_;
};

// Throws kith::error, or calls the handler of a build without exceptions.
[[noreturn]] void raise(errc code, const std::string& message);

}  // namespace kith::dsl
