// A notification: one event on its way from a trigger to the callback of its observer. The query is
// run for the subjects whose view of the trigger's term has changed, and the callback is called for
// the results that the change concerns.
//
// Covered by tests/features/observers/.
#pragma once

#include "observe/observer/change_filter.hpp"
#include "observe/observer/deletion_diff.hpp"

namespace kith::observe {

// The parts of an observer that notifications use.
struct observer_parts {
    query_context context;
    trigger_set triggers;
    observer_callback callback;
    subject_runs runs;
    awaited_copies copies;
    deletion_diff deletions;
};

// Lives for one event. Requires: the observer has a query, and the event is about an entity.
class notification {
public:
    notification(observer_parts& parts, const trigger& received, const events::event_data& event)
        : parts_(parts),
          data_(parts.context.data()),
          trigger_(received),
          term_(parts.context.model().terms[received.term]),
          event_(event),
          filter_(parts.context, received, event, parts.copies) {}

    // An observer of one plain id: the event's entity gets, loses or sets the id, and has a base or
    // dependents. `is_hidden`: the query leaves the entity out.
    void run_plain(bool is_hidden);
    // An id that can satisfy the term: runs the query for all subjects that see it.
    void run_term();
    // An event without an id: runs the query for the event's entity.
    void run_without_id();
    // An id that hides the ids of entities further away was added or removed: subjects that see
    // another value by that are notified.
    void run_cover();
    // A pair of an exclusive relationship is about to hide inherited pairs, or has ceased to.
    void run_hiding();

protected:
    // Calls the callback for the results of the subjects for which select(result) is an id, not 0.
    // The callback receives that id. Each subject is run alone, because it has a view of its own.
    template <class Select>
    void run_each(const dependents& subjects, Select&& select) {
        for (entity_t subject : subjects) {
            run_for(subject, select);
        }
    }
    template <class Select>
    void run_for(entity_t subject, Select&& select) {
        parts_.runs.each_of_subject(term_, subject, reporter(select));
    }
    // A visitor of results that calls the callback for those for which select(result) is an id.
    template <class Select>
    auto reporter(Select& select) {
        return [&](const detail::result& result) {
            if (const id_t id = select(result)) {
                parts_.callback.call_new(trigger_, event_, id, result);
            }
        };
    }

    observer_parts& parts_;
    storage::store& data_;
    const trigger& trigger_;
    const queries::term& term_;  // of the trigger
    const events::event_data& event_;
    change_filter filter_;

private:
    // Runs the query for the dependents of the changed entity that see the id through it.
    void run_dependents();
    // The event's id, if the result begins, ends or is changed by the event.
    id_t select_concerned(const detail::result& result) {
        return filter_.concerns(result) ? event_.id : id_t{0};
    }
};

}  // namespace kith::observe
