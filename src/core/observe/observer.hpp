// Observers: callbacks for what happens to the entities that a query matches. An observer is an
// entity with the tag Observer; it ends with the tag.
//
// An observer hears of an event through its triggers, one for each term and each way in which the
// event can concern the term. Where one plain id is all that it asks for, the callback is called at
// once; else the query says for which rows.
//
// Covered by tests/core/observe/.
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

// What a trigger waits for before it is added: until then it could hear nothing.
enum class registers_when : std::uint8_t {
    nothing,
    pairs,    // that its term follows
    derived,  // ids that count for its term: its elements have none that is derived from them yet
};

// Why an observer is called.
struct trigger : events::listener {
    observer* owner;
    entity_t event;      // as the observer is told of it
    entity_t cause;      // and what that follows from
    id_t pattern;        // of the ids
    std::uint32_t term;  // of the query
    registers_when waits;
    std::uint64_t number = 0;  // by which it listens
};

// What an observer is made from.
struct observer_setup {
    const entity_t* events = nullptr;
    std::uint32_t event_count = 0;
    void* context = nullptr;
    entity_t observed = 0;      // listens to events of this entity alone
    bool row_at_a_time = true;  // rows one at a time where they share a value
};

class observer : events::ended {
public:
    // Takes over the query (null: it has no terms) and the action, also if it throws.
    observer(mutate::stage& owner, entity_t entity, detail::query_head* query,
             const detail::observer_action& action, const observer_setup& setup);
    ~observer();
    observer(const observer&) = delete;
    observer& operator=(const observer&) = delete;

    entity_t entity() const noexcept { return entity_; }
    detail::query_head* query() const noexcept { return query_; }
    void set_enabled(bool enabled) noexcept;
    // Events are heard from now on.
    void start();
    // It is called no more, and destroyed when it is not running.
    void end() noexcept;
    // Calls the callback for all that matches now.
    void yield_existing(entity_t event);
    // Its event is Monitor: it is told when results begin and cease to hold.
    void enter_leave(monitor_list& monitors, bool existing);

private:
    friend class trigger_plan;
    class running;

    // Results that it was called for in one step: where several ids come or go together, each of
    // them leads there.
    struct emitted_results {
        std::uint64_t step = 0;
        hash_set all;
    };
    // What a deletion may change: those for whom a term that must not hold may cease to, or who may
    // see another value; and what they see before.
    struct candidate {
        const trigger* by;
        entity_t subject;
    };
    struct predicted_results {
        containers::vec<candidate> candidates;
        hash_set known;  // the candidates
        hash_set held;   // results

        void release(containers::memory& mem) noexcept;
    };

    // How a trigger hears.
    static void on_plain(events::listener& me, const events::event_data& event);
    static void on_term(events::listener& me, const events::event_data& event);
    static void hear_without_id(events::listener& me, const events::event_data& event);
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
    bool is_awake() noexcept {
        return enabled_ && !ended_ && (deletion_epoch_ == data_.deletion_epoch || is_alive());
    }
    bool is_alive() noexcept;
    void refresh_calls() noexcept;
    void stop() noexcept;

    static void on_monitor_event(void* me, const detail::observed& observed);
    void call(const trigger& trigger, const events::event_data& what, id_t id,
              const detail::result& result) {
        const detail::event_info event{trigger.event, id, what.payload, context_};
        action_.call(action_.function, {what.world, query_, &result, &event});
    }
    void call_row(const trigger& trigger, const events::event_data& event,
                  const storage::entity_record& record);
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
    template <class Wanted>
    void run(const trigger& trigger, const events::event_data& event, detail::run_options options,
             Wanted&& wanted);
    template <class Picks, class Wanted>
    void run_entities(const trigger& trigger, const events::event_data& event,
                      const dependents& entities, std::uint32_t first, Picks&& picks,
                      Wanted&& wanted);
    template <class Wanted>
    void run_for(const trigger& trigger, const events::event_data& event, entity_t subject,
                 Wanted&& wanted);
    template <class Wanted>
    void run_each(const trigger& trigger, const events::event_data& event,
                  const dependents& entities, Wanted&& wanted);
    void run_dependents(const trigger& trigger, const events::event_data& event,
                        other_state& other);
    void run_edge(const trigger& trigger, const events::event_data& event);
    bool is_visible_change(const trigger& trigger, other_state& other, entity_t subject, id_t id);
    void expect_copy(const trigger& trigger, entity_t subject, id_t id);
    bool takes_awaited(const trigger& trigger, entity_t subject, id_t id) noexcept;
    template <class Picks>
    void add_post_iteration(registers_when awaited, Picks&& picks);
    void run_term(const trigger& trigger, const events::event_data& event);
    void collect_seeing(const queries::term& term, entity_t entity, dependents& entities) const;
    bool can_be_subject(const queries::term& term, entity_t entity) const noexcept;
    satisfying_ids counted(const queries::term& term, const detail::result& result) const;
    bool differs(const queries::term& term, other_state& other, const detail::result& result) const;
    bool concerns(const trigger& trigger, const events::event_data& event, other_state& other,
                  const detail::result& result) const;
    bool is_notified_once(const trigger& trigger) const noexcept;
    bool note_emitted(const trigger& trigger, const detail::result& result, std::uint32_t row);
    void predict(const trigger& trigger, const events::event_data& event, entity_t from);
    void predict_one(const candidate& candidate, world_t* world);
    void notify_outcome(const candidate& candidate, hash_set& held,
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
    std::uint32_t hidden_ = 0;      // flags of tables that are left out
    std::uint32_t deletion_epoch_;  // when it was last seen that all it asks for is alive
    std::uint32_t running_ = 0;     // calls that are under way
    std::uint32_t field_flags_ = 0;
    bool enabled_ = true;
    bool ended_ = false;
    bool row_at_a_time_;
    bool several_ = false;  // of its terms wake it
    bool started_ = false;
    containers::vec<trigger> triggers_;
    monitor* monitor_ = nullptr;
    emitted_results emitted_;
    predicted_results predicted_;
    // What instances are about to get copies of, by hashes: those are told then.
    std::uint64_t awaited_step_ = 0;
    containers::vec<std::uint64_t> awaited_;
    // Ids that the entity sees by another base of the same step: their copies are no news.
    containers::vec<std::uint64_t> arrived_;
};

// Which events and ids wake an observer. Throws if none can.
class trigger_plan {
public:
    trigger_plan(observer& observer, const observer_setup& setup)
        : made_(observer), setup_(setup) {}
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

    observer& made_;
    const observer_setup& setup_;
};

}  // namespace kith::observe
