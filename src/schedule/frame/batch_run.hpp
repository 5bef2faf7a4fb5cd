// Runs of a batch: parallel and split systems are divided into parts, which threads run as far as
// the systems do not wait for each other.
#pragma once

#include <kith/detail/split_run.hpp>

#include "dispatch/dispatch.hpp"
#include "plan/batches.hpp"
#include "pool/thread_set.hpp"
#include "systems/run_system.hpp"
#include "systems/running_part.hpp"

#include <memory>
#include <vector>

namespace kith::scheduling {

// Belongs to a plan, and is used again in each frame. A run is begin(), add() for each system that
// is due, run(); then the results can be read until the next begin(). The thread that calls
// progress() uses it.
class batch_run {
public:
    // `systems` are the systems of the plan, by position in the order.
    batch_run(batch&& made, const std::vector<system_ref>& systems);

    std::uint32_t end() const noexcept { return plan_.end; }
    // `checks_access`: access that systems do not declare is an error, in builds with KITH_ASSERTS.
    void begin(world_t* world, bool checks_access);
    // The system at the position runs. Throws if its rows cannot be found.
    void add(std::uint32_t at, const run_times& times);
    // Runs all parts. `threads`: null for the calling thread alone.
    void run(dispatcher& used, const thread_set* threads);

    // -- results of the system at a position
    const dispatch_node& result_of(std::uint32_t at) const noexcept {
        return nodes_[node_of_[at - plan_.begin]];
    }
    // The number of rows of a part; 0: not known.
    std::uint64_t rows_of(std::uint32_t at, std::uint32_t part) const noexcept;
    // Systems that the callback ran by system.run().
    std::vector<system_data*> take_nested(std::uint32_t at) noexcept {
        return systems_[at - plan_.begin].nested.take();
    }

private:
    // A system of the batch, as its parts read it.
    struct batch_system {
        world_t* world = nullptr;
        system_data* data = nullptr;
        std::shared_ptr<system_body> body;  // null: the system does not run
        detail::system_info info{};
        detail::run_options options;
        std::unique_ptr<detail::split_run> split;  // made with the first split run
        const detail::query_head* split_query = nullptr;
        std::uint32_t edition = 0;  // of the tables that it matches
        bool is_split = false;
        bool checks_access = false;
        nested_runs nested;
    };
    static void run_part(void* context, const part_call& call);
    static void call_part(batch_system& own, const part_call& call, detail::system_info& info);
    static void begin_split(void* context) noexcept;

    void find_waits();
    void divide(batch_system& system, dispatch_node& node);
    std::uint32_t count_helpers(const thread_set& threads) const;
    void note_costs();

    batch plan_;
    world_t* world_ = nullptr;
    std::vector<std::uint32_t> node_of_;  // of each system
    std::vector<batch_system> systems_;   // never grows: nodes refer to the elements
    std::vector<dispatch_node> nodes_;
    bool has_waits_ = false;  // the waits are those of the present tables
};

}  // namespace kith::scheduling
