// Implements frame.hpp.
#include "frame/frame.hpp"

#include <kith/detail/part_ops.hpp>
#include <kith/kith.hpp>

#include "frame/pipeline_run.hpp"
#include "frame/state.hpp"
#include "systems/run_system.hpp"

#include <optional>
#include <utility>

namespace kith::scheduling {

namespace {

// Limits of nesting, which turn endless recursion of systems and pipelines into an error.
constexpr std::uint32_t most_pipelines = 8;
constexpr std::size_t most_running = 64;

void run_pipeline(scheduler& owner, const pipeline_ref& pipeline, float delta_time) {
    const ns_t scaled = checked_duration(static_cast<double>(delta_time), "the time of a pipeline");
    pipeline_run(owner, pipeline, delta_time, scaled).run();
}

// Systems of OnStart that have not run yet. A plan that is up to date has none.
void run_startup(scheduler& owner) {
    const pipeline_ref startup = owner.startup();
    if (startup->stale) {
        attempt([&] { pipeline_run(owner, startup, 0, 0).run_startup(); },
                [&] {
                    startup->stale =
                        true;  // the systems that were left out start in the next frame
                    throw_again();
                });
    }
}

}  // namespace

// One frame. The destructor ends a frame whose time has begun, also if a system throws. A frame
// that stops while stepping is kept in scheduler::stopped until it goes on.
class open_frame {
public:
    explicit open_frame(scheduler& owner) noexcept : owner_(owner) {}
    // Actions of the end of the frame run before the frame is counted.
    ~open_frame() {
        owner_.steps.stopped_at = 0;
        owner_.threads.end_frame();
        owner_.frame.running = true;
        detail::run_frame_actions(owner_.world());
        owner_.frame.running = false;
        if (has_begun_) {
            owner_.loop.time.end_frame();
        }
        if (begin_ != 0 && is_observed()) {
            observe();
        }
    }
    open_frame(const open_frame&) = delete;
    open_frame& operator=(const open_frame&) = delete;

    // Begins the time of the frame and runs its systems. Systems of OnStart come before the
    // pipeline, and not in frames that are paused. If the time is refused, nothing has changed.
    void begin(const pipeline_ref& pipeline, const frame_step& step) {
        detail::begin_frame_actions(owner_.world());
        world_time& time = owner_.loop.time;
        const frame_time& begun =
            step.is_exact ? time.begin_frame(step.exact) : time.begin_frame(step.seconds);
        has_begun_ = true;
        begin_ = is_observed() ? read_stamp() : 0;
        owner_.loop.info.systems_ran_frame = 0;
        owner_.loop.info.stretches_frame = owner_.loop.info.parts_frame = 0;
        owner_.loop.info.turn_time_ns = 0;
        owner_.threads.begin_frame();
        owner_.steps.active = owner_.steps.requested;
        const running_frame running(owner_);
        const bool paused = time.is_frame_paused();
        if (!paused) {
            run_startup(owner_);
        }
        if (pipeline && !pipeline->disabled) {
            run_.emplace(owner_, pipeline, begun.delta, begun.scaled);
            paused ? run_->run_paused() : run_->run();
        }
    }
    void resume() {
        const running_frame running(owner_);
        owner_.steps.stopped_at = 0;
        run_->run();
    }
    bool has_stopped() const noexcept { return run_ && run_->has_stopped(); }

private:
    // The frame is running: calls of systems are under way.
    struct running_frame {
        explicit running_frame(scheduler& running) noexcept : owner(running) {
            owner.frame.running = true;
        }
        ~running_frame() { owner.frame.running = false; }
        running_frame(const running_frame&) = delete;
        running_frame& operator=(const running_frame&) = delete;
        scheduler& owner;
    };

    bool is_observed() const noexcept {
        return owner_.observed.frame_time || owner_.observed.tracing;
    }
    void observe() {
        const stamp_t end = read_stamp();
        observation& observed = owner_.observed;
        if (observed.frame_time) {
            observed.frames.add(elapsed(begin_, end), owner_.loop.time.raw_age());
        }
        if (observed.tracing) {
            const auto number = static_cast<std::uint64_t>(owner_.loop.time.frame_count());
            observed.trace->record({trace_kind::frame, 0, 0, 0, 0, number, begin_, end});
        }
    }

    scheduler& owner_;
    bool has_begun_ = false;
    stamp_t begin_ = 0;
    std::optional<pipeline_run> run_;
};

namespace {

// False if the program is to end. The frame ends with its last reference, unless it has stopped.
bool close_frame(scheduler& owner, std::shared_ptr<open_frame> frame) {
    if (frame->has_stopped()) {
        owner.stopped = std::move(frame);
    }
    return !owner.loop.time.should_quit();
}

bool resume_frame(scheduler& owner) {
    detail::check_frame(owner.world(), "progress");
    std::shared_ptr<open_frame> frame = std::exchange(owner.stopped, nullptr);
    frame->resume();
    return close_frame(owner, std::move(frame));
}

// Requires: at least four systems are running. The innermost systems show the circle.
[[noreturn]] void raise_chain(const scheduler& owner) {
    std::string text = "systems run each other without end: ";
    const std::vector<system_data*>& running = owner.running_here();
    for (std::size_t i = running.size() - 4; i < running.size(); ++i) {
        text += path_text(owner.world(), running[i]->entity) + ", ";
    }
    detail::raise_error(errc::limit, (text + "…").c_str());
}

run_times times_of(const scheduler& owner, const system_data& system, float delta_time) {
    return {delta_time, static_cast<float>(to_seconds(owner.age() - system.last_run)), 0};
}

// Inside of a part, other threads read the state of the system: the run is counted when the parts
// have ended.
void note_run(scheduler& owner, system_data& system) {
    if (const running_part* part = running_part::find(owner.world())) {
        part->nested->add(system);
    } else {
        system.last_run = owner.age();
        ++system.counts.runs;
    }
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

// The checks that may fail come first: time does not advance for a frame that is refused. The plan
// is made before the time begins for the same reason. Only frames that may stop need memory.
bool run_frame(scheduler& owner, const frame_step& step) {
    if (owner.stopped) {
        return resume_frame(owner);
    }
    detail::check_frame(owner.world(), "progress");
    owner.apply_changes();
    const pipeline_ref pipeline = owner.find_pipeline(0);
    if (pipeline) {
        owner.plan_of(*pipeline);  // an order that contradicts itself runs nothing
    }
    if (owner.steps.requested) {
        auto frame = std::make_shared<open_frame>(owner);
        frame->begin(pipeline, step);
        return close_frame(owner, std::move(frame));
    }
    {
        open_frame frame(owner);
        frame.begin(pipeline, step);
    }
    return !owner.loop.time.should_quit();
}

void finish_frame(scheduler& owner) {
    if (owner.stopped) {
        owner.steps.active = false;
        resume_frame(owner);
    }
}

// `kept` holds the pipeline, which a system of it may delete.
void run_nested_pipeline(scheduler& owner, entity_t entity, float delta_time) {
    pipeline_data& found = owner.get_pipeline(entity, "run_pipeline");
    const pipeline_ref kept = owner.find_pipeline(found.entity);
    owner.apply_changes();
    checked_duration(double{delta_time}, "the time of a pipeline");
    if (owner.frame.pipelines >= most_pipelines) {
        detail::raise_error(errc::limit, "run_pipeline: pipelines run each other more than 8 deep");
    }
    const std::vector<system_data*>& running = owner.running_here();
    if (running.empty()) {
        detail::check_frame(owner.world(), "run_pipeline");
    } else if (!running.back()->body->settings.immediate) {
        detail::raise_error(
            errc::invalid_operation,
            ("run_pipeline inside of " + path_text(owner.world(), running.back()->entity) +
             ", which is not immediate()")
                .c_str());
    }
    if (kept->disabled) {
        return;
    }
    // The changes of the system around this run come before those of the pipeline.
    const kith::world shown(owner.world());
    const bool deferred = shown.is_deferred();
    if (deferred) {
        detail::end_stretch(owner.world());
    }
    attempt([&] { run_pipeline(owner, kept, delta_time); },
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

// The body is kept, because the callback may replace or delete its own system. Commands of a
// callback that throws still run, and their errors are dropped in favour of its exception.
void run_now(scheduler& owner, system_data& system, const detail::system_request& request) {
    if (owner.running_here().size() >= most_running) {
        raise_chain(owner);
    }
    const system_ref kept = owner.systems.share(system.entity);
    const std::shared_ptr<system_body> body = system.body;
    world_t* stage = request.stage ? request.stage : owner.world();
    const detail::run_options options = requested_rows(system, *body, request);
    detail::system_info info =
        make_info(system, *body, times_of(owner, system, request.delta_time), request.param);
    note_run(owner, system);
    const running_scope running(owner, system);
    const suspend_scope suspend(owner.world(), body->settings.immediate);
    const emit_scope emits(owner.world(), !body->settings.parallel && !body->settings.split);
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
