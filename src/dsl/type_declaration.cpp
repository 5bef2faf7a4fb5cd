// Parsing declarations of types (type_declaration.hpp), by recursive descent with a limit of depth.
#include "type_declaration.hpp"

#include <kith/detail/assert.hpp>
#include <kith/detail/real_text.hpp>
#include <kith/detail/value_text.hpp>

#include "identifier.hpp"

#include <charconv>
#include <iterator>

namespace kith::dsl {

using syntax::span;
using syntax::token_kind;

namespace {

// The parser is recursive: a text must not exhaust the stack.
constexpr std::size_t deepest_type = 32;

// A word in the parentheses behind a member, and the form of the value behind its colon.
struct attribute_word {
    std::string_view word;
    detail::attribute what;
    enum class form : std::uint8_t { range, real, text, flag } takes;
};
constexpr attribute_word attribute_words[] = {
    {"range", detail::attribute::range, attribute_word::form::range},
    {"warning", detail::attribute::warning_range, attribute_word::form::range},
    {"error", detail::attribute::error_range, attribute_word::form::range},
    {"step", detail::attribute::step, attribute_word::form::real},
    {"unit", detail::attribute::unit_symbol, attribute_word::form::text},
    {"doc", detail::attribute::doc, attribute_word::form::text},
    {"was", detail::attribute::was, attribute_word::form::text},
    {"hidden", detail::attribute::hidden, attribute_word::form::flag},
    {"read_only", detail::attribute::read_only, attribute_word::form::flag},
    {"on_delete_target", detail::attribute::on_delete_target, attribute_word::form::text},
};

const attribute_word* find_attribute(std::string_view word) {
    for (const attribute_word& known : attribute_words) {
        if (known.word == word) {
            return &known;
        }
    }
    return nullptr;
}

// Requires: the attribute is in the list. read_attribute() has found it there.
const attribute_word& word_of(detail::attribute what) {
    const attribute_word* found = attribute_words;
    while (found->what != what) {
        ++found;
    }
    return *found;
}

}  // namespace

bool is_declaring_word(std::string_view word) noexcept {
    return word == "struct" || word == "enum" || word == "flags";
}

declaration_parser::declaration_parser(std::string_view text, std::size_t at,
                                       diagnostics& diagnostics)
    : text_(text), lexer_(text), diagnostics_(diagnostics), end_(at) {
    lexer_.seek(at);
    advance();
    KITH_ASSERT(is_declaring_word(word()), "a declaration begins with its word");
}

void declaration_parser::advance() {
    end_ = current_.at.end > end_ ? current_.at.end : end_;
    current_ = lexer_.next();
    depth_ += at(token_kind::open_brace);
    depth_ -= at(token_kind::close_brace) && depth_ > 0;
}

bool declaration_parser::fail(span where, std::string message) {
    diagnostics_.add(where, std::move(message));
    return false;
}

bool declaration_parser::take(token_kind kind, const char* expected) {
    if (!at(kind)) {
        return fail(current_.at, at(token_kind::bad) ? lexer_.problem()
                                                     : std::string("expected ") + expected +
                                                           ", found " + to_string(current_.kind));
    }
    advance();
    return true;
}

bool declaration_parser::take_name(span& name, const char* expected) {
    name = current_.at;
    if (!at_name()) {
        return take(token_kind::name, expected);
    }
    advance();
    return true;
}

bool declaration_parser::run(type_declaration& into) {
    if (read(into)) {
        return true;
    }
    skip_rest();
    return false;
}

// The place of the mistake is inside of `depth_` braces, or in front of them. They are skipped to
// their end.
void declaration_parser::skip_rest() {
    while (!opened_ && !at(token_kind::end) && !current_.on_new_line) {
        opened_ = at(token_kind::open_brace);
        if (!opened_) {
            advance();
        }
    }
    if (!opened_) {
        return;
    }
    while (depth_ > 0 && !at(token_kind::end)) {
        advance();
    }
    if (at(token_kind::close_brace)) {
        advance();
    }
}

// Enums without an integer have i32, flags have u32. A comma behind the last entry is accepted.
bool declaration_parser::read(type_declaration& into) {
    into.what = word() == "struct" ? kind::structure
                : word() == "enum" ? kind::enumeration
                                   : kind::flags;
    advance();
    if (!take_name(into.name, "the name of the type")) {
        return false;
    }
    const bool structure = into.what == kind::structure;
    into.number = into.what == kind::flags ? kind::u32 : kind::i32;
    if (!structure && at(token_kind::colon) && !read_number_kind(into.number)) {
        return false;
    }
    opened_ = at(token_kind::open_brace);
    if (!take(token_kind::open_brace, "'{'")) {
        return false;
    }
    while (!at(token_kind::close_brace)) {
        written_member member;
        written_constant constant;
        if (!(structure ? read_member(member) : read_constant(into, constant))) {
            return false;
        }
        if (structure) {
            into.members.push_back(std::move(member));
        } else {
            into.constants.push_back(constant);
        }
        if (!at(token_kind::close_brace) && !take(token_kind::comma, "',' or '}'")) {
            return false;
        }
    }
    end_ = current_.at.end;
    if (into.members.empty() && into.constants.empty()) {
        return fail(into.name, structure ? "a struct without members is a tag: write 'Name {}'"
                                         : "a type without constants has no values");
    }
    return true;
}

// `: u8`
bool declaration_parser::read_number_kind(kind& number) {
    advance();
    static constexpr kind kinds[] = {kind::i8, kind::i16, kind::i32, kind::i64,
                                     kind::u8, kind::u16, kind::u32, kind::u64};
    for (const kind known : kinds) {
        if (word() == kith::to_string(known)) {
            number = known;
            advance();
            return true;
        }
    }
    return fail(current_.at, "expected the integer of the type: i8, i16, i32, i64, u8 to u64");
}

// `name: type = default (attributes)`
bool declaration_parser::read_member(written_member& into) {
    if (!take_name(into.name, "the name of a member") ||
        !take(token_kind::colon, "':' and the type of the member") || !read_type(into.type, 1)) {
        return false;
    }
    if (at(token_kind::equal) && !read_value(into.default_value)) {
        return false;
    }
    if (!at(token_kind::open_paren)) {
        return true;
    }
    do {
        advance();
        if (!read_attribute(into.attributes.emplace_back())) {
            return false;
        }
    } while (at(token_kind::comma));
    return take(token_kind::close_paren, "',' or ')'");
}

// `A | B`
bool declaration_parser::read_type(written_type& into, std::size_t depth) {
    if (depth > deepest_type) {
        return fail(current_.at, "types are nested deeper than 32");
    }
    const span begin = current_.at;
    if (!read_single_type(into, depth)) {
        return false;
    }
    if (!at(token_kind::bar)) {
        return true;
    }
    written_type first = std::move(into);
    into = {};
    into.form = '|';
    into.parts.push_back(std::move(first));
    while (at(token_kind::bar)) {
        advance();
        if (!read_single_type(into.parts.emplace_back(), depth + 1)) {
            return false;
        }
    }
    into.at = {begin.begin, static_cast<std::uint32_t>(end_)};
    return true;
}

// A type without `|`: the operand of a variant, of an optional or of brackets.
bool declaration_parser::read_single_type(written_type& into, std::size_t depth) {
    const std::uint32_t begin = current_.at.begin;
    bool read = true;
    switch (current_.kind) {
        case token_kind::open_bracket:
            read = read_bracket_type(into, depth);
            break;
        case token_kind::open_brace:
            read = read_map_type(into, depth);
            break;
        case token_kind::open_paren:
            read = read_tuple_type(into, depth);
            break;
        case token_kind::question:
            advance();
            into.form = '?';
            read = depth < deepest_type ? read_single_type(into.parts.emplace_back(), depth + 1)
                                        : fail(current_.at, "types are nested deeper than 32");
            break;
        default:
            return take_name(into.at, "a type: a name, [T], [T; n], ?T, {K: V} or (T, …)");
    }
    if (into.form != 0) {
        into.at = {begin, static_cast<std::uint32_t>(end_)};
    }
    return read;
}

// `[T]`, `[T; n]`
bool declaration_parser::read_bracket_type(written_type& into, std::size_t depth) {
    advance();
    into.form = 'l';
    if (!read_type(into.parts.emplace_back(), depth + 1)) {
        return false;
    }
    if (at(token_kind::semicolon)) {
        into.form = 'n';
        advance();
        if (!read_count(into.count)) {
            return false;
        }
    }
    return take(token_kind::close_bracket, "']'");
}

// `{K: V}`
bool declaration_parser::read_map_type(written_type& into, std::size_t depth) {
    advance();
    into.form = 'm';
    return read_type(into.parts.emplace_back(), depth + 1) &&
           take(token_kind::colon, "':' and the type of the values") &&
           read_type(into.parts.emplace_back(), depth + 1) && take(token_kind::close_brace, "'}'");
}

// Parentheses around one type only group.
bool declaration_parser::read_tuple_type(written_type& into, std::size_t depth) {
    into.form = '(';
    do {
        advance();
        if (!read_type(into.parts.emplace_back(), depth + 1)) {
            return false;
        }
    } while (at(token_kind::comma));
    if (into.parts.size() == 1) {
        written_type only = std::move(into.parts[0]);
        into = std::move(only);
    }
    return take(token_kind::close_paren, "',' or ')'");
}

// The limit keeps a text of few bytes from declaring a type of gigabytes.
bool declaration_parser::read_count(std::int32_t& count) {
    const std::string_view digits = word();
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (!at(token_kind::number) || read.ec != std::errc{} || count < 1 || count > 65536) {
        return fail(current_.at, "an array has 1 to 65536 elements");
    }
    advance();
    return true;
}

// The value behind the current token, which has a grammar of its own.
bool declaration_parser::read_value(span& value) {
    std::size_t end = current_.at.end;
    while (end < text_.size() && syntax::chars::is_space(text_[end])) {
        ++end;
    }
    value.begin = static_cast<std::uint32_t>(end);
    if (const detail::value_fault fault = detail::scan_value(text_, end); !fault.message.empty()) {
        return fail(fault.at, fault.message);
    }
    value.end = static_cast<std::uint32_t>(end);
    lexer_.seek(end);
    end_ = end;
    current_ = {};
    advance();
    return true;
}

// `range: 0..100`, `unit: "kg"`, `hidden`
bool declaration_parser::read_attribute(written_attribute& into) {
    const attribute_word* known = at(token_kind::name) ? find_attribute(word()) : nullptr;
    if (!known) {
        std::string words;
        for (const attribute_word& one : attribute_words) {
            words += (words.empty() ? "" : ", ") + std::string(one.word);
        }
        return fail(current_.at, "expected an attribute: " + words);
    }
    into.what = known->what;
    advance();
    if (known->takes == attribute_word::form::flag) {
        return true;
    }
    if (!at(token_kind::colon)) {
        return take(token_kind::colon, "':' and the value of the attribute");
    }
    return read_attribute_value(into);
}

bool declaration_parser::read_attribute_value(written_attribute& into) {
    const attribute_word::form form = word_of(into.what).takes;
    if (form == attribute_word::form::text) {
        advance();
        if (!at(token_kind::quoted)) {
            return fail(current_.at, "expected a text in quotes");
        }
        into.text = decode_quoted(word());
        advance();
        return true;
    }
    if (!read_real(into.a)) {
        return false;
    }
    if (form == attribute_word::form::real) {
        return true;
    }
    // The dots of a range are no token of worlds as text.
    const std::size_t dots = text_.find_first_not_of(" \t", end_);
    if (dots == std::string_view::npos || text_.substr(dots, 2) != "..") {
        return fail(current_.at, "expected a range, as in 0..100");
    }
    current_ = {token_kind::bad,
                false,
                {static_cast<std::uint32_t>(dots), static_cast<std::uint32_t>(dots + 2)}};
    return read_real(into.b);
}

// The number behind the current token.
bool declaration_parser::read_real(double& value) {
    span written;
    const std::size_t before = current_.at.end;
    std::size_t at = text_.find_first_not_of(" \t\n", before);
    at = at == std::string_view::npos ? text_.size() : at;
    written.begin = static_cast<std::uint32_t>(at);
    const bool sound = detail::scan_value(text_, at).message.empty();
    written.end = static_cast<std::uint32_t>(at);
    const std::string_view digits = written.of(text_);
    const auto read = detail::read_real(digits.data(), digits.data() + digits.size(), value);
    if (!sound || read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) {
        return fail(written.end > written.begin ? written : current_.at, "expected a number");
    }
    lexer_.seek(at);
    end_ = at;
    current_ = {};
    // The dots behind the first number of a range stay unread.
    if (text_.substr(text_.find_first_not_of(" \t", at) == std::string_view::npos
                         ? text_.size()
                         : text_.find_first_not_of(" \t", at),
                     2) != "..") {
        advance();
    }
    return true;
}

// `Red`, `Red = 4`. A constant without a number follows the one before it; a bit is the next one.
bool declaration_parser::read_constant(const type_declaration& owner, written_constant& into) {
    if (!take_name(into.name, "the name of a constant")) {
        return false;
    }
    const bool flags = owner.what == kind::flags;
    const std::int64_t last = owner.constants.empty() ? 0 : owner.constants.back().value;
    if (at(token_kind::equal)) {
        return read_integer(into.value);
    }
    const auto bits = static_cast<std::uint64_t>(last);
    // The arithmetic is unsigned: the number behind the greatest one wraps around instead of being
    // undefined.
    into.value = flags                     ? static_cast<std::int64_t>(bits == 0 ? 1 : bits << 1)
                 : owner.constants.empty() ? 0
                                           : static_cast<std::int64_t>(bits + 1);
    return true;
}

// The integer behind `=`, decimal or hexadecimal.
bool declaration_parser::read_integer(std::int64_t& value) {
    span written;
    if (!read_value(written)) {
        return false;
    }
    std::string_view digits = written.of(text_);
    const bool negative = digits.starts_with('-');
    digits.remove_prefix(negative);
    const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
    digits.remove_prefix(hex ? 2 : 0);
    std::uint64_t bits = 0;
    const auto read =
        std::from_chars(digits.data(), digits.data() + digits.size(), bits, hex ? 16 : 10);
    const bool fits = !negative || bits <= std::uint64_t{1} << 63;
    if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || !fits) {
        return fail(written, "a constant is an integer of at most 64 bits");
    }
    value = static_cast<std::int64_t>(negative ? 0 - bits : bits);
    return true;
}

}  // namespace kith::dsl
