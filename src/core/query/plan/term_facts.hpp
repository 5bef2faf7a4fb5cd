// Facts about the terms of a query that the planner of graph plans asks for: how a term is stored,
// and by which op it is evaluated. They depend on the query and on the semantics of its terms, not
// on the order of the plan.
#pragma once

#include "query/plan/graph_plan.hpp"

#include <cstddef>

namespace kith::queries {

class term_facts {
public:
    term_facts(const storage::store& data, const query_model& model,
               const graph_plan& plan) noexcept
        : data_(data), model_(model), plan_(plan) {}

    // -- clauses
    // True for a term without a source, which only declares access.
    bool is_declaration(const clause& clause) const noexcept {
        return clause.kind == clause_kind::term &&
               model_.terms[clause.first].kind == term_kind::ids &&
               model_.terms[clause.first].from == source_kind::none;
    }
    // True for clauses that bind no variable.
    bool is_test(const clause& clause) const noexcept {
        if (clause.kind == clause_kind::chain) {
            return false;
        }
        const term& term = model_.terms[clause.first];
        return term.oper == Not || term.is_from_list() || term.kind == term_kind::name_match ||
               term.kind == term_kind::apart;
    }
    bool is_plain_chain(const clause& chain) const noexcept {
        for (std::uint32_t i = chain.first; i < chain.last; ++i) {
            if (model_.terms[i].is_graph() || !plan_.meanings[i].is_plain()) {
                return false;
            }
        }
        return true;
    }
    bool has_row_terms(const clause& clause) const noexcept {
        std::uint64_t mask =
            clause.last >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << clause.last) - 1;
        return (plan_.rows & mask & ~((std::uint64_t{1} << clause.first) - 1)) != 0;
    }

    // -- terms
    // True if the term may differ between rows of one table.
    bool is_by_row(std::uint32_t number) const noexcept { return (plan_.rows >> number) & 1; }
    // True if the term matches stored pairs of a named relationship, without widening.
    bool is_linkable(std::uint32_t number) const noexcept {
        const term& term = model_.terms[number];
        return term.kind == term_kind::ids && is_pair(term.id) && term.first != 0 &&
               term.first_by.flags == 0 && term.second_by.flags == 0 && !term.at_most_one &&
               term.type == 0 && !term.value && searches_self_or_bases(term) &&
               plan_.meanings[number].is_plain();
    }
    // True if the term matches exactly one id once its target is bound.
    bool is_exact(std::uint32_t number) const noexcept {
        const term& term = model_.terms[number];
        const bool open = term.second_variable != no_variable;
        return term.kind == term_kind::ids && term.first_variable == no_variable &&
               term.first_by.flags == 0 && term.second_by.flags == 0 &&
               searches_self_or_bases(term) && (open ? term.first != 0 : !is_wildcard(term.id)) &&
               plan_.meanings[number].is_plain() && !((plan_.dead >> number) & 1);
    }
    op_level level_of(std::uint32_t number) const noexcept {
        const term& term = model_.terms[number];
        return is_by_row(number)                ? op_level::row
               : term.from == source_kind::self ? op_level::table
                                                : op_level::entity;
    }
    // match_term is for terms that bind variables or are widened; match answers the others faster.
    op_code code_of(std::uint32_t number) const noexcept {
        const term& term = model_.terms[number];
        if (term.kind != term_kind::ids) {
            return op_code::compare;
        }
        if (term.is_from_list()) {
            return op_code::list;
        }
        return term.is_graph() || !plan_.meanings[number].is_plain() || term.flags & TraverseAll
                   ? op_code::match_term
               : term.value ? op_code::match_value
                            : op_code::match;
    }

    // -- blocks
    // True if the block asks whether a bound target has a source (by one relationship) whose table
    // has certain ids and lacks others. The executor then tests tables instead of sources.
    bool is_about_sources(std::size_t number) const noexcept;

private:
    const storage::store& data_;
    const query_model& model_;
    const graph_plan& plan_;  // has the semantics of the terms; its ops grow meanwhile
};

}  // namespace kith::queries
