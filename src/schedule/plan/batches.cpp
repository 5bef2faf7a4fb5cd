// Implements batches.hpp.
#include "plan/batches.hpp"

#include <kith/detail/assert.hpp>

#include "access/access_history.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kith::scheduling {

namespace {

// Batches of more systems are not searched for conflicts in rows.
constexpr std::uint32_t most_compared = 128;

void sort_unique(std::vector<std::uint32_t>& numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

// Makes one batch. Requires: the systems from `begin` to before `end` may run at the same time.
class batch_maker {
public:
    batch_maker(const std::vector<planned_system>& systems, std::uint32_t begin, std::uint32_t end)
        : systems_(systems), begin_(begin), end_(end), waits_(end - begin), gates_(end - begin) {}

    // Nodes are made in the order of the systems, so that each wait is for a node with a smaller
    // number: the graph has no cycles.
    batch make(const std::vector<plan_edge>& edges) {
        KITH_ASSERT(begin_ < end_, "a batch has systems");
        for (const plan_edge& edge : edges) {
            add_edge(edge);
        }
        add_phases();
        batch made{begin_, end_, {}};
        node_of_.assign(end_ - begin_, 0);
        for (std::uint32_t at = begin_; at < end_; ++at) {
            for (const plan_edge& gate : gates_[at - begin_]) {
                place_gate(gate, made);
            }
            node_of_[at - begin_] = static_cast<std::uint32_t>(made.nodes.size());
            place_system(at, made);
        }
        return made;
    }

private:
    bool is_inside(std::uint32_t at) const noexcept { return at >= begin_ && at < end_; }

    // An edge between many systems and many others becomes a gate, so that the number of waits is
    // their sum and not their product.
    void add_edge(const plan_edge& edge) {
        plan_edge inside;
        const auto keep = [this](std::uint32_t at) { return is_inside(at); };
        std::copy_if(edge.before.begin(), edge.before.end(), std::back_inserter(inside.before),
                     keep);
        std::copy_if(edge.after.begin(), edge.after.end(), std::back_inserter(inside.after), keep);
        if (inside.before.empty() || inside.after.empty()) {
            return;
        }
        if (inside.before.size() > 1 && inside.after.size() > 1) {
            const std::uint32_t first = *std::min_element(inside.after.begin(), inside.after.end());
            gates_[first - begin_].push_back(std::move(inside));
            return;
        }
        for (const std::uint32_t after : inside.after) {
            std::vector<std::uint32_t>& earlier = waits_[after - begin_].systems;
            earlier.insert(earlier.end(), inside.before.begin(), inside.before.end());
        }
    }

    // A gate lies between neighbours of different phases. Systems that were chosen by
    // world.set_parallel() know no phases.
    void add_phases() {
        std::vector<std::uint32_t> members;  // of the phase so far
        std::vector<std::uint32_t> before;   // members of the last phase, not yet gated
        for (std::uint32_t at = begin_; at < end_; ++at) {
            const planned_system& system = systems_[at];
            if (system.chosen) {
                continue;
            }
            const bool is_next =
                !members.empty() && (systems_[members.back()].phase != system.phase ||
                                     systems_[members.back()].group != system.group);
            if (is_next) {
                close_phase(before, members);
                before = std::exchange(members, {});
            }
            members.push_back(at);
        }
        close_phase(before, members);
    }
    void close_phase(const std::vector<std::uint32_t>& before,
                     const std::vector<std::uint32_t>& members) {
        if (!before.empty() && !members.empty()) {
            gates_[members.front() - begin_].push_back({before, members});
        }
    }

    // A gate is a node without a system: it ends when all nodes in front of it have ended.
    void place_gate(const plan_edge& gate, batch& made) {
        batch_node node;
        for (const std::uint32_t at : gate.before) {
            node.waits_for.push_back(node_of_[at - begin_]);
        }
        for (const std::uint32_t at : gate.after) {
            waits_[at - begin_].gates.push_back(static_cast<std::uint32_t>(made.nodes.size()));
        }
        made.nodes.push_back(std::move(node));
    }
    void place_system(std::uint32_t at, batch& made) {
        batch_node node;
        node.entry = at;
        const waits& own = waits_[at - begin_];
        node.waits_for = own.gates;
        for (const std::uint32_t before : own.systems) {
            node.waits_for.push_back(node_of_[before - begin_]);
        }
        find_conflicts(at, node);
        sort_unique(node.waits_for);
        made.nodes.push_back(std::move(node));
    }
    // Systems that conflict run in their order. Large batches use the history of accesses, whose
    // cost grows with the accesses and not with the pairs of systems.
    void find_conflicts(std::uint32_t at, batch_node& node) {
        const access_list& access = systems_[at].access;
        if (end_ - begin_ > most_compared) {
            history_.add(access, node_of_[at - begin_], node.waits_for);
            return;
        }
        for (std::uint32_t before = begin_; before < at; ++before) {
            if (find_conflict(systems_[before].access, access)) {
                (conflict_in_rows(systems_[before].access, access) ? node.waits_in_rows
                                                                   : node.waits_for)
                    .push_back(node_of_[before - begin_]);
            }
        }
    }

    // The systems and the gates that a system waits for because of edges and phases.
    struct waits {
        std::vector<std::uint32_t> systems;  // positions in the order
        std::vector<std::uint32_t> gates;    // nodes
    };
    const std::vector<planned_system>& systems_;
    std::uint32_t begin_;
    std::uint32_t end_;
    std::vector<waits> waits_;                   // by system
    std::vector<std::vector<plan_edge>> gates_;  // in front of each system
    std::vector<std::uint32_t> node_of_;         // of each system
    access_history history_;
};

}  // namespace

// A batch ends in front of the first system that is not parallel, that begins a batch, or that
// belongs to another stretch.
std::vector<batch> make_batches(const std::vector<planned_system>& systems,
                                const std::vector<plan_entry>& entries,
                                const std::vector<plan_edge>& edges) {
    std::vector<batch> batches;
    const auto size = static_cast<std::uint32_t>(systems.size());
    for (std::uint32_t begin = 0; begin < size;) {
        if (!is_parallel(systems[begin].way)) {
            ++begin;
            continue;
        }
        std::uint32_t end = begin + 1;
        while (end < size && is_parallel(systems[end].way) && !systems[end].begins_batch &&
               entries[end].stretch == entries[begin].stretch) {
            ++end;
        }
        batches.push_back(batch_maker(systems, begin, end).make(edges));
        begin = end;
    }
    return batches;
}

}  // namespace kith::scheduling
