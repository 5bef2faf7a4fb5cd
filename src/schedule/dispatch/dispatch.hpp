// Runs parts of systems on several threads. Each thread takes the earliest part that may run;
// changes are recorded per part, and linked into the queue of the world in the order of parts. So
// the result is the same for every number of threads.
//
// Invariants
// 1. All state of a run is guarded by one lock; parts run without it.
// 2. A part is claimed only if no earlier part that may run is unclaimed, except for parts that
//    only the calling thread may run. The calling thread claims no part behind such a part.
// 3. A part that waits for its turn does not count as running: the earliest unfinished part never
//    waits, so that some part always proceeds.
//
// Covered by tests/unit/schedule/dispatch_threads_test.cpp.
#pragma once

#include <kith/detail/part_ops.hpp>
#include <kith/executor.hpp>

#include "trace/stamp.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace kith::scheduling {

// A part that runs on this thread. Operations on `stage` are recorded.
struct part_call {
    std::uint32_t part;
    world_t* stage;
};

// The times of a part, and the thread that ran it. The part has waited for its turn if `wait_end`
// is not 0.
struct part_times {
    stamp_t begin = 0;
    stamp_t end = 0;
    stamp_t wait_begin = 0;
    stamp_t wait_end = 0;
    std::uint32_t thread = 0;  // 0: the thread that called dispatcher::run()
};

// A system in a run: its parts, and the systems that wait for it.
struct dispatch_node {
    // Runs one part on the calling thread.
    void (*run)(void* context, const part_call& call) = nullptr;
    // Called once before the first part, when the nodes that this one waits for have ended. Null:
    // nothing is to be done.
    void (*begin)(void* context) noexcept = nullptr;
    void* context = nullptr;
    // 0: the node ends as soon as the nodes that it waits for have ended.
    std::uint32_t parts = 1;
    // Parts before levels[i] end before the parts from there on begin; ascending.
    std::vector<std::uint32_t> levels;
    // Positions of the earlier nodes that must end before the node begins.
    std::vector<std::uint32_t> waits_for;
    // Parts run on the thread that called dispatcher::run() only.
    bool main_thread = false;
    std::uint32_t quota = 0;  // ids that are set aside for each part

    // -- results
    std::vector<std::exception_ptr> errors;  // of parts and changes, in order; at least the first
    std::uint32_t failures = 0;              // parts and changes that failed
    std::uint32_t next_quota = 0;            // for the next run
    std::uint32_t entities = 0;              // made by all parts
    std::uint64_t changes = 0;               // recorded by all parts
    std::uint32_t commands_end = 0;  // commands in the queue of the world behind those of the node
    const part_times* times = nullptr;  // of its parts, until the next run
};

// The recorders of threads that help the caller. Belongs to one world; run() and recycle() are
// called by the thread of that world. Requires: an executor that was used has finished before the
// dispatcher ends, because late calls read the gate.
class dispatcher {
public:
    explicit dispatcher(world_t* world);
    ~dispatcher();
    dispatcher(const dispatcher&) = delete;
    dispatcher& operator=(const dispatcher&) = delete;

    // Runs all parts and links their changes. Exceptions of parts are stored in their nodes.
    // `helpers`: calls that the executor is asked for; 0: everything runs on the calling thread.
    // Requires: the world is deferred. Throws if memory is short, before any part has run.
    void run(std::vector<dispatch_node>& nodes, const executor* threads, std::uint32_t helpers);
    // The queue of the world has run: the memory of linked changes can be used again.
    void recycle() noexcept;

private:
    struct gate_state;
    struct buffers;
    static void help(void* argument);
    void open_gate(class dispatch_run& run, const executor& threads, std::uint32_t helpers);
    void close_gate() noexcept;

    world_t* world_;
    std::unique_ptr<gate_state> gate_;  // of the calls of executors
    std::unique_ptr<buffers> memory_;   // of the run, kept for the next one
    std::vector<mutate::recorder*> recorders_;
    friend class dispatch_run;
};

}  // namespace kith::scheduling
