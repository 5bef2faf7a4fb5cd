#include "observe/observer.hpp"

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
          auto& one = static_cast<observer&>(me);
          containers::memory& mem = one.data_.mem;
          one.~observer();
          mem.release(&one, sizeof(observer), purpose::index);
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

// Which triggers may call the callback without asking. As on_plain().
void observer::refresh_calls() noexcept {
    std::uint32_t unless = hidden_ | detail::shape_has_base | events::row_referenced;
    if (action_.wants_value) {
        unless |= events::row_without_value;
    }
    for (trigger& one : triggers_) {
        const bool at_once = enabled_ && !ended_ && one.on_event == on_plain && action_.call_row;
        one.at_once =
            at_once ? events::row_call{action_.call_row, action_.function, unless, deletion_epoch_}
                    : events::row_call{};
    }
}

void observer::start() {
    started_ = true;
    refresh_calls();
    for (trigger& one : triggers_) {
        if (one.waits == registers_when::nothing) {
            one.number = world_.events.add(one, one.cause, one.pattern);
        }
    }
    add_post_iteration(registers_when::pairs, [&](const trigger& one) {
        return !storage::each_pair(data_, term_of(one).trav,
                                   [](entity_t, std::uint32_t) { return false; });
    });
}

void observer::stop() noexcept {
    // Also after a start that failed on its way.
    for (trigger& one : triggers_) {
        if (started_ && one.number != 0) {
            world_.events.remove(one, one.cause, one.pattern, std::exchange(one.number, 0));
        }
    }
    started_ = false;
    if (monitor_) {
        monitor_list::release(*std::exchange(monitor_, nullptr));
    }
}

void observer::enter_leave(monitor_list& monitors, bool existing) {
    const std::uint32_t events =
        detail::monitor_enter | detail::monitor_leave | (existing ? detail::monitor_existing : 0u);
    monitor_ = &monitors.add(query_, events, {on_monitor_event, this, [](void*) noexcept {}},
                             row_at_a_time_);
}

void observer::on_monitor_event(void* me, const detail::observed& what) {
    observer& one = *static_cast<observer*>(me);
    if (one.enabled_ && !one.ended_) {
        running guard(one);
        if (events::trace* last = one.world_.events.tracing) [[unlikely]] {
            // The monitor has noted the call, and does not know by whom it is held.
            last->calls[(last->count - 1) % last->most].listener = one.entity_;
        }
        detail::event_info event = *what.event;
        event.context = one.context_;
        one.action_.call(one.action_.function, {what.world, what.query, what.found, &event});
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
    return static_cast<const queries::compiled_query&>(*query_).model;
}

// What is gone for good may have left its index to another entity.
bool observer::is_alive() noexcept {
    deletion_epoch_ = data_.deletion_epoch;
    refresh_calls();
    if (!query_) {
        return true;
    }
    for (const term& one : model()) {
        for (entity_t element : {one.first, one.second}) {
            if (one.is_required() && element != 0 && !data_.entities.find(element)) {
                stop();
                set_enabled(false);
                return false;
            }
        }
    }
    return true;
}

// The callback gets the entity's own value.
inline void observer::call_row(const trigger& by, const event_data& what,
                               const entity_record& record) {
    const detail::field_data field{
        static_cast<std::byte*>(what.value), nullptr, what.id, 0, what.value_size, field_flags_};
    detail::result found{};
    found.entities = &what.entity;
    found.count = what.entity != 0 ? 1 : 0;  // an event may be about no entity
    found.table = record.table;
    found.first_row = record.row;
    found.fields = &field;
    found.field_count = query_ ? 1 : 0;
    call(by, what, what.id, found);
}

void observer::on_plain(events::listener& me, const event_data& what) {
    trigger& by = trigger_of(me);
    observer& one = *by.owner;
    if (!one.is_awake()) {
        return;
    }
    running guard(one);
    const entity_record& record = one.data_.entities.at(index_of(what.entity));
    if (!one.data_.toggled_ids.empty()) [[unlikely]] {
        one.run_term(by, what);
        return;
    }
    const table& type = one.data_.tables.at(record.table);
    const mutate::change_view* side = one.world_.other_view;
    const std::uint32_t flags = type.flags | (side && side->type ? side->type->flags : 0);
    if (flags & detail::shape_has_base || record.state & storage::record_referenced) [[unlikely]] {
        other_state other(one.world_, what);
        if (!(type.flags & one.hidden_) && one.is_visible_change(by, other, what.entity, what.id)) {
            one.call_row(by, what, record);
        }
        one.run_dependents(by, what, other);
        return;
    }
    if (!(type.flags & one.hidden_)) [[likely]] {
        const detail::observer_action& action = one.action_;
        if (action.call_row && (what.value || !action.wants_value)) [[likely]] {
            action.call_row(action.function, what.world, what.entity, what.value);
        } else {
            one.call_row(by, what, record);
        }
    }
}

void observer::on_any_event(events::listener& me, const event_data& what) {
    trigger& by = trigger_of(me);
    observer& one = *by.owner;
    // An event about no entity matches no term.
    if (one.is_awake() && (what.entity != 0 || !one.query_)) {
        running guard(one);
        one.call_row(by, what, one.data_.entities.at(index_of(what.entity)));
    }
}

void observer::on_term(events::listener& me, const event_data& what) {
    trigger& by = trigger_of(me);
    observer& one = *by.owner;
    if (one.is_awake() && what.entity != 0) {
        running guard(one);
        one.run_term(by, what);
    }
}

// Something is derived from an element of a term, for the first time.
void observer::on_first_derived(events::listener& me, const event_data&) {
    const trigger& by = trigger_of(me);
    observer& owner = *by.owner;
    owner.add_post_iteration(registers_when::derived,
                             [&](const trigger& one) { return one.term == by.term; });
    // The id alone does not say any more whether the term holds.
    for (trigger& one : owner.triggers_) {
        one.on_event = one.on_event == on_plain ? on_term : one.on_event;
    }
    owner.refresh_calls();
}

// Of ids that count anyway, another trigger hears.
void observer::on_derived(events::listener& me, const event_data& what) {
    const trigger& by = trigger_of(me);
    const auto& all = by.owner->triggers_;
    const bool cause = std::any_of(all.begin(), all.end(), [&](const trigger& one) {
        return one.on_event != on_derived && one.event == by.event && one.cause == by.cause &&
               one.term == by.term && matches_id(one.pattern, what.id);
    });
    if (!cause) {
        on_term(me, what);
    }
}

// Of a result, the observer is told once in a step: several terms may lead there, or what is seen
// and the pair through which it is. Of a value that is set, it is told each time.
bool observer::is_notified_once(const trigger& by) const noexcept {
    const bool by_way = term_of(by).follows() && (by.event == OnAdd || by.event == OnRemove ||
                                                  by.event == UnSet || by.on_event == on_edge);
    return by_way || (several_ && by.event != OnSet);
}

// By what it is about: the entity, and variables.
std::uint64_t observer::hash_of_row(const detail::result& found, std::uint32_t row) const noexcept {
    std::uint64_t hash = found.count ? found.entities[row] : 0;
    for (std::uint32_t i = 1; found.variables && i < model().variable_count; ++i) {
        hash = base::combine(hash, found.variables[i]);
    }
    return hash;
}

// False if it was told of in this step already.
bool observer::note_emitted(const trigger& by, const detail::result& found, std::uint32_t row) {
    // A call inside of another is about a step inside of another, which goes on.
    const bool nested = world_.events.innermost()->older != nullptr;
    if (emitted_.step != world_.step && !nested) {
        emitted_.step = world_.step;
        emitted_.all.clear();
    }
    std::uint64_t hash = base::combine(hash_of_row(found, row), world_.step);
    for (std::uint32_t i = 0; i < found.field_count; ++i) {
        hash = base::combine(hash, found.fields[i].id);
    }
    const term& one = term_of(by);
    if (one.flags & TraverseAll) {
        hash = base::combine(hash, found.fields[one.field].source);
    }
    return emitted_.all.add(data_.mem, base::mix(base::combine(hash, by.event)));
}

void observer::call_some(const trigger& by, const event_data& what, id_t id,
                         const detail::result& found, std::uint32_t first, std::uint32_t count) {
    detail::field_data fields[queries::max_terms];
    for (std::uint32_t i = 0; i < found.field_count; ++i) {
        fields[i] = found.fields[i];
        fields[i].value += fields[i].value ? std::size_t{fields[i].stride} * first : 0;
    }
    detail::result some = found;
    some.fields = fields;
    some.entities += first;
    some.first_row += first;
    some.count = count;
    call(by, what, id, some);
}

// Of a table with several ids that wake the observer, it is told once.
void observer::on_table(events::listener& me, const event_data& what) {
    trigger& by = trigger_of(me);
    observer& one = *by.owner;
    if (!one.is_awake()) {
        return;
    }
    running guard(one);
    const table& type = one.data_.tables.at(what.table);
    if (type.flags & one.hidden_ || !one.fits_type(by, what, type)) {
        return;
    }
    detail::result found{};
    found.table = what.table;
    containers::small_vec<detail::field_data, 16> fields(one.data_.mem, purpose::commands);
    for (std::uint32_t i = 0; i < one.model().field_count; ++i) {
        fields.push({});
    }
    for (const term& asked : one.model()) {
        fields[asked.field].id = asked.id;
    }
    fields[one.term_of(by).field].id = what.id;
    found.fields = fields.data();
    found.field_count = fields.size();
    one.call(by, what, what.id, found);
}

// The type has what the terms ask of $this's table, and the event is about the first id of it.
bool observer::fits_type(const trigger& by, const event_data& what, const table& type) const {
    bool is_first = true;
    bool found = false;  // a member of the chain so far
    for (std::uint32_t i = 0; i < model().count; ++i) {
        const term& one = model().terms[i];
        if (one.from != source_kind::self || one.kind != queries::term_kind::ids ||
            one.is_from_list() || one.oper == Optional) {
            found = true;  // not a matter of the type
        } else {
            const std::int32_t at = storage::find_match(type, one.id, 0);
            if (at >= 0 && one.oper != Not && is_first) {
                is_first = false;
                if (i != by.term || type.ids[at] != what.id) {
                    return false;
                }
            }
            found |= (at >= 0) != (one.oper == Not);
        }
        if (one.oper == Or) {
            continue;
        }
        if (!found) {
            return false;
        }
        found = false;
    }
    return true;
}

void observer::yield_existing(entity_t event) {
    running guard(*this);
    const trigger* first = nullptr;
    for (const trigger& by : triggers_) {
        if (!first && by.event == event) {
            first = &by;
        }
    }
    if (!first) {
        return;
    }
    const event_data what{&world_, event, 0, 0, nullptr};
    // The callback may make another observer like this one.
    const events::registry::nesting nested(world_.events, what, first);
    run(*first, what, {}, [&](const detail::result& found) -> id_t {
        if (event != OnSet) {
            return found.field_count ? found.fields[term_of(*first).field].id : 0;
        }
        // Only values are set.
        for (const trigger& by : triggers_) {
            const detail::field_data& field = found.fields[term_of(by).field];
            if (by.event == OnSet &&
                (field.value || (field.flags & detail::field_set &&
                                 traits::find_constant_value(data_, field.id)))) {
                return field.id;
            }
        }
        return 0;
    });
}

}  // namespace kith::observe
