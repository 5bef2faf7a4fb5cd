// How often what was tested.
#pragma once

#include "support/query_model/stage.hpp"

#include <map>

namespace query_model {

struct statistics {
    std::map<std::string, std::size_t> terms;
    std::map<std::string, std::size_t> ways;  // in which queries were asked
    std::size_t cases = 0;
    std::size_t refused = 0;
    std::size_t empty = 0;
    std::size_t everything = 0;
    std::map<std::string, std::size_t> refusals;
    bool graph = false;  // also count what only queries of graphs have

    using part = oracle::part;

    void add(const stage& on, const oracle::reader& world, const std::vector<oracle::term>& all,
             const oracle::answer& found);

private:
    static bool has_sparse_off(const oracle::reader& world);
    void note(const std::string& what, bool is = true) { terms[what] += is; }

    static const char* text_of(kith::oper_kind_t oper);
    void add_term(const stage& on, const oracle::term& one);
    void add_search(const stage& on, const part& one);

    // -- variables, scopes, comparisons

    void add_graph_term(const oracle::reader& world, const oracle::term& one,
                        const oracle::answer& found);
    void add_comparison(const oracle::term& one);
    void add_variables(const oracle::term& one, const oracle::answer& found);
    void add_properties(const oracle::reader& world, const oracle::term& one);
    void add_part(const std::string& where, const part& one);
};

}  // namespace query_model
