// The strategies by which a query can be run. A plan names the fastest one that its terms allow;
// choose_run() (run/choose_run.hpp) decides for each run, because options and the present world may
// rule that one out. explain() prints the choice for a run over all results.
#pragma once

#include <cstdint>

namespace kith::queries {

// Each strategy is a class of its name in query/run, with the suffix _run.
//
// general       Any plan with any options: the executor evaluates the ops by backtracking over a
//               frame for each op. Has the longest start, and each result passes through the loop.
// table         Each term is one id in tables that $this must, must not or may have. Walks the
//               tables of the rarest id and looks up the others in the type of the table: no
//               executor, the shortest start of all runs without a cache. Requires a world without
//               IsA pairs, because it does not search bases.
// wildcard      As table, with wildcards among the terms: a table has one result for each
//               combination of matches. Starts with twice the instructions of a table run.
// bound         Each term is one id once the variables have values, in tables or in sparse storage.
//               Walks the shortest list: sources of a target, entities of a sparse component,
//               tables of an id, or a list of the parameter index, which makes the cost that of the
//               results. Requires that no id is toggled off or inherited.
// cached        The records of the match cache are the results: nothing is evaluated. The cache
//               costs memory for each table, and work with each new one. Requires that no table
//               matches through a base.
// cached_group  As cached, group by group. Requires groups of whole tables, and that each field is
//               the column of one id.
// sorted        Finds all results by another run, sorts their rows, then hands them out: the memory
//               of a run is that of its results. Kept results and a kept index make later runs cost
//               as much as the changes between them.
enum class run_strategy : std::uint8_t {
    general,
    table,
    wildcard,
    bound,
    cached,
    cached_group,
    sorted,
};

}  // namespace kith::queries
