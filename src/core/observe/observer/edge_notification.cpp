// Notifications about edges: what subjects see through an added or removed pair.
#include "observe/observer/edge_notification.hpp"

#include <algorithm>

namespace kith::observe {

using direction = dependents::direction;

edge_notification::edge_notification(observer_parts& parts, const trigger& received,
                                     const events::event_data& event)
    : notification(parts, received, event),
      is_way_(pair_first(event.id) == term_.trav),
      down_(is_way_ && term_.flags & Down),
      added_(received.cause == OnAdd || received.cause == events::after_add),
      target_(data_.entities.alive_at(pair_second(event.id))),
      seen_(data_) {}

void edge_notification::run() {
    if (is_reported_by_deletion()) {
        return;
    }
    if (added_ && is_way_) {
        begin_addition();
    }
    dependents subjects(data_);
    subjects.collect_seeing(term_, down_ ? target_ : event_.entity);
    if (filter_.is_existential() && trigger_.event != OnSet) {
        run_truth(subjects);
        return;
    }
    collect_seen();
    run_each(subjects, [&](const detail::result& result) { return select_seen(result); });
}

bool edge_notification::is_reported_by_deletion() const noexcept {
    return trigger_.cause == OnRemove && !down_ && parts_.context.world.deletion.entity != 0 &&
           mutate::is_pending_delete(data_, index_of(target_));
}

void edge_notification::begin_addition() {
    parts_.triggers.register_waiting(registers_when::pairs, [&](const trigger& waiting) {
        return parts_.context.model().terms[waiting.term].trav == term_.trav;
    });
    parts_.copies.begin_step(parts_.context.world.operation.step);
}

void edge_notification::run_truth(const dependents& subjects) {
    run_each(subjects, [&](const detail::result& result) -> id_t {
        const detail::field_data& field = result.fields[term_.field];
        if ((trigger_.event == UnSet && !field.value) || !filter_.differs(result)) {
            return 0;
        }
        return term_.oper == Not ? satisfying_ids(data_, term_, result).bound_term().id : field.id;
    });
}

void edge_notification::collect_seen() {
    const entity_t first_seen = down_ ? event_.entity : target_;
    if (is_way_) {
        seen_.collect(first_seen, term_.trav,
                      down_ ? direction::to_sources : direction::to_targets);
    }
    if (term_.trav != IsA) {
        seen_.collect(first_seen, IsA, direction::to_targets);
    }
}

id_t edge_notification::select_seen(const detail::result& result) {
    const detail::field_data& field = result.fields[term_.field];
    const entity_t subject = subject_of(term_, result);
    // An own id of the subject is not seen through the pair.
    if (field.source == 0 || (field.source == subject && term_.flags & Self)) {
        return 0;
    }
    const bool counts = trigger_.event == OnSet
                            ? is_new_value(subject, field)
                            : seen_.has(field.source) && (trigger_.event != UnSet || field.value) &&
                                  filter_.is_visible_change(subject, field.id);
    if (!counts) {
        return 0;
    }
    // The callback is called for the copy instead.
    if (is_copied(field.id)) {
        if (trigger_.event == OnAdd) {
            parts_.copies.expect(trigger_, subject, field.id);
        }
        return 0;
    }
    if (added_ && trigger_.event == OnAdd && subject == event_.entity) {
        parts_.copies.note_visible(trigger_, subject, field.id);
    }
    return field.id;
}

bool edge_notification::is_new_value(entity_t subject, const detail::field_data& field) {
    const bool all = term_.flags & TraverseAll;
    const entity_t before = all ? 0 : filter_.other().find_owner(subject, term_, field.id);
    return field.value && before != field.source && seen_.has(added_ ? field.source : before);
}

// An instance gets a copy of each id that a base marks with Override.
bool edge_notification::is_copied(id_t id) const {
    return added_ && term_.trav == IsA && term_.flags & Self &&
           std::any_of(seen_.begin(), seen_.end(), [&](entity_t base) {
               const storage::table& type =
                   data_.tables.at(data_.entities.at(index_of(base)).table);
               return type.flags & detail::shape_has_marks &&
                      storage::find_id(type, Override | id) >= 0;
           });
}

}  // namespace kith::observe
