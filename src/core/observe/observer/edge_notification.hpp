// The notification about an edge: a pair of the relationship that a term follows, or an IsA pair of
// an entity that the term's search visits. Subjects see the ids of further entities through edges.
//
// Covered by tests/features/observers/propagation_test.cpp and
// tests/features/observers/prefab_copies_test.cpp.
#pragma once

#include "observe/observer/notification.hpp"

namespace kith::observe {

// Lives for one event. Requires: the event is about a pair.
class edge_notification : notification {
public:
    edge_notification(observer_parts& parts, const trigger& received,
                      const events::event_data& event);
    // Runs the query for the subjects that see ids through the pair, and reports the results that
    // begin, end or have another value by it.
    void run();

private:
    // True if the pair is removed because its target is deleted: the deletion of the target reports
    // its ids.
    bool is_reported_by_deletion() const noexcept;
    // Prepares the observer for ids that become visible through an added pair of the relationship.
    void begin_addition();
    // Reports results by whether the term begins or ceases to hold.
    void run_truth(const dependents& subjects);
    // Collects the entities that subjects see through the pair.
    void collect_seen();
    // The id of the result that becomes or ceases to be visible through the pair, or has another
    // value by it; 0 if there is none.
    id_t select_seen(const detail::result& result);
    // True if the subject sees another value than on the other side because of the pair.
    bool is_new_value(entity_t subject, const detail::field_data& field);
    // True if the added pair makes the subject an instance that gets a copy of the id.
    bool is_copied(id_t id) const;

    bool is_way_;  // the pair is of the followed relationship; else it gives a visited entity bases
    bool down_;    // subjects are found from the target of the pair
    bool added_;
    entity_t target_;
    dependents seen_;
};

}  // namespace kith::observe
