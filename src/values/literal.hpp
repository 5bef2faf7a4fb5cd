// Values as text before their type is known: a tree of literals, and the parser that makes it. The
// grammar is in docs/manual/values-as-text.md.
#pragma once

#include <kith/syntax/token.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kith::values {

// The limits of a literal. Levels of nesting, bytes of a text, characters of a number.
inline constexpr std::size_t most_depth = 64;
inline constexpr std::size_t most_text = std::size_t{16} << 20;
inline constexpr std::size_t most_digits = 400;

enum class literal_form : std::uint8_t {
    null,
    boolean,
    number,
    character,
    text,
    name,     // a word, a path, `#12`
    flags,    // a | b: parts in `items`
    list,     // [a, b]
    braces,   // {a, b: c}
    variant,  // Name(value)
};

// A literal owns its parts. `at` is its place in the text, in bytes.
struct literal {
    // A part of a list or of braces; in braces perhaps with a key.
    struct item;

    literal_form form = literal_form::null;
    syntax::span at;
    bool truth = false;
    std::string text;  // digits of a number, decoded text, token of a name
    std::vector<item> items;

    literal();
    literal(literal&&) noexcept;
    literal& operator=(literal&&) noexcept;
    ~literal();
};

struct literal::item {
    enum class key_form : std::uint8_t { none, word, text, value };
    key_form keyed = key_form::none;
    literal key;  // a name, a text, or any value that was written in brackets
    literal value;
};

// A mistake of syntax; empty if there is none.
struct literal_fault {
    syntax::span at;
    std::string message;
    bool is_limit = false;

    explicit operator bool() const noexcept { return !message.empty(); }
};

// Reads the literal that begins at `at` and moves `at` behind it. Comments are skipped. A value
// ends with its line, unless a bracket is open.
literal_fault read_literal(std::string_view text, std::size_t& at, literal& into);

}  // namespace kith::values
