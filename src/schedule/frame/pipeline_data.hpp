// Pipelines of a world: their queries and their plans.
#pragma once

#include <kith/monitor.hpp>

#include "frame/batch_run.hpp"
#include "order/edge_ways.hpp"
#include "systems/system_data.hpp"

#include <string>
#include <unordered_set>

namespace kith::scheduling {

// Properties of an entry that need more than a call of the callback.
enum entry_flags : std::uint32_t {
    entry_sync = 1u << 0,      // a sync point comes first
    entry_disabled = 1u << 1,  // the system, or what it depends on, is disabled
    entry_general = 1u << 2,   // the callback cannot be called with the list of matches alone
    entry_timed = 1u << 3,     // the system runs in frames in which it ticks
    entry_parallel = 1u << 4,  // it runs in a batch, with its neighbours
    entry_idle = 1u << 8,      // it would not run; see idle_entries
};
// The flags that follow from the entity of the system.
inline constexpr std::uint32_t state_flags = entry_disabled | entry_timed;

// A system in the order of a pipeline, as the loop of a frame reads it. The pointers belong to the
// body and the data of the system, which the plan keeps alive by `data`. A plan is made anew when a
// body is replaced.
struct run_entry {
    void (*run)(void* function, const detail::system_call& call) = nullptr;
    void* function = nullptr;
    const detail::query_head* query = nullptr;
    system_data* data = nullptr;
    std::uint32_t flags = 0;         // entry_flags
    std::uint32_t commands_end = 0;  // number of commands that were queued when it ended
    std::uint32_t batch = 0;         // of entry_parallel: position in pipeline_plan::batches
    std::uint32_t idle_end = 0;      // of entry_idle: the next entry that is not idle
};

// Entries that a frame passes over: their systems are disabled, or their queries match no table.
// The marks hold until a query gets its first match, or a system is enabled or disabled.
class idle_entries {
public:
    // Marks entries, unless their marks are valid.
    void mark(std::vector<run_entry>& entries, const detail::store_head& store);
    // Takes the marks away.
    void wake(std::vector<run_entry>& entries) noexcept;
    bool is_valid(const detail::store_head& store) const noexcept {
        return marked_ && version_ == store.version && match_epoch_ == store.match_epoch;
    }

private:
    bool marked_ = false;
    std::uint32_t version_ = 0;  // of the store, when the entries were marked
    std::uint32_t match_epoch_ = 0;
};

// Entries that run in fixed steps, from `begin` to before `end`.
struct step_block {
    entity_t phase;
    std::uint32_t begin;
    std::uint32_t end;
};

// The plan of a pipeline with the data of its systems. Vectors are parallel. Runs share a plan: a
// run goes on with its own plan when the scheduler makes another one, until the next sync point.
struct pipeline_plan {
    std::vector<planned_system> systems;
    std::vector<plan_entry> entries;
    std::vector<order_reason> reasons;
    std::vector<system_ref> data;
    std::vector<run_entry> runs;
    std::unordered_map<entity_t, std::uint32_t> place;  // of a system
    std::vector<step_block> blocks;                     // in the order of their entries
    edge_ways edges;
    std::vector<std::unique_ptr<batch_run>> batches;
    idle_entries idle;
};

// A pipeline of the world. The monitor refers to the object, which therefore must not move; the
// monitor ends with the object.
struct pipeline_data {
    entity_t entity = 0;
    detail::query_ref query;
    sync points = sync::declared;
    bool has_order = false;  // the query sorts its results
    bool stale = true;       // the plan must be made anew
    bool disabled = false;   // it runs nothing
    monitor watch;           // of the results of the query
    std::int64_t runs = 0;
    measured_time time;  // of its runs
    // Null until the first use.
    std::shared_ptr<pipeline_plan> plan;
};
using pipeline_ref = std::shared_ptr<pipeline_data>;

// The path of an entity for messages.
std::string path_text(const world_t* world, entity_t entity);

// Makes the plan of a pipeline. Throws kith::error [cycle] if edges contradict. Entities that the
// systems depend on, or that are above them, are added to `ancestors`.
std::shared_ptr<pipeline_plan> build_plan(world_t* world, const pipeline_data& pipeline,
                                          const system_set& systems,
                                          std::unordered_set<entity_t>& ancestors);
// Brings the entries of a plan up to date with the bodies of systems. The flags of state stay as
// they are.
void fill_entry(pipeline_plan& plan, std::uint32_t at);
// False if the system, an entity that it depends on or one above it is disabled.
bool is_enabled(const world_t* world, entity_t system);
// Those of state_flags that the entity of the system has now.
std::uint32_t find_state_flags(const world_t* world, entity_t system);

}  // namespace kith::scheduling
