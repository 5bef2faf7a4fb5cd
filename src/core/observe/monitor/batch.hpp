// The notes of a monitor between the first change of a batch and the end of the batch. A batch is
// one operation or one queue of commands; the notes say which bindings of variables are affected by
// its changes, and which results with these bindings held before it. A batch object is used again
// for the next batch, so that recording allocates no memory as a rule.
//
// Invariants
// 1. A tuple of a group is marked 1 once all results with its values are in `before`; a tuple with
//    mark 0 is being recorded, or its recording has failed.
// 2. `left` is the number of entries of `before` whose mark is not `was_emitted`.
// 3. `everything` is set only after each result that held before the batch is in `before`, was
//    reported as ended, or counts as ended (see recorder::attempt).
// 4. `entering`, `places` and `left_places` are filled by the comparison at the end of the batch
//    and are empty before it, unless a comparison has failed.
//
// Covered by tests/features/monitors/monitor_test.cpp.
#pragma once

#include "base/assert.hpp"
#include "observe/monitor/binding.hpp"
#include "observe/monitor/tuple_set.hpp"

#include <memory>
#include <vector>

namespace kith::observe {

// The state of a result that held before the batch: not compared yet, found again by the
// comparison, or reported as ended.
enum result_mark : std::uint8_t { was_there, still_there, was_emitted };

// A result of the comparison, and the row where its entity lies.
struct result_place {
    std::uint32_t number;  // of the result's tuple in `entering` or `before`
    std::uint32_t table;
    std::uint32_t row;
};

// The recorded part of a monitor's results. Fields are public because the monitor works on them
// directly.
struct monitor_batch {
    // The affected bindings that give values to the same variables.
    struct group {
        group(containers::memory& mem, variable_set bound) noexcept
            : which(bound), values(mem, static_cast<std::uint32_t>(std::popcount(bound))) {}
        variable_set which;
        tuple_set values;  // mark 1: the results with these values are recorded
    };

    // `width` is the number of ids in a key, the tuple that tells results of the query apart.
    monitor_batch(containers::memory& mem, std::uint32_t width) noexcept
        : before(mem, width),
          ended(mem, 1),
          entering(mem, width),
          mem_(mem),
          rows_(mem, queries::this_variable) {}

    // Forgets all notes. Memory is kept unless the batch was large.
    void clear() noexcept;
    // Calls visit(group) for each group; the group of $this alone comes first.
    template <class Visit>
    void each_group(Visit&& visit) {
        visit(rows_);
        for (const auto& other : others_) {
            visit(*other);
        }
    }
    // Returns the group of these variables and makes it if there is none. Requires: `which` is not
    // empty.
    group& ensure_group(variable_set which);
    // The group of $this alone.
    group& rows() noexcept { return rows_; }
    // True if the results of a binding that this key has are recorded: a result that is not in
    // `before` did not hold before the batch then.
    bool is_recorded(const id_t* key);
    // Records a result that holds before the change. Requires: the key is not recorded.
    void add_before(const id_t* key) {
        before.add(key, was_there);
        KITH_ASSERT(left < before.size(), "a recorded result is counted once");
        ++left;
    }
    // Marks the result as reported to end. False if it was reported already, or did not hold
    // before.
    bool take(const id_t* key) noexcept;

    tuple_set before;         // keys of results that held before, marked with result_mark
    std::uint32_t left = 0;   // results of `before` whose end is not reported yet
    bool everything = false;  // all results are recorded
    tuple_set ended;          // entities whose deletion is reported
    // Keys of results that hold now and did not before; mark 1: the callback was called.
    tuple_set entering;
    std::vector<result_place> places;       // of the results in `entering`
    std::vector<result_place> left_places;  // of the results in `before` that hold no more

private:
    containers::memory& mem_;
    group rows_;
    std::vector<std::unique_ptr<group>> others_;
};

}  // namespace kith::observe
