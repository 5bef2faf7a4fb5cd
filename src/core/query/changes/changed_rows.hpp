// Finds the entities whose rows changed for a query, starting from the entities that were marked as
// changed. The cost depends on the number of changes, not on the number of rows.
//
// Covered by tests/features/changes/each_changed_test.cpp and tests/model/change_test.cpp.
#pragma once

#include "graph/visit_set.hpp"
#include "query/plan/change_dependencies.hpp"

#include <vector>

namespace kith::queries {

class changed_rows {
public:
    // Considers changes after the tick `since` that the query with the number `reader` did not
    // make.
    changed_rows(const storage::store& data, const query_model& model,
                 const change_dependencies& dependencies, std::uint32_t reader, std::uint64_t since)
        : data_(data), model_(model), dependencies_(dependencies), reader_(reader), since_(since) {}

    // Collects the entities, each once. `own_writes` adds entities that see, on an ancestor, a
    // value which the query is about to write there.
    void collect(bool own_writes);
    // The entities that were collected, in no particular order; some may not match the query.
    std::vector<entity_t> take() const { return {found_.begin(), found_.end()}; }

private:
    using upward = change_dependencies::upward;

    void add(entity_t entity) { found_.insert(entity); }
    // Adds the entities whose search upward leads to the entity or through it.
    void add_below(entity_t entity, const upward& search);
    // Adds the entities that see a change on an ancestor.
    void collect_above(const upward& search);
    bool is_written(entity_t entity, const upward& search) const;
    // Calls visit(entity) for living entities with a change of an id that matches the pattern; 0:
    // for entities that arrived in a table.
    template <class Visit>
    void each_marked(id_t pattern, Visit&& visit) const;

    const storage::store& data_;
    const query_model& model_;
    const change_dependencies& dependencies_;
    std::uint32_t reader_;    // number of the query
    std::uint64_t since_;     // tick
    graph::visit_set found_;  // collected entities
};

}  // namespace kith::queries
