// Notifications about ids: which subjects are run, and which of their results are reported.
#include "observe/observer/notification.hpp"

namespace kith::observe {

using queries::source_kind;
using storage::entity_record;

void notification::run_plain(bool is_hidden) {
    if (!is_hidden && filter_.is_visible_change(event_.entity, event_.id)) {
        parts_.callback.call_row(trigger_, event_, data_.entities.at(index_of(event_.entity)));
    }
    run_dependents();
}

void notification::run_without_id() {
    parts_.runs.each_of_subject(term_, event_.entity, [&](const detail::result& result) {
        parts_.callback.call_new(trigger_, event_, 0, result);
    });
}

void notification::run_term() {
    auto select = [&](const detail::result& result) { return select_concerned(result); };
    const bool existential = filter_.is_existential();
    if (term_.from == source_kind::self && !existential) {
        if (filter_.is_visible_change(event_.entity, event_.id)) {
            run_for(event_.entity, select);
        }
        run_dependents();
        return;
    }
    dependents subjects(data_);
    if (trigger_.event != OnDelete) {
        subjects.collect_seeing(term_, event_.entity);
    } else {
        subjects.add(event_.entity);
    }
    for (entity_t subject : subjects) {
        if (can_be_subject(term_, subject) &&
            (existential || filter_.is_visible_change(subject, event_.id))) {
            run_for(subject, select);
        }
    }
}

void notification::run_dependents() {
    if (!term_.follows() || trigger_.event == OnDelete) {
        return;
    }
    dependents subjects(data_);
    subjects.collect_seeing(term_, event_.entity);
    auto select = [&](const detail::result& result) { return select_concerned(result); };
    parts_.runs.each_of_entities(
        subjects, 1,
        [&](entity_t subject) { return filter_.is_visible_change(subject, event_.id); },
        reporter(select));
}

void notification::run_cover() {
    const entity_record& record = data_.entities.at(index_of(event_.entity));
    const bool removed = trigger_.cause == events::after_remove;
    const bool down = term_.flags & Down;
    if (!removed && !down && !(record.state & storage::record_referenced)) {
        return;
    }
    dependents subjects(data_);
    subjects.collect_seeing(term_, event_.entity);
    // An added id starts with the value that was visible before, so only subjects that saw the
    // value of another owner see a new one.
    other_state& before = filter_.other();
    const entity_t former_owner =
        removed ? event_.entity : before.find_beyond(event_.entity, term_, event_.id);
    auto changes = [&](entity_t subject) {
        const entity_t owner = before.find_owner(subject, term_, event_.id);
        return removed ? owner == former_owner : owner != 0 && owner != former_owner;
    };
    auto select = [&](const detail::result& result) {
        const detail::field_data& field = result.fields[term_.field];
        const bool other = removed ? field.source != 0 : field.source == event_.entity;
        return field.value && other && field.id == event_.id ? field.id : id_t{0};
    };
    if (term_.from == source_kind::self) {
        parts_.runs.each_of_entities(subjects, removed ? 0 : 1, changes, reporter(select));
        return;
    }
    for (entity_t subject : subjects) {
        if (can_be_subject(term_, subject) && changes(subject)) {
            run_for(subject, select);
        }
    }
}

void notification::run_hiding() {
    dependents subjects(data_);
    subjects.collect_seeing(term_, event_.entity);
    run_each(subjects, [&](const detail::result& result) -> id_t {
        const detail::field_data& field = result.fields[term_.field];
        const entity_t subject = subject_of(term_, result);
        const bool inherited = field.source != 0 && field.source != subject;
        return inherited && field.id != event_.id &&
                       pair_first(field.id) == pair_first(event_.id) &&
                       filter_.is_visible_change(subject, field.id)
                   ? field.id
                   : id_t{0};
    });
}

}  // namespace kith::observe
