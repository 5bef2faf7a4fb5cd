// Implements dispatch.hpp.
#include "dispatch/dispatch.hpp"

#include <kith/detail/assert.hpp>
#include <kith/detail/stage_ops.hpp>
#include <kith/detail/threads.hpp>

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

namespace kith::scheduling {

// The state of a part. Its thread writes `changes`, `failure` and `left_open` without the lock;
// `done` is written under the lock and publishes them.
struct part_state {
    detail::part_changes changes;
    std::exception_ptr failure;
    bool left_open = false;  // a scope, `with` or level of deferring was left open
    bool done = false;
};

// The state of a node in a run.
struct node_state {
    std::uint32_t first_part = 0;       // in the list of all parts
    std::uint32_t claimed = 0;          // parts below were claimed
    std::uint32_t prefix = 0;           // parts below are done
    std::uint32_t done = 0;             // number of parts that are done
    std::uint32_t level = 0;            // levels below are complete
    std::uint32_t blocked = 0;          // unfinished nodes that it waits for
    std::uint32_t first_successor = 0;  // in the list of all successors
    bool finished = false;
    std::size_t first_id = 0;  // of its decks
};

// A set of nodes that finds its lowest member.
class node_set {
public:
    void reset(std::size_t size) { words_.assign((size + 63) / 64, 0); }
    void put(std::size_t node, bool member) noexcept {
        const std::uint64_t bit = std::uint64_t{1} << (node % 64);
        words_[node / 64] = member ? words_[node / 64] | bit : words_[node / 64] & ~bit;
    }
    bool has(std::size_t node) const noexcept { return (words_[node / 64] >> (node % 64)) & 1; }
    // The lowest member; `none` if there is none. Nodes below `from` are no members.
    std::size_t lowest(std::size_t from, std::size_t none) const noexcept {
        for (std::size_t i = from / 64; i < words_.size(); ++i) {
            if (words_[i] != 0) {
                return i * 64 + static_cast<std::size_t>(std::countr_zero(words_[i]));
            }
        }
        return none;
    }

private:
    std::vector<std::uint64_t> words_;
};

// The lists of a run.
struct dispatcher::buffers {
    std::vector<node_state> nodes;
    std::vector<part_state> parts;          // of all nodes, in order
    std::vector<part_times> times;          // of all parts
    std::vector<std::uint32_t> successors;  // of all nodes, in order
    std::vector<std::uint32_t> ended;       // nodes that have ended and block others
    std::vector<std::uint32_t> main_nodes;  // nodes of the calling thread, in order
    std::vector<entity_t> deck;             // ids of all parts
    node_set ready;                         // nodes with parts that any thread may claim
};

// A run of nodes: lives on the stack of dispatcher::run(), which returns only when no helper is
// inside. Calls of an executor that come later find the gate, and no run.
class dispatch_run {
public:
    dispatch_run(world_t* world, std::vector<dispatch_node>& nodes, dispatcher::buffers& memory)
        : world_(world), nodes_(nodes), memory_(memory) {
        place_parts();
        connect();
        unfinished_ = nodes.size();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (memory_.nodes[i].blocked == 0) {
                release(i);
            }
        }
        end_waiting();
    }

    // The ids are taken in the order of parts before any part runs, so that new entities have the
    // same ids for every number of threads. Requires: no part runs.
    void set_aside_ids() {
        const auto count = static_cast<std::uint32_t>(memory_.deck.size());
        detail::reserve_id_pages(world_, count + 1024);  // fails first: no id is lost then
        detail::set_aside_ids(world_, count, memory_.deck.data());
    }

    // Runs parts until all parts of the run are done; a thread without a part that it may run
    // waits. `thread` 0 is the thread that called dispatcher::run().
    void work(mutate::recorder* used, std::uint32_t thread) {
        detail::unique_lock guard(lock_);
        for (;;) {
            std::size_t node = 0;
            std::uint32_t part = 0;
            if (claim(thread == 0, node, part)) {
                ++running_;
                guard.unlock();
                times_of(node, part).thread = thread;
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
        KITH_ASSERT(unfinished_ == 0 && running_ == 0, "all parts are done");
        give_back_ids();
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            collect(nodes_[i], memory_.nodes[i]);
        }
    }

    // True while a helper may find work. Requires: the run has not ended.
    bool is_open() {
        const detail::lock_guard guard(lock_);
        return unfinished_ != 0;
    }

private:
    // The turn of a part: new ids beyond those of its deck.
    struct turn {
        dispatch_run* run;
        std::size_t node;
        std::uint32_t part;
    };

    void place_parts() {
        std::uint32_t parts = 0;
        std::size_t ids = 0;
        memory_.nodes.assign(nodes_.size(), {});
        memory_.main_nodes.clear();
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            memory_.nodes[i].first_part = parts;
            memory_.nodes[i].first_id = ids;
            parts += nodes_[i].parts;
            ids += std::size_t{nodes_[i].quota} * nodes_[i].parts;
            if (nodes_[i].main_thread) {
                memory_.main_nodes.push_back(static_cast<std::uint32_t>(i));
            }
        }
        memory_.parts.assign(parts, {});
        memory_.times.assign(parts, {});
        memory_.deck.resize(ids);
        memory_.ready.reset(nodes_.size());
    }

    // Lists the successors of each node. The counts of successors are first collected in `done`,
    // which is 0 again afterwards.
    void connect() {
        std::uint32_t edges = 0;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            for (const std::uint32_t before : nodes_[i].waits_for) {
                KITH_ASSERT(before < i, "a node waits for earlier nodes");
                ++memory_.nodes[before].done;
                ++edges;
            }
            memory_.nodes[i].blocked = static_cast<std::uint32_t>(nodes_[i].waits_for.size());
        }
        memory_.successors.resize(edges);
        std::uint32_t first = 0;
        for (node_state& state : memory_.nodes) {
            state.first_successor = first;
            first += std::exchange(state.done, 0);
        }
        std::vector<std::uint32_t>& next = memory_.ended;  // the next place of each node
        next.resize(nodes_.size());
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            next[i] = memory_.nodes[i].first_successor;
        }
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            for (const std::uint32_t before : nodes_[i].waits_for) {
                memory_.successors[next[before]++] = static_cast<std::uint32_t>(i);
            }
        }
        next.clear();  // keeps room for all nodes: end_waiting() does not allocate
    }

    // Requires: `guard` holds the lock. Spurious wake-ups are harmless, since callers test their
    // conditions again.
    void wait(detail::unique_lock<detail::mutex>& guard) {
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
    std::uint32_t open_end(std::size_t node) noexcept {
        node_state& state = memory_.nodes[node];
        const std::vector<std::uint32_t>& levels = nodes_[node].levels;
        while (state.level < levels.size() && state.prefix >= levels[state.level]) {
            ++state.level;
        }
        return state.level < levels.size() ? levels[state.level] : nodes_[node].parts;
    }
    bool is_ready(std::size_t node) noexcept {
        return memory_.nodes[node].blocked == 0 && memory_.nodes[node].claimed < open_end(node);
    }
    void update_ready(std::size_t node) noexcept {
        if (!nodes_[node].main_thread) {
            memory_.ready.put(node, is_ready(node));
        }
    }

    // The first node of the calling thread with an unclaimed part.
    std::size_t next_main() noexcept {
        const std::vector<std::uint32_t>& mains = memory_.main_nodes;
        while (main_at_ < mains.size() &&
               memory_.nodes[mains[main_at_]].claimed == nodes_[mains[main_at_]].parts) {
            ++main_at_;
        }
        return main_at_ < mains.size() ? mains[main_at_] : nodes_.size();
    }

    // Claims the earliest part that may run. The calling thread claims nothing behind an unclaimed
    // part of its own, because later parts might wait for that one. Requires: the lock is held.
    bool claim(bool is_main, std::size_t& node, std::uint32_t& part) noexcept {
        if (growing_) {
            return false;
        }
        const std::size_t none = nodes_.size();
        std::size_t chosen = memory_.ready.lowest(first_, none);
        if (is_main) {
            const std::size_t own = next_main();
            if (own < chosen) {
                chosen = is_ready(own) ? own : none;
            }
        }
        if (chosen == none) {
            return false;
        }
        if (memory_.nodes[chosen].claimed == 0 && nodes_[chosen].begin) {
            nodes_[chosen].begin(nodes_[chosen].context);
        }
        node = chosen;
        part = memory_.nodes[chosen].claimed++;
        update_ready(chosen);
        return true;
    }

    part_state& part_of(std::size_t node, std::uint32_t part) noexcept {
        return memory_.parts[memory_.nodes[node].first_part + part];
    }
    part_times& times_of(std::size_t node, std::uint32_t part) noexcept {
        return memory_.times[memory_.nodes[node].first_part + part];
    }

    // Runs without the lock. An exception ends the part, and its changes so far are kept.
    void run_part(mutate::recorder* used, std::size_t node, std::uint32_t part) {
        turn own{this, node, part};
        const entity_t* ids = deck_of(node, part);
        part_state& state = part_of(node, part);
        times_of(node, part).begin = read_stamp();
        detail::part_scope scope(used, {ids, ids + nodes_[node].quota, take_in_turn, &own});
        const part_call call{part, scope.stage()};
#if defined(__cpp_exceptions)
        try {
            nodes_[node].run(nodes_[node].context, call);
        } catch (...) {
            state.failure = std::current_exception();
        }
#else
        nodes_[node].run(nodes_[node].context, call);
#endif
        state.left_open = scope.has_open_scopes();
        state.changes = scope.finish();
        times_of(node, part).end = read_stamp();
    }

    // Requires: the lock is held.
    void finish_part(std::size_t node, std::uint32_t part) noexcept {
        KITH_ASSERT(!part_of(node, part).done, "a part runs once");
        node_state& state = memory_.nodes[node];
        part_of(node, part).done = true;
        while (state.prefix < nodes_[node].parts && part_of(node, state.prefix).done) {
            ++state.prefix;
        }
        if (++state.done == nodes_[node].parts) {
            memory_.ended.push_back(static_cast<std::uint32_t>(node));
            end_waiting();
        } else if (!nodes_[node].levels.empty()) {
            update_ready(node);
        }
    }

    // A node that waits for nothing any more can be claimed, or has ended if it has no parts.
    void release(std::size_t node) noexcept {
        if (nodes_[node].parts == 0) {
            memory_.ended.push_back(static_cast<std::uint32_t>(node));
        } else {
            update_ready(node);
        }
    }
    // Ends the nodes of `ended` and, by way of them, nodes without parts. `first_` is the front of
    // the run: take_id() compares a part with it.
    void end_waiting() noexcept {
        while (!memory_.ended.empty()) {
            const std::size_t node = memory_.ended.back();
            memory_.ended.pop_back();
            memory_.nodes[node].finished = true;
            --unfinished_;
            const std::size_t end = node + 1 < nodes_.size()
                                        ? memory_.nodes[node + 1].first_successor
                                        : memory_.successors.size();
            for (std::size_t i = memory_.nodes[node].first_successor; i < end; ++i) {
                if (--memory_.nodes[memory_.successors[i]].blocked == 0) {
                    release(memory_.successors[i]);
                }
            }
        }
        while (first_ < nodes_.size() && memory_.nodes[first_].finished) {
            ++first_;
        }
    }

    // Waits until all parts before this one are done, then creates an entity.
    static entity_t take_in_turn(void* context) {
        const turn& own = *static_cast<turn*>(context);
        return own.run->take_id(own);
    }
    bool has_turn(const turn& own) const noexcept {
        return !growing_ && first_ == own.node && memory_.nodes[own.node].prefix == own.part;
    }
    // The turn of a part comes when all parts before it are done, since ids have to be given in the
    // order of parts. A part that waits does not count as running, so that a thread which grows the
    // pages does not wait for it.
    entity_t take_id(const turn& own) {
        detail::unique_lock guard(lock_);
        if (!has_turn(own)) {
            part_times& times = times_of(own.node, own.part);
            times.wait_begin = read_stamp();
            --running_;
            notify();
            while (!has_turn(own)) {
                wait(guard);
            }
            ++running_;
            times.wait_end = read_stamp();
        }
        if (!detail::has_page_for_next_id(world_)) {
            grow_pages(guard);
        }
        return detail::create_id(world_);
    }
    // The table of pages moves, which other parts read: the part waits until all others have ended
    // or wait for their turns.
    void grow_pages(detail::unique_lock<detail::mutex>& guard) {
        KITH_ASSERT(!growing_, "one part has its turn");
        growing_ = true;
        while (running_ != 1) {
            wait(guard);
        }
        growing_ = false;
        notify();
        detail::reserve_id_pages(world_, 16 * 1024);
    }

    const entity_t* deck_of(std::size_t node, std::uint32_t part) const noexcept {
        return memory_.deck.data() + memory_.nodes[node].first_id +
               std::size_t{nodes_[node].quota} * part;
    }

    // Ids that were not used go back, the last first, so that the first is used next.
    void give_back_ids() noexcept {
        for (std::size_t i = nodes_.size(); i-- > 0;) {
            for (std::uint32_t part = nodes_[i].parts; part-- > 0 && nodes_[i].quota != 0;) {
                const std::uint32_t used = part_of(i, part).changes.revived;
                detail::give_back_ids(world_, deck_of(i, part) + used, nodes_[i].quota - used);
            }
        }
    }

    // Links the parts of a node in order. The next quota is the most that a part has created, but
    // at most four times the average, so that a single busy part does not set ids aside for all
    // others; a power of two keeps it stable from frame to frame.
    void collect(dispatch_node& node, const node_state& state) {
        std::uint32_t most = 0;
        for (std::uint32_t i = 0; i < node.parts; ++i) {
            part_state& part = memory_.parts[state.first_part + i];
            warn_of_open(part);
            std::exception_ptr refused;
            node.failures += detail::link_part(world_, part.changes, refused);
            node.failures += part.failure ? 1 : 0;
            for (const std::exception_ptr& error : {part.failure, refused}) {
                if (error) {
                    node.errors.push_back(error);
                }
            }
            most = std::max(most, part.changes.created);
            node.entities += part.changes.created;
            node.changes += part.changes.count;
        }
        const std::uint64_t average =
            node.parts ? (std::uint64_t{4} * node.entities + node.parts - 1) / node.parts : 0;
        const auto needed = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, average));
        node.next_quota = needed == 0 ? 0 : std::bit_ceil(needed);
        node.commands_end = detail::queued_count(world_);
        node.times = memory_.times.data() + state.first_part;
    }
    static void warn_of_open([[maybe_unused]] const part_state& part) {
#if defined(KITH_ASSERTS) && KITH_ASSERTS
        if (part.left_open) {
            detail::write_log("a part of a system left a scope, with() or deferred part open");
        }
#endif
    }

    world_t* world_;
    std::vector<dispatch_node>& nodes_;
    dispatcher::buffers& memory_;
    detail::mutex lock_;
    detail::condition_variable changed_;
    std::size_t first_ = 0;       // nodes before have ended
    std::size_t main_at_ = 0;     // in the list of nodes of the calling thread
    std::size_t unfinished_ = 0;  // nodes
    std::uint32_t running_ = 0;   // parts that run and do not wait for their turn
    std::uint32_t waiting_ = 0;   // threads that wait for a change
    bool growing_ = false;        // no part may begin
};

// The object that calls of an executor find: the run that is open, with recorders for them. Calls
// may come late: then no run is open, or that of the next stretch.
struct dispatcher::gate_state {
    detail::mutex lock;
    detail::condition_variable left;
    dispatch_run* run = nullptr;
    std::vector<std::uint32_t> free;  // numbers of threads whose recorders are not in use
    std::vector<mutate::recorder*>* recorders = nullptr;
    std::uint32_t helpers = 0;  // calls that are inside
};

dispatcher::dispatcher(world_t* world)
    : world_(world), gate_(std::make_unique<gate_state>()), memory_(std::make_unique<buffers>()) {}

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
// under the lock of the gate: two helpers never share one. Calls beyond the number that was asked
// for find no recorder.
void dispatcher::help(void* argument) {
    auto& gate = *static_cast<gate_state*>(argument);
    detail::unique_lock guard(gate.lock);
    dispatch_run* run = gate.run;
    if (!run || gate.free.empty() || !run->is_open()) {
        return;
    }
    const std::uint32_t thread = gate.free.back();
    mutate::recorder* used = (*gate.recorders)[thread];
    gate.free.pop_back();
    ++gate.helpers;
    guard.unlock();
    run->work(used, thread);
    guard.lock();
    gate.free.push_back(thread);
    if (--gate.helpers == 0) {
        gate.left.notify_all();
    }
}

void dispatcher::open_gate(dispatch_run& run, const executor& threads, std::uint32_t helpers) {
    {
        const detail::lock_guard guard(gate_->lock);
        gate_->free.clear();
        for (std::uint32_t i = helpers; i > 0; --i) {
            gate_->free.push_back(i);
        }
        gate_->recorders = &recorders_;
        gate_->run = &run;
    }
    threads.start(threads.context, helpers, help, gate_.get());
}

void dispatcher::close_gate() noexcept {
    detail::unique_lock guard(gate_->lock);
    gate_->run = nullptr;
    gate_->left.wait(guard, [this] { return gate_->helpers == 0; });
}

// The order of the steps: ids are set aside and the world is switched to recording before helpers
// may enter; the gate is closed, and helpers have left, before the world is switched back. An
// executor that throws is one that makes no calls: the caller runs all parts.
void dispatcher::run(std::vector<dispatch_node>& nodes, const executor* threads,
                     std::uint32_t helpers) {
    KITH_ASSERT(threads || helpers == 0, "helpers are calls of an executor");
    while (recorders_.size() < std::size_t{helpers} + 1) {
        recorders_.reserve(recorders_.size() + 1);
        recorders_.push_back(detail::make_recorder(world_));
    }
    gate_->free.reserve(helpers);
    dispatch_run run(world_, nodes, *memory_);
    run.set_aside_ids();
    detail::begin_parts(world_);
    if (helpers != 0) {
#if defined(__cpp_exceptions)
        try {
            open_gate(run, *threads, helpers);
        } catch (...) {
            detail::write_log("the executor of the world failed to start: it must not throw");
        }
#else
        open_gate(run, *threads, helpers);
#endif
    }
    run.work(recorders_.front(), 0);
    if (helpers != 0) {
        close_gate();
    }
    detail::end_parts(world_);
    run.finish();
}

}  // namespace kith::scheduling
