// The chapter "systems, pipelines, time" of kith.h.
//
// Covered by tests/capi/systems_test.c.
#include <kith/system.hpp>

#include "ids.hpp"
#include "iterators.hpp"
#include "queries.hpp"

#include <memory>
#include <string>

static_assert(KITH_ON_ERROR_STOP == static_cast<int>(kith::on_error::stop) &&
              KITH_ON_ERROR_DISABLE == static_cast<int>(kith::on_error::disable) &&
              KITH_ON_ERROR_PROCEED == static_cast<int>(kith::on_error::proceed));
static_assert(KITH_SYNC_DECLARED == static_cast<int>(kith::sync::declared) &&
              KITH_SYNC_PHASES == static_cast<int>(kith::sync::phases) &&
              KITH_SYNC_SYSTEMS == static_cast<int>(kith::sync::systems));

namespace kith::capi {

namespace {

// The callback of a system, with its contexts.
struct system_function {
    kith_iter_action_t callback = nullptr;
    kith_iter_action_t run = nullptr;
    owned_context ctx;
    owned_context binding;
};

// Fills in the members of an iterator that are the same for all results of a run. Times are in
// seconds.
void show_system(kith_iter_t& it, const detail::system_call& call,
                 const system_function& function) {
    it.world = call.world;
    it.query = call.query;
    it.param = call.info->payload.value;
    it.system = call.info->system;
    it.delta_time = call.info->delta_time;
    it.delta_system_time = call.info->delta_system_time;
    it.ctx = call.info->context;
    it.binding_ctx = function.binding.get();
}

// The function that frames call.
void call_system(void* kept, const detail::system_call& call) {
    const auto& function = *static_cast<const system_function*>(kept);
    kith_iter_t it{};
    show_system(it, call, function);
    if (function.run) {
        system_steps steps(*call.feed, function.callback);
        steps.mark(it);
        call_back(function.run, &it);
        return;
    }
    it.reserved[3] = is_callback;
    detail::result found{};
    while (call.feed->next(found)) {
        show(it, call.world, found);
        call_back(function.callback, &it);
    }
}

// Core calls this when the body of the system ends, which is after its last run.
void free_system(void* kept) noexcept {
    delete static_cast<system_function*>(kept);
}

// Takes over the contexts of a description.
std::unique_ptr<system_function> take_function(const kith_system_desc_t& given) {
    owned_context ctx(given.ctx, given.ctx_free);
    owned_context binding(given.binding_ctx, given.binding_ctx_free);
    auto made = std::make_unique<system_function>();
    made->callback = given.callback;
    made->run = given.run;
    made->ctx = std::move(ctx);
    made->binding = std::move(binding);
    return made;
}

// Throws an argument error for an unknown on_error, and the error of core for a phase that is not
// alive.
detail::system_settings settings_of(const kith_system_desc_t& given, world_t* world) {
    if (given.on_error < KITH_ON_ERROR_STOP || given.on_error > KITH_ON_ERROR_PROCEED) {
        raise_argument("kith_system_init", "on_error is no KITH_ON_ERROR_...");
    }
    detail::system_settings settings;
    settings.phase =
        given.phase ? detail::checked_subject(world, given.phase, "kith_system_init") : 0;
    settings.parallel = flag(given.parallel);
    settings.split = flag(given.multi_threaded);
    settings.main_thread = flag(given.main_thread);
    settings.immediate = flag(given.immediate);
    settings.barrier = flag(given.barrier);
    settings.on_error = static_cast<on_error>(given.on_error);
    settings.context = given.ctx;
    return settings;
}

// Zero means "not given" in each member. Intervals are in seconds.
detail::system_timing timing_of(const kith_system_desc_t& given, world_t* world, entity_t system) {
    detail::system_timing timing;
    if (given.interval != 0) {
        timing.interval = detail::checked_interval(static_cast<double>(given.interval));
        timing.has_interval = true;
    }
    if (given.rate != 0) {
        timing.rate = detail::checked_rate(world, system, given.rate);
    }
    if (given.tick_source != 0) {
        timing.source = detail::checked_source(world, system, given.tick_source);
        timing.has_source = given.rate == 0;
    }
    return timing;
}

// The list ends with the first 0, or is full.
template <std::size_t N>
void add_edges(const detail::draft_ref& draft, entity_t relation,
               const kith_entity_t (&targets)[N]) {
    for (std::size_t i = 0; i < N && targets[i] != 0; ++i) {
        detail::add_edge(draft.get(), relation, targets[i]);
    }
}

entity_t init_system(world_t* world, const kith_system_desc_t& given) {
    std::unique_ptr<system_function> function = take_function(given);
    const query_description terms(given.query, "kith_system_init");
    check_world(world);
    if (!given.callback && !given.run) {
        raise_argument("kith_system_init", "callback and run are NULL");
    }
    detail::system_settings settings = settings_of(given, world);
    const std::string path =
        given.entity ? path_of_entity(world, given.entity, "kith_system_init") : std::string();
    const detail::draft_ref draft(
        detail::begin_system(world, given.entity ? text_view(path) : terms.get().name));
    const detail::system_timing timing = timing_of(given, world, detail::draft_entity(draft.get()));
    // Without a phase, a system that exists keeps its own, and a new one has none.
    settings.has_phase =
        given.phase != 0 || !entity(world, detail::draft_entity(draft.get())).has(System);
    add_edges(draft, Before, given.before);
    add_edges(draft, After, given.after);
    add_edges(draft, InSet, given.in);
    // Systems run each frame, so that their queries are always cached.
    query_desc cached = terms.get();
    cached.cache = cache_policy::tables;
    detail::system_action action;
    action.run = call_system;
    action.free_function = free_system;
    action.table_wise = true;
    action.steps = given.run != nullptr;
    action.function = function.release();
    const entity_t system = detail::make_system(draft.get(), cached, settings, action);
    detail::set_timing(world, system, timing);
    return system;
}

entity_t init_pipeline(world_t* world, const kith_pipeline_desc_t& given) {
    const query_description terms(given.query, "kith_pipeline_init");
    check_world(world);
    if (given.sync < KITH_SYNC_DECLARED || given.sync > KITH_SYNC_SYSTEMS) {
        raise_argument("kith_pipeline_init", "sync is no KITH_SYNC_...");
    }
    return detail::make_pipeline(world, given.entity, terms.get(), static_cast<sync>(given.sync));
}

// Runs a system that must be alive.
kith_status_t run_once(kith_world_t* world, entity_t system, const detail::system_request& request,
                       const char* function) {
    return guard([&] {
        check_world(world);
        detail::checked_entity(system, function);
        detail::run_system(at(world), system, request);
    });
}

}  // namespace
}  // namespace kith::capi

using namespace kith::capi;
namespace detail = kith::detail;

extern "C" {

kith_entity_t kith_system_init_w_size(kith_world_t* world, const kith_system_desc_t* desc,
                                      size_t size) {
    return guard_value<kith_entity_t>(0, [&] {
        const read_desc<kith_system_desc_t> given("kith_system_init", desc, size);
        return init_system(at(world), *given);
    });
}
kith_query_t* kith_system_query(kith_world_t* world, kith_entity_t system) {
    return guard_value<kith_query_t*>(nullptr, [&] {
        detail::checked_entity(system, "kith_system_query");
        return detail::system_query(at(world), system);
    });
}
void* kith_system_get_ctx(const kith_world_t* world, kith_entity_t system) {
    return guard_value<void*>(nullptr, [&] {
        detail::checked_entity(system, "kith_system_get_ctx");
        return detail::system_context(at(world), system);
    });
}
kith_status_t kith_run(kith_world_t* world, kith_entity_t system, float delta_time, void* param) {
    return run_once(world, system, {delta_time, param}, "kith_run");
}
kith_status_t kith_run_worker(kith_world_t* world, kith_entity_t system, int32_t index,
                              int32_t count, float delta_time, void* param) {
    return run_once(world, system, {delta_time, param, 0, -1, index, count}, "kith_run_worker");
}
kith_entity_t kith_pipeline_init_w_size(kith_world_t* world, const kith_pipeline_desc_t* desc,
                                        size_t size) {
    return guard_value<kith_entity_t>(0, [&] {
        const read_desc<kith_pipeline_desc_t> given("kith_pipeline_init", desc, size);
        return init_pipeline(at(world), *given);
    });
}
kith_status_t kith_set_pipeline(kith_world_t* world, kith_entity_t pipeline) {
    return guard([&] { detail::set_pipeline(at(world), pipeline); });
}
kith_entity_t kith_get_pipeline(const kith_world_t* world) {
    return guard_value<kith_entity_t>(0, [&] { return detail::get_pipeline(at(world)); });
}
kith_status_t kith_run_pipeline(kith_world_t* world, kith_entity_t pipeline, float delta_time) {
    return guard([&] { detail::run_pipeline(at(world), pipeline, delta_time); });
}
bool kith_progress(kith_world_t* world, float delta_time) {
    return guard_value(false, [&] { return detail::progress(at(world), delta_time); });
}
float kith_frame_begin(kith_world_t* world, float delta_time) {
    return guard_value(0.0f, [&] { return detail::frame_begin(at(world), delta_time); });
}
kith_status_t kith_frame_end(kith_world_t* world) {
    return guard([&] { detail::frame_end(at(world)); });
}
kith_status_t kith_set_threads(kith_world_t* world, int32_t count) {
    return guard([&] { detail::set_threads(at(world), count, false); });
}
kith_status_t kith_set_task_threads(kith_world_t* world, int32_t count) {
    return guard([&] { detail::set_threads(at(world), count, true); });
}
int32_t kith_get_threads(const kith_world_t* world) {
    return guard_value<int32_t>(0, [&] { return detail::get_threads(at(world)); });
}
kith_status_t kith_quit(kith_world_t* world) {
    return guard([&] { detail::quit(at(world)); });
}
bool kith_should_quit(const kith_world_t* world) {
    return guard_value(false, [&] { return detail::should_quit(at(world)); });
}
kith_status_t kith_set_time_scale(kith_world_t* world, float scale) {
    return guard([&] { detail::set_time_scale(at(world), scale); });
}
kith_status_t kith_set_target_fps(kith_world_t* world, float rate) {
    return guard([&] { detail::set_target_fps(at(world), rate); });
}
kith_status_t kith_set_interval(kith_world_t* world, kith_entity_t entity, float seconds) {
    return guard(
        [&] { detail::set_timer(at(world), entity, static_cast<double>(seconds), false); });
}
kith_status_t kith_set_timeout(kith_world_t* world, kith_entity_t entity, float seconds) {
    return guard([&] { detail::set_timer(at(world), entity, static_cast<double>(seconds), true); });
}
float kith_get_interval(const kith_world_t* world, kith_entity_t entity) {
    return guard_value(0.0f, [&] { return detail::get_timeout(at(world), entity, false); });
}
float kith_get_timeout(const kith_world_t* world, kith_entity_t entity) {
    return guard_value(0.0f, [&] { return detail::get_timeout(at(world), entity, true); });
}
kith_status_t kith_set_rate(kith_world_t* world, kith_entity_t entity, int32_t rate,
                            kith_entity_t source) {
    return guard([&] { detail::set_rate(at(world), entity, rate, source); });
}
kith_status_t kith_set_tick_source(kith_world_t* world, kith_entity_t system,
                                   kith_entity_t source) {
    return guard([&] { detail::set_tick_source(at(world), system, source); });
}
kith_status_t kith_start_timer(kith_world_t* world, kith_entity_t timer) {
    return guard([&] { detail::start_timer(at(world), timer); });
}
kith_status_t kith_stop_timer(kith_world_t* world, kith_entity_t timer) {
    return guard([&] { detail::stop_timer(at(world), timer); });
}
kith_status_t kith_reset_timer(kith_world_t* world, kith_entity_t timer) {
    return guard([&] { detail::reset_timer(at(world), timer); });
}
}
