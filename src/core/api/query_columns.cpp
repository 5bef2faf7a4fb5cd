// columns_of() (include/kith/query_columns.hpp): the variables and wildcards that tell results of a
// query apart, for programs that print results.
#include <kith/query_columns.hpp>

#include "query/compiled_query.hpp"
#include "query/model/clauses.hpp"

namespace kith {

namespace {

using queries::term_kind;

// True for a wildcard that makes one result per match.
bool is_star(std::uint32_t element, std::uint8_t variable) noexcept {
    return element == Wildcard && variable == queries::no_variable;
}

// The column of a term's wildcards. Terms without wildcards give a column of another kind.
query_column open_parts(const queries::term& term) noexcept {
    query_column column;
    if (term.kind != term_kind::ids || term.is_from_list() ||
        term.from == queries::source_kind::none) {
        return column;
    }
    if (is_pair(term.id)) {
        column.first = is_star(pair_first(term.id), term.first_variable);
        column.second = is_star(pair_second(term.id), term.second_variable);
    }
    if (column.first || column.second ||
        (!is_pair(term.id) && is_star(index_of(term.id), term.first_variable))) {
        column.kind = column_kind::wildcard;
        column.number = term.field + 1;
        column.id = term.id;
    }
    return column;
}

// Adds a column. Terms of an Or chain share a field, so their columns are merged.
void add_wildcard(const query_column& column, std::vector<query_column>& columns) {
    if (!columns.empty() && columns.back().kind == column_kind::wildcard &&
        columns.back().number == column.number) {
        columns.back().first |= column.first;
        columns.back().second |= column.second;
    } else {
        columns.push_back(column);
    }
}

// True if results have a value of the term that may be read.
bool is_value_shown(const world_t* world, const queries::term& term) noexcept {
    const bool is_read = term.access == InOutDefault || term.access == InOut || term.access == In;
    return is_read && term.kind == term_kind::ids && !term.is_from_list() &&
           term.from != queries::source_kind::none && detail::type_component(world, term.id) != 0;
}

query_column value_column(const queries::term& term) noexcept {
    query_column column;
    column.kind = column_kind::value;
    column.number = term.field + 1;
    column.id = term.id;
    column.in_chain = term.in_chain;
    if (term.from == queries::source_kind::variable) {
        column.variable = term.source_variable;
    } else if (term.from == queries::source_kind::fixed) {
        column.source = term.source;
    }
    return column;
}

// The index of the last term of a negated clause, which adds no column to results.
std::uint32_t end_of_negated(const queries::term& term, std::uint32_t index) noexcept {
    return term.kind == term_kind::scope_open ? term.scope_end : index;
}

// The variables that occur outside of negated clauses.
queries::variable_set named_variables(const queries::query_model& model) noexcept {
    queries::variable_set named = 0;
    for (std::uint32_t i = 0; i < model.count; ++i) {
        const queries::term& term = model.terms[i];
        if (term.oper == Not) {
            i = end_of_negated(term, i);
        } else {
            named |= queries::source_of(term) | queries::elements_of(term);
        }
    }
    return named;
}

}  // namespace

std::vector<query_column> detail::value_columns(const query_head* head) {
    const world_t* world = world_of(head);
    const queries::query_model& model = queries::compiled(head).model;
    std::vector<query_column> columns;
    for (std::uint32_t i = 0; i < model.count; ++i) {
        const queries::term& term = model.terms[i];
        if (term.oper == Not) {
            i = end_of_negated(term, i);
        } else if (is_value_shown(world, term) &&
                   (columns.empty() || columns.back().number != term.field + 1)) {
            columns.push_back(value_column(term));
        }
    }
    return columns;
}

std::vector<query_column> value_columns_of(const filter<>& query) {
    return detail::value_columns(query.ref().get());
}

std::vector<query_column> columns_of(const filter<>& query) {
    const detail::query_head* head = query.ref().get();
    detail::world_of(head);  // throws if the query or its world is gone
    const queries::query_model& model = queries::compiled(head).model;
    std::vector<query_column> columns;
    if (model.has_this) {
        columns.push_back({});
    }
    const queries::variable_set named = named_variables(model);
    for (std::uint32_t i = 1; i < model.variable_count; ++i) {
        if (!((named >> i) & 1)) {
            continue;
        }
        columns.push_back({column_kind::variable, static_cast<std::int32_t>(i), false, false, 0});
    }
    for (std::uint32_t i = 0; i < model.count; ++i) {
        const queries::term& term = model.terms[i];
        if (term.oper == Not) {
            i = end_of_negated(term, i);
        } else if (query_column column = open_parts(term); column.kind == column_kind::wildcard) {
            add_wildcard(column, columns);
        }
    }
    return columns;
}

std::string column_name(const filter<>& query, const query_column& column) {
    switch (column.kind) {
        case column_kind::entity:
            return "this";
        case column_kind::variable:
            return query.var_name(column.number);
        case column_kind::wildcard:
            return std::to_string(column.number);
        case column_kind::value:
            break;
    }
    world_t* world = detail::world_of(query.ref().get());
    std::string name = detail::id_text(world, column.id).c_str();
    if (column.variable != 0) {
        name += std::string("($") + query.var_name(column.variable) + ")";
    } else if (column.source != 0) {
        name += std::string("(") + detail::id_text(world, column.source).c_str() + ")";
    }
    return name;
}

}  // namespace kith
