// The model of a query: its terms, variables and options after validation, with names resolved and
// defaults applied. A model depends on the description of the query alone; a plan (plan/plan.hpp)
// says how the model is evaluated against the present data.
//
// Invariants
// 1. `terms` has `count` <= max_terms entries, `variables` has `variable_count` <= max_variables
//    names, and variable 0 is $this.
// 2. The members of an Or chain are neighbours: each but the last has the operator Or, all have
//    `in_chain` set, and members outside of scopes share one field.
// 3. A scope_open term and the scope_close term at its `scope_end` enclose whole clauses; scopes
// are
//    at most max_scopes deep.
// 4. An element of an id that is a variable is a wildcard in `id`, and its entity (`first`,
// `second`)
//    is 0.
// 5. Fields are numbered from 0 in the order of the terms, below `field_count`.
//
// Models are written by validate/validate.cpp. The only later change is that an update in
// prepared_query.cpp replaces entities whose place a C++ type has taken.
#pragma once

#include <kith/detail/layout.hpp>
#include <kith/detail/value_test.hpp>
#include <kith/query_desc.hpp>

#include "containers/vec.hpp"

#include <memory>
#include <vector>

namespace kith::queries {

inline constexpr std::uint32_t max_terms = 64;
// Sets of terms and sets of variables are bits of 64-bit numbers, hence these limits.
inline constexpr std::uint32_t max_variables = 64;  // $this, number 0, included
inline constexpr std::uint32_t max_scopes = 16;     // depth of nested scopes
inline constexpr std::uint8_t no_variable = 0xFF;

// The entity that a term is about.
enum class source_kind : std::uint8_t {
    self,      // $this
    fixed,     // one entity
    variable,  // a variable other than $this
    none,      // no entity: the term declares access to an id and matches nothing
};

// The condition that a term states.
enum class term_kind : std::uint8_t {
    ids,         // the source has an id
    equal,       // the source is the second element
    name_equal,  // the source is the entity at a path
    name_match,  // the name of the source contains a text
    apart,       // the source differs from the second element; of two open ones it is the lower
    scope_open,
    scope_close,
};

// A walk along a relationship, from an entity to the entities above or below it.
struct relation_walk {
    entity_t relation = 0;    // relationship to follow, with its generation; 0: none, or a builtin
    std::uint32_t trav = 0;   // index of that relationship; 0: none
    std::uint32_t flags = 0;  // Self, Up, Down, Cascade, Desc, TraverseAll
    std::uint32_t min_depth = 1;
    std::uint32_t max_depth = 0xFFFFFFFF;

    bool follows_up() const noexcept { return (flags & (Up | Cascade)) != 0; }
    bool inherits() const noexcept { return follows_up() && trav == IsA; }
    bool follows() const noexcept { return (flags & (Up | Down | Cascade)) != 0; }
    bool is_limited() const noexcept { return min_depth > 1 || max_depth != 0xFFFFFFFF; }
};
// The entities that may take the place of an element of a term: all that the walk reaches from the
// element. Without flags, the element stands for itself.
struct substitution : relation_walk {};

// The entities of a term. The number of a variable replaces an entity; in the id, a wildcard holds
// its place.
struct term_elements {
    id_t id = 0;         // an id or a pattern
    entity_t first = 0;  // elements of the id, with their generations; 0: none, or a wildcard
    entity_t second = 0;
    entity_t source = 0;  // of source_kind::fixed
    std::uint8_t source_variable = 0;
    std::uint8_t first_variable = no_variable;
    std::uint8_t second_variable = no_variable;
    // The source of the value that a value is compared with; no_variable if a row of $this has both
    // values.
    std::uint8_t value_variable = no_variable;

    bool has_element_variables() const noexcept {
        return first_variable != no_variable || second_variable != no_variable ||
               value_variable != no_variable;
    }
};

struct value_condition;

// One condition of a query, or a bracket of a scope. The walk is the search for the id that starts
// at the source.
struct term : term_elements, relation_walk {
    source_kind from = source_kind::self;
    oper_kind_t oper = And;              // in an Or chain: Or on each member but the last
    inout_kind_t access = InOutDefault;  // declared access; InOutNone: no value is requested
    std::uint8_t field = 0;              // place of the term in a result
    bool in_chain = false;
    // The term is in an Or chain of wildcards only: each member gives all of its matches. In other
    // chains the first member that matches decides.
    bool every_of_chain = false;
    bool at_most_one = false;  // the pattern has `_`: one match per source is enough
    bool is_filter = false;    // events of the id do not trigger observers
    bool is_argument = false;  // the term is a template argument, whose values callbacks may write
    term_kind kind = term_kind::ids;
    std::uint8_t scope_end = 0;  // of scope_open: number of the matching scope_close
    std::uint32_t type = 0;      // component whose C++ type a callback expects; 0: any
    const char* text = nullptr;  // of name_equal: a path; of name_match: a part of a name
    substitution first_by;
    substitution second_by;
    const value_condition* value = nullptr;  // what values of the id are compared with

    // A search along another relationship than IsA also finds ids that the visited entities
    // inherit, the source included.
    bool tests_bases() const noexcept { return follows() && trav != IsA; }
    bool is_from_list() const noexcept { return oper >= AndFrom; }
    // True if every result satisfies this very term: candidates may be looked up by its id.
    bool is_required() const noexcept { return oper == And && !in_chain; }
    // True if the term needs a graph plan: it has variables, compares, opens a scope or
    // substitutes.
    bool is_graph() const noexcept {
        return kind != term_kind::ids || from == source_kind::variable || has_element_variables() ||
               first_by.flags != 0 || second_by.flags != 0;
    }
};

// The comparison of a value term. It holds for values that the term has found.
struct value_condition {
    value_condition() = default;
    ~value_condition() {
        if (test) {
            test->release();
        }
    }
    value_condition(const value_condition&) = delete;
    value_condition& operator=(const value_condition&) = delete;

    const detail::value_test* test = nullptr;
    bool has_operand = false;  // the right side is a value, or an entity, and no constant
    bool is_handle = false;    // the right side is the source of the operand itself
    bool binds = false;        // `handle == $x` gives the variable a value
    term operand;              // component and source of the value on the right
    // The description from which another query can be made.
    value_desc desc;
    term_desc other;
};

struct query_model {
    const term* terms = nullptr;
    std::uint32_t count = 0;  // of terms
    std::uint32_t field_count = 0;
    bool has_this = false;     // results are rows: $this is a variable of the query
    bool instanced = false;    // shared values are handed out with whole ranges of rows
    bool tracks_rows = false;  // changes are reported for single rows
    // Entities that are left out unless a term names Prefab, Disabled or a builtin id.
    bool shows_prefabs = false;
    bool shows_disabled = false;
    bool shows_builtins = false;
    std::uint64_t without_builtins = 0;      // variables except $this that skip builtin entities
    std::int32_t cascade = -1;               // term that orders results by depth; -1: none
    bool grouped = false;                    // results come group by group
    bool graph = false;                      // a term is_graph()
    const char* const* variables = nullptr;  // names of variables, "this" first
    std::uint32_t variable_count = 1;
    std::vector<std::unique_ptr<value_condition>> conditions;  // of the value terms

    // True if depth or group is the first order of results, so that $this is found before all else.
    bool is_ordered_by_group() const noexcept { return cascade >= 0 || grouped; }
    const term* begin() const noexcept { return terms; }
    const term* end() const noexcept { return terms + count; }
};

// The flags of tables whose entities the query leaves out.
inline std::uint32_t hidden_flags(const query_model& model) noexcept {
    return (model.shows_prefabs ? 0u : std::uint32_t{detail::shape_has_prefab}) |
           (model.shows_disabled ? 0u : std::uint32_t{detail::shape_has_disabled}) |
           (model.shows_builtins ? 0u : std::uint32_t{detail::shape_builtin});
}

// True for patterns that name no component and no relationship: `*`, (*,T), (*,*).
inline bool is_open(id_t pattern) noexcept {
    return is_pair(pattern) ? is_wildcard_element(pair_first(pattern)) : is_wildcard(pattern);
}

}  // namespace kith::queries
