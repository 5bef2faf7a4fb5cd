// Records the results that a change may end, before the change is made.
//
// Covered by tests/features/monitors/monitor_test.cpp.
#pragma once

#include "base/attempt.hpp"
#include "observe/monitor/batch.hpp"
#include "observe/monitor/result_emitter.hpp"

namespace kith::observe {

// Lives for one event. Each function records results once per batch; if it throws, the earlier
// state of the results is unknown: see attempt().
class recorder {
public:
    recorder(monitored_query& query, monitor_callback& callback, monitor_batch& batch) noexcept
        : query_(query), callback_(callback), batch_(batch) {}

    // Calls record(). If it throws, all results are reported as ended, so that the comparison
    // reports the present results as new.
    template <class Record>
    void attempt(Record&& record) {
        base::attempt(record, [&] {
            degrade_to_full_diff();
            std::rethrow_exception(std::current_exception());
        });
    }

    // Records the results that the change may affect. Requires: the changed entity is alive.
    void record_change(const change& change);
    // A created entity has no results before the batch.
    void record_created(entity_t created);
    // Records the results in which a variable has the deleted entity as its value. Requires: the
    // deletion is not recorded.
    void record_delete(entity_t ending);
    void record_all();

private:
    void record_binding(const binding& binding);
    void record_row(entity_t affected);
    void record_results(const binding& binding);
    void record_held();
    bool is_operand(id_t id) const noexcept;
    void degrade_to_full_diff() noexcept;
    // True if the result is recorded or was reported as ended. A result that is neither is marked
    // as reported.
    bool is_known(const id_t* key) noexcept;

    monitored_query& query_;
    monitor_callback& callback_;
    monitor_batch& batch_;
};

}  // namespace kith::observe
