// Decides which results of its query an observer reports for a change: those that begin, end, or
// are about the changed id.
//
// Covered by tests/features/observers/other_state_test.cpp and
// tests/features/observers/term_truth_test.cpp.
#pragma once

#include "observe/observer/other_state.hpp"
#include "observe/observer/trigger.hpp"
#include "observe/query_context.hpp"

namespace kith::observe {

// The entity whose ids the term asks for in this result.
entity_t subject_of(const queries::term& term, const detail::result& result) noexcept;

// The ids that instances of prefabs get copies of in the present step. An id that an instance sees
// through its base is reported when the instance gets its copy, not when it gets the base.
class awaited_copies {
public:
    explicit awaited_copies(containers::memory& mem) noexcept : mem_(mem) {}
    ~awaited_copies();
    awaited_copies(const awaited_copies&) = delete;
    awaited_copies& operator=(const awaited_copies&) = delete;

    // Forgets the ids of an earlier step.
    void begin_step(std::uint64_t step) noexcept;
    // Postpones the call until the subject gets its copy of the inherited id.
    void expect(const trigger& trigger, entity_t subject, id_t id);
    // Notes an id that the subject sees through another base of the same step: its copy is not
    // reported.
    void note_visible(const trigger& trigger, entity_t subject, id_t id);
    // True, once, if a call for the copy was postponed.
    bool take(const trigger& trigger, entity_t subject, id_t id) noexcept;

private:
    containers::memory& mem_;
    std::uint64_t step_ = 0;
    containers::vec<std::uint64_t> expected_;  // hashes of term, subject and id
    containers::vec<std::uint64_t> visible_;   // likewise
};

// The filter of one event that a trigger received. Requires: the event lives longer.
class change_filter {
public:
    change_filter(const query_context& context, const trigger& received,
                  const events::event_data& event, awaited_copies& copies) noexcept
        : context_(context),
          trigger_(received),
          term_(context.model().terms[received.term]),
          event_(event),
          copies_(copies),
          other_(context.world, event) {}

    // The state of the world on the far side of the change.
    other_state& other() noexcept { return other_; }
    // The result depends on whether the term holds, and not on the id that makes it hold.
    bool is_existential() const noexcept { return observe::is_existential(context_.data(), term_); }
    // False if the subject sees the id on both sides of the change.
    bool is_visible_change(entity_t subject, id_t id);
    // True if the term, or the Or chain that it is in, holds for the result on this side only; a
    // negated term, on the other side only.
    bool differs(const detail::result& result);
    // True if the result begins, ends or is changed by the event.
    bool concerns(const detail::result& result);

private:
    query_context context_;
    const trigger& trigger_;
    const queries::term& term_;  // of the trigger
    const events::event_data& event_;
    awaited_copies& copies_;
    other_state other_;
};

}  // namespace kith::observe
