// The total order of the systems of a pipeline, as a function of plain values: groups (depth),
// edges and numbers of declaration.
//
// Covered by tests/unit/schedule/order_test.cpp.
#pragma once

#include <kith/id.hpp>

#include <vector>

namespace kith::scheduling {

// A system, or a gate: the beginning or the end of a set of systems.
struct order_node {
    entity_t entity = 0;
    // Systems of a lower group come first; gates have no group.
    std::uint32_t group = 0;
    std::int64_t number = 0;
    bool is_gate = false;
};

// The node `before` comes before the node `after`; both by index.
struct order_edge {
    std::uint32_t before;
    std::uint32_t after;
};

// A step of a contradiction: one system before another.
struct order_step {
    std::uint32_t before;
    std::uint32_t after;
    bool by_group;       // because of their groups; else because of edges
    std::uint32_t gate;  // index of a gate that the edges lead through, or no_gate
};
inline constexpr std::uint32_t no_gate = 0xFFFFFFFF;

struct order_result {
    std::vector<std::uint32_t> sequence;    // systems by index; empty if there is a contradiction
    std::vector<order_step> contradiction;  // a closed way; empty if there is none
};

// Systems come by group, then as edges say, then by number, then by the index of their entity.
// Edges that contradict each other or the groups give the whole way of the contradiction. O((nodes
// + edges) log nodes). Requires: edges have indices of nodes.
order_result find_order(const std::vector<order_node>& nodes, const std::vector<order_edge>& edges);

}  // namespace kith::scheduling
