// Diagnostics: the mistakes of a text with their places, and the error message that lists them.
#pragma once

#include <kith/error.hpp>
#include <kith/syntax/token.hpp>
#include <kith/world_text.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kith::dsl {

// A place in a text. Lines and columns are counted from 1; columns count characters, not bytes.
struct place {
    std::uint32_t line = 1;
    std::uint32_t column = 1;
};
// The place of a byte offset; an offset behind the end is that of the end.
place place_of(std::string_view text, std::size_t offset) noexcept;

// The line of a span with carets below the span. A long line is cut around the span.
std::string excerpt(std::string_view text, syntax::span span);

// Collects the mistakes of one text. Mistakes beyond `most` are only counted, because they are
// mostly consequences of earlier ones. Requires: the text and the file name live longer.
class diagnostics {
public:
    static constexpr std::size_t most = 20;

    explicit diagnostics(std::string_view text, const char* file = nullptr)
        : text_(text), file_(file) {}

    void add(syntax::span span, std::string message);
    bool empty() const noexcept { return count_ == 0; }
    // True if parsing further is useless.
    bool full() const noexcept { return count_ >= most; }
    std::vector<text_error> take() && { return std::move(list_); }
    // The mistakes as text, each with its place and excerpt.
    std::string str() const;
    // Throws kith::error with the text of str().
    [[noreturn]] void raise(errc code) const;

private:
    std::string_view text_;
    const char* file_;       // null: places are written without a file
    std::size_t count_ = 0;  // of all mistakes, the dropped ones included
    std::vector<text_error> list_;
};

// Throws kith::error, or calls the handler of a build without exceptions.
[[noreturn]] void raise(errc code, const std::string& message);

}  // namespace kith::dsl
