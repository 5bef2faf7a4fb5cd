// Terms of a query as the oracle takes them, and the fields of results.
#pragma once

#include "support/query_model/oracle_world.hpp"

namespace oracle {

enum class term_kind : std::uint8_t {
    find,     // an id that the source has
    equal,    // the source is the second element
    differ,   // it is not
    contain,  // its name has a part
    open,     // of a scope
    close,    //
};

// Source, first or second element. An entity that has died since matches nothing, even if its index
// lives again.
struct part {
    entity_t id = 0;
    int variable = -1;  // which one, 0 being $this; -1: none
    std::uint32_t flags = 0;
    entity_t relation = 0;  // to traverse; 0: IsA
    std::uint32_t min_depth = 0;
    std::uint32_t max_depth = 0;

    bool is_variable() const { return variable >= 0; }
    bool is_constant() const { return !is_variable() && !is_open(id); }
    bool is_substituted() const { return flags != 0; }

    auto operator<=>(const part&) const = default;
};
struct term {
    term_kind kind = term_kind::find;
    part first;
    part second;  // of a pair; id 0 says that there is no such pair
    bool pair = false;
    part source = {.variable = 0};
    kith::oper_kind_t oper = kith::And;
    std::string name;  // of what to compare with, if it is not `second`
    bool by_name = false;

    auto operator<=>(const term&) const = default;
};

// What a field of a result says.
struct field {
    bool set = false;
    id_t id = 0;
    entity_t source = 0;  // 0: $this itself

    auto operator<=>(const field&) const = default;
};
// Whose it is may be reported one way or another.
inline constexpr entity_t anyone = ~entity_t{0};

// One way in which a term holds. Where several ids or sources may be reported for it, all of them.
using choice = std::vector<field>;
using choices = std::vector<choice>;

inline bool is_bracket(const term& one) {
    return one.kind == term_kind::open || one.kind == term_kind::close;
}

}  // namespace oracle
