// A parsed query: words and structure, without a world in which names could be looked up. Produced
// by query_parser.hpp, lowered to terms by src/dsl/lower.cpp.
#pragma once

#include <kith/query_desc.hpp>
#include <kith/syntax/token.hpp>

namespace kith::syntax {

// One identifier.
struct word {
    token_kind kind = token_kind::end;  // end: there is none
    span at;

    constexpr bool is_given() const noexcept { return kind != token_kind::end; }
};

// `self|up(ChildOf,2,4)`: where to look, seen from an identifier.
struct search {
    std::uint32_t flags = 0;  // see query_desc.hpp; 0: nothing was said
    std::uint32_t min_depth = 0;
    std::uint32_t max_depth = 0;
    word relation;
    span at;
};

// A word with its search: `first`, `second` or the source of a term.
struct part {
    word id;
    search by;
};

enum class item_kind : std::uint8_t {
    term,      // first(src, second)
    equal,     // src == second
    differs,   // src != second
    contains,  // src ~= second
    value,     // first(src, second).members < right
    scope_open,
    scope_close,
};

// The comparison of a value with constants or with another value. Comparisons that may as well be
// those of entities (`Level == 3`) have it too: names decide when they are looked up.
struct value_comparison {
    comparison how = equal;
    span members;              // behind the component on the left: `.points`, `[2].count`
    span right;                // the constants, or the whole value on the right; empty: none
    bool is_constant = false;  // no name: a number, a text in quotes, a list, a range
    // The value on the right: a path, a variable with a path, a pair, with a source.
    part first;
    part src;
    part second;
    bool has_second = false;
    span right_members;

    constexpr bool is_given() const noexcept { return right.end != 0; }
};

// A term, a comparison, or a mark that opens or closes a scope.
struct item {
    item_kind kind = item_kind::term;
    oper_kind_t oper = And;  // And, Not, Optional or one of the lists
    inout_kind_t access = InOutDefault;
    bool is_filter = false;   // `[filter]`
    bool joins_next = false;  // `||` follows
    bool no_source = false;   // `Position()`
    bool has_second = false;
    part first;
    part src;
    part second;
    value_comparison value;
    span at;

    // A comparison of entities, unless the left side turns out to be a value.
    constexpr bool is_comparison() const noexcept {
        return kind == item_kind::equal || kind == item_kind::differs ||
               kind == item_kind::contains;
    }
};

// A mistake; the text lives as long as the program.
struct problem {
    span at;
    const char* message = "";
};

// The items of a query in the order of the text, and the problems. Sizes are fixed, so that a tree
// can be made at compile time.
struct query_tree {
    static constexpr std::uint32_t most_items = 64;     // as many as a query has terms
    static constexpr std::uint32_t most_problems = 20;  // later ones mostly follow from the first
    static constexpr std::uint32_t deepest = 16;        // scopes inside of each other

    item items[most_items];
    problem problems[most_problems];
    std::uint32_t count = 0;
    std::uint32_t problem_count = 0;
};

}  // namespace kith::syntax
