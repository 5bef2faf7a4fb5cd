// Implements order.hpp: Kahn's algorithm with a heap. Each node knows the system of the highest
// group before it, so that an edge against the groups is found on the way.
#include "order/order.hpp"

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

namespace kith::scheduling {

namespace {

constexpr std::uint32_t no_node = 0xFFFFFFFF;

// A finder is used once. Requires: edges refer to nodes by index.
class order_finder {
public:
    order_finder(const std::vector<order_node>& nodes, const std::vector<order_edge>& edges)
        : nodes_(nodes),
          successors_(nodes.size()),
          waits_(nodes.size(), 0),
          highest_(nodes.size(), no_node),
          via_(nodes.size(), no_node) {
        for (const order_edge& edge : edges) {
            successors_[edge.before].push_back(edge.after);
            ++waits_[edge.after];
        }
    }

    order_result run() {
        order_result result;
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            if (waits_[i] == 0) {
                ready_.push(key_of(i));
            }
        }
        std::size_t done = 0;
        while (!ready_.empty()) {
            const std::uint32_t node = std::get<3>(ready_.top());
            ready_.pop();
            ++done;
            if (!nodes_[node].is_gate) {
                if (is_against_group(node)) {
                    return {{}, way_against_group(node)};
                }
                result.sequence.push_back(node);
            }
            complete(node);
        }
        if (done != nodes_.size()) {
            return {{}, find_circle()};
        }
        return result;
    }

private:
    // Gates come first: they take no place. The last element of a key is the node; the elements
    // before it decide which of the nodes that are ready comes next.
    using key = std::tuple<std::uint64_t, std::int64_t, std::uint32_t, std::uint32_t>;

    key key_of(std::uint32_t node) const noexcept {
        const order_node& one = nodes_[node];
        return one.is_gate
                   ? key{0, 0, 0, node}
                   : key{std::uint64_t{one.group} + 1, one.number, index_of(one.entity), node};
    }
    std::uint32_t group_of(std::uint32_t system) const noexcept { return nodes_[system].group; }
    // The heap takes nodes by group as soon as they are ready. A node whose predecessors reach into
    // a higher group is ready too late, and the order by groups is broken.
    bool is_against_group(std::uint32_t node) const noexcept {
        return highest_[node] != no_node && group_of(highest_[node]) > group_of(node);
    }
    // Passes the system of the highest group on to the successors.
    void complete(std::uint32_t node) {
        const std::uint32_t before = highest_[node];
        const bool is_higher =
            !nodes_[node].is_gate && (before == no_node || group_of(node) >= group_of(before));
        const std::uint32_t highest = is_higher ? node : before;
        for (std::uint32_t next : successors_[node]) {
            if (highest != no_node &&
                (highest_[next] == no_node || group_of(highest) > group_of(highest_[next]))) {
                highest_[next] = highest;
                via_[next] = node;
            }
            if (--waits_[next] == 0) {
                ready_.push(key_of(next));
            }
        }
    }
    // The systems of a way as steps; gates between two systems are noted.
    std::vector<order_step> make_steps(const std::vector<std::uint32_t>& way) const {
        std::vector<order_step> steps;
        std::uint32_t system = no_node;
        std::uint32_t gate = no_gate;
        for (std::uint32_t node : way) {
            if (nodes_[node].is_gate) {
                gate = node;
                continue;
            }
            if (system != no_node) {
                steps.push_back({system, node, false, gate});
            }
            system = node;
            gate = no_gate;
        }
        return steps;
    }
    // The way closes by a step that stands for the groups: the node had to come before its
    // predecessor.
    std::vector<order_step> way_against_group(std::uint32_t node) const {
        const std::uint32_t first = highest_[node];
        std::vector<std::uint32_t> way{node};
        for (std::uint32_t at = node; at != first;) {
            at = via_[at];
            way.push_back(at);
        }
        std::reverse(way.begin(), way.end());
        std::vector<order_step> steps = make_steps(way);
        steps.push_back({node, first, true, no_gate});
        return steps;
    }
    // A predecessor that waits, of each node that waits.
    std::vector<std::uint32_t> waiting_predecessors() const {
        std::vector<std::uint32_t> predecessor(nodes_.size(), no_node);
        for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
            for (std::uint32_t next : successors_[node]) {
                if (waits_[node] != 0 && predecessor[next] == no_node) {
                    predecessor[next] = node;
                }
            }
        }
        return predecessor;
    }
    // Every node that waits has a predecessor that waits, so the way back leads to itself.
    std::vector<order_step> find_circle() const {
        const std::vector<std::uint32_t> predecessor = waiting_predecessors();
        std::uint32_t at = 0;
        while (waits_[at] == 0) {
            ++at;
        }
        std::vector<bool> seen(nodes_.size(), false);
        while (!seen[at]) {
            seen[at] = true;
            at = predecessor[at];
        }
        std::vector<std::uint32_t> way{at};
        for (std::uint32_t node = predecessor[at]; node != at; node = predecessor[node]) {
            way.push_back(node);
        }
        std::reverse(way.begin(), way.end());
        // The way begins with a system, so that its steps are closed.
        const auto system = std::find_if(way.begin(), way.end(),
                                         [&](std::uint32_t node) { return !nodes_[node].is_gate; });
        if (system == way.end()) {
            return {{way.front(), way.front(), false, way.front()}};
        }
        std::rotate(way.begin(), system, way.end());
        way.push_back(way.front());
        return make_steps(way);
    }

    const std::vector<order_node>& nodes_;
    std::vector<std::vector<std::uint32_t>> successors_;
    std::vector<std::uint32_t> waits_;    // predecessors that have no place yet
    std::vector<std::uint32_t> highest_;  // the system of the highest group before the node
    std::vector<std::uint32_t> via_;      // the predecessor that leads to it
    std::priority_queue<key, std::vector<key>, std::greater<key>> ready_;
};

}  // namespace

order_result find_order(const std::vector<order_node>& nodes,
                        const std::vector<order_edge>& edges) {
    return order_finder(nodes, edges).run();
}

}  // namespace kith::scheduling
