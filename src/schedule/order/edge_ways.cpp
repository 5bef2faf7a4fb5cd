// Implements edge_ways.hpp.
#include "order/edge_ways.hpp"

namespace kith::scheduling {

edge_ways::edge_ways(std::size_t node_count, const std::vector<order_edge>& edges,
                     const std::vector<std::uint32_t>& sequence) {
    if (edges.empty()) {
        return;
    }
    nodes_ = sequence;
    successors_.resize(node_count);
    for (const order_edge& edge : edges) {
        successors_[edge.before].push_back(edge.after);
    }
}

std::vector<bool> edge_ways::find_behind(std::uint32_t position) const {
    if (empty()) {
        return {};
    }
    std::vector<bool> seen(successors_.size(), false);
    std::vector<std::uint32_t> waiting{nodes_[position]};
    while (!waiting.empty()) {
        const std::uint32_t node = waiting.back();
        waiting.pop_back();
        for (const std::uint32_t next : successors_[node]) {
            if (!seen[next]) {
                seen[next] = true;
                waiting.push_back(next);
            }
        }
    }
    std::vector<bool> behind(nodes_.size(), false);
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
        behind[at] = seen[nodes_[at]];
    }
    return behind;
}

bool edge_ways::leads(std::uint32_t from, std::uint32_t to) const {
    return !empty() && find_behind(from)[to];
}

}  // namespace kith::scheduling
