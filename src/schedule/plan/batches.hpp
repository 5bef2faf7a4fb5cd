// Batches of a plan: neighbouring systems of a stretch that may run at the same time, and those of
// them that wait for others. A batch is a function of plain values.
//
// Covered by tests/unit/schedule/batches_test.cpp.
#pragma once

#include "plan/plan.hpp"

#include <vector>

namespace kith::scheduling {

// An explicit edge of the order: each system of `before` comes before each of `after`; by position.
struct plan_edge {
    std::vector<std::uint32_t> before;
    std::vector<std::uint32_t> after;
};

inline constexpr std::uint32_t no_entry = 0xFFFFFFFF;

// A system of a batch, or a gate without a system: systems of one phase, or of one side of an edge,
// lie before the gate, and others behind it.
struct batch_node {
    std::uint32_t entry = no_entry;  // position of the system in the order
    // Positions of earlier nodes that must end before the node begins.
    std::vector<std::uint32_t> waits_for;
    // Earlier nodes with which the system conflicts in its own rows only: it need not wait for
    // those that match other tables.
    std::vector<std::uint32_t> waits_in_rows;
};

// The systems from `begin` to before `end`; nodes are in the order of systems, with gates between
// them.
struct batch {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::vector<batch_node> nodes;
};

// The batches of all parallel and split systems, in order. The cost is linear in the declared
// access and the members of edges; small batches compare all pairs of systems, to find those that
// conflict in rows only.
std::vector<batch> make_batches(const std::vector<planned_system>& systems,
                                const std::vector<plan_entry>& entries,
                                const std::vector<plan_edge>& edges);

}  // namespace kith::scheduling
