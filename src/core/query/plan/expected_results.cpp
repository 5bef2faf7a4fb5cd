// Expected numbers of results, declared in expected_results.hpp.
#include "query/plan/expected_results.hpp"

#include "base/assert.hpp"
#include "query/plan/estimate.hpp"

#include <algorithm>

namespace kith::queries {

namespace {

// The ratio of pairs in a transitive closure to stored pairs; a guess.
constexpr double closure_growth = 4;

// The expected pairs of the term's id with the values of the bound variables. A bound relationship
// is taken to be one of 16.
double expect_pairs(const term& term, const term_semantics& meaning, id_estimate all,
                    variable_set bound) noexcept {
    double pairs = all.pairs;
    if (term.second_variable != no_variable && bound & only(term.second_variable)) {
        pairs = pairs / all.targets;
    }
    if (term.first_variable != no_variable && bound & only(term.first_variable)) {
        pairs = pairs / 16;
    }
    if (meaning.transitive || meaning.reflexive || meaning.second_subsets || term.second_by.flags) {
        pairs = pairs * closure_growth + 4;
    }
    return pairs;
}

}  // namespace

expected_results::expected_results(const storage::store& data, const query_model& model,
                                   const std::vector<term_semantics>& meanings) noexcept
    : data_(data),
      model_(model),
      meanings_(meanings),
      everything_(std::max(1.0, double(data.entities.count()))) {}

double expected_results::of_term(std::uint32_t number, variable_set bound) const noexcept {
    KITH_ASSERT(number < model_.count, "the term is one of the model");
    const term& term = model_.terms[number];
    if (term.kind == term_kind::equal || term.kind == term_kind::name_equal) {
        return (source_of(term) | elements_of(term)) & ~bound ? 1 : 0.01;
    }
    if (term.kind != term_kind::ids) {
        return 0.5;
    }
    id_estimate all = estimate_id(data_, term.id);
    if (meanings_[number].first_subsets || term.first_by.flags) {
        all.pairs = all.pairs * 2 + 16;
        all.sources = all.sources * 2 + 16;
    }
    const double pairs = expect_pairs(term, meanings_[number], all, bound);
    if (term.from == source_kind::fixed) {
        return term.oper == And ? pairs / std::max(1.0, all.sources) : 1;
    }
    if (!(source_of(term) & ~bound)) {
        return pairs / everything_;
    }
    return term.follows() && term.trav != IsA ? everything_ : pairs;
}

double expected_results::of_group(const clause& clause, variable_set bound) const noexcept {
    if (clause.kind == clause_kind::term) {
        return of_term(clause.first, bound);
    }
    if (clause.kind == clause_kind::chain) {
        double sum = 0;
        each_alternative(model_, clause, [&](const queries::clause& alternative) {
            sum += of_group(alternative, bound);
        });
        return sum;
    }
    double least = everything_ * everything_;
    each_clause(model_, clause.first + 1, clause.last - 1, [&](const queries::clause& inside) {
        if (operator_of(model_, inside) == And) {
            least = std::min(least, of_group(inside, bound));
        }
    });
    return least;
}

}  // namespace kith::queries
