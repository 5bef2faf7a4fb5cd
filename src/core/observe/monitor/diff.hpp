// The end of a monitor's batch: the recorded results are compared with the present ones, and the
// difference is reported.
//
// Covered by tests/features/monitors/monitor_test.cpp and tests/features/monitors/ranges_test.cpp.
#pragma once

#include "observe/monitor/batch.hpp"
#include "observe/monitor/result_emitter.hpp"

namespace kith::observe {

// The comparison of one batch, which is compared first and reported then.
class batch_diff {
public:
    batch_diff(monitored_query& query, monitor_callback& callback, monitor_batch& batch) noexcept
        : query_(query), callback_(callback), batch_(batch) {}

    // Finds the results that have entered and left. If it throws, the batch is complete for another
    // try.
    void compare();
    // Reports ended results first, then new results. Requires: compare() has succeeded.
    void report();

private:
    void compare_recorded();
    // Files a present result: a recorded result still holds, and any other result enters.
    void compare_result(const id_t* key, std::uint32_t table, std::uint32_t row);
    // Sorts by the keys without $this, then by table and row, so that rows of one call are
    // neighbours.
    void sort_places(const tuple_set& keys, std::vector<result_place>& places) const;
    void find_left();
    void update_held();
    // Reports one result by its key. Fields have the values that can still be read.
    void report_by_key(const id_t* key, result_emitter& out) const;
    // Reports places whose rows are consecutive rows of one table.
    void report_range(const result_place* first, const result_place* last);
    bool report_known_range(const result_place& first, std::uint32_t count);
    void run_range(const result_place& first, std::uint32_t count);
    // True if the entities of the places are alive and still in these rows.
    bool are_in_place(const result_place* first, const result_place* last) const noexcept;

    monitored_query& query_;
    monitor_callback& callback_;
    monitor_batch& batch_;
};

}  // namespace kith::observe
