// Types as texts declare them: `struct Item { name: text, weight: f32 = 1 }`, before names of types
// are looked up; and the parser that reads a declaration.
//
// Covered by tests/dsl/world_text_types_test.cpp.
#pragma once

#include <kith/description.hpp>
#include <kith/syntax/lexer.hpp>

#include "diagnostics.hpp"

#include <string_view>
#include <vector>

namespace kith::dsl {

// A type behind the colon of a member.
struct written_type {
    // The letters of detail::compose_type(); 0: a name.
    char form = 0;
    syntax::span at;
    std::int32_t count = 0;  // the elements of an array
    std::vector<written_type> parts;
};

// An attribute of a member. Ranges have both numbers, a step has `a`, texts have `text`.
struct written_attribute {
    detail::attribute what = detail::attribute::doc;
    double a = 0;
    double b = 0;
    std::string text;
};

struct written_member {
    syntax::span name;
    written_type type;
    syntax::span default_value;  // empty: none
    std::vector<written_attribute> attributes;
};

struct written_constant {
    syntax::span name;
    std::int64_t value = 0;
};

struct type_declaration {
    kind what = kind::structure;  // structure, enumeration, flags
    syntax::span name;
    kind number = kind::none;  // of an enum or of flags
    std::vector<written_member> members;
    std::vector<written_constant> constants;
};

// True for `struct`, `enum` and `flags`.
bool is_declaring_word(std::string_view word) noexcept;

// Reads one declaration. Requires: text and diagnostics live longer.
class declaration_parser {
public:
    // `at` is the place of the declaring word.
    declaration_parser(std::string_view text, std::size_t at, diagnostics& diagnostics);

    // False after a mistake, which was added to the diagnostics; the rest of the braces is skipped.
    bool run(type_declaration& into);
    // The place behind the declaration.
    std::size_t end() const noexcept { return end_; }

private:
    bool at(syntax::token_kind kind) const noexcept { return current_.kind == kind; }
    bool at_name() const noexcept {
        return at(syntax::token_kind::name) || at(syntax::token_kind::quoted);
    }
    std::string_view word() const noexcept { return current_.at.of(text_); }
    // Reads the next token and keeps `end_` and `depth_` up to date.
    void advance();
    // Adds a mistake to the diagnostics. Returns false, for the caller to return.
    bool fail(syntax::span where, std::string message);
    // Moves behind a token of this kind, or fails with the expected words.
    bool take(syntax::token_kind kind, const char* expected);
    bool take_name(syntax::span& name, const char* expected);

    // Each read function moves behind its part and returns true; or it has reported a mistake, and
    // the parser is to skip the rest. `depth` counts nested types, which are limited.
    bool read(type_declaration& into);
    bool read_number_kind(kind& number);
    bool read_member(written_member& into);
    bool read_type(written_type& into, std::size_t depth);
    bool read_single_type(written_type& into, std::size_t depth);
    bool read_bracket_type(written_type& into, std::size_t depth);
    bool read_map_type(written_type& into, std::size_t depth);
    bool read_tuple_type(written_type& into, std::size_t depth);
    bool read_count(std::int32_t& count);
    bool read_value(syntax::span& value);
    bool read_attribute(written_attribute& into);
    bool read_attribute_value(written_attribute& into);
    bool read_real(double& value);
    bool read_constant(const type_declaration& owner, written_constant& into);
    bool read_integer(std::int64_t& value);
    void skip_rest();

    std::string_view text_;
    syntax::lexer lexer_;
    diagnostics& diagnostics_;
    syntax::token current_;
    // The place behind the last token of the declaration that was read.
    std::size_t end_ = 0;
    std::size_t depth_ = 0;  // of open braces
    bool opened_ = false;    // the brace of the declaration was read
};

}  // namespace kith::dsl
