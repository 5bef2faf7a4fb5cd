// Reports results that are certain to end by a change when the change is dispatched, while their
// values can still be read. For a monitor of OnAdd alone they count as ended as well, so that it
// reports those that enter again.
//
// Covered by tests/features/monitors/monitor_test.cpp.
#pragma once

#include "observe/monitor/batch.hpp"
#include "observe/monitor/result_emitter.hpp"

namespace kith::observe {

// Lives for one event. Requires: the results that the change may affect are recorded.
class certain_ends {
public:
    certain_ends(monitored_query& query, monitor_batch& batch, result_emitter& out) noexcept
        : query_(query), batch_(batch), out_(out) {}

    // Reports ends by a change; `event` is the event that announced it.
    void report_change(const change& change, entity_t event);
    // Reports the ends of all results in which a variable has the deleted entity as its value.
    void report_delete(entity_t ending);

private:
    // Reports ends that single terms prove, for queries that table_predicate does not decide.
    void report_by_terms(const change& change, entity_t event);
    // Reports the end of a result that the entity's type decides. Requires: the entity is alive.
    void report_row(entity_t leaving);
    // True if no other id can satisfy the term for the entity once the change has removed this one.
    bool is_last(const queries::term& term, const change& change) const;
    // True if each result in which the term is about this id ends by the change. `which` gets the
    // values of variables in these results.
    bool ends_by(std::uint32_t term, const change& change, bool removed, binding& which) const;
    // Reports the recorded results with these values. With `lost`, only results whose field of this
    // term is the id.
    void report_leave(const binding& which, const queries::term* lost, id_t id);

    monitored_query& query_;
    monitor_batch& batch_;
    result_emitter& out_;
};

}  // namespace kith::observe
