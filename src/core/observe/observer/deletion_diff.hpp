// The consequences of a deletion for an observer. Before the deletion, the observer records the
// subjects for which a negated term may begin to hold or another value may become visible, with
// their results. After it, the observer runs the query for these subjects again and reports results
// that are new or have another source.
//
// Covered by tests/features/observers/deletion_events_test.cpp.
#pragma once

#include "observe/observer/observer_callback.hpp"
#include "observe/observer/subject_runs.hpp"

#include <memory>
#include <vector>

namespace kith::observe {

// The predictions of one observer for the deletion that is under way.
class deletion_diff {
public:
    // A subject whose results a deletion may change, and the trigger that says so.
    struct candidate {
        const trigger* reason;
        entity_t subject;
    };
    // The candidates of a deletion and the results that they have before it.
    struct prediction {
        std::vector<candidate> candidates;
        graph::visit_set known;  // hashes of the candidates
        graph::visit_set held;   // hashes of their results
    };

    deletion_diff(const query_context& context, const subject_runs& runs,
                  observer_callback& callback) noexcept
        : context_(context), runs_(runs), callback_(callback) {}

    // Records the subjects that see ids of `from`, an entity that is about to lose an id.
    void predict(const trigger& trigger, entity_t from);
    // The prediction for a deletion that is complete, or null. Callbacks may cause an immediate
    // deletion, which has a prediction of its own.
    std::unique_ptr<prediction> take() noexcept { return std::move(predicted_); }
    // Reports the results of a candidate that the deletion has made.
    void report(const candidate& outcome, graph::visit_set& held, const events::event_data& event);

private:
    // Records the present results of a candidate.
    void record(const candidate& predicted);
    // True if the result is new; for OnSet, if it had a value of another owner before.
    bool is_outcome(const trigger& trigger, const detail::result& result, std::uint32_t row,
                    graph::visit_set& held) const;
    std::uint64_t existence_hash(const trigger& trigger, const detail::result& result,
                                 std::uint32_t row) const;
    const queries::term& term_of(const trigger& trigger) const noexcept {
        return context_.model().terms[trigger.term];
    }

    query_context context_;
    const subject_runs& runs_;
    observer_callback& callback_;
    std::unique_ptr<prediction> predicted_;  // null: the deletion concerns no subject
};

}  // namespace kith::observe
