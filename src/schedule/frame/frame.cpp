// Implements frame.hpp.
#include "frame/frame.hpp"

#include <kith/kith.hpp>

#include "frame/pipeline_run.hpp"
#include "frame/state.hpp"
#include "systems/run_system.hpp"

namespace kith::scheduling {

namespace {

constexpr std::uint32_t most_pipelines = 8;
constexpr std::size_t most_running = 64;

bool is_disabled(const scheduler& owner, entity_t pipeline) {
    return entity(owner.world(), pipeline).has(Disabled);
}

void run_pipeline(scheduler& owner, pipeline_data& pipeline, float delta_time) {
    pipeline_run(owner, pipeline, delta_time).run();
}

// Systems of OnStart that have not run yet. A plan that is up to date has none.
void run_startup(scheduler& owner) {
    pipeline_data& startup = owner.startup();
    if (startup.stale) {
        attempt([&] { pipeline_run(owner, startup, 0).run_startup(); },
                [&] {
                    startup.stale = true;  // the systems that were left out start in the next frame
                    throw_again();
                });
    }
}

// Ends the frame of a clock, also if a system has failed.
class frame_scope {
public:
    frame_scope(scheduler& owner, world_time& time) noexcept : owner_(owner), time_(time) {
        owner_.frame.time = time.clock().total();
        owner_.frame.paused = time.is_frame_paused();
    }
    ~frame_scope() {
        owner_.frame.paused = false;
        owner_.frame.pipelines = 0;
        time_.end_frame();
    }
    frame_scope(const frame_scope&) = delete;
    frame_scope& operator=(const frame_scope&) = delete;

private:
    scheduler& owner_;
    world_time& time_;
};

[[noreturn]] void raise_chain(const scheduler& owner) {
    std::string text = "systems run each other without end: ";
    for (std::size_t i = owner.running.size() - 4; i < owner.running.size(); ++i) {
        text += path_text(owner.world(), owner.running[i]->entity) + ", ";
    }
    detail::raise_error(errc::limit, (text + "…").c_str());
}

// The rows that a request selects.
detail::run_options requested_rows(const system_data& system, const system_body& body,
                                   const detail::system_request& request) {
    detail::run_options options = options_of(system, body);
    options.offset = static_cast<std::uint64_t>(request.offset);
    if (request.limit >= 0) {
        options.limit = static_cast<std::uint64_t>(request.limit);
    }
    options.share = static_cast<std::uint32_t>(request.share);
    options.shares = static_cast<std::uint32_t>(request.shares);
    return options;
}

}  // namespace

bool run_frame(scheduler& owner, const frame_step& step) {
    detail::check_frame(owner.world(), "progress");
    const pipeline_ref pipeline = owner.find_pipeline(0);
    owner.apply_changes();
    if (pipeline) {
        owner.plan_of(*pipeline);  // an order that contradicts itself runs nothing
    }
    world_time& time = state_of(owner.world()).loop.time;
    const frame_time& frame =
        step.is_exact ? time.begin_frame(step.exact) : time.begin_frame(step.seconds);
    {
        const frame_scope scope(owner, time);
        run_startup(owner);
        if (pipeline && !is_disabled(owner, pipeline->entity)) {
            run_pipeline(owner, *pipeline, frame.delta);
        }
    }
    return !time.should_quit();
}

void run_nested_pipeline(scheduler& owner, entity_t entity, float delta_time) {
    pipeline_data& found = owner.get_pipeline(entity, "run_pipeline");
    const pipeline_ref kept = owner.find_pipeline(found.entity);
    checked_duration(double{delta_time}, "the time of a pipeline");
    if (owner.frame.pipelines >= most_pipelines) {
        detail::raise_error(errc::limit, "run_pipeline: pipelines run each other more than 8 deep");
    }
    if (owner.running.empty()) {
        detail::check_frame(owner.world(), "run_pipeline");
    } else if (!owner.running.back()->body->settings.immediate) {
        detail::raise_error(
            errc::invalid_operation,
            ("run_pipeline inside of " + path_text(owner.world(), owner.running.back()->entity) +
             ", which is not immediate()")
                .c_str());
    }
    if (is_disabled(owner, kept->entity)) {
        return;
    }
    // The changes of the system around this run come before those of the pipeline.
    const kith::world shown(owner.world());
    const bool deferred = shown.is_deferred();
    if (deferred) {
        detail::end_stretch(owner.world());
    }
    attempt([&] { run_pipeline(owner, *kept, delta_time); },
            [&] {
                if (deferred) {
                    detail::begin_stretch(owner.world());
                }
                throw_again();
            });
    if (deferred) {
        detail::begin_stretch(owner.world());
    }
}

void run_now(scheduler& owner, system_data& system, const detail::system_request& request) {
    if (owner.running.size() >= most_running) {
        raise_chain(owner);
    }
    const system_ref kept = owner.systems.share(system.entity);
    const std::shared_ptr<system_body> body = system.body;
    world_t* stage = request.stage ? request.stage : owner.world();
    const detail::run_options options = requested_rows(system, *body, request);
    detail::system_info info =
        make_info(system, *body, request.delta_time, owner.frame.time, request.param);
    system.last_run = owner.frame.time;
    ++system.runs;
    const running_scope running(owner, system);
    const suspend_scope suspend(owner.world(), body->settings.immediate);
    detail::defer_begin(stage);
    const detail::stage_mark mark = detail::mark_stage(stage);
    attempt([&] { call_body(*body, stage, info, options); },
            [&] {
                detail::end_part(stage, mark);
                detail::defer_abandon(stage);
                throw_again();
            });
    detail::end_part(stage, mark);
    detail::defer_end(stage);
}

}  // namespace kith::scheduling
