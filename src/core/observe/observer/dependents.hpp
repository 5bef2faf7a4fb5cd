// The dependents of an entity: the entities whose searches along a relationship visit it. The
// dependents of terms that search upward are the sources of pairs to the entity, directly or not;
// those of terms that search downward are its targets. The walk is not recursive and visits each
// entity once, in O(visited pairs).
//
// Invariants
// 1. `entities_` has each entity once, in breadth-first order; the index lists each entity with its
//    position + 1.
//
// Covered by tests/features/observers/propagation_test.cpp.
#pragma once

#include "containers/hash_index.hpp"
#include "storage/graph.hpp"

namespace kith::observe {

// A set of entities in the order of their discovery.
class dependents {
public:
    // The direction of the walk: from targets to sources, or from sources to targets.
    enum class direction : std::uint8_t { to_sources, to_targets };

    explicit dependents(const storage::store& data) noexcept;
    ~dependents();
    dependents(const dependents&) = delete;
    dependents& operator=(const dependents&) = delete;

    // Adds the entity and all entities that the walk reaches from it or from entities that the set
    // has already, the nearest first. `through` is a second relationship, of which the walk follows
    // sources as well. Either relationship may be 0 (none).
    void collect(entity_t from, std::uint32_t relation, direction where, std::uint32_t through = 0);
    void add(entity_t entity);
    bool has(entity_t entity) const noexcept;

    const entity_t* begin() const noexcept { return entities_.begin(); }
    const entity_t* end() const noexcept { return entities_.end(); }
    std::uint32_t size() const noexcept { return entities_.size(); }
    entity_t operator[](std::uint32_t position) const noexcept { return entities_[position]; }

private:
    const storage::store& data_;
    containers::memory& mem_;
    containers::vec<entity_t> entities_;
    containers::hash_index index_;
};

}  // namespace kith::observe
