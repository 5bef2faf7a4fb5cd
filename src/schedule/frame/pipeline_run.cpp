// Implements pipeline_run.hpp.
#include "frame/pipeline_run.hpp"

#include <kith/kith.hpp>

#include "frame/count_commands.hpp"
#include "systems/run_system.hpp"
#include "time/ticks.hpp"

#include <algorithm>
#include <utility>

namespace kith::scheduling {

pipeline_run::pipeline_run(scheduler& owner, pipeline_ref pipeline, float delta_time, ns_t scaled)
    : owner_(owner),
      pipeline_(std::move(pipeline)),
      pipelines_version_(owner.pipelines_version()),
      world_(owner.world()),
      delta_time_(delta_time),
      scaled_(scaled),
      running_before_(owner.running.size()),
      is_partial_(false),
      plan_(owner.plan_of(*pipeline_)) {}

// A run that has stopped goes on with the entry in front of which it stands, after changes that the
// program has made meanwhile. A failure that stops the frame is thrown here, when the stretch has
// ended and the world is no longer deferred.
void pipeline_run::run() {
    goes_on_at_ = 0;
    stepped_ = 0;
    if (std::exchange(has_stopped_, false)) {
        goes_on_at_ = plan_->systems[at_].entity;
        follow_changes();
    } else {
        ++pipeline_->runs;
    }
    const stamp_t begin = owner_.observed.system_time ? read_stamp() : 0;
    run_stretches();
    if (begin != 0) {
        pipeline_->time.add(elapsed(begin, read_stamp()), owner_.loop.time.raw_age());
    }
    if (!has_stopped_ && !starts_) {
        owner_.steps.one = false;
    }
    if (stop_) {
        std::rethrow_exception(stop_);
    }
}

void pipeline_run::run_paused() {
    paused_ = is_partial_ = true;
    run();
}

void pipeline_run::run_startup() {
    starts_ = is_partial_ = true;
    run();
}

// One round is one stretch. Errors of callbacks end their system and not the stretch: the commands
// of all systems that ran are flushed before a policy decides.
void pipeline_run::run_stretches() {
    const nesting_scope nesting(owner_.frame);
    const suspend_scope no_suspend(world_, false);
    enter_block();
    while (at_ < plan_->runs.size() && !stop_ && !is_over_ && !stops()) {
        detail::begin_stretch(world_);
        stretch_begin_ = at_;
        mark_ = detail::mark_stage(world_);
        const std::uint32_t end = find_end();
        bool at_sync = false;
        while (at_ < end && !at_sync) {
            attempt([&] { run_entries(end); }, [&] { note_error(at_++); });
            at_sync = at_ < end && (plan_->runs[at_].flags & entry_sync) && !synced_;
        }
        end_stretch();
        synced_ = true;
        apply_policy();
        end_step();
        follow_changes();
        enter_block();
    }
    mark_idle();
}

// Runs entries up to the next sync point. The fast path calls a callback with the list of matches,
// if the cache of the query is up to date; flags, a partial run, and observation lead to
// run_general(). An exception leaves `at_` at the system that failed.
void pipeline_run::run_entries(std::uint32_t end) {
    const detail::store_head& store = *world_->store;
    const bool observed = owner_.observed.of_systems();
    run_entry* const entries = plan_->runs.data();
    for (; at_ < end; ++at_) {
        run_entry& entry = entries[at_];
        if (entry.flags != 0 || is_partial_) {
            if ((entry.flags & entry_idle) && skip_idle(end)) {
                --at_;
                continue;
            }
            if ((entry.flags & entry_sync) && !synced_) {
                return;
            }
            synced_ = false;
            if (entry.flags & entry_parallel) {
                run_batch(end);
                --at_;
            } else {
                run_general(at_, entry);
            }
            continue;
        }
        synced_ = false;
        const detail::query_head& query = *entry.query;
        if (query.version.load() == store.version && query.listed == detail::listing::matches)
            [[likely]] {
            if (query.match_count == 0) {
                ++passed_;
                entry.commands_end = at_ > stretch_begin_ ? entries[at_ - 1].commands_end : 0;
                continue;
            }
            if (observed) {
                run_general(at_, entry);
                continue;
            }
            owner_.running.push_back(entry.data);
            entry.run(entry.function, {world_, &query, nullptr, nullptr, {0, query.match_count}});
            owner_.running.pop_back();
            ++entry.data->counts.runs;
            ++owner_.loop.info.systems_ran_frame;
            entry.data->last_run = owner_.age();
            entry.commands_end = detail::end_part(world_, mark_);
        } else {
            run_general(at_, entry);
        }
    }
}

// The last entry notes the end of commands for the entry behind it; complete_ends() does so for the
// others if somebody asks for authors.
bool pipeline_run::skip_idle(std::uint32_t end) {
    if (!plan_->idle.is_valid(*world_->store) || is_partial_) {
        complete_ends();
        plan_->idle.wake(plan_->runs);
        return false;
    }
    const std::uint32_t begin = at_;
    at_ = std::min(plan_->runs[at_].idle_end, end);
    plan_->runs[at_ - 1].commands_end =
        begin > stretch_begin_ ? plan_->runs[begin - 1].commands_end : 0;
    synced_ = false;
    return true;
}

// Marks pay where several entries are passed over, frame by frame.
void pipeline_run::mark_idle() {
    if (passed_ > 4 && !is_partial_) {
        plan_->idle.mark(plan_->runs, *world_->store);
    }
}

void pipeline_run::complete_ends() {
    for (std::uint32_t at = stretch_begin_; at < at_; ++at) {
        if (plan_->runs[at].flags & entry_idle) {
            plan_->runs[at].commands_end =
                at > stretch_begin_ ? plan_->runs[at - 1].commands_end : 0;
        }
    }
}

// A paused frame runs only PreFrame and PostFrame, and the startup runs each system once.
bool pipeline_run::is_left_out(std::uint32_t at) const noexcept {
    return (plan_->runs[at].flags & entry_disabled) || plan_->runs[at].data->ended ||
           (!left_out_.empty() && left_out_[at]) || (starts_ && plan_->runs[at].data->started) ||
           (paused_ && plan_->systems[at].phase != PreFrame &&
            plan_->systems[at].phase != PostFrame);
}

// True if the callback would be called with no row.
bool pipeline_run::matches_nothing(const run_entry& entry) const noexcept {
    return !starts_ && !(entry.flags & entry_general) && entry.query->match_count == 0 &&
           entry.query->version.load() == world_->store->version &&
           entry.query->listed == detail::listing::matches;
}

// A system that is left out still notes the end of its commands, so that find_author() can search
// by number.
void pipeline_run::run_general(std::uint32_t at, run_entry& entry) {
    system_data& system = *entry.data;
    if (is_left_out(at) || matches_nothing(entry)) {
        ++passed_;
        entry.commands_end = detail::end_part(world_, mark_);
        return;
    }
    const std::shared_ptr<system_body> body = system.body;
    if (runs_now(entry, *body)) {
        system.started = system.started || starts_;
        call(entry, *body);
    }
    entry.commands_end = detail::end_part(world_, mark_);
}

bool pipeline_run::runs_now(const run_entry& entry, const system_body& body) {
    if ((entry.flags & entry_timed) && !take_tick(entry)) {
        ++entry.data->counts.waits;
        return false;
    }
    if (!is_due(body, world_)) {
        ++entry.data->counts.skips;
        return false;
    }
    return true;
}

// Conditions are asked and rows are found here, before any part runs; an error of one system leaves
// the others as they are. An entry that is left out has no parts in the batch.
void pipeline_run::run_batch(std::uint32_t end) {
    batch_run& batch = *plan_->batches[plan_->runs[at_].batch];
    const std::uint32_t begin = at_;
    const std::uint32_t last = std::min(batch.end(), end);
    batch.begin(world_, owner_.checks_access);
    for (std::uint32_t at = begin; at < last; ++at) {
        attempt([&] { add_to_batch(batch, at); }, [&] { note_error(at); });
    }
    has_parts_ = true;
    batch.run(owner_.parts(), starts_ ? nullptr : &owner_.threads);
    for (at_ = begin; at_ < last; ++at_) {
        collect_results(batch, at_);
    }
    synced_ = false;
}

void pipeline_run::add_to_batch(batch_run& batch, std::uint32_t at) {
    run_entry& entry = plan_->runs[at];
    system_data& system = *entry.data;
    if (is_left_out(at) || !runs_now(entry, *system.body)) {
        return;
    }
    batch.add(at, times_of(entry));
    system.started = system.started || starts_;
    system.last_run = owner_.age();
    system.waiting = 0;
    ++system.counts.runs;
    ++owner_.loop.info.systems_ran_frame;
}

// The results of the system at a position, on the thread that calls progress().
void pipeline_run::collect_results(batch_run& batch, std::uint32_t at) {
    const dispatch_node& result = batch.result_of(at);
    run_entry& entry = plan_->runs[at];
    entry.commands_end = result.commands_end;
    owner_.loop.info.parts_frame += static_cast<std::int32_t>(result.parts);
    for (system_data* nested : batch.take_nested(at)) {
        nested->last_run = owner_.age();
        ++nested->counts.runs;
    }
    for (const std::exception_ptr& error : result.errors) {
        attempt([&] { std::rethrow_exception(error); },
                [&] {
                    owner_.note_failure(plan_->systems[at].entity);
                    if (!failure_.error || at < failure_.at) {
                        failure_ = {error, at};
                    }
                });
    }
    owner_.failures.count += static_cast<std::int32_t>(result.failures - result.errors.size());
    for (std::uint32_t part = 0; part < result.parts; ++part) {
        const part_times& times = result.times[part];
        if (times.wait_end != 0) {
            owner_.loop.info.turn_time_ns += elapsed(times.wait_begin, times.wait_end);
        }
    }
    if (result.parts != 0) {
        quotas_.emplace_back(entry.data, result.next_quota);
        if (owner_.observed.of_systems()) {
            observe_parts(batch, at);
        }
    }
}

// Parts are events of their threads; their system has no event of its own, because systems may
// overlap.
void pipeline_run::observe_parts(const batch_run& batch, std::uint32_t at) {
    const dispatch_node& result = batch.result_of(at);
    const entity_t subject = plan_->systems[at].entity;
    observation& observed = owner_.observed;
    ns_t spent = 0;
    if (observed.tracing) {
        observed.trace->name(subject, [&] { return path_text(world_, subject); });
    }
    for (std::uint32_t part = 0; part < result.parts; ++part) {
        const part_times& times = result.times[part];
        const auto thread = static_cast<std::uint16_t>(times.thread);
        spent += elapsed(times.begin, times.end);
        plan_->data[at]->counts.rows += batch.rows_of(at, part);
        if (!observed.tracing) {
            continue;
        }
        if (times.wait_end != 0) {
            observed.trace->record(
                {trace_kind::wait, thread, part, subject, 0, 0, times.wait_begin, times.wait_end});
        }
        observed.trace->record({trace_kind::part, thread, part, subject, 0, batch.rows_of(at, part),
                                times.begin, times.end});
    }
    if (observed.system_time) {
        plan_->data[at]->time.add(spent, owner_.loop.time.raw_age());
        observed.system_total += spent;
    }
}

// The quota of a system is a part of the world: it decides which ids new entities get.
void pipeline_run::store_quotas() {
    for (const auto& [system, quota] : std::exchange(quotas_, {})) {
        entity subject(world_, system->entity);
        if (system->ended || !subject.is_alive()) {
            continue;
        }
        const PartIds* stored = subject.get<PartIds>();
        if ((stored ? stored->quota : 0) != quota) {
            subject.set(PartIds{quota});
        }
    }
}

// Timers are those of frames: a pipeline that runs by itself runs systems whatever their timers
// say.
bool pipeline_run::take_tick(const run_entry& entry) {
    if (!owner_.frame.running || starts_) {
        return true;
    }
    if (steps_.step > 0) {
        return false;  // a tick is for one step
    }
    const TickSource& source = *entity(world_, entry.data->entity).get<TickSource>();
    if (source.tick) {
        entry.data->waiting = add_times(entry.data->waiting, source.time_elapsed.ns);
    }
    return source.tick;
}

// Inside of fixed steps both times are the step. The time of a timed system since its last run is
// the sum of the times of its ticks.
run_times pipeline_run::times_of(const run_entry& entry) const {
    if (starts_) {
        return {};
    }
    if (block_.phase && !(entry.flags & entry_timed)) {
        return {steps_.time, steps_.time, alpha_};
    }
    const bool timed = (entry.flags & entry_timed) && owner_.frame.running;
    const ns_t since = timed ? entry.data->waiting : owner_.age() - entry.data->last_run;
    return {block_.phase ? steps_.time : delta_time_, static_cast<float>(to_seconds(since)),
            alpha_};
}

// `last_run` and `waiting` change before the call: a callback that throws has used up its time.
void pipeline_run::call(run_entry& entry, const system_body& body) {
    system_data& system = *entry.data;
    const running_scope running(owner_, system);
    const suspend_scope suspend(world_, body.settings.immediate);
    const emit_scope emits(world_, !body.settings.parallel && !body.settings.split);
    detail::system_info info = make_info(system, body, times_of(entry), nullptr);
    system.last_run = owner_.age();
    system.waiting = 0;
    ++owner_.loop.info.systems_ran_frame;
    const stamp_t begin = owner_.observed.of_systems() ? read_stamp() : 0;
    ++system.counts.runs;
    std::uint64_t rows = 0;
    call_body(body, world_, info, options_of(system, body), begin != 0 ? &rows : nullptr);
    if (begin != 0) {
        system.counts.rows += rows;
        observe_run(system, begin);
    }
}

// Runs that throw are not observed.
void pipeline_run::observe_run(const system_data& system, stamp_t begin) {
    const stamp_t end = read_stamp();
    observation& observed = owner_.observed;
    if (observed.system_time) {
        const ns_t spent = elapsed(begin, end);
        plan_->data[at_]->time.add(spent, owner_.loop.time.raw_age());
        observed.system_total += spent;
    }
    if (observed.tracing) {
        observed.trace->name(system.entity, [&] { return path_text(world_, system.entity); });
        observed.trace->record({trace_kind::system, 0, 0, system.entity, 0, 0, begin, end});
    }
}

// The sync point at the end of a run has no system as its subject.
void pipeline_run::observe_sync(stamp_t begin, std::uint32_t commands) {
    const stamp_t end = read_stamp();
    observation& observed = owner_.observed;
    if (observed.system_time) {
        observed.merges.add(elapsed(begin, end), owner_.loop.time.raw_age());
    }
    if (!observed.tracing) {
        return;
    }
    trace_event event{trace_kind::sync, 0, 0, 0, 0, commands, begin, end};
    if (at_ < plan_->systems.size() && (plan_->runs[at_].flags & entry_sync)) {
        event.subject = plan_->systems[at_].entity;
        event.reason = plan_->entries[at_].sync.id;
        observed.trace->name(event.subject, [&] { return path_text(world_, event.subject); });
        observed.trace->name(event.reason, [&] {
            return std::string(detail::id_text(world_, event.reason).c_str());
        });
    }
    observed.trace->record(event);
}

bool pipeline_run::stops() {
    step_state& steps = owner_.steps;
    if (!steps.active || starts_ || is_left_out(at_)) {
        return false;
    }
    // The first system of a call runs if the call is to run one, or if the run has stopped at it.
    const bool at_breakpoint = plan_->data[at_]->breakpoint;
    const bool goes_on = plan_->systems[at_].entity == goes_on_at_;
    const bool wants_stop =
        stepped_ == 0 ? at_breakpoint && !goes_on && !steps.one : at_breakpoint || steps.one;
    if (!wants_stop) {
        ++stepped_;
        return false;
    }
    has_stopped_ = true;
    steps.one = false;
    steps.stopped_at = plan_->systems[at_].entity;
    return true;
}

// While stepping, each system is a stretch of its own.
std::uint32_t pipeline_run::find_end() const noexcept {
    if (owner_.steps.active) {
        return at_ + 1;
    }
    if (block_.phase) {
        return block_.end;
    }
    for (const step_block& block : plan_->blocks) {
        if (block.begin > at_) {
            return block.begin;
        }
    }
    return static_cast<std::uint32_t>(plan_->runs.size());
}

void pipeline_run::enter_block() {
    const auto begins = [&](const step_block& block) { return block.begin == at_; };
    auto found = std::find_if(plan_->blocks.begin(), plan_->blocks.end(), begins);
    // A block may follow another one.
    while (!block_.phase && !starts_ && found != plan_->blocks.end() && !stop_) {
        if (take_block(*found)) {
            block_ = *found;
            return;
        }
        at_ = found->end;
        found = std::find_if(plan_->blocks.begin(), plan_->blocks.end(), begins);
    }
}

// The walk over a new plan comes to blocks of the old plan again: a block that has run is over, and
// a block that was running goes on with the step that it was in.
bool pipeline_run::take_block(const step_block& block) {
    if (block.phase == interrupted_) {
        interrupted_ = 0;
        steps_ = interrupted_steps_;
        return true;
    }
    if (std::find(taken_.begin(), taken_.end(), block.phase) != taken_.end()) {
        return false;
    }
    taken_.push_back(block.phase);
    const entity phase(world_, block.phase);
    FixedStep* fixed = phase.is_alive() ? phase.try_get_mut<FixedStep>() : nullptr;
    const bool runs = fixed && fixed->step.ns > 0 && !phase.has(Disabled);
    steps_ = {};
    steps_.steps = runs ? take_steps(*fixed, scaled_) : 0;
    steps_.time = runs ? static_cast<float>(fixed->step) : 0;
    alpha_ = runs ? alpha(*fixed) : 0;
    return steps_.steps > 0;
}

void pipeline_run::end_step() {
    if (!block_.phase || at_ < block_.end) {
        return;
    }
    if (++steps_.step == steps_.steps) {
        block_ = {};
        steps_ = {};
        return;
    }
    at_ = block_.begin;
    // Systems that a change of the plan has kept from running twice run again in the next step.
    for (std::uint32_t at = block_.begin; at < block_.end; ++at) {
        visited_.erase(plan_->systems[at].entity);
        if (!left_out_.empty()) {
            left_out_[at] = false;
        }
    }
}

// Requires: the exception is being handled. The failure of the earliest system counts, since its
// policy decides about the stretch.
void pipeline_run::note_error(std::uint32_t at) {
    owner_.running.resize(running_before_);
    plan_->runs[at].commands_end = detail::end_part(world_, mark_);
    owner_.note_failure(plan_->systems[at].entity);
    synced_ = false;
    if (!failure_.error || at < failure_.at) {
        failure_ = {std::current_exception(), at};
    }
}

// The system that queued the command of this number.
std::uint32_t pipeline_run::find_author(std::uint32_t command) const noexcept {
    std::uint32_t at = stretch_begin_;
    while (at + 1 < at_ && plan_->runs[at].commands_end <= command) {
        ++at;
    }
    return at;
}

// Missing sync points are searched before the commands run, while the queue still has them. A
// command that fails counts as a failure of its author.
void pipeline_run::end_stretch() {
    if (owner_.watched && !starts_) [[unlikely]] {
        complete_ends();
        attempt([&] { find_missing(world_, *plan_, stretch_begin_, at_, owner_.missing); },
                [] {
                    // A report is lost if memory is short; the stretch ends all the same.
                });
    }
    const std::uint32_t commands = at_ > stretch_begin_ ? plan_->runs[at_ - 1].commands_end : 0;
    if (owner_.observed.system_time && commands != 0) {
        complete_ends();
        count_commands(world_, *plan_, stretch_begin_, at_, owner_.observed.commands);
    }
    const stamp_t begin = owner_.observed.of_systems() ? read_stamp() : 0;
    owner_.loop.info.merge_count_total += commands != 0 ? 1 : 0;
    attempt([&] { detail::end_stretch(world_); },
            [&] {
                complete_ends();
                const std::uint32_t author = find_author(detail::failed_command(world_));
                owner_.note_failure(plan_->systems[author].entity);
                if (!failure_.error || author < failure_.at) {
                    failure_ = {std::current_exception(), author};
                }
            });
    if (std::exchange(has_parts_, false)) {
        owner_.parts().recycle();
        store_quotas();
    }
    ++owner_.loop.info.stretches_frame;
    if (begin != 0) {
        observe_sync(begin, commands);
    }
}

// The first failure of a stretch decides, by the policy of its system.
void pipeline_run::apply_policy() {
    const stretch_failure failure = std::exchange(failure_, {});
    if (!failure.error) {
        return;
    }
    const system_data& system = *plan_->data[failure.at];
    switch (system.body->settings.on_error) {
        case on_error::stop:
            stop_ = failure.error;
            break;
        case on_error::disable:
            if (!system.ended) {
                entity(world_, system.entity).disable();
            }
            break;
        case on_error::proceed:
            break;
    }
}

// If the new order contradicts itself, the exception leaves the run and the old plan stays.
void pipeline_run::follow_changes() {
    owner_.apply_changes();
    if (pipelines_version_ != owner_.pipelines_version() && !starts_) {
        follow_pipeline();
    }
    if (pipeline_->stale && !stop_ && !is_over_) {
        follow_plan();
    }
}

// A pipeline whose entity was given another query is another object.
void pipeline_run::follow_pipeline() {
    pipelines_version_ = owner_.pipelines_version();
    pipeline_ref now = owner_.find_pipeline(pipeline_->entity);
    is_over_ = !now || now->disabled;
    if (now) {
        pipeline_ = std::move(now);
    }
}

// The new plan is walked from its beginning. Systems that ran, and new systems whose place lies
// before the last of these, are left out.
void pipeline_run::follow_plan() {
    const std::shared_ptr<pipeline_plan> before = plan_;
    std::unordered_set<entity_t> ahead;
    for (std::uint32_t at = 0; at < before->systems.size(); ++at) {
        const entity_t system = before->systems[at].entity;
        const bool was_left_out = !left_out_.empty() && left_out_[at];
        (at < at_ || was_left_out ? visited_ : ahead).insert(system);
    }
    plan_ = owner_.plan_of(*pipeline_);
    const std::uint32_t size = static_cast<std::uint32_t>(plan_->systems.size());
    std::uint32_t last_visited = 0;
    for (std::uint32_t at = 0; at < size; ++at) {
        last_visited = visited_.count(plan_->systems[at].entity) ? at + 1 : last_visited;
    }
    is_partial_ = true;
    left_out_.assign(size, false);
    for (std::uint32_t at = 0; at < size; ++at) {
        const entity_t system = plan_->systems[at].entity;
        left_out_[at] = visited_.count(system) || (!ahead.count(system) && at < last_visited);
    }
    at_ = 0;
    if (block_.phase) {
        interrupted_ = block_.phase;
        interrupted_steps_ = steps_;
        block_ = {};
    }
}

}  // namespace kith::scheduling
