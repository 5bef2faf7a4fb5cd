// Implements scheduler.hpp.
#include "frame/scheduler.hpp"

#include <kith/kith.hpp>

#include "frame/phases.hpp"
#include "frame/state.hpp"

#include <utility>

namespace kith::scheduling {

namespace {

// The message of the exception that is being handled.
std::string exception_text() {
    std::string message = "an exception of an unknown type";
#if defined(__cpp_exceptions)
    try {
        throw;
    } catch (const std::exception& failed) {
        message = failed.what();
    } catch (...) {
        // The type of the exception has no text.
    }
#endif
    return message;
}

}  // namespace

scheduler* scheduler::find(const world_t* world) {
    const state* known = find_state(world);
    return known ? known->schedule.get() : nullptr;
}

// The scheduler joins the world before its set-up, so that calls of this function inside of the
// set-up find it.
scheduler& scheduler::of(world_t* world) {
    if (scheduler* known = find(world)) {
        return *known;
    }
    state& owner = state_of(world);
    owner.schedule = std::make_unique<scheduler>(world, owner.loop, owner.threads);
    owner.schedule->set_up();
    return *owner.schedule;
}

// The observers come last, so that they do not see the builtin entities being made.
void scheduler::set_up() {
    loop.time.sources();
    make_phases(world_);
    const kith::world shown(world_);
    shown.component<Order>();
    entity pipeline = shown.make_alive(detail::builtin_pipeline);
    pipeline.add(ChildOf, Kith);
    pipeline.set_name("BuiltinPipeline");
    pipeline.add(Pipeline);
    pipelines_.emplace(detail::builtin_pipeline, make_builtin(detail::builtin_pipeline, false));
    startup_ = make_builtin(0, true);
    watch_world();
}

// The query finds systems with a phase by the depth of the phase; disabled systems keep their
// places. The two builtin pipelines differ in the term about OnStart.
pipeline_ref scheduler::make_builtin(entity_t made, bool at_start) {
    auto pipeline = std::make_shared<pipeline_data>();
    pipeline->entity = made;
    auto builder = kith::world(world_).query_builder();
    builder.filter_flags(FilterMatchDisabled).with(System).with(Phase).cascade(DependsOn);
    builder.with(DependsOn, OnStart).self().up(DependsOn);
    if (!at_start) {
        builder.not_();
    }
    pipeline->query = builder.build().ref();
    pipeline->watch =
        kith::query<>(detail::query_ref(pipeline->query)).monitor([data = pipeline.get()](iter&) {
            data->stale = true;
        });
    return pipeline;
}

// Observers are children of the scope `kith`, whatever scope the program is in.
void scheduler::watch_world() {
    const kith::world shown(world_);
    const scoped_world inside = shown.scope(Kith);
    // Disabled systems and pipelines end as well.
    constexpr std::uint32_t all_entities = FilterMatchDisabled | FilterMatchPrefab;
    inside.observer()
        .with(System)
        .event(OnRemove)
        .filter_flags(all_entities)
        .each([this](entity e) { drop_system(e); });
    inside.observer()
        .with(Pipeline)
        .event(OnRemove)
        .filter_flags(all_entities)
        .each([this](entity e) {
            if (!stopped_) {
                pipelines_.erase(e);
                ++pipelines_version_;
            }
        });
    inside.observer()
        .with(Disabled)
        .event(OnAdd)
        .event(OnRemove)
        .filter_flags(FilterMatchPrefab)
        .with(Kith)
        .optional()  // builtin phases are of interest as well
        .each([this](entity e) { note_disabled(e); });
    // A system with ticks of its own is tested before it runs.
    inside.observer()
        .with<TickSource>()
        .event(OnAdd)
        .event(OnRemove)
        .filter_flags(FilterMatchDisabled)
        .each([this](entity e) { note_changed(e); });
    inside.observer()
        .with<FixedStep>()
        .event(OnAdd)
        .event(OnRemove)
        .filter_flags(FilterMatchDisabled)
        .each([this](entity) { mark_stale(); });
    watch_order(inside);
}

// `has_edges_` never becomes false again: worlds without edges skip the check of orders for each
// new system.
void scheduler::watch_order(const kith::world& shown) {
    for (const entity_t relation : {Before, After, InSet, DependsOn}) {
        shown.observer()
            .with(relation, Wildcard)
            .event(OnAdd)
            .event(OnRemove)
            .filter_flags(FilterMatchDisabled)
            .with(Kith)
            .optional()
            .each([this, relation](entity e) {
                has_edges_ = has_edges_ || relation != DependsOn;
                if (relation != DependsOn || e.has(System) || e.has(Phase) ||
                    ancestors_.count(e) != 0) {
                    mark_stale();
                }
            });
    }
    shown.observer<Order>()
        .event(OnSet)
        .filter_flags(FilterMatchDisabled)
        .each([this](entity, Order&) { mark_stale(); });
}

template <class Visit>
void scheduler::each_pipeline(Visit&& visit) {
    for (auto& [entity, pipeline] : pipelines_) {
        visit(*pipeline);
    }
    if (startup_) {
        visit(*startup_);
    }
}

void scheduler::mark_stale() noexcept {
    each_pipeline([](pipeline_data& pipeline) { pipeline.stale = true; });
}

bool scheduler::exists_in_world() const {
    const kith::world shown(world_);
    return shown.is_alive(detail::builtin_pipeline) &&
           shown.entity(detail::builtin_pipeline).has(Pipeline);
}

// Observers were not notified. An entity that was a system before and is one again without its code
// is no part of `systems`.
void scheduler::world_replaced() noexcept {
    const kith::world shown(world_);
    const auto has = [&](entity_t entity, entity_t tag) {
        return shown.is_alive(entity) && shown.entity(entity).has(tag);
    };
    const auto find_lost = [&] {
        entity_t lost = 0;
        systems.each([&](const system_data& system) {
            lost = has(system.entity, System) ? lost : system.entity;
        });
        return lost;
    };
    for (entity_t lost = find_lost(); lost != 0; lost = find_lost()) {
        systems.remove(lost);
    }
    std::erase_if(pipelines_, [&](const auto& entry) { return !has(entry.first, Pipeline); });
    if (!find_pipeline(current_)) {
        current_ = detail::builtin_pipeline;
    }
    has_edges_ = has_changes_ = all_enabled_stale_ = disabled_pipelines_stale_ = true;
    mark_stale();
}

// An entity that systems depend on concerns any number of plans, so that all of them are made anew.
// A single system changes a flag of its entry.
void scheduler::note_disabled(entity_t changed) {
    if (pipelines_.count(changed) != 0) {
        has_changes_ = disabled_pipelines_stale_ = true;
    }
    if (ancestors_.count(changed) != 0) {
        has_changes_ = all_enabled_stale_ = true;
    } else {
        note_changed(changed);
    }
}

void scheduler::note_changed(entity_t changed) {
    if (systems.find(changed)) {
        enabled_stale_.push_back(changed);
        has_changes_ = true;
    }
}

void scheduler::refresh_enabled(pipeline_data& pipeline, entity_t system) {
    if (!pipeline.plan) {
        return;
    }
    const auto place = pipeline.plan->place.find(system);
    if (place != pipeline.plan->place.end()) {
        std::uint32_t& flags = pipeline.plan->runs[place->second].flags;
        pipeline.plan->idle.wake(pipeline.plan->runs);
        flags = (flags & ~state_flags) | find_state_flags(world_, system);
        // A system that could not start may start now.
        pipeline.stale = pipeline.stale || &pipeline == startup_.get();
    }
}

// New bodies come first, since they make all plans stale.
void scheduler::apply_all_changes() {
    has_changes_ = false;
    if (systems.apply_next()) {
        mark_stale();
    }
    if (std::exchange(all_enabled_stale_, false)) {
        enabled_stale_.clear();
        mark_stale();
    }
    if (!enabled_stale_.empty()) {
        for (const entity_t system : std::exchange(enabled_stale_, {})) {
            if (systems.find(system)) {  // else it was deleted meanwhile
                each_pipeline([&](pipeline_data& pipeline) { refresh_enabled(pipeline, system); });
            }
        }
    }
    if (std::exchange(disabled_pipelines_stale_, false)) {
        refresh_pipelines();
    }
}

void scheduler::refresh_pipelines() {
    for (auto& [entity, pipeline] : pipelines_) {
        pipeline->disabled = kith::entity(world_, entity).has(Disabled);
    }
    ++pipelines_version_;
}

// A plan that cannot be made leaves the former plan in place, still marked as stale.
std::shared_ptr<pipeline_plan> scheduler::plan_of(pipeline_data& pipeline) {
    apply_changes();
    if (pipeline.stale || !pipeline.plan) {
        ++loop.info.pipeline_build_count_total;
        pipeline.plan = build_plan(world_, pipeline, systems, ancestors_);
        pipeline.stale = false;
    }
    return pipeline.plan;
}

void scheduler::check_orders() {
    each_pipeline([this](pipeline_data& pipeline) { plan_of(pipeline); });
}

system_data& scheduler::get(entity_t system) const {
    system_data* found = systems.find(system);
    if (!found) {
        detail::raise_error(
            errc::missing_component,
            (path_text(world_, system) + " is no system: world.system() makes one").c_str());
    }
    return *found;
}

void scheduler::drop_system(entity_t system) {
    if (!stopped_) {
        systems.remove(system);
        mark_stale();
    }
}

pipeline_ref scheduler::find_pipeline(entity_t pipeline) const {
    const auto place = pipelines_.find(pipeline ? pipeline : current_);
    return place != pipelines_.end() ? place->second : nullptr;
}

pipeline_data& scheduler::get_pipeline(entity_t pipeline, const char* call) const {
    const pipeline_ref found = find_pipeline(pipeline);
    if (!found) {
        detail::raise_error(
            errc::missing_component,
            (std::string(call) + ": " + path_text(world_, pipeline ? pipeline : current_) +
             " is no pipeline: world.pipeline() makes one")
                .c_str());
    }
    return *found;
}

void scheduler::add_pipeline(const pipeline_ref& added) {
    pipelines_[added->entity] = added;
    has_changes_ = disabled_pipelines_stale_ = true;
    ++pipelines_version_;
}

// Requires: the exception is being handled. All failures are logged; only the first one is kept.
// The number of the frame counts from 1. The texts are lost if memory is short, and the count is
// not.
void scheduler::note_failure(entity_t system) noexcept {
    const bool is_first = failures.count++ == 0;
    if (is_first) {
        failures.system = system;
        failures.frame = loop.time.frame_count() + 1;
        failures.message.clear();
    }
    attempt(
        [&] {
            std::string message = exception_text();
            detail::write_log(("system " + path_text(world_, system) + ": " + message).c_str());
            if (is_first) {
                failures.message = std::move(message);
            }
        },
        [] {
            // The policy of the system decides all the same.
        });
}

}  // namespace kith::scheduling
