// Which ids satisfy a term.
#include "observe/observer/satisfying_ids.hpp"

#include "query/exec/search.hpp"
#include "query/plan/plan.hpp"
#include "traits/inherit.hpp"

#include <algorithm>

namespace kith::observe {

using queries::substitution;
using queries::term;

namespace {

// True if `kind` is a base of the element, directly or not.
bool is_kind_of(const storage::store& data, std::uint32_t element, entity_t kind) {
    traits::base_walk bases(data, data.tables.at(data.entities.at(element).table));
    for (entity_t entity = bases.next(); entity != 0; entity = bases.next()) {
        if (entity == kind) {
            return true;
        }
    }
    return false;
}

// True if a term that names `entity` accepts the element; entity 0 accepts each element.
bool stands_for(const storage::store& data, std::uint32_t element, entity_t entity, bool subsets,
                const substitution& substitution) {
    if (entity == 0) {
        return true;
    }
    if (substitution.flags != 0) {
        std::vector<entity_t> reached;
        queries::collect_dependents(data, entity, substitution, reached);
        return std::any_of(reached.begin(), reached.end(),
                           [&](entity_t other) { return index_of(other) == element; });
    }
    return element == index_of(entity) || (subsets && is_kind_of(data, element, entity));
}

}  // namespace

satisfying_ids::satisfying_ids(const storage::store& data, const term& term,
                               const term_values& values)
    : data_(data),
      bound_term_(term),
      meaning_(queries::find_semantics(data, term)),
      first_(term.first),
      second_(term.second),
      empty_(queries::names_deleted(data, term)) {
    auto value_of = [&](std::uint8_t variable) -> entity_t {
        if (variable == 0) {
            return values.self;
        }
        return variable != queries::no_variable && values.variables ? values.variables[variable]
                                                                    : 0;
    };
    const bool pair = is_pair(term.id);
    const bool each = values.matched != 0 && !term.at_most_one;
    auto fill = [&](entity_t& element, std::uint8_t variable, std::uint32_t matched) {
        if (element == 0) {
            element = value_of(variable);
            if (element == 0 && each) {
                element = data.entities.alive_at(matched);
            }
        }
    };
    fill(first_, term.first_variable, pair ? pair_first(values.matched) : index_of(values.matched));
    if (!pair) {
        bound_term_.id = term.first == 0 && first_ != 0 ? first_ : term.id;
        return;
    }
    fill(second_, term.second_variable, pair_second(values.matched));
    bound_term_.id = make_pair(first_ != 0 ? first_ : entity_t{pair_first(term.id)},
                               second_ != 0 ? second_ : entity_t{pair_second(term.id)});
}

satisfying_ids::satisfying_ids(const storage::store& data, const term& term,
                               const detail::result& result)
    : satisfying_ids(data, term,
                     term_values{result.variables, result.count ? result.entities[0] : 0,
                                 term.oper != Not && (!term.in_chain || term.every_of_chain)
                                     ? result.fields[term.field].id
                                     : 0}) {}

bool satisfying_ids::is_exact() const noexcept {
    return !is_wildcard(bound_term_.id) && meaning_.is_plain() && bound_term_.first_by.flags == 0 &&
           bound_term_.second_by.flags == 0;
}

id_t satisfying_ids::pattern() const noexcept {
    const bool any_first = meaning_.first_subsets || bound_term_.first_by.flags != 0;
    const bool any_second =
        meaning_.second_subsets || meaning_.transitive || bound_term_.second_by.flags != 0;
    if (!is_pair(bound_term_.id)) {
        return any_first || is_wildcard(bound_term_.id) ? id_t{Wildcard} : bound_term_.id;
    }
    auto element = [](bool any, std::uint32_t index) {
        return any || is_wildcard_element(index) ? entity_t{Wildcard} : entity_t{index};
    };
    return make_pair(element(any_first, pair_first(bound_term_.id)),
                     element(any_second, pair_second(bound_term_.id)));
}

bool satisfying_ids::is_first(std::uint32_t element) const {
    return stands_for(data_, element, first_, meaning_.first_subsets, bound_term_.first_by);
}

bool satisfying_ids::is_end(std::uint32_t target) const {
    return stands_for(data_, target, second_, meaning_.second_subsets, bound_term_.second_by);
}

bool satisfying_ids::has(id_t id) const {
    if (empty_ || is_pair(id) != is_pair(bound_term_.id) || (id ^ bound_term_.id) & Override) {
        return false;
    }
    return is_pair(id)
               ? is_first(pair_first(id)) && (meaning_.transitive || is_end(pair_second(id)))
               : is_first(index_of(id));
}

bool is_existential(const storage::store& data, const term& term) noexcept {
    const bool joined = term.in_chain && !term.every_of_chain;
    return term.oper == Not || joined || term.first_by.flags != 0 || term.second_by.flags != 0 ||
           !queries::find_semantics(data, term).is_plain();
}

}  // namespace kith::observe
