// Helpers of tests about relationships: most of them run for both storages, and compare lists of
// targets and sources.
#pragma once

#include <kith/kith.hpp>

#include "support/world_dump.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace kith_test {

// Runs the test once for each storage. Call it once per test, before anything else.
inline bool for_both_storages() {
    bool sparse = false;
    SUBCASE("dense") {}
    SUBCASE("sparse") {
        sparse = true;
    }
    return sparse;
}

// A relationship without a C++ type.
inline kith::entity make_relation(const kith::world& world, bool sparse,
                                  const char* name = nullptr) {
    kith::entity relation = name ? world.entity(name) : world.entity();
    return sparse ? relation.add(kith::Sparse) : relation;
}
// The relationship of a C++ type.
template <class T>
kith::entity make_relation(const kith::world& world, bool sparse) {
    kith::entity relation = world.component<T>();
    return sparse ? relation.add(kith::Sparse) : relation;
}

// Chooses the storage of ChildOf.
inline void set_hierarchy(const kith::world& world, bool sparse) {
    kith::entity relation = world.entity(kith::ChildOf);
    if (sparse) {
        relation.add(kith::Sparse);
    } else {
        relation.remove(kith::Sparse);
    }
}

using entity_list = std::vector<kith::entity>;

inline entity_list sorted(entity_list list) {
    std::sort(list.begin(), list.end(),
              [](kith::entity a, kith::entity b) { return a.id() < b.id(); });
    return list;
}

// All targets by index, sorted: their order is not promised for all storages.
inline entity_list targets_of(kith::entity e, kith::entity_t relation) {
    entity_list found;
    for (std::int32_t i = 0; kith::entity target = e.target(relation, i); ++i) {
        found.push_back(target);
    }
    return sorted(found);
}

// Those that have (relation, target), in the order in which they got it.
inline entity_list sources_of(kith::entity target, kith::entity_t relation) {
    entity_list found;
    target.children(relation, [&](kith::entity e) { found.push_back(e); });
    return found;
}

inline entity_list children_of(kith::entity parent) {
    return sources_of(parent, kith::ChildOf);
}

// What world.each visits for a pattern, sorted, each once.
inline entity_list matches_of(const kith::world& world, kith::id_t pattern) {
    entity_list found;
    world.each(pattern, [&](kith::entity e) { found.push_back(e); });
    found = sorted(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

// Every pair of a symmetric relationship is there in both directions.
inline bool is_mutual(const kith::world& world, kith::entity_t relation) {
    bool mutual = true;
    world.each(kith::make_pair(relation, kith::Wildcard), [&](kith::entity e) {
        e.each(world.entity(relation),
               [&](kith::entity target) { mutual = mutual && target.owns(relation, e); });
    });
    return mutual;
}

inline bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace kith_test
