// One run of a pipeline: its systems in order, with the sync points between them.
#pragma once

#include "frame/scheduler.hpp"

namespace kith::scheduling {

// Runs the systems of the pipeline. At sync points the plan is made anew if it has become stale:
// systems that ran do not run again, systems that stay are not left out, and new systems run if
// their place lies ahead.
class pipeline_run {
public:
    pipeline_run(scheduler& owner, pipeline_data& pipeline, float delta_time);

    // Throws the first failure of a system whose policy is to stop.
    void run();
    // Runs the systems that never ran in OnStart.
    void run_startup();

private:
    // A failure in a stretch: the exception, and the place of its system.
    struct stretch_failure {
        std::exception_ptr error;
        std::uint32_t at = 0xFFFFFFFF;
    };

    void run_stretches();
    void run_entries();
    void run_general(std::uint32_t at, run_entry& entry);
    void call(system_data& system, const system_body& body, float delta_time);
    bool is_left_out(std::uint32_t at) const noexcept;
    void note_error(std::uint32_t at);
    void end_stretch();
    std::uint32_t find_author(std::uint32_t command) const noexcept;
    void apply_policy();
    void follow_changes();

    scheduler& owner_;
    pipeline_data& pipeline_;
    world_t* world_;
    float delta_time_;
    std::size_t running_before_;  // systems that run around this run
    bool is_partial_;             // some entries may be left out
    std::shared_ptr<pipeline_plan> plan_;
    std::uint32_t at_ = 0;  // the next entry
    std::uint32_t stretch_begin_ = 0;
    detail::stage_mark mark_{};
    bool starts_ = false;  // systems of OnStart run
    bool synced_ = false;  // the sync point in front of the next entry was passed
    stretch_failure failure_;
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

}  // namespace kith::scheduling
