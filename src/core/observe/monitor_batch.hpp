// What a monitor notes from the first change of a batch to its end: which bindings were touched,
// and which results with these there were. Used again for the next batch, so that notes take no
// memory as a rule.
//
// Covered by tests/core/observe/monitor_test.cpp.
#pragma once

#include "observe/affected_bindings.hpp"
#include "observe/tuple_set.hpp"

#include <bit>
#include <memory>

namespace kith::observe {

// Marks of results that held before.
enum result_mark : std::uint8_t { was_there, still_there, was_emitted };

// A new result, and where its row is.
struct result_place {
    std::uint32_t number;
    std::uint32_t table;
    std::uint32_t row;
};

template <class Visit>
void each_variable(variable_set which, Visit&& visit) {
    for (; which != 0; which &= which - 1) {
        visit(static_cast<std::uint8_t>(std::countr_zero(which)));
    }
}

struct monitor_batch {
    // Bindings of the same variables.
    struct group {
        group(containers::memory& mem, variable_set bound) noexcept
            : which(bound), values(mem, static_cast<std::uint32_t>(std::popcount(bound))) {}
        variable_set which;
        tuple_set values;  // marked: the results with them are noted
    };

    // `width`: of what tells results apart.
    monitor_batch(containers::memory& mem, std::uint32_t width) noexcept
        : before(mem, width),
          ended(mem, 1),
          entering(mem, width),
          mem_(mem),
          rows_(mem, queries::this_variable) {}

    void clear() noexcept;
    // Each group of bindings, the one of $this alone first.
    template <class Visit>
    void each_group(Visit&& visit) {
        visit(rows_);
        for (const auto& other : others_) {
            visit(*other);
        }
    }
    group& ensure_group(variable_set which);
    // Those of $this alone.
    group& rows() noexcept { return rows_; }
    // Some binding of the result is noted, so what is known of it is how it was before.
    bool is_recorded(const id_t* key);
    void add_before(const id_t* key) {
        before.add(key, was_there);
        ++left;
    }
    // The result is told to end now. False if it was told, or was not there before.
    bool take(const id_t* key) noexcept;

    tuple_set before;
    std::uint32_t left = 0;   // of `before`, those that were not told to have ended
    bool everything = false;  // all results are noted
    tuple_set ended;          // entities that are told to be no more
    // At the end of the batch.
    tuple_set entering;
    std::vector<result_place> places;       // of those
    std::vector<result_place> left_places;  // of those in `before` that hold no more

private:
    containers::memory& mem_;
    group rows_;
    std::vector<std::unique_ptr<group>> others_;
};

// The values that a tuple of such a group has, from all of them.
inline void project(variable_set which, const entity_t* values, id_t* tuple) {
    std::uint32_t count = 0;
    each_variable(which, [&](std::uint8_t variable) { tuple[count++] = values[variable]; });
}

}  // namespace kith::observe
