// The dependents of an entity: the entities whose searches along a relationship visit it. The
// dependents of terms that search upward are the sources of pairs to the entity, directly or not;
// those of terms that search downward are its targets. The walk is breadth first and visits each
// entity once, in O(visited pairs).
//
// Covered by tests/features/observers/propagation_test.cpp.
#pragma once

#include "graph/visit_set.hpp"
#include "query/model/query_model.hpp"
#include "storage/store.hpp"

namespace kith::observe {

// A set of entities in the order of their discovery.
class dependents {
public:
    // The direction of the walk: from targets to sources, or from sources to targets.
    enum class direction : std::uint8_t { to_sources, to_targets };

    explicit dependents(const storage::store& data) noexcept
        : data_(data), entities_(const_cast<containers::memory*>(&data.mem)) {}

    // Adds the entity and all entities that the walk reaches from it or from entities that the set
    // has already, the nearest first. `through` is a second relationship, of which the walk follows
    // sources as well. Either relationship may be 0 (none).
    void collect(entity_t from, std::uint32_t relation, direction where, std::uint32_t through = 0);
    // Adds the entity, and the subjects whose search of the term visits it.
    void collect_seeing(const queries::term& term, entity_t visited);
    void add(entity_t entity) { entities_.insert(entity); }
    bool has(entity_t entity) const noexcept { return entities_.has(entity); }

    const entity_t* begin() const noexcept { return entities_.begin(); }
    const entity_t* end() const noexcept { return entities_.end(); }
    std::uint32_t size() const noexcept { return entities_.size(); }
    entity_t operator[](std::uint32_t position) const noexcept { return entities_[position]; }

private:
    const storage::store& data_;
    graph::visit_set entities_;
};

}  // namespace kith::observe
