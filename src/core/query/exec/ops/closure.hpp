// The pairs of a transitive or reflexive relationship that a source has, stored or implied. Part of
// the operator `match_term`. Implemented in closure.cpp.
#pragma once

#include "query/exec/ops/term_request.hpp"

namespace kith::queries {

struct closure_search {
    void start() noexcept { tested_target = 0; }
    // Appends the pairs that the source has for the request, in the order of results.
    void collect(exec_context& context, const graph_op& op, const location& source,
                 const match_request& request, std::vector<match>& matches);

    // The number of entities that searches upwards for one target have visited so far: once they
    // are many, the closure below the target is computed and answers for all sources.
    entity_t tested_target = 0;
    std::uint64_t visited = 0;

private:
    void test(exec_context& context, const graph_op& op, const location& source,
              const match_request& request, entity_t target, std::vector<match>& matches);
    bool pays_to_walk_down(const storage::store& data, const match_request& request,
                           entity_t target) noexcept;
};

}  // namespace kith::queries
