// The schedule of a pipeline as text and values (include/kith/schedule.hpp).
#include <kith/schedule.hpp>

#include "frame/scheduler.hpp"

namespace kith::detail {

using scheduling::path_text;
using scheduling::pipeline_plan;
using scheduling::plan_entry;
using scheduling::planned_system;
using scheduling::scheduler;
using scheduling::sync_cause;

namespace {

const char* const way_names[] = {"alone", "parallel", "split", "immediate"};
const char* const reason_names[] = {"first", "phase", "edge", "declaration", "order_by"};

// The plan is shared: the caller keeps it alive although a callback may let the scheduler make
// another one.
std::shared_ptr<pipeline_plan> plan_of(world_t* world, entity_t pipeline) {
    scheduler& owner = scheduler::of(world);
    return owner.plan_of(owner.get_pipeline(pipeline, "schedule"));
}

std::string id_name(const world_t* world, id_t id) {
    return id_text(world, id).c_str();
}

// The reason for the sync point in front of a system; empty if there is none.
std::string sync_text(const world_t* world, const pipeline_plan& plan, std::size_t at) {
    const scheduling::sync_point& point = plan.entries[at].sync;
    switch (point.cause) {
        case sync_cause::access:
            return "it reads " + id_name(world, point.id) + ", which " +
                   path_text(world, plan.systems[point.system].entity) + " may have queued";
        case sync_cause::barrier:
            return "barrier()";
        case sync_cause::immediate:
            return "immediate";
        case sync_cause::phase:
            return "end of a phase";
        case sync_cause::pipeline:
            return "sync::systems";
        case sync_cause::none:
            break;
    }
    return {};
}

// The reason why two systems do not overlap; empty if they may. Requires: a comes before b.
std::string obstacle(const world_t* world, const pipeline_plan& plan, std::uint32_t a,
                     std::uint32_t b) {
    const planned_system& one = plan.systems[a];
    const planned_system& other = plan.systems[b];
    for (const planned_system* system : {&one, &other}) {
        if (!scheduling::is_parallel(system->way)) {
            return path_text(world, system->entity) + " runs " +
                   way_names[static_cast<int>(system->way)];
        }
    }
    if (plan.entries[a].stretch != plan.entries[b].stretch) {
        return "a sync point lies between them";
    }
    if (one.phase != other.phase && !one.chosen && !other.chosen) {
        return "they are of different phases";
    }
    if (plan.edges.leads(a, b)) {
        return "an edge lies between them";
    }
    if (const id_t id = scheduling::find_conflict(one.access, other.access)) {
        return "both access " + id_name(world, id);
    }
    return {};
}

// The timer of a system, and the ticks that it counts.
std::string timing_text(const world_t* world, entity_t system) {
    const kith::entity subject(const_cast<world_t*>(world), system);
    std::string text;
    if (subject.owns<Timer>()) {
        const Timer& timer = *subject.get<Timer>();
        text += std::string(", ") + (timer.single_shot ? "timeout " : "interval ") +
                std::to_string(static_cast<double>(timer.timeout)) + " s";
    }
    if (subject.owns<RateFilter>()) {
        const RateFilter& filter = *subject.get<RateFilter>();
        text += ", rate " + std::to_string(filter.rate) +
                (filter.src ? " of " + path_text(world, filter.src) : "");
    }
    return text;
}

// The entity by which a disabled system is disabled: itself, one that it depends on, or a parent.
entity_t find_disabled(const kith::entity& subject) {
    if (subject.has(Disabled)) {
        return subject;
    }
    entity_t found = 0;
    for (const entity_t relation : {DependsOn, ChildOf}) {
        subject.each(relation,
                     [&](kith::entity above) { found = found ? found : find_disabled(above); });
    }
    return found;
}
std::string disabled_text(const world_t* world, entity_t system) {
    const entity_t by = find_disabled(kith::entity(const_cast<world_t*>(world), system));
    return by == system || by == 0 ? ", disabled" : ", disabled by " + path_text(world, by);
}

// Only systems of one stretch are compared, and each pair once, at its earlier system: a sync point
// separates all others anyway.
void append_system(const world_t* world, const pipeline_plan& plan, std::uint32_t at,
                   std::string& text) {
    const planned_system& system = plan.systems[at];
    if (plan.entries[at].sync.cause != sync_cause::none) {
        text += "   -- sync point: " + sync_text(world, plan, at) + "\n";
    }
    text += std::to_string(at + 1) + ". " + path_text(world, system.entity) + ": phase " +
            (system.phase ? path_text(world, system.phase) : "none") + ", by " +
            reason_names[static_cast<int>(plan.reasons[at])] + ", " +
            way_names[static_cast<int>(system.way)];
    const scheduling::system_body& body = *plan.data[at]->body;
    if (const std::size_t count = body.conditions.size() + body.settings.if_changed) {
        text += ", " + std::to_string(count) + (count == 1 ? " condition" : " conditions");
    }
    text += timing_text(world, system.entity);
    if (plan.runs[at].flags & scheduling::entry_disabled) {
        text += disabled_text(world, system.entity);
    }
    text += "\n";
    for (std::uint32_t other = at + 1;
         other < plan.systems.size() && system.way != run_way::alone &&
         system.way != run_way::immediate;
         ++other) {
        if (plan.entries[other].stretch == plan.entries[at].stretch) {
            const std::string reason = obstacle(world, plan, at, other);
            text += "   " + std::string(reason.empty() ? "may overlap " : "does not overlap ") +
                    path_text(world, plan.systems[other].entity) +
                    (reason.empty() ? "" : ": " + reason) + "\n";
        }
    }
}

// The reason why a system is not in a pipeline.
std::string absence_text(const world_t* world, entity_t system) {
    const scheduler* known = scheduler::find(world);
    const std::string name = path_text(world, system);
    if (!known || !known->systems.find(system)) {
        return name + " is no system";
    }
    const kith::entity subject(const_cast<world_t*>(world), system);
    const kith::entity phase = subject.target(DependsOn);
    if (!phase) {
        return name + " is not in this pipeline: it has no phase";
    }
    return name + " is not in this pipeline: the pipeline's query does not match it (phase " +
           path_text(world, phase) + ")";
}

// AmbiguousWith holds in both directions, whichever of the two systems has the pair.
bool are_silenced(const world_t* world, entity_t a, entity_t b) {
    const kith::entity one(const_cast<world_t*>(world), a);
    const kith::entity other(const_cast<world_t*>(world), b);
    return one.has(AmbiguousWith, b) || other.has(AmbiguousWith, a);
}

}  // namespace

std::int32_t schedule_size(world_t* world, entity_t pipeline) {
    return static_cast<std::int32_t>(plan_of(world, pipeline)->systems.size());
}

// Requires: 0 <= position < schedule_size().
schedule_entry schedule_at(world_t* world, entity_t pipeline, std::int32_t position) {
    const std::shared_ptr<pipeline_plan> plan = plan_of(world, pipeline);
    const auto at = static_cast<std::size_t>(position);
    const planned_system& system = plan->systems[at];
    const plan_entry& entry = plan->entries[at];
    const bool by_access = entry.sync.cause == sync_cause::access;
    return {system.entity,
            system.phase,
            system.group,
            entry.stretch,
            plan->reasons[at],
            system.way,
            entry.sync.cause != sync_cause::none,
            entry.sync.id,
            by_access ? plan->systems[entry.sync.system].entity : 0};
}

// Systems of the world that the pipeline does not run are listed at the end, with the reason.
string explain_schedule(world_t* world, entity_t pipeline) {
    scheduler& owner = scheduler::of(world);
    const std::shared_ptr<pipeline_plan> plan = plan_of(world, pipeline);
    const std::size_t stretches = plan->entries.empty() ? 0 : plan->entries.back().stretch + 1;
    std::string text = "pipeline " +
                       path_text(world, pipeline ? pipeline : owner.current_pipeline()) + ": " +
                       std::to_string(plan->systems.size()) + " systems, " +
                       std::to_string(stretches) + " stretches\n";
    for (std::uint32_t at = 0; at < plan->systems.size(); ++at) {
        append_system(world, *plan, at, text);
    }
    kith::world(world).each(System, [&](kith::entity system) {
        if (!plan->place.count(system)) {
            text += absence_text(world, system) + "\n";
        }
    });
    return string(text.c_str());
}

string explain_order(world_t* world, entity_t pipeline, entity_t a, entity_t b) {
    const std::shared_ptr<pipeline_plan> plan = plan_of(world, pipeline);
    for (const entity_t system : {a, b}) {
        if (!plan->place.count(system)) {
            return string(absence_text(world, system).c_str());
        }
    }
    std::uint32_t first = plan->place.at(a);
    std::uint32_t second = plan->place.at(b);
    if (first > second) {
        std::swap(first, second);
    }
    const planned_system& one = plan->systems[first];
    const planned_system& other = plan->systems[second];
    std::string text =
        path_text(world, one.entity) + " comes before " + path_text(world, other.entity) + ": ";
    if (one.group != other.group) {
        text += "phase " + path_text(world, one.phase) + " before " + path_text(world, other.phase);
    } else {
        text += plan->edges.leads(first, second) ? "edge" : "declaration";
    }
    const std::string reason = obstacle(world, *plan, first, second);
    text += reason.empty() ? "; they may overlap" : "; they do not overlap: " + reason;
    return string(text.c_str());
}

// Systems of different groups have an order by their phases, so that only pairs inside of a group
// are compared.
void each_ambiguity(world_t* world, entity_t pipeline, visit_pair visit, void* context) {
    const std::shared_ptr<pipeline_plan> plan = plan_of(world, pipeline);
    for (std::uint32_t a = 0; a < plan->systems.size(); ++a) {
        const std::vector<bool> behind = plan->edges.find_behind(a);
        for (std::uint32_t b = a + 1; b < plan->systems.size(); ++b) {
            const planned_system& one = plan->systems[a];
            const planned_system& other = plan->systems[b];
            const id_t id =
                one.group == other.group ? scheduling::find_conflict(one.access, other.access) : 0;
            if (id && (behind.empty() || !behind[b]) &&
                !are_silenced(world, one.entity, other.entity)) {
                visit(one.entity, other.entity, id, context);
            }
        }
    }
}

void each_missing(world_t* world, visit_pair visit, void* context) {
    for (const scheduling::missing_sync& one : scheduler::of(world).missing) {
        visit(one.writer, one.reader, one.id, context);
    }
}

}  // namespace kith::detail
