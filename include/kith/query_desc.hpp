// What a query asks for, as plain data. The builders fill it in; programs that know their terms
// only at run time may do so directly: world.query(desc).
#pragma once

#include <kith/id.hpp>

namespace kith {

// What a term may do with the values that it matches.
enum inout_kind_t : std::uint8_t {
    InOutDefault,  // InOut where the matched entity owns the value, else In; None for tags
    InOutNone,
    InOut,
    In,
    Out,
};

// How a term takes part in a match. Or joins a term with the one behind it.
enum oper_kind_t : std::uint8_t { And, Or, Not, Optional, AndFrom, OrFrom, NotFrom };

// Where a term looks for what it matches, seen from its source.
inline constexpr std::uint32_t Self = 1u << 0;         // the source itself
inline constexpr std::uint32_t Up = 1u << 1;           // targets of a relationship, and theirs
inline constexpr std::uint32_t Down = 1u << 2;         // sources of a relationship, and theirs
inline constexpr std::uint32_t Parent = 1u << 3;       // Up, through ChildOf
inline constexpr std::uint32_t Cascade = 1u << 4;      // Up, and results come by depth
inline constexpr std::uint32_t Desc = 1u << 5;         // with Cascade: the deepest first
inline constexpr std::uint32_t TraverseAll = 1u << 6;  // do not stop at the first match
inline constexpr std::uint32_t SuperSet = Up;
inline constexpr std::uint32_t SubSet = Down;
// What kind of thing the name of a term's part is.
inline constexpr std::uint32_t IsVariable = 1u << 8;
inline constexpr std::uint32_t IsEntity = 1u << 9;
inline constexpr std::uint32_t IsName = 1u << 10;

// Source, first or second element of a term.
struct term_part_desc {
    entity_t id = 0;
    const char* name = nullptr;  // a path, or $variable; looked up when the query is made
    entity_t trav = 0;           // the relationship to follow; 0: IsA
    std::uint32_t flags = 0;
    // Levels to look at, the source itself being level 0. 0: from the first, to the last.
    std::uint32_t min_depth = 0;
    std::uint32_t max_depth = 0;
};

struct term_desc {
    id_t id = 0;  // or first and second
    term_part_desc src;
    term_part_desc first;
    term_part_desc second;
    inout_kind_t inout = InOutDefault;
    oper_kind_t oper = And;
    bool by_with = false;     // without a stated access it has none
    bool no_source = false;   // says what is read or written beside the query; matches nothing
    bool has_second = false;  // `second` was given, even if it is 0
    bool is_filter = false;   // observers are not told of what it matches
    // The C++ type that callbacks get for the term, 0 if they do not.
    std::uint32_t type = 0;
    // Where it stands in a text that it was read from; for messages.
    std::uint32_t text_begin = 0;
    std::uint32_t text_end = 0;
    const char* text = nullptr;
};

// Whether a query keeps what it found.
enum class cache_policy : std::uint8_t { none, tables };

struct query_desc {
    const term_desc* terms = nullptr;
    std::uint32_t count = 0;
    cache_policy cache = cache_policy::none;
    bool instanced = false;
    const char* name = nullptr;  // of the query's entity; null: it has none
    const char* expr = nullptr;  // more terms, in the query language
};

}  // namespace kith
