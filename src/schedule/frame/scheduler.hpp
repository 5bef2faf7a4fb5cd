// The schedule of a world: its systems, pipelines and the state of the running frame. A world gets
// one with its first system, pipeline or frame.
#pragma once

#include <kith/detail/stage_ops.hpp>

#include "frame/missing_syncs.hpp"
#include "frame/observation.hpp"
#include "frame/pipeline_data.hpp"
#include "time/loop.hpp"

#include <exception>

namespace kith::scheduling {

// The state of the running frame.
struct frame_state {
    bool running = false;
    std::uint32_t pipelines = 0;  // that are running, one inside of the other
};

// Stepping through systems.
struct step_state {
    bool requested = false;   // by the program; counts from the end of the frame on
    bool active = false;      // in the current frame
    bool one = false;         // the next progress() runs one system
    entity_t stopped_at = 0;  // the system in front of which the frame has stopped
};

class open_frame;

// Failures of systems. The members describe the first failure; `count` counts all of them.
struct failure_log {
    entity_t system = 0;
    std::int64_t frame = 0;
    std::int32_t count = 0;
    std::string message;
};

// The scheduler marks plans as stale when systems, phases, edges or pipelines change. A frame makes
// stale plans anew at its sync points.
//
// One thread at a time uses a scheduler. Plans and bodies are shared pointers, so that running code
// keeps its own alive while a callback changes systems.
class scheduler {
public:
    // The scheduler of a world; `find` gives null if there is none.
    static scheduler& of(world_t* world);
    static scheduler* find(const world_t* world);

    // Requires: the loop and the threads live longer.
    scheduler(world_t* world, world_loop& shared, thread_set& used)
        : loop(shared), threads(used), world_(world) {}
    scheduler(const scheduler&) = delete;
    scheduler& operator=(const scheduler&) = delete;
    // The world ends: changes of systems are not followed any more.
    void stop() noexcept {
        stopped.reset();
        stopped_ = true;
        parts_.reset();
    }

    world_t* world() const noexcept { return world_; }

    // -- systems. `get` throws [missing_component] if the entity is no system.
    system_data& get(entity_t system) const;
    // The entity has lost System, or was deleted.
    void drop_system(entity_t system);
    // The systems whose callbacks are running, the innermost last.
    std::vector<system_data*> running;
    // The same list for the calling thread: that of its part, if it runs one.
    std::vector<system_data*>& running_here() noexcept {
        running_part* part = running_part::find(world_);
        return part ? part->systems : running;
    }
    const std::vector<system_data*>& running_here() const noexcept {
        return const_cast<scheduler*>(this)->running_here();
    }
    // The dispatcher of parts, made with the first use.
    dispatcher& parts() {
        if (!parts_) {
            parts_ = std::make_unique<dispatcher>(world_);
        }
        return *parts_;
    }

    // -- pipelines. `pipeline` 0: the current one.
    pipeline_ref find_pipeline(entity_t pipeline) const;
    pipeline_data& get_pipeline(entity_t pipeline, const char* call) const;
    void add_pipeline(const pipeline_ref& added);
    entity_t current_pipeline() const noexcept { return current_; }
    void set_current_pipeline(entity_t pipeline) noexcept { current_ = pipeline; }
    // Grows when pipelines are made, deleted, disabled or enabled.
    std::uint32_t pipelines_version() const noexcept { return pipelines_version_; }
    // The systems of OnStart.
    const pipeline_ref& startup() const noexcept { return startup_; }

    // -- plans
    // The plan of the pipeline, made anew if it is stale. May throw [cycle].
    std::shared_ptr<pipeline_plan> plan_of(pipeline_data& pipeline);
    // Throws if the edges of any pipeline contradict. Makes the plans that are stale. The first
    // contradiction leaves the function.
    void check_orders();
    void mark_stale() noexcept;
    // False if the world has returned to a state from before the set-up.
    bool exists_in_world() const;
    // The world has another state: systems and pipelines whose entities are gone end, and plans are
    // made anew.
    void world_replaced() noexcept;
    bool has_edges() const noexcept { return has_edges_; }
    // Takes up replaced systems and changes of `Disabled`.
    void apply_changes() {
        if (has_changes_ || systems.has_next()) [[unlikely]] {
            apply_all_changes();
        }
    }

    // -- failures. Notes the exception that is being handled.
    void note_failure(entity_t system) noexcept;

    // -- time and threads
    world_loop& loop;
    thread_set& threads;
    // The time that systems have seen, in nanoseconds.
    ns_t age() const noexcept { return loop.time.age(); }

    // -- looking into frames
    observation observed;
    step_state steps;
    std::shared_ptr<open_frame> stopped;  // the frame that has stopped in front of a system

    system_set systems;
    frame_state frame;
    failure_log failures;
#if defined(KITH_ASSERTS) && KITH_ASSERTS
    bool watched = true;  // missing sync points are reported
#else
    bool watched = false;
#endif
    std::vector<missing_sync> missing;
    bool checks_access = true;  // of parts, in builds with KITH_ASSERTS

private:
    void set_up();
    void watch_world();
    void watch_order(const kith::world& shown);
    void note_disabled(entity_t changed);
    void note_changed(entity_t changed);
    void refresh_enabled(pipeline_data& pipeline, entity_t system);
    void refresh_pipelines();
    void apply_all_changes();
    pipeline_ref make_builtin(entity_t entity, bool at_start);
    template <class Visit>
    void each_pipeline(Visit&& visit);

    world_t* world_;
    std::unique_ptr<dispatcher> parts_;
    bool stopped_ = false;
    bool has_edges_ = false;
    bool has_changes_ = false;  // apply_changes() has something to do
    bool all_enabled_stale_ = false;
    std::vector<entity_t> enabled_stale_;  // systems that were disabled or enabled
    bool disabled_pipelines_stale_ = false;
    std::uint32_t pipelines_version_ = 0;
    std::unordered_map<entity_t, pipeline_ref> pipelines_;
    pipeline_ref startup_;
    entity_t current_ = detail::builtin_pipeline;
    std::unordered_set<entity_t> ancestors_;  // entities that systems depend on, or that are above
};

// Marks a system as running.
class running_scope {
public:
    running_scope(scheduler& owner, system_data& system) : list_(owner.running_here()) {
        list_.push_back(&system);
    }
    ~running_scope() { list_.pop_back(); }
    running_scope(const running_scope&) = delete;
    running_scope& operator=(const running_scope&) = delete;

private:
    std::vector<system_data*>& list_;
};

// Runs the action; `on_error` runs inside of the handler of its exception.
template <class Action, class OnError>
void attempt(Action&& action, [[maybe_unused]] OnError&& on_error) {
#if defined(__cpp_exceptions)
    try {
        action();
    } catch (...) {
        on_error();
    }
#else
    action();
#endif
}

// Inside of `on_error`: throws the exception on.
[[noreturn]] inline void throw_again() {
    std::rethrow_exception(std::current_exception());
}

}  // namespace kith::scheduling
