// The functions behind handles of systems and pipelines, and frames
// (include/kith/detail/system_ops.hpp).
#include <kith/kith.hpp>

#include "api/declaration_checks.hpp"
#include "api/draft.hpp"
#include "frame/frame.hpp"
#include "time/nanoseconds.hpp"

#include <exception>

namespace kith::detail {

using scheduling::pipeline_data;
using scheduling::scheduler;
using scheduling::system_data;

namespace {

// The system of an entity. Throws [missing_component].
system_data& system_of(const world_t* world, entity_t system) {
    if (const scheduler* known = scheduler::find(world)) {
        return known->get(system);
    }
    raise_error(
        errc::missing_component,
        (scheduling::path_text(world, system) + " is no system: world.system() makes one").c_str());
}

// The body that the system has from the next sync point on.
scheduling::system_body& newest_body(const world_t* world, entity_t system) {
    const system_data& found = system_of(world, system);
    return found.next ? *found.next : *found.body;
}

// True if a term asks for System on $this.
bool asks_for_systems(const query_head* query) {
    for (std::uint32_t i = 0; i < term_count(query); ++i) {
        const term_info term = term_at(query, static_cast<std::int32_t>(i));
        if (term.id == System && term.subject == term_subject::own && term.oper == And) {
            return true;
        }
    }
    return false;
}

}  // namespace

void run_system(world_t* world, entity_t system, const system_request& request) {
    system_data& found = system_of(world, system);
    if (request.shares < 1 || request.share < 0 || request.share >= request.shares) {
        raise_error(errc::invalid_operation,
                    (scheduling::path_text(world, system) + ": run_worker(" +
                     std::to_string(request.share) + ", " + std::to_string(request.shares) +
                     "), but there are only shares from 0 to below their number")
                        .c_str());
    }
    if (request.stage && home_of(request.stage) != home_of(world)) {
        raise_error(
            errc::invalid_operation,
            (scheduling::path_text(world, system) + ": run().stage() of another world").c_str());
    }
    scheduling::checked_duration(double{request.delta_time}, "the time of a run");
    scheduling::run_now(scheduler::of(world), found, request);
}

int exceptions_under_way() noexcept {
    return std::uncaught_exceptions();
}

void* system_context(const world_t* world, entity_t system) {
    return newest_body(world, system).settings.context;
}

// The function that frees the old context is dropped with it: the new context belongs to the
// program.
void set_system_context(world_t* world, entity_t system, void* context) {
    scheduling::system_body& body = newest_body(world, system);
    body.owned_context = nullptr;
    body.settings.free_context = nullptr;
    body.settings.context = context;
}

query_head* system_query(const world_t* world, entity_t system) {
    query_head* query = newest_body(world, system).query.get();
    if (!query) {
        raise_error(errc::invalid_operation,
                    (scheduling::path_text(world, system) + " is a task: it has no query").c_str());
    }
    query->owners.increment();
    return query;
}

void set_system_switch(world_t* world, entity_t system, system_switch which, bool value) {
    scheduling::system_body& body = newest_body(world, system);
    scheduler& owner = scheduler::of(world);
    scheduling::check_may_change(owner, "a setting of a system");
    system_settings changed = body.settings;
    (which == system_switch::parallel ? changed.parallel : changed.split) = value;
    scheduling::check_declaration(world, system, changed, body.access);
    body.settings = changed;
    owner.mark_stale();
}

void set_system_policy(world_t* world, entity_t system, on_error policy) {
    newest_body(world, system).settings.on_error = policy;
}

// The plan is made anew, because the fast path of a frame visits all groups.
void set_system_group(world_t* world, entity_t system, std::uint64_t group) {
    system_data& found = system_of(world, system);
    check_grouped(newest_body(world, system).query.get());
    found.group = {true, group};
    scheduler::of(world).mark_stale();
}

// The query is checked before the entity is created, so that a refused pipeline leaves nothing
// behind. A pipeline of the same entity is replaced.
entity_t make_pipeline(world_t* world, entity_t given, const query_desc& terms, sync points) {
    scheduler& owner = scheduler::of(world);
    scheduling::check_may_change(owner, "world.pipeline()");
    query_desc desc = terms;
    desc.name = {};
    desc.flags |= FilterMatchDisabled;  // disabled systems keep their places
    auto made = std::make_shared<pipeline_data>();
    made->query = query_ref(make_query(world, desc));
    if (!asks_for_systems(made->query.get())) {
        raise_error(errc::invalid_query, (std::string("a pipeline must ask for System: ") +
                                          query_text(made->query.get()).c_str())
                                             .c_str());
    }
    made->points = points;
    made->has_order = terms.order_by_count != 0;
    kith::entity subject = given ? kith::entity(world, given) : kith::entity(kith::world(world));
    made->entity = subject;
    made->watch = kith::query<>(query_ref(made->query)).monitor([data = made.get()](kith::iter&) {
        data->stale = true;
    });
    subject.add(Pipeline);
    owner.add_pipeline(made);
    return subject;
}

void check_pipeline(const world_t* world, entity_t pipeline, const char* call) {
    scheduler::of(const_cast<world_t*>(world)).get_pipeline(pipeline, call);
}

void set_pipeline(world_t* world, entity_t pipeline) {
    scheduler& owner = scheduler::of(world);
    owner.set_current_pipeline(owner.get_pipeline(pipeline, "set_pipeline").entity);
}

entity_t get_pipeline(const world_t* world) {
    return scheduler::of(const_cast<world_t*>(world)).current_pipeline();
}

void run_pipeline(world_t* world, entity_t pipeline, float delta_time) {
    scheduling::run_nested_pipeline(scheduler::of(world), pipeline, delta_time);
}

bool progress(world_t* world, float delta_time) {
    return scheduling::run_frame(scheduler::of(world), {delta_time, {0}, false});
}

bool progress(world_t* world, nanoseconds delta_time) {
    return scheduling::run_frame(scheduler::of(world), {0, delta_time, true});
}

// The message is valid until the next failure is noted; world::last_failure() copies it.
failure_info last_failure(const world_t* world) {
    const scheduler* known = scheduler::find(world);
    return known ? failure_info{known->failures.system, known->failures.frame,
                                known->failures.count, known->failures.message.c_str()}
                 : failure_info{};
}

void watch_schedule(world_t* world, bool watched) {
    scheduler::of(world).watched = watched;
}

}  // namespace kith::detail
