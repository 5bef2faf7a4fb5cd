// One run of a pipeline: its systems in order, with the sync points between them.
#pragma once

#include "frame/scheduler.hpp"
#include "systems/run_system.hpp"

namespace kith::scheduling {

// Runs the systems of the pipeline. At sync points the plan is made anew if it has become stale:
// systems that ran do not run again, systems that stay are not left out, and new systems run if
// their place lies ahead. Requires: the scheduler and the pipeline outlive the run. Used by the
// thread that calls progress().
class pipeline_run {
public:
    // `scaled`: the time of the frame in nanoseconds, 0 outside of frames.
    pipeline_run(scheduler& owner, pipeline_data& pipeline, float delta_time, ns_t scaled);

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

    void run_stretches();
    void run_entries(std::uint32_t end);
    void run_general(std::uint32_t at, run_entry& entry);
    // Counts the tick of a timed system. False if the system does not tick in this frame.
    bool take_tick(const run_entry& entry);
    run_times times_of(const run_entry& entry) const;
    // The end of the entries that run next: before a block of fixed steps, or inside of it.
    std::uint32_t find_end() const noexcept;
    // At the beginning of a block: takes its steps from the account of the phase. Without a step,
    // the block is passed.
    void enter_block();
    // At the end of a step: begins the next one, or leaves the block.
    void end_step();
    void return_to_block();
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

    scheduler& owner_;
    pipeline_data& pipeline_;
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
    bool goes_on_ = false;      // this call goes on where the run has stopped
    std::int32_t stepped_ = 0;  // systems of this call, while stepping
    bool synced_ = false;       // the sync point in front of the next entry was passed
    stretch_failure failure_;
    step_block block_{};                    // that is running; `phase` 0: none
    std::int32_t step_ = 0;                 // number of the step
    std::int32_t steps_ = 0;                // of the block in this frame
    float step_time_ = 0;                   // in seconds
    float alpha_ = 0;                       // of the last block
    std::exception_ptr stop_;               // thrown at the end
    std::vector<bool> left_out_;            // entries that do not run in this run; empty: none
    std::unordered_set<entity_t> visited_;  // systems of plans that were replaced in this run
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
