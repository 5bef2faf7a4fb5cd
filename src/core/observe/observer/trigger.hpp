// The triggers of an observer: its subscriptions to events, one for each term and each way in which
// an event can concern the term. trigger_plan chooses them, dispatch.cpp receives their events.
//
// Invariants
// 1. A trigger with a number is registered under its cause and pattern; a trigger that waits is not
//    registered.
// 2. Triggers do not move once start() was called: the registry refers to them.
//
// Covered by tests/features/observers/.
#pragma once

#include "mutate/context/stage.hpp"

#include <utility>

namespace kith::observe {

class observer;

// What a trigger waits for before it is registered. Until then no event can concern it, and the
// operations need not dispatch any.
enum class registers_when : std::uint8_t {
    nothing,
    pairs,    // a pair of the relationship that the term follows
    derived,  // an entity derived from an element of the term, whose ids satisfy the term
};

// The way in which events of a trigger concern its observer.
enum class trigger_kind : std::uint8_t {
    plain,           // an id of an observer that asks for one plain id
    term,            // an id that can satisfy the term
    derived,         // any id, which an entity derived from an element of the term may be part of
    first_derived,   // an entity is derived from an element of the term
    without_id,      // an event of the program without an id, for a term `Any`
    any_event,       // an event that no term has to match
    edge,            // a pair of a relationship that the term follows
    cover,           // an id that hides ids further away
    hiding,          // a pair of an exclusive relationship, which hides inherited pairs
    table,           // a table is created or deleted
    cascade_remove,  // a deletion is about to remove an id
    edge_loss,       // a deletion is about to remove a pair that the term follows
    after_delete,    // a deletion is complete
};
inline constexpr std::uint8_t trigger_kind_count = 13;

// A subscription of an observer to an event and a pattern of ids, for one term.
struct trigger : events::listener {
    observe::observer* observer;
    entity_t event;  // that the callback receives
    entity_t
        cause;     // that the trigger listens to; internal events precede or follow the public ones
    id_t pattern;  // of the ids that it listens to
    std::uint32_t term;  // of the query
    registers_when waits;
    trigger_kind kind;
    bool once;                 // each result is reported at most once per step
    std::uint64_t number = 0;  // in the registry; 0: not registered
};

// The trigger that the registry called.
inline trigger& trigger_of(events::listener& me) noexcept {
    return static_cast<trigger&>(me);
}

// The function that the registry calls for triggers of this kind. Implemented in dispatch.cpp.
using trigger_handler = void (*)(events::listener& me, const events::event_data& event);
trigger_handler handler_of(trigger_kind kind) noexcept;

// True if the event reports that an id begins or ceases to be visible.
inline bool is_add_or_remove(entity_t event) noexcept {
    return event == OnAdd || event == OnRemove || event == UnSet;
}

// The triggers of one observer.
class trigger_set {
public:
    explicit trigger_set(mutate::stage& world) noexcept : world_(world) {}
    ~trigger_set() {
        stop();
        triggers_.release(world_.data.mem, containers::purpose::index);
    }
    trigger_set(const trigger_set&) = delete;
    trigger_set& operator=(const trigger_set&) = delete;

    // Adds a trigger. Requires: start() was not called.
    void add(const trigger& added) {
        KITH_ASSERT(!started_, "triggers are chosen before they are registered");
        triggers_.push(world_.data.mem, added, containers::purpose::index);
    }
    // Registers the triggers that wait for nothing. If a subscription fails, stop() ends the
    // earlier ones.
    void start() {
        KITH_ASSERT(!started_, "an observer is started once");
        started_ = true;
        for (trigger& member : triggers_) {
            if (member.waits == registers_when::nothing) {
                subscribe(member);
            }
        }
    }
    // Ends all subscriptions.
    void stop() noexcept {
        for (trigger& member : triggers_) {
            if (member.number != 0) {
                world_.events.remove(member, member.cause, member.pattern,
                                     std::exchange(member.number, 0));
            }
        }
        started_ = false;
    }
    // Registers the triggers that waited for `awaited` and for which picks(trigger) is true.
    template <class Picks>
    void register_waiting(registers_when awaited, Picks&& picks) {
        for (trigger& member : triggers_) {
            if (member.waits == awaited && picks(member)) {
                subscribe(member);
                member.waits = registers_when::nothing;
            }
        }
    }

    trigger* begin() noexcept { return triggers_.begin(); }
    trigger* end() noexcept { return triggers_.end(); }
    std::uint32_t size() const noexcept { return triggers_.size(); }
    const trigger& operator[](std::uint32_t position) const noexcept { return triggers_[position]; }

private:
    void subscribe(trigger& member) {
        member.number = world_.events.add(member, member.cause, member.pattern);
    }

    mutate::stage& world_;
    containers::vec<trigger> triggers_;
    bool started_ = false;
};

}  // namespace kith::observe
