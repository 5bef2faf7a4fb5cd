// Observers: their life, triggers that need no filter, and calls of the callback.
#include "observe/observer.hpp"

#include "base/assert.hpp"
#include "base/hash.hpp"
#include "events/calls.hpp"
#include "observe/observer_runs.hpp"
#include "query/exec/executor.hpp"
#include "storage/graph.hpp"

#include <algorithm>
#include <utility>

namespace kith::observe {

using containers::purpose;
using events::event_data;
using queries::source_kind;
using queries::term;
using storage::entity_record;
using storage::table;

observer::observer(mutate::stage& owner, entity_t entity, detail::query_head* query,
                   const detail::observer_action& action, const observer_setup& setup)
    : events::ended{[](events::ended& me) noexcept {
          auto& finished = static_cast<observer&>(me);
          containers::memory& mem = finished.data_.mem;
          finished.~observer();
          mem.release(&finished, sizeof(observer), purpose::index);
      }},
      world_(owner),
      data_(owner.data),
      entity_(entity),
      query_(query),
      action_(action),
      context_(setup.context),
      deletion_epoch_(owner.data.deletion_epoch),
      row_at_a_time_(setup.row_at_a_time) {
    if (query_) {
        hidden_ = queries::hidden_flags(model());
        field_flags_ = detail::field_set;
        if (queries::is_readonly(*model().begin(), true)) {
            field_flags_ |= detail::field_readonly;
        }
    }
}

observer::~observer() {
    stop();
    triggers_.release(data_.mem, purpose::index);
    emitted_.all.release(data_.mem);
    predicted_.release(data_.mem);
    awaited_.release(data_.mem, purpose::index);
    arrived_.release(data_.mem, purpose::index);
    detail::release_query(query_);
    if (action_.free_function) {
        action_.free_function(action_.function);
    }
}

void observer::set_enabled(bool enabled) noexcept {
    enabled_ = enabled;
    refresh_calls();
}

// The conditions are those of on_plain(): the registry calls the callback without on_plain() unless
// a row has one of the flags.
void observer::refresh_calls() noexcept {
    std::uint32_t unless = hidden_ | detail::shape_has_base | events::row_referenced;
    if (action_.wants_value) {
        unless |= events::row_without_value;
    }
    for (trigger& trigger : triggers_) {
        const bool at_once =
            enabled_ && !ended_ && trigger.on_event == on_plain && action_.call_row;
        trigger.at_once =
            at_once ? events::row_call{action_.call_row, action_.function, unless, deletion_epoch_}
                    : events::row_call{};
    }
}

void observer::start() {
    KITH_ASSERT(!started_ && !ended_, "an observer is started once");
    started_ = true;
    refresh_calls();
    for (trigger& trigger : triggers_) {
        if (trigger.waits == registers_when::nothing) {
            trigger.number = world_.events.add(trigger, trigger.cause, trigger.pattern);
        }
    }
    register_waiting(registers_when::pairs, [&](const trigger& trigger) {
        return !storage::each_pair(data_, term_of(trigger).trav,
                                   [](entity_t, std::uint32_t) { return false; });
    });
}

void observer::stop() noexcept {
    // A start that failed has registered some of the triggers.
    for (trigger& trigger : triggers_) {
        if (started_ && trigger.number != 0) {
            world_.events.remove(trigger, trigger.cause, trigger.pattern,
                                 std::exchange(trigger.number, 0));
        }
    }
    started_ = false;
    if (monitor_) {
        monitor_list::release(*std::exchange(monitor_, nullptr));
    }
}

void observer::enter_leave(monitor_list& monitors, bool existing) {
    KITH_ASSERT(query_ && !monitor_, "an observer has at most one monitor, of its query");
    const std::uint32_t events =
        detail::monitor_enter | detail::monitor_leave | (existing ? detail::monitor_existing : 0u);
    monitor_ = &monitors.add(query_, events, {on_monitor_event, this, [](void*) noexcept {}},
                             row_at_a_time_);
}

void observer::on_monitor_event(void* me, const detail::observed& observed) {
    observer& receiver = *static_cast<observer*>(me);
    if (receiver.enabled_ && !receiver.ended_) {
        running guard(receiver);
        if (events::trace* last = receiver.world_.events.tracing) [[unlikely]] {
            // The monitor has recorded the call without the entity of its observer.
            last->calls[(last->count - 1) % last->most].listener = receiver.entity_;
        }
        detail::event_info event = *observed.event;
        event.context = receiver.context_;
        receiver.action_.call(receiver.action_.function,
                              {observed.world, observed.query, observed.found, &event});
    }
}

void observer::end() noexcept {
    stop();
    ended_ = true;
    refresh_calls();
    if (running_ == 0) {
        world_.events.release(*this);
    }
}

const queries::query_model& observer::model() const noexcept {
    KITH_ASSERT(query_, "the observer has terms");
    return static_cast<const queries::compiled_query&>(*query_).model;
}

bool observer::is_alive() noexcept {
    deletion_epoch_ = data_.deletion_epoch;
    refresh_calls();
    if (!query_) {
        return true;
    }
    for (const term& term : model()) {
        for (entity_t element : {term.first, term.second}) {
            if (term.is_required() && element != 0 && !data_.entities.find(element)) {
                stop();
                set_enabled(false);
                return false;
            }
        }
    }
    return true;
}

// Calls the callback with the value that the event carries, the entity's own one.
inline void observer::call_row(const trigger& trigger, const event_data& event,
                               const entity_record& record) {
    const detail::field_data field{
        static_cast<std::byte*>(event.value), nullptr, event.id, 0, event.value_size, field_flags_};
    detail::result result{};
    result.entities = &event.entity;
    result.count = event.entity != 0 ? 1 : 0;  // an event may be about no entity
    result.table = record.table;
    result.first_row = record.row;
    result.fields = &field;
    result.field_count = query_ ? 1 : 0;
    call(trigger, event, event.id, result);
}

void observer::on_plain(events::listener& me, const event_data& event) {
    trigger& trigger = trigger_of(me);
    observer& observer = *trigger.owner;
    if (!observer.is_awake()) {
        return;
    }
    running guard(observer);
    const entity_record& record = observer.data_.entities.at(index_of(event.entity));
    if (!observer.data_.toggled_ids.empty()) [[unlikely]] {
        observer.run_term(trigger, event);
        return;
    }
    const table& type = observer.data_.tables.at(record.table);
    // An entity that has a base on either side, or dependents, may see the id on both sides.
    const mutate::change_view* view = observer.world_.operation.other_view;
    const std::uint32_t flags = type.flags | (view && view->type ? view->type->flags : 0);
    if (flags & detail::shape_has_base || record.state & storage::record_referenced) [[unlikely]] {
        other_state other(observer.world_, event);
        if (!(type.flags & observer.hidden_) &&
            observer.is_visible_change(trigger, other, event.entity, event.id)) {
            observer.call_row(trigger, event, record);
        }
        observer.run_dependents(trigger, event, other);
        return;
    }
    if (!(type.flags & observer.hidden_)) [[likely]] {
        const detail::observer_action& action = observer.action_;
        if (action.call_row && (event.value || !action.wants_value)) [[likely]] {
            action.call_row(action.function, event.world, event.entity, event.value);
        } else {
            observer.call_row(trigger, event, record);
        }
    }
}

void observer::on_any_event(events::listener& me, const event_data& event) {
    trigger& trigger = trigger_of(me);
    observer& observer = *trigger.owner;
    // An event about no entity matches no term.
    if (observer.is_awake() && (event.entity != 0 || !observer.query_)) {
        running guard(observer);
        observer.call_row(trigger, event, observer.data_.entities.at(index_of(event.entity)));
    }
}

void observer::on_term(events::listener& me, const event_data& event) {
    trigger& trigger = trigger_of(me);
    observer& observer = *trigger.owner;
    if (observer.is_awake() && event.entity != 0) {
        running guard(observer);
        observer.run_term(trigger, event);
    }
}

// An entity is derived from an element of a term for the first time: its ids count from now on.
void observer::on_first_derived(events::listener& me, const event_data&) {
    const trigger& received = trigger_of(me);
    observer& owner = *received.owner;
    owner.register_waiting(registers_when::derived,
                           [&](const trigger& trigger) { return trigger.term == received.term; });
    // The term may hold by the id of a subtype now, so the query must be run.
    for (trigger& trigger : owner.triggers_) {
        trigger.on_event = trigger.on_event == on_plain ? on_term : trigger.on_event;
    }
    owner.refresh_calls();
}

// Receives all ids. Ids that another trigger of the same term receives are left to it.
void observer::on_derived(events::listener& me, const event_data& event) {
    const trigger& received = trigger_of(me);
    const auto& all = received.owner->triggers_;
    const bool is_received = std::any_of(all.begin(), all.end(), [&](const trigger& trigger) {
        return trigger.on_event != on_derived && trigger.event == received.event &&
               trigger.cause == received.cause && trigger.term == received.term &&
               matches_id(trigger.pattern, event.id);
    });
    if (!is_received) {
        on_term(me, event);
    }
}

// True if a result is reported once per step: several terms may lead to it, or an id and the pair
// through which it becomes visible. A value that is set is reported each time.
bool observer::is_notified_once(const trigger& trigger) const noexcept {
    const bool by_way =
        term_of(trigger).follows() && (trigger.event == OnAdd || trigger.event == OnRemove ||
                                       trigger.event == UnSet || trigger.on_event == on_edge);
    return by_way || (several_ && trigger.event != OnSet);
}

// The hash of the subject of a result: $this and the other variables.
std::uint64_t observer::hash_of_row(const detail::result& result,
                                    std::uint32_t row) const noexcept {
    std::uint64_t hash = result.count ? result.entities[row] : 0;
    for (std::uint32_t i = 1; result.variables && i < model().variable_count; ++i) {
        hash = base::combine(hash, result.variables[i]);
    }
    return hash;
}

// False if the result was reported in this step already.
bool observer::note_emitted(const trigger& trigger, const detail::result& result,
                            std::uint32_t row) {
    // A nested call belongs to a nested step; the results of the outer step are still needed.
    const bool nested = world_.events.innermost()->older != nullptr;
    if (emitted_.step != world_.operation.step && !nested) {
        emitted_.step = world_.operation.step;
        emitted_.all.clear();
    }
    std::uint64_t hash = base::combine(hash_of_row(result, row), world_.operation.step);
    for (std::uint32_t i = 0; i < result.field_count; ++i) {
        hash = base::combine(hash, result.fields[i].id);
    }
    const term& term = term_of(trigger);
    if (term.flags & TraverseAll) {
        hash = base::combine(hash, result.fields[term.field].source);
    }
    return emitted_.all.add(data_.mem, base::mix(base::combine(hash, trigger.event)));
}

// Calls the callback with some rows of a result.
void observer::call_some(const trigger& trigger, const event_data& event, id_t id,
                         const detail::result& result, std::uint32_t first, std::uint32_t count) {
    detail::field_data fields[queries::max_terms];
    for (std::uint32_t i = 0; i < result.field_count; ++i) {
        fields[i] = result.fields[i];
        fields[i].value += fields[i].value ? std::size_t{fields[i].stride} * first : 0;
    }
    detail::result some = result;
    some.fields = fields;
    some.entities += first;
    some.first_row += first;
    some.count = count;
    call(trigger, event, id, some);
}

// A table with several ids that have triggers is reported once, for the first of them.
void observer::on_table(events::listener& me, const event_data& event) {
    trigger& trigger = trigger_of(me);
    observer& observer = *trigger.owner;
    if (!observer.is_awake()) {
        return;
    }
    running guard(observer);
    const table& type = observer.data_.tables.at(event.table);
    if (type.flags & observer.hidden_ || !observer.fits_type(trigger, event, type)) {
        return;
    }
    detail::result result{};
    result.table = event.table;
    containers::small_vec<detail::field_data, 16> fields(observer.data_.mem, purpose::commands);
    for (std::uint32_t i = 0; i < observer.model().field_count; ++i) {
        fields.push({});
    }
    for (const term& term : observer.model()) {
        fields[term.field].id = term.id;
    }
    fields[observer.term_of(trigger).field].id = event.id;
    result.fields = fields.data();
    result.field_count = fields.size();
    observer.call(trigger, event, event.id, result);
}

// True if the type satisfies the terms about $this, and the event's id is the first one that does.
bool observer::fits_type(const trigger& trigger, const event_data& event, const table& type) const {
    bool is_first = true;
    bool satisfied = false;  // a member of the present Or chain holds
    for (std::uint32_t i = 0; i < model().count; ++i) {
        const term& term = model().terms[i];
        if (term.from != source_kind::self || term.kind != queries::term_kind::ids ||
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

void observer::yield_existing(entity_t event) {
    KITH_ASSERT(query_, "existing results are those of a query");
    running guard(*this);
    const trigger* first = nullptr;
    for (const trigger& trigger : triggers_) {
        if (!first && trigger.event == event) {
            first = &trigger;
        }
    }
    if (!first) {
        return;
    }
    const event_data data{&world_, event, 0, 0, nullptr};
    // The callback may make an observer with the same callback: nesting limits such chains.
    const events::registry::nesting nested(world_.events, data, first);
    run(*first, data, {}, [&](const detail::result& result) -> id_t {
        if (event != OnSet) {
            return result.field_count ? result.fields[term_of(*first).field].id : 0;
        }
        // OnSet is about values: the first field with one decides.
        for (const trigger& trigger : triggers_) {
            const detail::field_data& field = result.fields[term_of(trigger).field];
            if (trigger.event == OnSet &&
                (field.value || (field.flags & detail::field_set &&
                                 traits::find_constant_value(data_, field.id)))) {
                return field.id;
            }
        }
        return 0;
    });
}

}  // namespace kith::observe
