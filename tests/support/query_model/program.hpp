// Worlds and queries as plain data, so that they can be made at random, run, shrunk and printed: a
// program is a list of steps, a query a list of terms, and both name what they are about by a
// small vocabulary.
#pragma once

#include <kith/kith.hpp>

#include "support/query_model/oracle.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace query_model {

using kith::entity_t;
using kith::id_t;

// -- the vocabulary

struct Position {
    int x = 0;
    int y = 0;
};
struct Velocity {
    int x = 0;
    int y = 0;
};
struct Label {
    std::string text;
};
struct Heavy {  // sparse
    int weight = 0;
};
struct Secret {  // not inherited
    int number = 0;
};
struct Hot {};
struct Cold {};
struct Marked {};  // sparse
struct Likes {};
struct Eats {
    int amount = 0;
};
struct Owes {  // sparse
    int amount = 0;
};

enum word : std::uint8_t {
    nothing,
    star,
    any_one,
    // components and tags
    position,
    velocity,
    label,
    heavy,
    secret,
    hot,
    cold,
    marked,
    plain_tag,
    // relationships
    likes,
    eats,
    owes,
    knows,
    in_room,
    mood,
    part_of,
    flows_to,
    married,
    located_in,
    inside,
    near_to,
    similar,
    child_of,
    is_a,
    // builtin
    prefab,
    disabled,
    builtin_component,
    identifier,
    name_of,
    all_of,
    any_of,
    transitive,
    reflexive,
    final_mark,
    first_slot,
};
inline constexpr std::size_t slot_count = 16;
inline constexpr std::size_t word_count = first_slot + slot_count;
inline constexpr std::size_t variable_count = 6;  // with $this, which is the first

constexpr word slot(std::size_t index) {
    return static_cast<word>(first_slot + index);
}
constexpr word variable(std::size_t index) {
    return static_cast<word>(word_count + index);
}
constexpr bool is_slot(word one) {
    return one >= first_slot && one < word_count;
}
constexpr bool is_variable(word one) {
    return one >= word_count;
}
constexpr bool is_wild(word one) {
    return one == star || one == any_one;
}

std::string text_of(word one);

// An id: one word, or a pair of two.
struct phrase {
    word first = nothing;
    word second = nothing;
    bool pair = false;
};
std::string text_of(const phrase& one);

// -- worlds

enum class step_kind : std::uint8_t {
    create,
    add,
    remove,
    set,
    mark,    // Override
    unmark,  //
    switch_off,
    switch_on,
    rename,
    clear,
    destroy,
    clone,
    toggle_sparse,
    crowd,
    toggle_exclusive,
    toggle_inherit,
    toggle_traversable,
    remove_all,
    delete_with,
    defer,
    flush,
    shrink,
    make_queries,
    check,
};
struct step {
    step_kind kind = step_kind::check;
    word entity = nothing;
    phrase id;
    int number = 0;
};

std::string text_of(const step& one);

// -- queries

// Where to look, seen from an element of a term.
struct search {
    std::uint32_t flags = 0;
    word relation = nothing;
    std::uint32_t min_depth = 0;
    std::uint32_t max_depth = 0;
};
struct query_term {
    phrase id;
    word source = nothing;  // $this
    kith::oper_kind_t oper = kith::And;
    std::uint32_t flags = 0;
    word relation = nothing;
    std::uint32_t min_depth = 0;
    std::uint32_t max_depth = 0;
    search first = {};
    search second = {};
    oracle::term_kind kind = oracle::term_kind::find;
    std::string name = {};  // to compare with, if id.second is nothing
};
using query_terms = std::vector<query_term>;

std::string text_of(const search& one);
// An element that has to be named apart.
std::string text_of(const char* part, word one, const search& how);
std::string text_of(const query_term& one);
std::string text_of(const query_terms& terms);

}  // namespace query_model
