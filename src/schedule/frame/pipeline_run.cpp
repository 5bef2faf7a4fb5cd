// Implements pipeline_run.hpp.
#include "frame/pipeline_run.hpp"

#include <kith/kith.hpp>

#include "systems/run_system.hpp"

#include <algorithm>
#include <utility>

namespace kith::scheduling {

pipeline_run::pipeline_run(scheduler& owner, pipeline_data& pipeline, float delta_time)
    : owner_(owner),
      pipeline_(pipeline),
      world_(owner.world()),
      delta_time_(delta_time),
      running_before_(owner.running.size()),
      is_partial_(owner.frame.paused),
      plan_(owner.plan_of(pipeline)) {}

void pipeline_run::run() {
    run_stretches();
    if (stop_) {
        std::rethrow_exception(stop_);
    }
}

void pipeline_run::run_startup() {
    starts_ = is_partial_ = true;
    run();
}

void pipeline_run::run_stretches() {
    ++owner_.frame.pipelines;
    const suspend_scope no_suspend(world_, false);
    while (at_ < plan_->runs.size() && !stop_) {
        detail::begin_stretch(world_);
        stretch_begin_ = at_;
        mark_ = detail::mark_stage(world_);
        const std::uint32_t size = static_cast<std::uint32_t>(plan_->runs.size());
        bool at_sync = false;
        while (at_ < size && !at_sync) {
            attempt([&] { run_entries(); }, [&] { note_error(at_++); });
            at_sync = at_ < size && (plan_->runs[at_].flags & entry_sync) && !synced_;
        }
        end_stretch();
        synced_ = true;
        apply_policy();
        follow_changes();
    }
    --owner_.frame.pipelines;
}

// Runs entries up to the next sync point.
void pipeline_run::run_entries() {
    const detail::store_head& store = *world_->store;
    run_entry* const entries = plan_->runs.data();
    const std::uint32_t size = static_cast<std::uint32_t>(plan_->runs.size());
    for (; at_ < size; ++at_) {
        run_entry& entry = entries[at_];
        if (entry.flags != 0 || is_partial_) {
            if ((entry.flags & entry_sync) && !synced_) {
                return;
            }
            synced_ = false;
            run_general(at_, entry);
            continue;
        }
        synced_ = false;
        const detail::query_head& query = *entry.query;
        if (query.version.load() == store.version && query.listed == detail::listing::matches)
            [[likely]] {
            if (query.match_count == 0) {
                entry.commands_end = at_ > stretch_begin_ ? entries[at_ - 1].commands_end : 0;
                continue;
            }
            owner_.running.push_back(entry.data);
            entry.run(entry.function, {world_, &query, nullptr, nullptr, {0, query.match_count}});
            owner_.running.pop_back();
            ++entry.data->runs;
            entry.data->last_run = owner_.frame.time;
            entry.commands_end = detail::end_part(world_, mark_);
        } else {
            run_general(at_, entry);
        }
    }
}

bool pipeline_run::is_left_out(std::uint32_t at) const noexcept {
    const system_data& system = *plan_->runs[at].data;
    const entity_t phase = plan_->systems[at].phase;
    const bool is_paused = owner_.frame.paused && phase != PreFrame && phase != PostFrame;
    return (plan_->runs[at].flags & entry_disabled) || system.ended || is_paused ||
           (!left_out_.empty() && left_out_[at]) || (starts_ && system.started);
}

void pipeline_run::run_general(std::uint32_t at, run_entry& entry) {
    system_data& system = *entry.data;
    if (!is_left_out(at)) {
        const std::shared_ptr<system_body> body = system.body;
        if (is_due(*body, world_)) {
            system.started = system.started || starts_;
            call(system, *body, starts_ ? 0 : delta_time_);
        } else {
            ++system.skips;
        }
    }
    entry.commands_end = detail::end_part(world_, mark_);
}

void pipeline_run::call(system_data& system, const system_body& body, float delta_time) {
    const running_scope running(owner_, system);
    const suspend_scope suspend(world_, body.settings.immediate);
    detail::system_info info = make_info(system, body, delta_time, owner_.frame.time, nullptr);
    system.last_run = owner_.frame.time;
    ++system.runs;
    call_body(body, world_, info, options_of(system, body));
}

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

void pipeline_run::end_stretch() {
    attempt([&] { detail::end_stretch(world_); },
            [&] {
                const std::uint32_t author = find_author(detail::failed_command(world_));
                owner_.note_failure(plan_->systems[author].entity);
                if (!failure_.error || author < failure_.at) {
                    failure_ = {std::current_exception(), author};
                }
            });
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

void pipeline_run::follow_changes() {
    owner_.apply_changes();
    if (!pipeline_.stale || stop_) {
        return;
    }
    const std::shared_ptr<pipeline_plan> before = std::exchange(plan_, nullptr);
    std::unordered_set<entity_t> ahead;
    for (std::uint32_t at = 0; at < before->systems.size(); ++at) {
        const entity_t system = before->systems[at].entity;
        const bool was_left_out = !left_out_.empty() && left_out_[at];
        (at < at_ || was_left_out ? visited_ : ahead).insert(system);
    }
    plan_ = before;
    plan_ = owner_.plan_of(pipeline_);
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
}

}  // namespace kith::scheduling
