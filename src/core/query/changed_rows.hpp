// Entities whose rows changed for a query, found from the marks of what it depends on: so the cost
// follows the change, however many rows there are.
//
// Covered by tests/features/changes/each_changed_test.cpp and tests/model/change_test.cpp.
#pragma once

#include "query/plan/change_dependencies.hpp"

#include <unordered_set>
#include <utility>
#include <vector>

namespace kith::queries {

class changed_rows {
public:
    // Changes behind `since` that the query with the number `reader` did not make.
    changed_rows(const storage::store& data, const query_model& model,
                 const change_dependencies& dependencies, std::uint32_t reader, std::uint64_t since)
        : data_(data), model_(model), dependencies_(dependencies), reader_(reader), since_(since) {}

    // `own_writes`: also those that see what the query is about to write in others of them.
    void collect(bool own_writes);
    std::vector<entity_t> take() { return std::move(found_); }

private:
    using upward = change_dependencies::upward;

    void add(entity_t entity);
    // Entities whose search upwards leads to the entity, or through it.
    void add_below(entity_t entity, const upward& upward);
    void collect_above(const upward& upward);
    bool is_written(entity_t entity, const upward& upward) const;
    // Calls visit(entity) for it and for those that have it as a base.
    template <class Visit>
    void each_inheritor(entity_t base, Visit&& visit) const;
    template <class Visit>
    void each_marked(id_t pattern, Visit&& visit) const;

    const storage::store& data_;
    const query_model& model_;
    const change_dependencies& dependencies_;
    std::uint32_t reader_;
    std::uint64_t since_;
    std::vector<entity_t> found_;
    std::unordered_set<entity_t> known_;
};

}  // namespace kith::queries
