// Changes and bindings, the vocabulary of monitors. A *binding* gives values to some variables of a
// query; it stands for all results in which the variables have these values.
#pragma once

#include "query/model/clauses.hpp"

#include <bit>

namespace kith::observe {

using queries::variable_set;

// An entity is about to gain, lose, enable or disable an id.
struct change {
    entity_t entity;
    id_t id;
};

// Values of some variables. An empty set `which` stands for every result.
struct binding {
    variable_set which = 0;
    entity_t values[queries::max_variables];  // by variable; set for the members of `which`
};

// The binding of one variable.
inline binding bind(std::uint8_t variable, entity_t value) noexcept {
    binding result;
    result.which = queries::only(variable);
    result.values[variable] = value;
    return result;
}

// Calls visit(variable) for each member of the set, in the order of the variables' numbers.
template <class Visit>
void each_variable(variable_set which, Visit&& visit) {
    for (; which != 0; which &= which - 1) {
        visit(static_cast<std::uint8_t>(std::countr_zero(which)));
    }
}

// Writes the values of the variables `which` to `tuple`, in the order of the variables' numbers.
// `values` is indexed by variables.
inline void project(variable_set which, const entity_t* values, id_t* tuple) {
    std::uint32_t count = 0;
    each_variable(which, [&](std::uint8_t variable) { tuple[count++] = values[variable]; });
}

}  // namespace kith::observe
