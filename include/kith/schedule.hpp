// The schedule of a pipeline as text and as values: the order of systems with its reasons, sync
// points, and pairs of systems that need attention.
//
//   std::puts(world.schedule().explain().c_str());
//
// Not part of <kith/kith.hpp>. Covered by tests/features/systems/schedule_test.cpp.
#pragma once

#include <kith/kith.hpp>

namespace kith {

// A system in the order of its pipeline.
struct schedule_item {
    kith::entity system;
    std::int32_t position;  // from 0
    kith::entity phase;     // null: none
    std::int32_t depth;     // the group of its phase, from 0
    order_reason reason;
    run_way way;
    std::int32_t stretch;      // from 0
    bool sync_before;          // a sync point is in front of it
    kith::id sync_id;          // the id that caused it, null if it has another cause
    kith::entity sync_system;  // the system that may have queued the id
};

namespace detail {

// The plain values behind schedule_item, for the compiled part.
struct schedule_entry {
    entity_t system;
    entity_t phase;
    std::uint32_t depth;
    std::uint32_t stretch;
    order_reason reason;
    run_way way;
    bool sync_before;
    id_t sync_id;
    entity_t sync_system;
};
// Pipeline 0 is the current one, here and below. The functions make the plan of the pipeline if it
// is stale, and throw [cycle] if its order contradicts itself.
std::int32_t schedule_size(world_t* world, entity_t pipeline);
schedule_entry schedule_at(world_t* world, entity_t pipeline, std::int32_t position);
string explain_schedule(world_t* world, entity_t pipeline);
string explain_order(world_t* world, entity_t pipeline, entity_t a, entity_t b);
using visit_pair = void (*)(entity_t a, entity_t b, id_t id, void* context);
void each_ambiguity(world_t* world, entity_t pipeline, visit_pair visit, void* context);
void each_missing(world_t* world, visit_pair visit, void* context);

}  // namespace detail

// A view of the plan of a pipeline. The plan is read at each call, so that the view shows later
// changes of systems. Requires: the world lives.
class schedule {
public:
    schedule(world_t* world, entity_t pipeline) noexcept : world_(world), pipeline_(pipeline) {}

    // The order, its reasons and the sync points as text. The text does not depend on frames.
    string explain() const { return detail::explain_schedule(world_, pipeline_); }
    // The reason why one of the systems comes before the other, and whether they may overlap.
    string explain(entity_t a, entity_t b) const {
        return detail::explain_order(world_, pipeline_, a, b);
    }
    // Calls func(const schedule_item&) for each system in order.
    template <class Func>
    void each(Func&& func) const {
        for (std::int32_t i = 0; i < count(); ++i) {
            const detail::schedule_entry one = detail::schedule_at(world_, pipeline_, i);
            func(schedule_item{entity(world_, one.system), i, entity(world_, one.phase),
                               static_cast<std::int32_t>(one.depth), one.reason, one.way,
                               static_cast<std::int32_t>(one.stretch), one.sync_before,
                               id(world_, one.sync_id), entity(world_, one.sync_system)});
        }
    }
    // Calls func(entity, entity, id) for each two systems whose access to the id conflicts and
    // whose order rests on their declaration alone.
    template <class Func>
    void ambiguities(Func&& func) const {
        visitor<Func> kept{world_, func};
        detail::each_ambiguity(world_, pipeline_, visitor<Func>::call, &kept);
    }
    // Calls func(writer, reader, id) for commands that a later system read too early: a sync point
    // is missing. Collected in builds with KITH_ASSERTS, and while world::watch_schedule().
    template <class Func>
    void missing(Func&& func) const {
        visitor<Func> kept{world_, func};
        detail::each_missing(world_, visitor<Func>::call, &kept);
    }
    std::int32_t count() const { return detail::schedule_size(world_, pipeline_); }
    // A stretch is a run of systems without a sync point between them.
    std::int32_t stretch_count() const {
        const std::int32_t systems = count();
        return systems == 0 ? 0
                            : static_cast<std::int32_t>(
                                  detail::schedule_at(world_, pipeline_, systems - 1).stretch) +
                                  1;
    }

private:
    template <class Func>
    struct visitor {
        world_t* world;
        Func& func;
        static void call(entity_t a, entity_t b, id_t about, void* context) {
            const auto& me = *static_cast<visitor*>(context);
            me.func(entity(me.world, a), entity(me.world, b), kith::id(me.world, about));
        }
    };

    world_t* world_;
    entity_t pipeline_;
};

inline schedule world::schedule() const {
    return kith::schedule(world_, 0);
}
inline schedule world::schedule(entity_t pipeline) const {
    detail::check_pipeline(world_, pipeline, "schedule");
    return kith::schedule(world_, pipeline);
}

}  // namespace kith
