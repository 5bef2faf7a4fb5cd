// Receives the events of triggers: one function for each kind of trigger, which calls the callback
// of the observer at once, or makes a notification. Declared in trigger.hpp.
#include "containers/small_vec.hpp"
#include "observe/observer/edge_notification.hpp"
#include "observe/observer/observer.hpp"

#include <algorithm>

namespace kith::observe {

using events::event_data;
using queries::term;
using storage::entity_record;
using storage::table;

namespace {

// Makes a notification and runs it, if the observer is awake.
template <class Notification, void (Notification::*run)()>
void notify(events::listener& me, const event_data& event) {
    const trigger& received = trigger_of(me);
    observer& observer = *received.observer;
    if (observer.is_awake() && event.entity != 0) {
        observer::running guard(observer);
        Notification notification(observer.parts(), received, event);
        (notification.*run)();
    }
}
constexpr trigger_handler on_term = notify<notification, &notification::run_term>;

// Serves observers of one plain id.
void on_plain(events::listener& me, const event_data& event) {
    const trigger& received = trigger_of(me);
    observer& observer = *received.observer;
    if (!observer.is_awake()) {
        return;
    }
    observer::running guard(observer);
    const storage::store& data = observer.world().data;
    const entity_record& record = data.entities.at(index_of(event.entity));
    if (!data.toggled_ids.empty()) [[unlikely]] {
        notification(observer.parts(), received, event).run_term();
        return;
    }
    const table& type = data.tables.at(record.table);
    const bool is_hidden = type.flags & observer.hidden_flags();
    // An entity that has a base on either side, or dependents, may see the id on both sides.
    const mutate::change_view* view = observer.world().operation.other_view;
    const std::uint32_t flags = type.flags | (view && view->type ? view->type->flags : 0);
    if (flags & detail::shape_has_base || record.state & storage::record_referenced) [[unlikely]] {
        notification(observer.parts(), received, event).run_plain(is_hidden);
        return;
    }
    if (!is_hidden) [[likely]] {
        observer_callback& callback = observer.parts().callback;
        const detail::observer_action& action = callback.action();
        if (action.call_row && (event.value || !action.wants_value)) [[likely]] {
            action.call_row(action.function, event.world, event.entity, event.value);
        } else {
            callback.call_row(received, event, record);
        }
    }
}

void on_any_event(events::listener& me, const event_data& event) {
    const trigger& received = trigger_of(me);
    observer& observer = *received.observer;
    // An event about no entity matches no term.
    if (observer.is_awake() && (event.entity != 0 || !observer.query())) {
        observer::running guard(observer);
        observer.parts().callback.call_row(
            received, event, observer.world().data.entities.at(index_of(event.entity)));
    }
}

// An entity is derived from an element of a term for the first time: its ids count from now on.
void on_first_derived(events::listener& me, const event_data&) {
    const trigger& received = trigger_of(me);
    trigger_set& all = received.observer->parts().triggers;
    all.register_waiting(registers_when::derived,
                         [&](const trigger& waiting) { return waiting.term == received.term; });
    // The term may hold by the id of a subtype now, so the query must be run.
    for (trigger& trigger : all) {
        if (trigger.kind == trigger_kind::plain) {
            trigger.kind = trigger_kind::term;
            trigger.on_event = on_term;
        }
    }
    received.observer->refresh_calls();
}

// Receives all ids. Ids that another trigger of the same term receives are left to it.
void on_derived(events::listener& me, const event_data& event) {
    const trigger& received = trigger_of(me);
    trigger_set& all = received.observer->parts().triggers;
    const bool is_received = std::any_of(all.begin(), all.end(), [&](const trigger& trigger) {
        return trigger.kind != trigger_kind::derived && trigger.event == received.event &&
               trigger.cause == received.cause && trigger.term == received.term &&
               matches_id(trigger.pattern, event.id);
    });
    if (!is_received) {
        on_term(me, event);
    }
}

// True if the type satisfies the terms about $this, and the event's id is the first one that does.
bool fits_type(const queries::query_model& model, const trigger& trigger, const event_data& event,
               const table& type) {
    bool is_first = true;
    bool satisfied = false;  // a member of the present Or chain holds
    for (std::uint32_t i = 0; i < model.count; ++i) {
        const term& term = model.terms[i];
        if (term.from != queries::source_kind::self || term.kind != queries::term_kind::ids ||
            term.is_from_list() || term.oper == Optional) {
            satisfied = true;  // the type does not decide this term
        } else {
            const std::int32_t position = storage::find_match(type, term.id, 0);
            if (position >= 0 && term.oper != Not && is_first) {
                is_first = false;
                if (i != trigger.term || type.ids[position] != event.id) {
                    return false;
                }
            }
            satisfied |= (position >= 0) != (term.oper == Not);
        }
        if (term.oper == Or) {
            continue;
        }
        if (!satisfied) {
            return false;
        }
        satisfied = false;
    }
    return true;
}

// A table with several ids that have triggers is reported once, for the first of them.
void on_table(events::listener& me, const event_data& event) {
    const trigger& received = trigger_of(me);
    observer& observer = *received.observer;
    if (!observer.is_awake()) {
        return;
    }
    observer::running guard(observer);
    storage::store& data = observer.world().data;
    const queries::query_model& model = observer.parts().context.model();
    const table& type = data.tables.at(event.table);
    if (type.flags & observer.hidden_flags() || !fits_type(model, received, event, type)) {
        return;
    }
    detail::result result{};
    result.table = event.table;
    containers::small_vec<detail::field_data, 16> fields(data.mem, containers::purpose::commands);
    for (std::uint32_t i = 0; i < model.field_count; ++i) {
        fields.push({});
    }
    for (const term& term : model) {
        fields[term.field].id = term.id;
    }
    fields[model.terms[received.term].field].id = event.id;
    result.fields = fields.data();
    result.field_count = fields.size();
    observer.parts().callback.call(received, event, event.id, result);
}

void on_cascade_remove(events::listener& me, const event_data& event) {
    const trigger& received = trigger_of(me);
    if (received.observer->is_awake()) {
        received.observer->parts().deletions.predict(received, event.entity);
    }
}

void on_edge_loss(events::listener& me, const event_data& event) {
    const trigger& received = trigger_of(me);
    observer& observer = *received.observer;
    if (observer.is_awake()) {
        const term& followed = observer.parts().context.model().terms[received.term];
        const bool down = followed.flags & Down && pair_first(event.id) == followed.trav;
        observer.parts().deletions.predict(
            received,
            down ? observer.world().data.entities.alive_at(pair_second(event.id)) : event.entity);
    }
}

void on_after_delete(events::listener& me, const event_data& event) {
    observer& observer = *trigger_of(me).observer;
    deletion_diff& deletions = observer.parts().deletions;
    const std::unique_ptr<deletion_diff::prediction> predicted = deletions.take();
    if (!predicted) {
        return;
    }
    observer::running guard(observer);
    for (const deletion_diff::candidate& candidate : predicted->candidates) {
        mutate::keep_error(observer.world(), [&] {
            if (observer.is_awake()) {
                deletions.report(candidate, predicted->held, event);
            }
        });
    }
}

// By trigger_kind.
constexpr trigger_handler handlers[] = {
    on_plain,
    on_term,
    on_derived,
    on_first_derived,
    notify<notification, &notification::run_without_id>,
    on_any_event,
    notify<edge_notification, &edge_notification::run>,
    notify<notification, &notification::run_cover>,
    notify<notification, &notification::run_hiding>,
    on_table,
    on_cascade_remove,
    on_edge_loss,
    on_after_delete,
};
static_assert(std::size(handlers) == std::size_t{trigger_kind_count});

}  // namespace

trigger_handler handler_of(trigger_kind kind) noexcept {
    return handlers[static_cast<std::size_t>(kind)];
}

}  // namespace kith::observe
