// A world with one relationship, in tables or as links, for tests of walks along relationships.
// Nodes have the names of the numbers in which tests write edges: {1, 2} is a pair of node 1 with
// the target 2.
#pragma once

#include <kith/kith.hpp>

#include "storage/store.hpp"

#include <initializer_list>
#include <utility>
#include <vector>

namespace kith_test {

struct graph_fixture {
    using edge = std::pair<int, int>;

    explicit graph_fixture(bool sparse = false) {
        if (sparse) {
            relation.add(kith::Sparse);
        }
        for (kith::entity& node : nodes) {
            node = world.entity();
        }
    }

    void add(std::initializer_list<edge> edges) {
        for (auto [source, target] : edges) {
            nodes[source].add(relation, nodes[target]);
        }
    }
    const kith::storage::store& store() const {
        return static_cast<const kith::storage::store&>(*world.c_ptr()->store);
    }
    std::uint32_t index() const { return kith::index_of(relation); }
    // The number of a node, -1 for other entities.
    int number(kith::entity_t entity) const {
        for (int i = 0; i < node_count; ++i) {
            if (nodes[i] == entity) {
                return i;
            }
        }
        return -1;
    }
    template <class Entities>
    std::vector<int> numbers(const Entities& entities) const {
        std::vector<int> result;
        for (kith::entity_t entity : entities) {
            result.push_back(number(entity));
        }
        return result;
    }

    static constexpr int node_count = 10;
    kith::world world;
    kith::entity relation = world.entity();
    kith::entity nodes[node_count];
};

}  // namespace kith_test
