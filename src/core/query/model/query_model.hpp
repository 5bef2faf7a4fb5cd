// A query that was checked: what its terms mean, with all names resolved and defaults applied.
// Immutable once made.
#pragma once

#include <kith/detail/layout.hpp>
#include <kith/query_desc.hpp>

#include "containers/vec.hpp"

namespace kith::queries {

inline constexpr std::uint32_t max_terms = 64;
inline constexpr std::uint32_t max_variables = 64;  // with $this, which is number 0
inline constexpr std::uint32_t max_scopes = 16;     // inside of each other
inline constexpr std::uint8_t no_variable = 0xFF;

enum class source_kind : std::uint8_t {
    self,      // $this
    fixed,     // one entity
    variable,  // another variable
    none,      // matches nothing, only says what else is read or written
};

enum class term_kind : std::uint8_t {
    ids,         // what its source has
    equal,       // the source is the second
    name_equal,  // the source is the entity at a path
    name_match,  // the source's name contains a text
    apart,       // the source is not the second; of two that were left open, it is the lower one
    scope_open,
    scope_close,
};

// What may stand for an element of a term: entities that are reached from it.
struct substitution {
    entity_t relation = 0;    // to follow, with its generation; 0: a builtin
    std::uint32_t trav = 0;   // its index
    std::uint32_t flags = 0;  // Self, Up, Down, TraverseAll; 0: none
    std::uint32_t min_depth = 1;
    std::uint32_t max_depth = 0xFFFFFFFF;
};

struct term {
    id_t id = 0;         // an id or a pattern
    entity_t first = 0;  // its elements, with their generations; 0: none, or a wildcard
    entity_t second = 0;
    entity_t source = 0;     // if it is fixed
    entity_t relation = 0;   // to follow, with its generation; 0: none, or a builtin
    std::uint32_t trav = 0;  // index of the relationship to follow, 0: none
    std::uint32_t min_depth = 1;
    std::uint32_t max_depth = 0xFFFFFFFF;
    std::uint32_t flags = 0;  // Self, Up, Down, Cascade, Desc, TraverseAll
    source_kind from = source_kind::self;
    oper_kind_t oper = And;              // of an Or chain: Or on each member but the last
    inout_kind_t access = InOutDefault;  // as declared
    std::uint8_t field = 0;              // index from 0; the members of an Or chain share one
    bool in_chain = false;
    // The term is in an Or chain of wildcards only: each member gives all of its matches. In other
    // chains the first member that matches decides.
    bool every_of_chain = false;
    bool at_most_one = false;  // the pattern has `_`
    bool is_filter = false;    // observers are not told of what it matches
    bool is_argument = false;  // a template argument: its values may be written, whoever has them
    term_kind kind = term_kind::ids;
    // Variables; in the id, a wildcard holds their place.
    std::uint8_t source_variable = 0;
    std::uint8_t first_variable = no_variable;
    std::uint8_t second_variable = no_variable;
    std::uint8_t scope_end = 0;  // of scope_open: the term that closes it
    std::uint32_t type = 0;      // of the values, for callbacks; 0: not asked for
    const char* text = nullptr;  // a path, or a part of a name
    substitution first_by;
    substitution second_by;

    bool follows_up() const noexcept { return (flags & (Up | Cascade)) != 0; }
    bool inherits() const noexcept { return follows_up() && trav == IsA; }
    bool follows() const noexcept { return (flags & (Up | Down | Cascade)) != 0; }
    // A search along another relationship than IsA also finds ids that the visited entities
    // inherit, the source included.
    bool tests_bases() const noexcept { return follows() && trav != IsA; }
    bool is_limited() const noexcept { return min_depth > 1 || max_depth != 0xFFFFFFFF; }
    bool is_from_list() const noexcept { return oper >= AndFrom; }
    // True for terms that must match, and that can be looked up by what they match.
    bool is_required() const noexcept { return oper == And && !in_chain; }
    bool has_element_variables() const noexcept {
        return first_variable != no_variable || second_variable != no_variable;
    }
    // True if it needs variables, or is no matter of one source and one pattern.
    bool is_graph() const noexcept {
        return kind != term_kind::ids || from == source_kind::variable || has_element_variables() ||
               first_by.flags != 0 || second_by.flags != 0;
    }
};

struct query_model {
    const term* terms = nullptr;
    std::uint32_t count = 0;
    std::uint32_t field_count = 0;
    bool has_this = false;
    bool instanced = false;
    bool tracks_rows = false;
    // Entities that are left out unless a term asks for them.
    bool shows_prefabs = false;
    bool shows_disabled = false;
    bool shows_builtins = false;
    std::uint64_t without_builtins = 0;      // other variables that are no builtins
    std::int32_t cascade = -1;               // the term that orders the results
    bool grouped = false;                    // results come by group
    bool graph = false;                      // some term is_graph()
    const char* const* variables = nullptr;  // their names; $this is the first
    std::uint32_t variable_count = 1;

    // $this must be found first.
    bool is_ordered_by_group() const noexcept { return cascade >= 0 || grouped; }
    const term* begin() const noexcept { return terms; }
    const term* end() const noexcept { return terms + count; }
};

// Flags of tables whose entities are left out.
inline std::uint32_t hidden_flags(const query_model& model) noexcept {
    return (model.shows_prefabs ? 0u : std::uint32_t{detail::shape_has_prefab}) |
           (model.shows_disabled ? 0u : std::uint32_t{detail::shape_has_disabled}) |
           (model.shows_builtins ? 0u : std::uint32_t{detail::shape_builtin});
}

// An open pattern has no relationship or component of its own: `*`, (*,T), (*,*).
inline bool is_open(id_t pattern) noexcept {
    return is_pair(pattern) ? is_wildcard_element(pair_first(pattern)) : is_wildcard(pattern);
}

}  // namespace kith::queries
