// One run of a pipeline: its systems in order, with the sync points between them.
#pragma once

#include "frame/scheduler.hpp"
#include "systems/run_system.hpp"

namespace kith::scheduling {

// Runs the systems of the pipeline. At sync points the plan is made anew if it has become stale:
// systems that ran do not run again, systems that stay are not left out, and new systems run if
// their place lies ahead. A pipeline that was deleted or disabled runs no further; the run shares
// it, because a run may stop and go on later. Requires: the scheduler outlives the run. Used by the
// thread that calls progress().
class pipeline_run {
public:
    // `scaled`: the time of the frame in nanoseconds, 0 outside of frames.
    pipeline_run(scheduler& owner, pipeline_ref pipeline, float delta_time, ns_t scaled);

    // Throws the first failure of a system whose policy is to stop.
    void run();
    // True if the run has stopped in front of a system; run() goes on.
    bool has_stopped() const noexcept { return has_stopped_; }
    // Runs the systems of PreFrame and PostFrame only.
    void run_paused();
    // Runs the systems that never ran in OnStart.
    void run_startup();

private:
    // A failure in a stretch: the exception, and the place of its system.
    struct stretch_failure {
        std::exception_ptr error;
        std::uint32_t at = 0xFFFFFFFF;
    };

    // The steps of a phase in this run.
    struct step_count {
        std::int32_t step = 0;  // that is running
        std::int32_t steps = 0;
        float time = 0;  // of a step, in seconds
    };

    void run_stretches();
    void run_entries(std::uint32_t end);
    void run_general(std::uint32_t at, run_entry& entry);
    // Runs the systems of the batch that begins here, up to `end`.
    void run_batch(std::uint32_t end);
    void add_to_batch(batch_run& batch, std::uint32_t at);
    void collect_results(batch_run& batch, std::uint32_t at);
    void observe_parts(const batch_run& batch, std::uint32_t at);
    // True if the system runs in this frame: its timer ticks, and its conditions hold.
    bool runs_now(const run_entry& entry, const system_body& body);
    void store_quotas();
    // Passes over the idle entries at `at_`. False if there are none.
    bool skip_idle(std::uint32_t end);
    void mark_idle();
    // Notes the ends of commands of entries that were passed over.
    void complete_ends();
    // Counts the tick of a timed system. False if the system does not tick in this frame.
    bool take_tick(const run_entry& entry);
    run_times times_of(const run_entry& entry) const;
    // The end of the entries that run next: before a block of fixed steps, or inside of it.
    std::uint32_t find_end() const noexcept;
    // At the beginning of a block: takes its steps from the account of the phase. Without a step,
    // the block is passed.
    void enter_block();
    // Takes the steps of the block's phase, once in a run. False if the block does not run now.
    bool take_block(const step_block& block);
    // At the end of a step: begins the next one, or leaves the block.
    void end_step();
    // While stepping: true if the run stops in front of the next entry.
    bool stops();
    void observe_run(const system_data& system, stamp_t begin);
    void observe_sync(stamp_t begin, std::uint32_t commands);
    void call(run_entry& entry, const system_body& body);
    bool is_left_out(std::uint32_t at) const noexcept;
    bool matches_nothing(const run_entry& entry) const noexcept;
    void note_error(std::uint32_t at);
    void end_stretch();
    std::uint32_t find_author(std::uint32_t command) const noexcept;
    void apply_policy();
    void follow_changes();
    void follow_pipeline();
    void follow_plan();

    scheduler& owner_;
    pipeline_ref pipeline_;
    std::uint32_t pipelines_version_;  // of the scheduler, when the pipeline was last looked up
    world_t* world_;
    float delta_time_;
    ns_t scaled_;
    std::size_t running_before_;  // systems that run around this run
    bool is_partial_;             // some entries may be left out
    std::shared_ptr<pipeline_plan> plan_;
    std::uint32_t at_ = 0;  // the next entry
    std::uint32_t stretch_begin_ = 0;
    detail::stage_mark mark_{};
    bool starts_ = false;
    bool paused_ = false;
    bool has_stopped_ = false;
    bool is_over_ = false;      // the pipeline has ended, or was disabled
    entity_t goes_on_at_ = 0;   // the system in front of which the run has stopped before this call
    std::int32_t stepped_ = 0;  // systems of this call, while stepping
    bool synced_ = false;       // the sync point in front of the next entry was passed
    std::uint32_t passed_ = 0;  // entries of this run that had nothing to run
    stretch_failure failure_;
    step_block block_{};        // that is running; `phase` 0: none
    step_count steps_;          // of the block
    entity_t interrupted_ = 0;  // the phase of a block that goes on in a new plan
    step_count interrupted_steps_;
    std::vector<entity_t> taken_;  // phases whose steps were taken in this run
    float alpha_ = 0;              // of the last block
    std::exception_ptr stop_;      // thrown at the end
    bool has_parts_ = false;       // parts ran in this stretch
    std::vector<std::pair<system_data*, std::uint32_t>> quotas_;  // new ones, of systems
    std::vector<bool> left_out_;            // entries that do not run in this run; empty: none
    std::unordered_set<entity_t> visited_;  // systems of plans that were replaced in this run
};

// Counts a pipeline that runs, for a scope.
class nesting_scope {
public:
    explicit nesting_scope(frame_state& frame) noexcept : frame_(frame) { ++frame_.pipelines; }
    ~nesting_scope() { --frame_.pipelines; }
    nesting_scope(const nesting_scope&) = delete;
    nesting_scope& operator=(const nesting_scope&) = delete;

private:
    frame_state& frame_;
};

// Sets `allowed` for a scope; see detail::allow_suspend().
class suspend_scope {
public:
    suspend_scope(world_t* world, bool allowed) noexcept
        : world_(world), before_(detail::allow_suspend(world, allowed)) {}
    ~suspend_scope() { detail::allow_suspend(world_, before_); }
    suspend_scope(const suspend_scope&) = delete;
    suspend_scope& operator=(const suspend_scope&) = delete;

private:
    world_t* world_;
    bool before_;
};

// Sets `allowed` for a scope; see detail::allow_emit().
class emit_scope {
public:
    emit_scope(world_t* world, bool allowed) noexcept
        : world_(world), before_(detail::allow_emit(world, allowed)) {}
    ~emit_scope() { detail::allow_emit(world_, before_); }
    emit_scope(const emit_scope&) = delete;
    emit_scope& operator=(const emit_scope&) = delete;

private:
    world_t* world_;
    bool before_;
};

}  // namespace kith::scheduling
