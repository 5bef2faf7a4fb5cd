// Making observers and emitting events (include/kith/observer.hpp and
// include/kith/detail/event_ops.hpp). Class observer is in observe/observer/observer.hpp.
#include <kith/observer.hpp>

#include "api/observer_entity.hpp"
#include "mutate/context/recorder.hpp"
#include "mutate/ops/emit.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace kith::detail {

using api::impl_of;
using api::world_impl;

namespace {

// Owns an action until an observer does.
struct action_guard {
    observer_action action;
    ~action_guard() {
        if (action.free_function) {
            action.free_function(action.function);
        }
    }
    observer_action take() noexcept { return std::exchange(action, {}); }
};

// Throws unless the events can be observed together.
void check_events(const world_impl& owner, const entity_t* events, std::uint32_t count) {
    if (count == 0) {
        base::raise(errc::invalid_operation, "an observer needs an event: say event(...)");
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        mutate::get_record(owner, events[i]);
        if (is_wildcard(events[i])) {
            mutate::raise_id(owner, errc::invalid_operation, events[i],
                             "is a wildcard: an observer is notified of the events that it names");
        }
        if (std::find(events, events + i, events[i]) != events + i) {
            mutate::raise_id(owner, errc::invalid_operation, events[i],
                             "was given twice as an event of an observer");
        }
        if (events[i] == Monitor && count != 1) {
            mutate::raise_id(owner, errc::invalid_operation, Monitor,
                             "must be the only event of its observer");
        }
    }
}

// True if existing results can be reported as this event.
bool reports_existing(entity_t event) noexcept {
    return event == OnAdd || event == OnSet || event == Monitor || event < first_builtin ||
           event >= builtin_end;
}

// Throws if yield_existing() has no event to report.
void check_yields(const world_impl& owner, const observer_desc& desc) {
    if (!std::any_of(desc.events, desc.events + desc.event_count, reports_existing)) {
        mutate::raise_id(owner, errc::invalid_operation, desc.events[0],
                         "does not report existing results: yield_existing() needs OnAdd, OnSet or "
                         "an event of your own");
    }
}

// The query of an observer, null without terms. The name of the description is that of the
// observer.
query_head* make_terms(world_t* world, const query_desc& terms) {
    if (terms.count == 0 && terms.expr.size == 0) {
        return nullptr;
    }
    query_desc nameless = terms;
    nameless.name = {};
    return make_query(world, nameless);
}

// Makes the store of the relationship between observers of one entity and that entity: its cleanup
// policy deletes the observers together with the entity.
void ensure_observes(world_impl& owner) {
    storage::store& data = owner.data;
    if (storage::find_links(data, static_cast<std::uint32_t>(observes))) {
        return;
    }
    storage::id_record& relation = data.ids.ensure(make_pair(observes, Wildcard));
    data.link_ids.reserve_extra(data.mem, 1, containers::purpose::sparse);
    void* block = data.mem.allocate(sizeof(storage::link_store), containers::purpose::sparse);
    storage::attach_links(data, relation, *::new (block) storage::link_store(data.mem, true));
    data.schema_changed();
}

}  // namespace

// Arguments are checked first. Then the query and the entity are made, which are released if a
// later step fails. Existing results are reported last.
entity_t make_observer(world_t* world, const observer_desc& desc, observer_action action) {
    action_guard held{action};
    mutate::check_not_recording(mutate::stage_of(world), "making an observer");
    world_impl& owner = impl_of(world);
    check_events(owner, desc.events, desc.event_count);
    if (desc.yield_existing) {
        check_yields(owner, desc);
    }
    struct query_guard {
        query_head* query;
        ~query_guard() { release_query(query); }
    } terms{make_terms(world, desc.terms)};
    if (desc.yield_existing && !terms.query) {
        base::raise(errc::invalid_operation,
                    "yield_existing() needs terms: an observer without terms has no results");
    }
    api::new_observer_entity entity(owner, desc.terms.name, 0);
    if (owner.observers.find(entity)) {
        mutate::raise_id(owner, errc::already_exists, entity, "is an observer already");
    }
    observe::observer_setup setup;
    setup.events = desc.events;
    setup.event_count = desc.event_count;
    setup.context = desc.context;
    setup.row_at_a_time = desc.table_wise && !desc.terms.instanced;
    query_head* query = std::exchange(terms.query, nullptr);
    observe::observer& observer = entity.make(query, held.take(), setup);
    if (desc.events[0] == Monitor) {
        observer.enter_leave(owner.monitors, desc.yield_existing);
        return entity.keep();
    }
    if (desc.yield_existing) {
        mutate::callback_scope code(owner);
        for (std::uint32_t i = 0; i < desc.event_count; ++i) {
            if (reports_existing(desc.events[i])) {
                observer.yield_existing(desc.events[i]);
            }
        }
        const entity_t observer_entity = entity.keep();
        code.finish();
        return observer_entity;
    }
    return entity.keep();
}

// An observer without terms that receives events of one entity.
entity_t make_entity_observer(world_t* world, entity_t observed, entity_t event,
                              observer_action action) {
    action_guard held{action};
    mutate::check_not_recording(mutate::stage_of(world), "making an observer");
    world_impl& owner = impl_of(world);
    mutate::get_record(owner, checked_entity(observed, "observe"));
    checked_entity(event, "observe", "the event");
    check_events(owner, &event, 1);
    if (event != OnDelete && event >= first_builtin && event < builtin_end) {
        mutate::raise_id(owner, errc::invalid_operation, event,
                         "is not notified to observers of one entity; give a term of "
                         "world.observer() this entity as its source");
    }
    ensure_observes(owner);
    api::new_observer_entity entity(owner, nullptr, observed);
    observe::observer_setup setup;
    setup.events = &event;
    setup.event_count = 1;
    setup.observed = observed;
    entity.make(nullptr, held.take(), setup);
    return entity.keep();
}

// The caller shares the query, and releases it.
query_head* observer_query(world_t* world, entity_t entity) {
    world_impl& owner = impl_of(world);
    const observe::observer* observer = owner.observers.find(entity);
    if (!observer) {
        mutate::raise_entity_id(owner, errc::invalid_operation, entity, 0, "is no observer");
    }
    if (!observer->query()) {
        mutate::raise_entity_id(owner, errc::invalid_operation, entity, 0,
                                "is an observer without terms: it has no query");
    }
    observer->query()->owners.increment();
    return observer->query();
}

void raise_too_many_events(std::uint32_t most) {
    base::raise(errc::limit, base::text{} << "an observer has at most " << most << " events");
}

void raise_too_many_ids(std::uint32_t most) {
    base::raise(errc::limit, base::text{} << "an event is about " << most << " ids at most");
}

void emit_event(world_t* world, const emission& event) {
    checked_entity(event.event, "emit", "the event");
    mutate::stage& owner = mutate::stage_of(world);
    if (owner.queue.no_emit) {
        mutate::raise_id(owner, errc::invalid_operation, event.event,
                         "is emitted in a parallel system; enqueue() it: it is dispatched at the "
                         "next sync point");
    }
    mutate::emit(owner, event);
}

// While the world is deferred, the event is queued with a copy of its payload.
void enqueue_event(world_t* world, const emission& event) {
    checked_entity(event.event, "enqueue", "the event");
    mutate::stage& owner = mutate::stage_of(world);
    if (owner.mode & mode_deferred) {
        mutate::defer_emission(owner, event);
    } else {
        mutate::emit(owner, event);
    }
}

// The payload of an event; null if there is none. Throws if it has another type.
void* checked_payload(const world_t* world, const event_info* event, std::uint32_t type) {
    if (!event || !event->payload.value) {
        return nullptr;
    }
    if (event->payload.type != 0 && event->payload.type != system_payload &&
        event->payload.type != type) {
        mutate::raise_about(mutate::stage_of(world), errc::wrong_type, "the payload of the event ",
                            event->event, " is of type ", find_type(event->payload.type)->name,
                            ", not ", find_type(type)->name);
    }
    return event->payload.value;
}

void raise_no_payload(const world_t* world, entity_t event) {
    mutate::raise_id(mutate::stage_of(world), errc::invalid_operation, event,
                     "was emitted without a payload, and an observer takes one");
}

}  // namespace kith::detail
