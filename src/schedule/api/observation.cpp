// The functions behind statistics, traces and stepping.
#include <kith/kith.hpp>
#include <kith/statistics.hpp>

#include "frame/frame.hpp"

namespace kith::detail {

using scheduling::scheduler;

void measure_frame_time(world_t* world, bool on) {
    scheduler::of(world).observed.frame_time = on;
}

void measure_system_time(world_t* world, bool on) {
    scheduler::of(world).observed.system_time = on;
}

// The windows of times are advanced to the present raw time of the world.
void read_system_stats(const world_t* world, entity_t system, system_stats& stats) {
    const scheduler& owner = scheduler::of(const_cast<world_t*>(world));
    const scheduling::system_data& data = owner.get(system);
    stats.runs = static_cast<std::int64_t>(data.counts.runs);
    stats.skipped = static_cast<std::int64_t>(data.counts.skips);
    stats.waited = data.counts.waits;
    stats.parts = static_cast<std::int64_t>(data.parts.count);
    stats.rows = static_cast<std::int64_t>(data.counts.rows);
    stats.commands = data.counts.commands;
    stats.time = data.time.read(owner.loop.time.raw_age());
}

void read_pipeline_stats(const world_t* world, entity_t pipeline, pipeline_stats& stats) {
    scheduler& owner = scheduler::of(const_cast<world_t*>(world));
    scheduling::pipeline_data& data = owner.get_pipeline(pipeline, "stats");
    const std::shared_ptr<scheduling::pipeline_plan> plan = owner.plan_of(data);
    stats.runs = data.runs;
    stats.systems = static_cast<std::int64_t>(plan->systems.size());
    stats.stretches = plan->entries.empty() ? 0 : plan->entries.back().stretch + 1;
    stats.time = data.time.read(owner.loop.time.raw_age());
}

void read_frame_stats(const world_t* world, kith::frame_stats& stats) {
    const scheduler& owner = scheduler::of(const_cast<world_t*>(world));
    const scheduling::ns_t now = owner.loop.time.raw_age();
    stats.frames = owner.loop.time.frame_count();
    stats.time = owner.observed.frames.read(now);
    stats.merges = owner.observed.merges.read(now);
    stats.commands = owner.observed.commands;
}

// A trace that exists is replaced. `events` is the capacity of the ring.
void trace_start(world_t* world, std::size_t events) {
    if (events == 0) {
        raise_error(errc::invalid_operation,
                    "trace_start(0): a trace has room for 1 event or more");
    }
    scheduling::observation& observed = scheduler::of(world).observed;
    observed.trace = std::make_unique<scheduling::trace_ring>(events);
    observed.tracing = true;
}

void trace_stop(world_t* world) {
    scheduler::of(world).observed.tracing = false;
}

// A world without a trace gives a file without events.
string trace_json(const world_t* world) {
    const scheduler* owner = scheduler::find(world);
    const bool has_trace = owner && owner->observed.trace;
    const std::string text =
        has_trace ? owner->observed.trace->json() : scheduling::trace_ring(1).json();
    return string(text.c_str());
}

// The request counts from the next frame on: a frame reads it when it begins.
void set_stepping(world_t* world, bool on) {
    scheduler::of(world).steps.requested = on;
}

void step_system(world_t* world, const char* call) {
    scheduling::step_state& steps = scheduler::of(world).steps;
    if (!steps.requested) {
        raise_error(errc::invalid_operation,
                    (std::string(call) + " while not stepping: call stepping(true) first").c_str());
    }
    steps.one = true;
}

// The call shares the check of step_system(), and takes back its request.
void step_to_end(world_t* world) {
    step_system(world, "step_to_end()");
    scheduler& owner = scheduler::of(world);
    owner.steps.one = false;
    scheduling::finish_frame(owner);
}

entity_t stopped_at(const world_t* world) {
    const scheduler* owner = scheduler::find(world);
    return owner ? owner->steps.stopped_at : 0;
}

void set_breakpoint(world_t* world, entity_t system, bool on) {
    scheduler::of(world).get(system).breakpoint = on;
}

}  // namespace kith::detail
