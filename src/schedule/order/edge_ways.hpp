// The ways along edges between the systems of an order.
//
// Covered by tests/unit/schedule/order_test.cpp.
#pragma once

#include "order/order.hpp"

namespace kith::scheduling {

// Systems are known by their positions in the order. Ways lead through any number of systems and
// gates.
class edge_ways {
public:
    edge_ways() = default;
    // `sequence`: the nodes of the systems, by position. Requires: the edges form no circle.
    edge_ways(std::size_t node_count, const std::vector<order_edge>& edges,
              const std::vector<std::uint32_t>& sequence);

    bool empty() const noexcept { return successors_.empty(); }
    // By position: true for the systems that edges lead to from the system. O(nodes + edges); no
    // elements if there are no edges.
    std::vector<bool> find_behind(std::uint32_t position) const;
    // True if edges lead from one system to the other.
    bool leads(std::uint32_t from, std::uint32_t to) const;

private:
    std::vector<std::vector<std::uint32_t>> successors_;  // of nodes; empty if there are no edges
    std::vector<std::uint32_t> nodes_;                    // by position
};

}  // namespace kith::scheduling
