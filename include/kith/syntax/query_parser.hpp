// The parser of the query language: from text to query_tree. After a mistake, the parser continues
// with the next operand, so a tree lists all mistakes of a text. Scopes are kept in a list of
// limited size instead of recursion.
//
//   query      = [ operand { ( "," | "||" ) operand } ]
//   operand    = { "[" access "]" | "!" | "?" } ( "{" query "}" | list | comparison | pair | term )
//   list       = ( "AND" | "OR" | "NOT" ) "|" part [ "(" source ")" ]
//   comparison = word ( "==" | "!=" | "~=" ) word
//              | value ( "<" | "<=" | ">" | ">=" | "==" | "!=" | "~=" ) ( constant | value )
//              | value "in" ( "[" constant { "," constant } "]" | constant ".." constant )
//   value      = ( [ "$" name "." ] path | path "(" source ")" | pair [ "(" source ")" ] ) members
//   members    = { "." name | "[" ( number | "quoted" | "*" ) "]" }
//   constant   = number | "-" number | "quoted" | name { "|" name }
//   pair       = "(" part "," part ")" [ "(" [ source ] ")" ]
//   term       = part [ "(" [ source [ "," part ] ] ")" ]
//   source     = part | search [ ":" word ] | "$"
//   part       = word [ "[" search "]" ]
//   search     = flag { "|" flag }
//   flag       = "self" | "all" | "desc" | "parent"
//              | ( "up" | "down" | "cascade" ) [ "(" word [ "," depths ] ")" | word ]
//   depths     = most | least "," ( most | "*" )
//   word       = path | "quoted" | number | "#" number | "$" name | "*" | "_"
#pragma once

#include <kith/syntax/constant_scanner.hpp>
#include <kith/syntax/lexer.hpp>
#include <kith/syntax/query_tree.hpp>

namespace kith::syntax {

namespace words {

constexpr bool same_ignoring_case(std::string_view a, std::string_view lower) noexcept {
    if (a.size() != lower.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        const char c = a[i] >= 'A' && a[i] <= 'Z' ? static_cast<char>(a[i] | 0x20) : a[i];
        if (c != lower[i]) {
            return false;
        }
    }
    return true;
}

// The words of searches, such as `up` in `Position(up(ChildOf))`, with synonyms.
struct flag_word {
    std::string_view name;
    std::uint32_t flags;
};
inline constexpr flag_word flag_words[] = {
    {"self", Self}, {"up", Up},           {"super", Up},        {"superset", Up},
    {"down", Down}, {"sub", Down},        {"subset", Down},     {"parent", Parent},
    {"desc", Desc}, {"cascade", Cascade}, {"all", TraverseAll},
};
constexpr std::uint32_t find_flags(std::string_view name) noexcept {
    for (const flag_word& one : flag_words) {
        if (name == one.name) {
            return one.flags;
        }
    }
    return 0;
}

// The words of accesses, such as `in` in `[in] Position`.
struct access_word {
    std::string_view name;
    inout_kind_t access;
    bool is_filter = false;
};
inline constexpr access_word access_words[] = {
    {"in", In}, {"out", Out}, {"inout", InOut}, {"none", InOutNone}, {"filter", InOutNone, true},
};

}  // namespace words

// Parses one text. Read functions return false after a problem; recover() then skips to the next
// operand.
class query_parser {
public:
    constexpr explicit query_parser(std::string_view text) noexcept
        : lexer_(text, lexer_mode::with_comparisons), text_(text) {
        advance();
    }

    // Parses the whole text. Scopes are counted, not entered recursively.
    constexpr query_tree parse() noexcept {
        if (now_.kind == token_kind::end) {
            return tree_;
        }
        for (step done = step::opened; done != step::last;) {
            done = read_operand();
            if (done == step::opened && now_.kind == token_kind::close_brace) {
                report(now_.at, "a scope has at least one term");
                done = step::operand;
            }
            if (done == step::operand && !read_end_of_operand()) {
                done = step::last;
            }
        }
        if (depth_ > 0) {
            report(tree_.items[open_[depth_ - 1]].at, "this '{' is not closed");
        }
        return tree_;
    }

private:
    // The last thing that was read: an operand, the beginning of a scope, or the end of the query.
    enum class step : std::uint8_t { operand, opened, last };

    // -- tokens and mistakes
    constexpr void advance() noexcept {
        if (now_.kind == token_kind::open_paren || now_.kind == token_kind::open_bracket) {
            ++nested_;
        } else if (now_.kind == token_kind::close_paren || now_.kind == token_kind::close_bracket) {
            nested_ -= nested_ > 0;
        }
        last_ = now_;
        now_ = lexer_.next();
        if (now_.kind == token_kind::bad) {
            report(now_.at, lexer_.problem());
        }
    }
    constexpr bool take(token_kind kind) noexcept {
        if (now_.kind != kind) {
            return false;
        }
        advance();
        return true;
    }
    constexpr bool at_name(std::string_view name) const noexcept {
        return now_.kind == token_kind::name && now_.at.of(text_) == name;
    }
    // Adds a problem, unless the operand has one already.
    constexpr void report(span at, const char* message) noexcept {
        // A token that cannot be read is a problem already.
        if (!faulty_ && tree_.problem_count < query_tree::most_problems) {
            tree_.problems[tree_.problem_count++] = {at, message};
        }
        faulty_ = true;
    }
    // Adds a problem. Always false, so that callers can return the result.
    constexpr bool fail(const char* message) noexcept {
        report(now_.at, now_.kind == token_kind::equal
                            ? "'=' means nothing in a query: '==' compares"
                            : message);
        return false;
    }
    constexpr bool expect(token_kind kind, const char* message) noexcept {
        return take(kind) || fail(message);
    }
    // Skips to the mark that ends an operand.
    constexpr void recover() noexcept {
        while (
            now_.kind != token_kind::end && now_.kind != token_kind::open_brace &&
            now_.kind != token_kind::close_brace &&
            (nested_ > 0 || (now_.kind != token_kind::comma && now_.kind != token_kind::or_or))) {
            advance();
        }
        nested_ = 0;
    }

    // -- structure
    // Adds an item. Null if there are too many.
    constexpr item* add(item_kind kind, span at) noexcept {
        if (tree_.count == query_tree::most_items) {
            report(at, "a query has at most 64 terms, ends of scopes counted");
            return nullptr;
        }
        item& made = tree_.items[tree_.count++];
        made.kind = kind;
        made.at = at;
        return &made;
    }
    // Reads a term, a comparison, or the beginning of a scope.
    constexpr step read_operand() noexcept {
        faulty_ = now_.kind == token_kind::bad;
        nested_ = 0;
        item made;
        made.at = now_.at;
        bool good = read_prefixes(made);
        if (good && now_.kind == token_kind::open_brace) {
            return open_scope(made);
        }
        good = good && read_term(made);
        made.at.end = last_.at.end;
        if (!good) {
            recover();
        }
        item* kept = add(made.kind, made.at);
        if (kept) {
            *kept = made;
        }
        return kept ? step::operand : step::last;
    }
    // Begins a scope; its prefixes were read.
    constexpr step open_scope(const item& made) noexcept {
        if (made.access != InOutDefault) {
            report(made.at, "a scope has no access of its own; its terms have");
        }
        if (depth_ == query_tree::deepest) {
            report(now_.at, "scopes are nested at most 16 deep");
            return step::last;
        }
        item* scope = add(item_kind::scope_open, now_.at);
        if (!scope) {
            return step::last;
        }
        scope->oper = made.oper;
        open_[depth_++] = tree_.count - 1;
        advance();
        return step::opened;
    }
    // Reads the mark between operands; false at the end.
    constexpr bool read_end_of_operand() noexcept {
        for (;;) {
            switch (now_.kind) {
                case token_kind::end:
                    return false;
                case token_kind::close_brace:
                    if (!close_scope()) {
                        return false;
                    }
                    break;
                case token_kind::or_or:
                    tree_.items[tree_.count - 1].joins_next = true;
                    return read_separator("after '||' a term should follow");
                case token_kind::comma:
                    return read_separator("after ',' a term should follow");
                case token_kind::open_brace:
                    fail(missing_separator);
                    return true;
                default:
                    fail(missing_separator);
                    recover();
                    if (now_.kind == token_kind::open_brace) {
                        return true;
                    }
                    break;
            }
        }
    }
    constexpr bool close_scope() noexcept {
        faulty_ = false;
        if (depth_ == 0) {
            report(now_.at, "there is no '{' for this '}'");
        } else {
            --depth_;
            if (!add(item_kind::scope_close, now_.at)) {
                return false;
            }
        }
        advance();
        return true;
    }
    constexpr bool read_separator(const char* message) noexcept {
        faulty_ = false;
        advance();
        return now_.kind != token_kind::end || fail(message);
    }

    // -- operands
    // Access and operator, in any order.
    constexpr bool read_prefixes(item& made) noexcept {
        for (;;) {
            if (now_.kind == token_kind::open_bracket) {
                if (!read_access(made)) {
                    return false;
                }
            } else if (now_.kind == token_kind::bang || now_.kind == token_kind::question) {
                if (made.oper != And) {
                    return fail("a term has one operator");
                }
                made.oper = now_.kind == token_kind::bang ? Not : Optional;
                advance();
            } else {
                return true;
            }
        }
    }
    constexpr bool read_access(item& made) noexcept {
        advance();
        if (made.access != InOutDefault) {
            return fail("a term has one access");
        }
        for (const words::access_word& one : words::access_words) {
            if (at_name(one.name)) {
                made.access = one.access;
                made.is_filter = one.is_filter;
                advance();
                return expect(token_kind::close_bracket, "']' should follow");
            }
        }
        return fail("an access is one of in, out, inout, none");
    }
    // Reads an operand without its prefixes. The first token, or the token behind a word, decides.
    constexpr bool read_term(item& made) noexcept {
        if (now_.kind == token_kind::open_paren) {
            return read_pair(made);
        }
        if (!read_word(made.first.id, "a term should stand here")) {
            return false;
        }
        if (now_.kind == token_kind::bar) {
            return read_list(made);
        }
        if (!check_named(made.first.id)) {
            return false;
        }
        if (made.first.id.kind == token_kind::variable && is_next_to(token_kind::dot)) {
            made.src.id = made.first.id;
            if (!read_path_of_variable(made.first)) {
                return false;
            }
        } else if (compares_entities()) {
            return read_comparison(made);
        }
        if (at_members()) {
            return read_members(made.value.members) && read_value_comparison(made);
        }
        if (!read_search_in_brackets(made.first.by) || !read_arguments(made, true)) {
            return false;
        }
        return !continues_value(made) || read_value_comparison(made);
    }
    constexpr bool read_pair(item& made) noexcept {
        advance();
        made.has_second = true;
        return read_part(made.first) &&
               expect(token_kind::comma, "a pair has two elements: ',' should follow") &&
               read_part(made.second) &&
               expect(token_kind::close_paren, "')' should follow the second element of a pair") &&
               read_arguments(made, false) &&
               (!continues_value(made) || read_value_comparison(made));
    }
    // Reads `AND | list` and its like.
    constexpr bool read_list(item& made) noexcept {
        const std::string_view name = made.first.id.at.of(text_);
        const bool is_and = words::same_ignoring_case(name, "and");
        const bool is_or = words::same_ignoring_case(name, "or");
        if (!is_and && !is_or && !words::same_ignoring_case(name, "not")) {
            return fail("before '|' stands AND, OR or NOT; alternatives are joined by '||'");
        }
        if (made.oper != And) {
            return fail("a list takes no other operator");
        }
        made.oper = is_and ? AndFrom : is_or ? OrFrom : NotFrom;
        advance();
        made.first = {};
        return read_part(made.first) && read_arguments(made, false);
    }
    constexpr bool read_comparison(item& made) noexcept {
        made.kind = now_.kind == token_kind::equal_equal ? item_kind::equal
                    : now_.kind == token_kind::not_equal ? item_kind::differs
                                                         : item_kind::contains;
        if (made.access != InOutDefault) {
            return fail("a comparison has no access: it gives no value");
        }
        made.src = made.first;
        made.first = {};
        made.has_second = true;
        made.value.how = comparison_of(now_.kind);
        if (!read_right_side(made.value)) {
            return false;
        }
        const value_comparison& value = made.value;
        const bool is_word = !value.right_members.end && !value.has_second &&
                             !value.src.id.is_given() && value.first.id.is_given() &&
                             value.first.id.at.end == value.right.end;
        if (is_word) {
            made.second.id = value.first.id;
        }
        // Names have no elements that a variable could contain.
        if (made.kind == item_kind::contains && made.src.id.kind == token_kind::variable &&
            made.second.id.kind != token_kind::quoted) {
            report(value.right, "'~=' compares with a text in quotes");
            return false;
        }
        return true;
    }

    // -- comparisons of values
    constexpr bool compares_entities() const noexcept {
        return now_.kind == token_kind::equal_equal || now_.kind == token_kind::not_equal ||
               now_.kind == token_kind::tilde_equal;
    }
    static constexpr comparison comparison_of(token_kind kind) noexcept {
        switch (kind) {
            case token_kind::less:
                return less;
            case token_kind::less_equal:
                return less_equal;
            case token_kind::greater:
                return greater;
            case token_kind::greater_equal:
                return greater_equal;
            case token_kind::not_equal:
                return not_equal;
            case token_kind::tilde_equal:
                return contains;
            case token_kind::name:
                return is_in;
            default:
                return equal;
        }
    }
    constexpr bool compares_values() const noexcept {
        return compares_entities() || at_name("in") || now_.kind == token_kind::less ||
               now_.kind == token_kind::less_equal || now_.kind == token_kind::greater ||
               now_.kind == token_kind::greater_equal;
    }
    // True if the token follows the last one without a blank.
    constexpr bool is_next_to(token_kind kind) const noexcept {
        return now_.kind == kind && now_.at.begin == last_.at.end;
    }
    // True for `.name`, and for `[2]`, `["key"]` and `[*]`, which are no searches.
    constexpr bool at_members() const noexcept {
        if (is_next_to(token_kind::dot)) {
            return true;
        }
        lexer ahead = lexer_;
        const token_kind next =
            is_next_to(token_kind::open_bracket) ? ahead.next().kind : token_kind::end;
        return next == token_kind::number || next == token_kind::quoted || next == token_kind::star;
    }
    // Goes on reading behind a part of the text that is no sequence of tokens.
    constexpr void continue_at(std::size_t end) noexcept {
        lexer_.seek(end);
        now_ = {token_kind::name, false, {now_.at.begin, static_cast<std::uint32_t>(end)}};
        advance();
    }
    constexpr bool read_members(span& made) noexcept {
        const std::size_t end = find_end_of_members(text_, now_.at.begin);
        if (end == now_.at.begin) {
            return fail(
                "behind '.' the name of a member should follow, in brackets a number, a "
                "key in quotes or '*'");
        }
        made = {now_.at.begin, static_cast<std::uint32_t>(end)};
        continue_at(end);
        return true;
    }
    // `$x.Component.member`: the path behind the variable.
    constexpr bool read_path_of_variable(part& made) noexcept {
        advance();
        if (now_.kind != token_kind::name || now_.at.begin != last_.at.end) {
            return fail("behind '.' a component should follow");
        }
        made.id = {now_.kind, now_.at};
        advance();
        return true;
    }
    // True if members or an operator follow a component with its source. Reads the members.
    constexpr bool continues_value(item& made) noexcept {
        if (at_members() && !read_members(made.value.members)) {
            return true;
        }
        return compares_values() || made.value.members.end != 0 ||
               (made.src.id.kind == token_kind::variable && made.first.id.at.begin > 0 &&
                made.src.id.at.end + 1 == made.first.id.at.begin);
    }
    constexpr bool read_value_comparison(item& made) noexcept {
        if (faulty_) {
            return false;
        }
        if (!compares_values()) {
            return fail("a comparison should follow: <, <=, >, >=, ==, !=, ~= or in");
        }
        if (made.access != InOutDefault) {
            return fail("a comparison has no access of its own: it reads the value");
        }
        if (made.no_source) {
            return fail("a value needs a source: the parentheses are empty");
        }
        made.kind = item_kind::value;
        made.value.how = comparison_of(now_.kind);
        return read_right_side(made.value);
    }
    // Reads what stands behind the operator, which is the present token.
    constexpr bool read_right_side(value_comparison& made) noexcept {
        lexer ahead = lexer_;
        const token next = ahead.next();
        const std::size_t begin = next.at.begin;
        const std::size_t end = find_end_of_constant(text_, begin);
        // A name may begin with a digit or a quote, and goes on behind it then.
        if (end != begin && !(next.kind == token_kind::name && next.at.end > end)) {
            return read_constants(made, next, end);
        }
        if (made.how == is_in) {
            advance();
            return fail("after 'in' a list should follow, as in [1, 2], or a range, as in 1..5");
        }
        advance();
        made.right = now_.at;
        const bool good =
            now_.kind == token_kind::open_paren ? read_right_pair(made) : read_right_word(made);
        made.right.end = last_.at.end;
        return good;
    }
    // Reads constants, which end at an offset; with `in`, a range or a list.
    constexpr bool read_constants(value_comparison& made, const token& first,
                                  std::size_t end) noexcept {
        const std::size_t begin = first.at.begin;
        if (made.how == is_in && text_[begin] != '[') {
            const std::size_t last = find_end_of_range(text_, end);
            if (last == end) {
                advance();
                return fail(
                    "after 'in' a list should follow, as in [1, 2], or a range, as in "
                    "1..5");
            }
            end = last;
        }
        made.right = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
        made.is_constant = true;
        if (first.at.end == end &&
            (first.kind == token_kind::number || first.kind == token_kind::quoted ||
             first.kind == token_kind::name)) {
            made.first.id = {first.kind, first.at};
        }
        continue_at(end);
        return true;
    }
    constexpr bool read_right_word(value_comparison& made) noexcept {
        if (now_.kind == token_kind::star || now_.kind == token_kind::underscore) {
            return fail("a comparison needs an entity, not a wildcard");
        }
        if (!read_word(made.first.id, "a value, an entity, a variable or a text should follow") ||
            !check_named(made.first.id)) {
            return false;
        }
        while (now_.kind == token_kind::bar) {  // flags
            advance();
            if (now_.kind != token_kind::name && now_.kind != token_kind::number) {
                return fail("after '|' another flag should follow");
            }
            advance();
        }
        if (made.first.id.kind == token_kind::variable && is_next_to(token_kind::dot)) {
            made.src.id = made.first.id;
            if (!read_path_of_variable(made.first)) {
                return false;
            }
        }
        return read_right_source(made);
    }
    constexpr bool read_right_pair(value_comparison& made) noexcept {
        advance();
        made.has_second = true;
        return read_part(made.first) &&
               expect(token_kind::comma, "a pair has two elements: ',' should follow") &&
               read_part(made.second) &&
               expect(token_kind::close_paren, "')' should follow the second element of a pair") &&
               read_right_source(made);
    }
    constexpr bool read_right_source(value_comparison& made) noexcept {
        if (is_next_to(token_kind::open_paren)) {
            advance();
            if (!read_source(made.src)) {
                return false;
            }
            if (!made.has_second && take(token_kind::comma)) {
                made.has_second = true;
                if (!read_part(made.second)) {
                    return false;
                }
            }
            if (!expect(token_kind::close_paren, "')' should follow")) {
                return false;
            }
        }
        return !at_members() || read_members(made.right_members);
    }

    // -- parts
    constexpr bool read_word(word& made, const char* message) noexcept {
        switch (now_.kind) {
            case token_kind::name:
            case token_kind::quoted:
            case token_kind::number:
            case token_kind::variable:
            case token_kind::dollar:
            case token_kind::star:
            case token_kind::underscore:
                made = {now_.kind, now_.at};
                advance();
                return true;
            default:
                return fail(message);
        }
    }
    constexpr bool read_part(part& made) noexcept {
        if (!read_word(made.id, "a name, a variable or a wildcard should stand here")) {
            return false;
        }
        return check_named(made.id) && read_search_in_brackets(made.by);
    }
    // A lone `$` is allowed as a source only.
    constexpr bool check_named(const word& made) noexcept {
        if (made.kind == token_kind::dollar) {
            report(made.at,
                   "'$' stands for the component as its own source; a variable has a "
                   "name, as in $x");
        }
        return made.kind != token_kind::dollar;
    }
    constexpr bool read_search_in_brackets(search& made) noexcept {
        return !take(token_kind::open_bracket) ||
               (read_search(made) && expect(token_kind::close_bracket, "']' should follow"));
    }
    // Reads the parentheses behind a term: its source and its target.
    constexpr bool read_arguments(item& made, bool may_have_second) noexcept {
        if (!take(token_kind::open_paren)) {
            return true;
        }
        if (take(token_kind::close_paren)) {
            made.no_source = true;
            return true;
        }
        if (!read_source(made.src)) {
            return false;
        }
        if (may_have_second && take(token_kind::comma)) {
            made.has_second = true;
            if (!read_part(made.second)) {
                return false;
            }
        }
        return expect(token_kind::close_paren, now_.kind == token_kind::comma
                                                   ? "a term has a source and at most one target"
                                                   : "')' should follow");
    }
    constexpr bool read_source(part& made) noexcept {
        if (now_.kind == token_kind::name && words::find_flags(now_.at.of(text_)) != 0) {
            if (!read_search(made.by)) {
                return false;
            }
            return !take(token_kind::colon) ||
                   read_word(made.id, "after ':' the source should follow");
        }
        return read_word(made.id, "a source should stand here") && read_search_in_brackets(made.by);
    }
    constexpr bool read_search(search& made) noexcept {
        made.at = now_.at;
        do {
            if (!read_flag(made)) {
                return false;
            }
        } while (take(token_kind::bar));
        made.at.end = last_.at.end;
        return true;
    }
    constexpr bool read_flag(search& made) noexcept {
        const std::uint32_t flags =
            now_.kind == token_kind::name ? words::find_flags(now_.at.of(text_)) : 0;
        if (flags == 0) {
            return fail("one of self, up, down, parent, cascade, desc, all should stand here");
        }
        if (made.flags & flags) {
            return fail("this was said before");
        }
        made.flags |= flags;
        advance();
        if (!(flags & (Up | Down | Cascade))) {
            return now_.kind != token_kind::open_paren ||
                   fail("only up, down and cascade take a relationship");
        }
        if (now_.kind == token_kind::name) {
            return read_relation(made);
        }
        return !take(token_kind::open_paren) ||
               (read_relation(made) && read_depths(made) &&
                expect(token_kind::close_paren, "')' should follow"));
    }
    constexpr bool read_relation(search& made) noexcept {
        word relation;
        const token first = now_;
        if (!read_word(relation, "a relationship should stand here")) {
            return false;
        }
        if (made.relation.is_given() && made.relation.at.of(text_) != relation.at.of(text_)) {
            report(first.at, "a search follows one relationship; another was named before");
            return false;
        }
        made.relation = relation;
        return true;
    }
    // `, most` or `, least, most`, where the most may be `*`.
    constexpr bool read_depths(search& made) noexcept {
        if (!take(token_kind::comma)) {
            return true;
        }
        std::uint32_t first = 0;
        if (!read_depth(first)) {
            return false;
        }
        if (!take(token_kind::comma)) {
            made.max_depth = first;
            return true;
        }
        made.min_depth = first;
        const token at = now_;
        if (take(token_kind::star)) {
            return true;
        }
        if (!read_depth(made.max_depth)) {
            return false;
        }
        if (made.max_depth < made.min_depth) {
            report(at.at, "the last level is above the first");
            return false;
        }
        return true;
    }
    constexpr bool read_depth(std::uint32_t& depth) noexcept {
        if (now_.kind != token_kind::number) {
            return fail("a number of levels should stand here");
        }
        std::uint64_t value = 0;
        for (char digit : now_.at.of(text_)) {
            value = value * 10 + static_cast<std::uint64_t>(digit - '0');
            if (value >= 0xFFFFFFFF) {
                return fail("this is more levels than there can be");
            }
        }
        if (value == 0) {
            return fail("levels count from 1, the first above or below; 'self' is level 0");
        }
        depth = static_cast<std::uint32_t>(value);
        advance();
        return true;
    }

    static constexpr const char* missing_separator = "',' or '||' should stand between terms";

    lexer lexer_;
    std::string_view text_;
    token now_;
    token last_;
    query_tree tree_;
    std::uint32_t open_[query_tree::deepest] = {};  // the scopes that are open
    std::uint32_t depth_ = 0;
    std::uint32_t nested_ = 0;  // parentheses and brackets that are open
    bool faulty_ = false;       // the present operand has a problem already
};

constexpr query_tree parse_query(std::string_view text) noexcept {
    return query_parser(text).parse();
}

}  // namespace kith::syntax
