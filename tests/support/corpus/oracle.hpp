// Queries of the corpus as the oracle takes them: from the words as they were written, by way of
// the syntax tree alone. The library's own way from there to terms is not used, so that both can be
// compared.
#pragma once

#include "support/query_model/oracle.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace corpus {

// A field that shows what a `*` stood for.
struct wildcard_field {
    std::int32_t number = 0;    // of the query's fields, from 1
    std::size_t in_oracle = 0;  // of the oracle's, from 0
};

struct oracle_query {
    std::vector<oracle::term> terms;
    std::vector<std::string> variables = {"this"};
    std::vector<wildcard_field> wildcards;
};

oracle_query make_oracle_query(const kith::world& world, std::string_view text);

}  // namespace corpus
