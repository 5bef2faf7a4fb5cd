// Observers: their life, their monitors, and reports of existing results.
#include "observe/observer/observer.hpp"

#include "events/calls.hpp"
#include "query/exec/executor.hpp"
#include "storage/graph.hpp"

#include <utility>

namespace kith::observe {

using queries::term;

observer::observer(mutate::stage& world, entity_t entity, detail::query_head* query,
                   const detail::observer_action& action, const observer_setup& setup)
    : events::ended{[](events::ended& me) noexcept {
          auto& finished = static_cast<observer&>(me);
          containers::memory& mem = finished.world().data.mem;
          finished.~observer();
          mem.release(&finished, sizeof(observer), containers::purpose::index);
      }},
      entity_(entity),
      hidden_(query ? queries::hidden_flags(query_context{world, query}.model()) : 0),
      deletion_epoch_(world.data.deletion_epoch),
      parts_{{world, query},
             trigger_set(world),
             {{world, query}, action, setup.context},
             {{world, query}, setup.row_at_a_time},
             awaited_copies(world.data.mem),
             {{world, query}, parts_.runs, parts_.callback}} {}

observer::~observer() {
    stop();
    detail::release_query(query());
}

void observer::set_enabled(bool enabled) noexcept {
    enabled_ = enabled;
    refresh_calls();
}

// The conditions are those of on_plain(): the registry calls the callback without on_plain() unless
// a row has one of the flags.
void observer::refresh_calls() noexcept {
    const detail::observer_action& action = parts_.callback.action();
    std::uint32_t unless = hidden_ | detail::shape_has_base | events::row_referenced;
    if (action.wants_value) {
        unless |= events::row_without_value;
    }
    for (trigger& trigger : parts_.triggers) {
        const bool at_once = enabled_ && trigger.kind == trigger_kind::plain && action.call_row;
        trigger.at_once =
            at_once ? events::row_call{action.call_row, action.function, unless, deletion_epoch_}
                    : events::row_call{};
    }
}

void observer::start() {
    refresh_calls();
    parts_.triggers.start();
    parts_.triggers.register_waiting(registers_when::pairs, [&](const trigger& trigger) {
        return !storage::each_pair(world().data, parts_.context.model().terms[trigger.term].trav,
                                   [](entity_t, std::uint32_t) { return false; });
    });
}

void observer::stop() noexcept {
    parts_.triggers.stop();
    if (monitor_) {
        monitor_list::release(*std::exchange(monitor_, nullptr));
    }
}

void observer::end() noexcept {
    stop();
    parts_.runs.end();
    set_enabled(false);
    if (running_ == 0) {
        world().events.release(*this);
    }
}

bool observer::is_alive() noexcept {
    const storage::store& data = world().data;
    deletion_epoch_ = data.deletion_epoch;
    refresh_calls();
    if (!query()) {
        return true;
    }
    for (const term& term : parts_.context.model()) {
        for (entity_t element : {term.first, term.second}) {
            if (term.is_required() && element != 0 && !data.entities.find(element)) {
                stop();
                set_enabled(false);
                return false;
            }
        }
    }
    return true;
}

void observer::enter_leave(monitor_list& monitors, bool existing) {
    KITH_ASSERT(query() && !monitor_, "an observer has at most one monitor, of its query");
    const std::uint32_t events =
        detail::monitor_enter | detail::monitor_leave | (existing ? detail::monitor_existing : 0u);
    monitor_ = &monitors.add(query(), events, {on_monitor_event, this, [](void*) noexcept {}},
                             parts_.runs.is_row_at_a_time());
}

void observer::on_monitor_event(void* me, const detail::observed& observed) {
    observer& receiver = *static_cast<observer*>(me);
    if (receiver.enabled_) {
        running guard(receiver);
        if (events::trace* last = receiver.world().events.tracing) [[unlikely]] {
            // The monitor has recorded the call without the entity of its observer.
            last->calls[(last->count - 1) % last->most].listener = receiver.entity_;
        }
        receiver.parts_.callback.forward(observed);
    }
}

void observer::yield_existing(entity_t event) {
    KITH_ASSERT(query(), "existing results are those of a query");
    running guard(*this);
    const queries::query_model& model = parts_.context.model();
    const trigger* first = nullptr;
    for (const trigger& trigger : parts_.triggers) {
        if (!first && trigger.event == event) {
            first = &trigger;
        }
    }
    if (!first) {
        return;
    }
    auto field_of = [&](const detail::result& result,
                        const trigger& trigger) -> const detail::field_data& {
        return result.fields[model.terms[trigger.term].field];
    };
    // OnSet is about values: the first field with one decides.
    auto find_set = [&](const detail::result& result) -> id_t {
        for (const trigger& trigger : parts_.triggers) {
            const detail::field_data& field = field_of(result, trigger);
            if (trigger.event == OnSet &&
                (field.value || (field.flags & detail::field_set &&
                                 traits::find_constant_value(world().data, field.id)))) {
                return field.id;
            }
        }
        return 0;
    };
    const events::event_data data{&world(), event, 0, 0, nullptr};
    // The callback may make an observer with the same callback: nesting limits such chains.
    const events::registry::nesting nested(world().events, data, first);
    parts_.runs.each_result({}, [&](const detail::result& result) {
        const id_t id = event == OnSet       ? find_set(result)
                        : result.field_count ? field_of(result, *first).id
                                             : 0;
        if (id != 0) {
            parts_.callback.call_new(*first, data, id, result);
        }
    });
}

}  // namespace kith::observe
