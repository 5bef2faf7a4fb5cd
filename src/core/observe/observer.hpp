// An observer: a callback that is called for events of the entities that a query matches. It
// belongs to an entity with the tag Observer and ends when the entity loses the tag.
//
// The registry of events calls an observer through its triggers, one for each term and each way in
// which an event can concern the term. If the query asks for one plain id, the callback is called
// at once; otherwise the query is run for the subjects whose view of the term has changed.
//
// observer.cpp implements the life of an observer and its callbacks; trigger_plan.cpp chooses the
// triggers; change_filter.cpp decides which results a change concerns; deletion_diff.cpp reports
// the consequences of a deletion; observer_runs.hpp has the templates that these files share.
//
// Covered by tests/features/observers/.
#pragma once

#include <kith/detail/event_ops.hpp>

#include "mutate/stage.hpp"
#include "observe/dependents.hpp"
#include "observe/hash_set.hpp"
#include "observe/monitor_list.hpp"
#include "observe/other_state.hpp"
#include "query/compiled_query.hpp"

namespace kith::observe {

class observer;

// What a trigger waits for before it is registered. Until then no event can concern it, and the
// operations need not dispatch any.
enum class registers_when : std::uint8_t {
    nothing,
    pairs,    // a pair of the relationship that the term follows
    derived,  // an entity derived from an element of the term, whose ids satisfy the term
};

// A subscription of an observer to an event and a pattern of ids, for one term.
struct trigger : events::listener {
    observer* owner;
    entity_t event;  // that the callback receives
    entity_t
        cause;     // that the trigger listens to; internal events precede or follow the public ones
    id_t pattern;  // of the ids that it listens to
    std::uint32_t term;  // of the query
    registers_when waits;
    std::uint64_t number = 0;  // in the registry; 0: not registered
};

// The description of an observer besides its query and its callback.
struct observer_setup {
    const entity_t* events = nullptr;
    std::uint32_t event_count = 0;
    void* context = nullptr;
    entity_t observed = 0;      // if not 0: only events of this entity count
    bool row_at_a_time = true;  // rows with a shared value are reported in separate calls
};

// One observer. observer_set owns it.
class observer : events::ended {
public:
    // The observer owns the query (null: it has no terms) and the action, once it is constructed.
    observer(mutate::stage& owner, entity_t entity, detail::query_head* query,
             const detail::observer_action& action, const observer_setup& setup);
    ~observer();
    observer(const observer&) = delete;
    observer& operator=(const observer&) = delete;

    entity_t entity() const noexcept { return entity_; }
    detail::query_head* query() const noexcept { return query_; }
    void set_enabled(bool enabled) noexcept;
    // Registers the triggers. Requires: trigger_plan has run, and start() was not called before.
    void start();
    // Ends all subscriptions. The observer is destroyed when none of its callbacks is running.
    void end() noexcept;
    // Calls the callback for all present results, as if `event` had just happened. Requires: the
    // observer has a query.
    void yield_existing(entity_t event);
    // For observers of the event Monitor: makes a monitor that calls the callback when results
    // enter or leave. Requires: the observer has a query and no monitor.
    void enter_leave(monitor_list& monitors, bool existing);

private:
    friend class trigger_plan;
    class running;

    // The results that the callback received in one step of the world. Where several ids change
    // together, each of them leads to the same result.
    struct emitted_results {
        std::uint64_t step = 0;
        hash_set all;  // of result, ids and event
    };
    // A subject whose results a deletion may change, and the trigger that says so.
    struct candidate {
        const trigger* reason;
        entity_t subject;
    };
    // Subjects whose results a deletion may change, because a negated term may begin to hold or
    // another value may become visible, and the results that they have before the deletion.
    struct predicted_results {
        containers::vec<candidate> candidates;
        hash_set known;  // of the candidates
        hash_set held;   // of their results

        void release(containers::memory& mem) noexcept;
    };

    // Callbacks of triggers, which the registry calls. on_plain() serves observers of one plain id.
    static void on_plain(events::listener& me, const events::event_data& event);
    static void on_term(events::listener& me, const events::event_data& event);
    static void on_event_without_id(events::listener& me, const events::event_data& event);
    static void on_edge(events::listener& me, const events::event_data& event);
    static void on_cover(events::listener& me, const events::event_data& event);
    static void on_hiding(events::listener& me, const events::event_data& event);
    static void on_first_derived(events::listener& me, const events::event_data& event);
    static void on_derived(events::listener& me, const events::event_data& event);
    static void on_cascade_remove(events::listener& me, const events::event_data& event);
    static void on_edge_loss(events::listener& me, const events::event_data& event);
    static void on_after_delete(events::listener& me, const events::event_data& event);
    static void on_table(events::listener& me, const events::event_data& event);
    static void on_any_event(events::listener& me, const events::event_data& event);

    const queries::query_model& model() const noexcept;
    const queries::term& term_of(const trigger& trigger) const noexcept {
        return model().terms[trigger.term];
    }
    // True if the callback may be called. The entities that the query names are looked up again
    // after each deletion in the world.
    bool is_awake() noexcept {
        return enabled_ && !ended_ && (deletion_epoch_ == data_.deletion_epoch || is_alive());
    }
    // False, and disables the observer, if an entity that the query requires was deleted: its index
    // may belong to another entity now.
    bool is_alive() noexcept;
    // Decides which triggers the registry may serve by calling the callback directly.
    void refresh_calls() noexcept;
    void stop() noexcept;

    static void on_monitor_event(void* me, const detail::observed& observed);
    // Calls the callback.
    void call(const trigger& trigger, const events::event_data& event, id_t id,
              const detail::result& result) {
        const detail::event_info info{trigger.event, id, event.payload, context_};
        action_.call(action_.function, {event.world, query_, &result, &info});
    }
    void call_row(const trigger& trigger, const events::event_data& event,
                  const storage::entity_record& record);
    // Running the query (observer_runs.hpp).
    template <class Visit>
    void each_result(world_t* world, detail::run_options options, Visit&& visit);
    template <class Run>
    void with_subject(const queries::term& term, entity_t subject, Run&& run) const;
    void call_new(const trigger& trigger, const events::event_data& event, id_t id,
                  const detail::result& result);
    void call_some(const trigger& trigger, const events::event_data& event, id_t id,
                   const detail::result& result, std::uint32_t first, std::uint32_t count);
    template <class IsNew>
    void call_rows(const trigger& trigger, const events::event_data& event, id_t id,
                   const detail::result& result, IsNew&& is_new);
    template <class Select>
    void run(const trigger& trigger, const events::event_data& event, detail::run_options options,
             Select&& select);
    template <class Picks, class Select>
    void run_entities(const trigger& trigger, const events::event_data& event,
                      const dependents& entities, std::uint32_t first, Picks&& picks,
                      Select&& select);
    template <class Select>
    void run_for(const trigger& trigger, const events::event_data& event, entity_t subject,
                 Select&& select);
    template <class Select>
    void run_each(const trigger& trigger, const events::event_data& event,
                  const dependents& entities, Select&& select);
    // Deciding which results a change concerns (change_filter.cpp).
    void run_dependents(const trigger& trigger, const events::event_data& event,
                        other_state& other);
    void run_edge(const trigger& trigger, const events::event_data& event);
    bool is_visible_change(const trigger& trigger, other_state& other, entity_t subject, id_t id);
    void expect_copy(const trigger& trigger, entity_t subject, id_t id);
    bool takes_awaited(const trigger& trigger, entity_t subject, id_t id) noexcept;
    template <class Picks>
    void register_waiting(registers_when awaited, Picks&& picks);
    void run_term(const trigger& trigger, const events::event_data& event);
    void collect_seeing(const queries::term& term, entity_t entity, dependents& entities) const;
    bool can_be_subject(const queries::term& term, entity_t entity) const noexcept;
    satisfying_ids counted(const queries::term& term, const detail::result& result) const;
    bool differs(const queries::term& term, other_state& other, const detail::result& result) const;
    bool concerns(const trigger& trigger, const events::event_data& event, other_state& other,
                  const detail::result& result) const;
    bool is_notified_once(const trigger& trigger) const noexcept;
    bool note_emitted(const trigger& trigger, const detail::result& result, std::uint32_t row);
    // The consequences of a deletion (deletion_diff.cpp).
    void predict(const trigger& trigger, const events::event_data& event, entity_t from);
    void predict_one(const candidate& prediction, world_t* world);
    void notify_outcome(const candidate& prediction, hash_set& held,
                        const events::event_data& event);
    bool is_outcome(const trigger& trigger, const detail::result& result, std::uint32_t row,
                    hash_set& held);
    std::uint64_t hash_of_row(const detail::result& result, std::uint32_t row) const noexcept;
    std::uint64_t existence_hash(const trigger& trigger, const detail::result& result,
                                 std::uint32_t row) const;
    bool fits_type(const trigger& trigger, const events::event_data& event,
                   const storage::table& type) const;

    mutate::stage& world_;
    storage::store& data_;
    entity_t entity_;
    detail::query_head* query_;
    detail::observer_action action_;
    void* context_;
    std::uint32_t hidden_ = 0;  // flags of tables that the query leaves out
    std::uint32_t
        deletion_epoch_;  // of the store, when the named entities were last known to be alive
    std::uint32_t running_ = 0;      // calls of the callback that have not returned
    std::uint32_t field_flags_ = 0;  // of the field that plain triggers pass
    bool enabled_ = true;
    bool ended_ = false;
    bool row_at_a_time_;
    bool several_ = false;  // several terms can cause a call
    bool started_ = false;  // triggers may be registered
    containers::vec<trigger> triggers_;
    monitor* monitor_ = nullptr;  // of observers of the event Monitor
    emitted_results emitted_;
    predicted_results predicted_;
    // Hashes of ids of which instances are about to get copies in this step: the callback is called
    // for the copies.
    std::uint64_t awaited_step_ = 0;
    containers::vec<std::uint64_t> awaited_;
    // Hashes of ids that the entity sees through another base of the same step: their copies are
    // not reported.
    containers::vec<std::uint64_t> arrived_;
};

// Chooses the events and ids that an observer listens to (trigger_plan.cpp). run() throws if none
// of them can cause a call.
class trigger_plan {
public:
    trigger_plan(observer& observer, const observer_setup& setup)
        : observer_(observer), setup_(setup) {}
    void run();

private:
    void add_event(entity_t event);
    void add_anything(entity_t event);
    void add_term(entity_t event, std::uint32_t number);
    void add_opposite(entity_t event, std::uint32_t number);
    void add_edge(entity_t event, std::uint32_t number);
    void add_hiding(entity_t event, std::uint32_t number);
    void add_deletions();
    events::transient_policy transient_policy_of(std::uint32_t number) const noexcept;
    void add(entity_t event, entity_t cause, id_t pattern, std::uint32_t number,
             void (*on_event)(events::listener&, const events::event_data&),
             registers_when waits = registers_when::nothing);
    void add_derived(entity_t event, entity_t cause, std::uint32_t number);
    void expect_derived(std::uint32_t number);
    bool wakes(std::uint32_t number) const noexcept;
    bool is_plain(std::uint32_t number) const noexcept;
    id_t pattern_of(const queries::term& term) const;

    observer& observer_;
    const observer_setup& setup_;
};

}  // namespace kith::observe
