// Implements dispatch.hpp.
#include "dispatch/dispatch.hpp"

#include <kith/detail/assert.hpp>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace kith::scheduling {

// The state of a part. Its thread writes `changes` and `failure` without the lock; `done` is
// written under the lock and publishes both.
struct part_state {
    detail::part_changes changes;
    std::exception_ptr failure;
    bool done = false;
};

// The state of a node in a run.
struct node_state {
    std::vector<part_state> parts;
    std::uint32_t claimed = 0;  // parts below were claimed
    std::uint32_t prefix = 0;   // parts below are done
    std::uint32_t done = 0;     // number of parts that are done
    std::uint32_t blocked = 0;  // unfinished nodes that it waits for
    std::size_t first_id = 0;   // of its decks
};

static std::uint32_t power_of_two_from(std::uint32_t number) noexcept {
    std::uint32_t power = 1;
    while (power < number) {
        power *= 2;
    }
    return power;
}

// A run of nodes: lives on the stack of dispatcher::run(), which returns only when no helper is
// inside. Calls of an executor that come later find the gate, and no run.
class dispatch_run {
public:
    // Nodes without parts are finished from the beginning: nobody waits for them.
    dispatch_run(world_t* world, std::vector<dispatch_node>& nodes) : world_(world), nodes_(nodes) {
        states_.resize(nodes.size());
        std::size_t ids = 0;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            states_[i].parts.resize(nodes[i].parts);
            states_[i].blocked = static_cast<std::uint32_t>(nodes[i].waits_for.size());
            states_[i].first_id = ids;
            ids += std::size_t{nodes[i].quota} * nodes[i].parts;
            unfinished_ += nodes[i].parts != 0;
        }
        deck_.resize(ids);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (nodes[i].parts == 0) {
                release_successors(i);
            }
        }
        skip_finished();
    }

    // The ids are taken in the order of parts before any part runs, so that new entities have the
    // same ids for every number of threads. Requires: no part runs.
    void set_aside_ids() {
        detail::set_aside_ids(world_, static_cast<std::uint32_t>(deck_.size()), deck_.data());
        detail::reserve_id_pages(world_, 1024);
    }

    // Runs parts until all parts of the run are done; a thread without a part that it may run
    // waits. `is_main` marks the thread that called dispatcher::run().
    void work(mutate::recorder* used, bool is_main) {
        std::unique_lock guard(lock_);
        for (;;) {
            std::size_t node = 0;
            std::uint32_t part = 0;
            if (claim(is_main, node, part)) {
                ++running_;
                guard.unlock();
                run_part(used, node, part);
                guard.lock();
                --running_;
                finish_part(node, part);
                notify();
            } else if (unfinished_ == 0) {
                return;
            } else {
                wait(guard);
            }
        }
    }

    // Results of the nodes, and the changes of all parts in order. Unused ids are given back before
    // changes are linked: the queue may create entities. Requires: all parts are done, and no
    // helper is inside.
    void finish() {
        give_back_ids();
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            collect(nodes_[i], states_[i]);
        }
    }

    // True while a helper may find work. Requires: the run has not ended.
    bool is_open() {
        const std::lock_guard guard(lock_);
        return unfinished_ != 0;
    }

private:
    // The turn of a part: new ids beyond those of its deck.
    struct turn {
        dispatch_run* run;
        std::size_t node;
        std::uint32_t part;
    };

    // Requires: `guard` holds the lock. Spurious wake-ups are harmless, since callers test their
    // conditions again.
    void wait(std::unique_lock<std::mutex>& guard) {
        ++waiting_;
        changed_.wait(guard);
        --waiting_;
    }
    void notify() noexcept {
        if (waiting_ != 0) {
            changed_.notify_all();
        }
    }

    // The end of the parts that may be claimed: levels begin when those before them are done.
    std::uint32_t open_end(std::size_t node) const noexcept {
        for (std::uint32_t level : nodes_[node].levels) {
            if (states_[node].prefix < level) {
                return level;
            }
        }
        return nodes_[node].parts;
    }

    // Claims the earliest part that may run. Requires: the lock is held.
    bool claim(bool is_main, std::size_t& node, std::uint32_t& part) noexcept {
        for (std::size_t i = first_; !growing_ && i < nodes_.size(); ++i) {
            node_state& state = states_[i];
            const bool is_ready = state.blocked == 0 && state.claimed < open_end(i);
            const bool allowed = is_main || !nodes_[i].main_thread;
            if (is_ready && allowed) {
                node = i;
                part = state.claimed++;
                return true;
            }
            if (is_main && nodes_[i].main_thread && state.claimed < nodes_[i].parts) {
                return false;  // later parts might wait for this one
            }
        }
        return false;
    }

    // Runs without the lock. An exception ends the part, and its changes so far are kept.
    void run_part(mutate::recorder* used, std::size_t node, std::uint32_t part) {
        turn own{this, node, part};
        const entity_t* ids = deck_of(node, part);
        detail::part_scope scope(used, {ids, ids + nodes_[node].quota, take_in_turn, &own});
        part_state& state = states_[node].parts[part];
#if defined(__cpp_exceptions)
        try {
            nodes_[node].run(nodes_[node].context, part);
        } catch (...) {
            state.failure = std::current_exception();
        }
#else
        nodes_[node].run(nodes_[node].context, part);
#endif
        state.changes = scope.finish();
    }

    // Requires: the lock is held.
    void finish_part(std::size_t node, std::uint32_t part) noexcept {
        node_state& state = states_[node];
        state.parts[part].done = true;
        while (state.prefix < state.parts.size() && state.parts[state.prefix].done) {
            ++state.prefix;
        }
        if (++state.done == state.parts.size()) {
            --unfinished_;
            release_successors(node);
            skip_finished();
        }
    }

    // Only later nodes can wait for a node.
    void release_successors(std::size_t node) noexcept {
        for (std::size_t i = node + 1; i < nodes_.size(); ++i) {
            const auto& waits = nodes_[i].waits_for;
            states_[i].blocked -= static_cast<std::uint32_t>(
                std::count(waits.begin(), waits.end(), static_cast<std::uint32_t>(node)));
        }
    }

    // `first_` is the front of the run: take_id() compares a part with it.
    void skip_finished() noexcept {
        while (first_ < nodes_.size() && states_[first_].done == nodes_[first_].parts) {
            ++first_;
        }
    }

    // Waits until all parts before this one are done, then creates an entity.
    static entity_t take_in_turn(void* context) {
        const turn& own = *static_cast<turn*>(context);
        return own.run->take_id(own);
    }
    // The turn of a part comes when all parts before it are done, since ids have to be given in the
    // order of parts. A part that waits does not count as running, so that a thread which grows the
    // pages does not wait for it.
    entity_t take_id(const turn& own) {
        std::unique_lock guard(lock_);
        --running_;
        notify();
        while (growing_ || first_ != own.node || states_[own.node].prefix != own.part) {
            wait(guard);
        }
        ++running_;
        if (!detail::has_page_for_next_id(world_)) {
            // The table of pages moves, which other parts read.
            growing_ = true;
            while (running_ != 1) {
                wait(guard);
            }
            growing_ = false;
            notify();
            detail::reserve_id_pages(world_, 16 * 1024);
        }
        return detail::create_id(world_);
    }

    const entity_t* deck_of(std::size_t node, std::uint32_t part) const noexcept {
        return deck_.data() + states_[node].first_id + std::size_t{nodes_[node].quota} * part;
    }

    // Ids that were not used go back, the last first, so that the first is used next.
    void give_back_ids() noexcept {
        for (std::size_t i = nodes_.size(); i-- > 0;) {
            for (std::uint32_t part = nodes_[i].parts; part-- > 0;) {
                const std::uint32_t used = states_[i].parts[part].changes.revived;
                detail::give_back_ids(world_, deck_of(i, part) + used, nodes_[i].quota - used);
            }
        }
    }

    // Links the parts of a node in order. The next quota is the most that a part has created, but
    // at most four times the average, so that a single busy part does not set ids aside for all
    // others; a power of two keeps it stable from frame to frame.
    void collect(dispatch_node& node, node_state& state) {
        std::uint32_t most = 0;
        for (part_state& part : state.parts) {
            if (part.failure) {
                ++node.failures;
                if (!node.failure) {
                    node.failure = part.failure;
                }
            }
            std::exception_ptr refused;
            node.failures += detail::link_part(world_, part.changes, refused);
            if (!node.failure) {
                node.failure = refused;
            }
            most = std::max(most, part.changes.created);
            node.entities += part.changes.created;
            node.changes += part.changes.count;
        }
        const std::uint64_t average =
            node.parts ? (std::uint64_t{4} * node.entities + node.parts - 1) / node.parts : 0;
        const auto needed = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, average));
        node.next_quota = needed == 0 ? 0 : power_of_two_from(needed);
    }

    world_t* world_;
    std::vector<dispatch_node>& nodes_;
    std::vector<node_state> states_;
    std::vector<entity_t> deck_;  // ids of all parts
    std::mutex lock_;
    std::condition_variable changed_;
    std::size_t first_ = 0;         // nodes before are finished
    std::uint32_t unfinished_ = 0;  // nodes
    std::uint32_t running_ = 0;     // parts that run and do not wait for their turn
    std::uint32_t waiting_ = 0;     // threads that wait for a change
    bool growing_ = false;          // no part may begin
};

// The object that calls of an executor find: the run that is open, with recorders for them. Calls
// may come late: then no run is open, or that of the next stretch.
struct dispatcher::gate_state {
    std::mutex lock;
    std::condition_variable left;
    dispatch_run* run = nullptr;
    std::vector<mutate::recorder*> recorders;  // not in use
    std::uint32_t helpers = 0;                 // calls that are inside
};

dispatcher::dispatcher(world_t* world) : world_(world), gate_(std::make_unique<gate_state>()) {}

dispatcher::~dispatcher() {
    for (mutate::recorder* used : recorders_) {
        detail::end_recorder(used);
    }
}

void dispatcher::recycle() noexcept {
    for (mutate::recorder* used : recorders_) {
        detail::recycle_recorder(used);
    }
}

// A call of the executor: works in the run that is open, if there is one. The recorder is taken
// under the lock of the gate: two helpers never share one.
void dispatcher::help(void* argument) {
    auto& gate = *static_cast<gate_state*>(argument);
    std::unique_lock guard(gate.lock);
    dispatch_run* run = gate.run;
    if (!run || gate.recorders.empty() || !run->is_open()) {
        return;
    }
    mutate::recorder* used = gate.recorders.back();
    gate.recorders.pop_back();
    ++gate.helpers;
    guard.unlock();
    run->work(used, false);
    guard.lock();
    gate.recorders.push_back(used);
    if (--gate.helpers == 0) {
        gate.left.notify_all();
    }
}

// The order of the steps: ids are set aside and the world is switched to recording before helpers
// may enter; the gate is closed, and helpers have left, before the world is switched back.
void dispatcher::run(std::vector<dispatch_node>& nodes, const executor* threads,
                     std::uint32_t helpers) {
    KITH_ASSERT(threads || helpers == 0, "helpers are calls of an executor");
    while (recorders_.size() < std::size_t{helpers} + 1) {
        recorders_.push_back(detail::make_recorder(world_));
    }
    dispatch_run run(world_, nodes);
    run.set_aside_ids();
    detail::begin_parts(world_);
    if (helpers != 0) {
        {
            const std::lock_guard guard(gate_->lock);
            gate_->recorders.assign(recorders_.begin() + 1, recorders_.end());
            gate_->run = &run;
        }
        threads->start(threads->context, helpers, help, gate_.get());
    }
    run.work(recorders_.front(), true);
    if (helpers != 0) {
        std::unique_lock guard(gate_->lock);
        gate_->run = nullptr;
        gate_->left.wait(guard, [this] { return gate_->helpers == 0; });
    }
    detail::end_parts(world_);
    run.finish();
}

}  // namespace kith::scheduling
