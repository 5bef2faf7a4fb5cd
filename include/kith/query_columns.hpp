// The columns of a query's results, for programs that print results of queries which they did not
// write. Not part of <kith/kith.hpp>. Implemented in src/core/api/query_columns.cpp.
//
// Covered by tests/features/queries/columns_test.cpp.
#pragma once

#include <kith/query.hpp>

#include <string>
#include <vector>

namespace kith {

enum class column_kind : std::uint8_t {
    entity,    // $this
    variable,  // iter::get_var(number)
    wildcard,  // what a `*` stands for: iter::id(number), where iter::is_set(number)
    value,     // the value of a field: iter::field(number), where iter::is_set(number)
};

struct query_column {
    column_kind kind = column_kind::entity;
    std::int32_t number = 0;  // of the variable, of the field
    // Of a wildcard: the parts of the matched id that it left open. Neither: the id is no pair.
    bool first = false;
    bool second = false;
    id_t id = 0;  // of a wildcard or value: the id of the term, perhaps with wildcards
    // Of a value: the variable or the entity that has it; neither: $this.
    std::int32_t variable = 0;
    entity_t source = 0;
    bool in_chain =
        false;  // of a value: terms of an Or chain share the field, and types may differ
};

// $this if the query has it, the other variables in the order of their numbers, without those that
// only negated parts name, then the fields with a `*` that can be set. `_` asks whether there is
// something, not what, and is no column.
std::vector<query_column> columns_of(const filter<>& query);
// The fields whose values results have: terms of components with the access In, InOut or the
// default one. Alternatives of an Or chain share a field; the id is that of the first.
std::vector<query_column> value_columns_of(const filter<>& query);
namespace detail {
std::vector<query_column> value_columns(const query_head* query);
}  // namespace detail
// The name of a column: `this`, the variable, the number of a field with a `*`, the id of a value
// with its source, such as `Cargo` or `Cargo($port)`.
std::string column_name(const filter<>& query, const query_column& column);

}  // namespace kith
