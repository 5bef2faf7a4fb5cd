// The choice of triggers, term by term and event by event.
#include "observe/observer/trigger_plan.hpp"

#include "ids/builtin.hpp"
#include "query/plan/term_semantics.hpp"
#include "traits/implications.hpp"

#include <algorithm>

namespace kith::observe {

using events::transient_policy;
using queries::query_model;
using queries::source_kind;
using queries::term;
using queries::term_kind;

namespace {

bool is_removal(entity_t event) noexcept {
    return event == OnRemove || event == UnSet;
}

bool is_change(entity_t event) noexcept {
    return event == OnAdd || event == OnSet || is_removal(event);
}

bool is_table_event(entity_t event) noexcept {
    return event == OnTableCreate || event == OnTableDelete;
}

// True if the event is about ids, so that observers of it need terms.
bool is_builtin_event(entity_t event) noexcept {
    return is_change(event) || is_table_event(event) || event == OnDeleteTarget;
}

// True if events of the term's ids can cause a call.
bool wakes(const query_model& model, std::uint32_t number) noexcept {
    const term& waking = model.terms[number];
    if (waking.kind != term_kind::ids || waking.from == source_kind::none ||
        waking.is_from_list() || waking.oper == Optional || waking.is_filter) {
        return false;
    }
    return std::none_of(model.begin(), model.begin() + number, [&](const term& scope) {
        return scope.kind == term_kind::scope_open && scope.scope_end > number &&
               scope.oper != And && scope.oper != Or;
    });
}

// True if several terms can cause a call.
bool has_several_waking(const query_model& model) noexcept {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < model.count; ++i) {
        count += wakes(model, i);
    }
    return count > 1;
}

// True if the term asks for one id of $this and is the only one: the event itself says whether and
// with which value the callback is called.
bool is_plain(const storage::store& data, const query_model& model, const term& term) noexcept {
    return model.count == 1 && term.from == source_kind::self && term.oper == And &&
           !term.at_most_one && !term.value && !term.is_graph() && term.flags & Self &&
           (!term.follows() || term.inherits()) && !(term.flags & (Down | TraverseAll)) &&
           queries::find_semantics(data, term).is_plain();
}

// An observer of one id of an entity receives net effects only. Observers of several terms, or of
// ids of other entities, receive transient changes as well: otherwise they could receive the end of
// a result without its beginning.
transient_policy transient_policy_of(const query_model& model, const term& term) noexcept {
    if (model.count > 1) {
        return transient_policy::all;
    }
    if (!term.follows()) {
        return transient_policy::ignore;
    }
    return term.trav == IsA ? transient_policy::if_inherited : transient_policy::all;
}

// Adds the triggers of one term for the events of an observer.
class term_triggers {
public:
    term_triggers(observer& observer, std::uint32_t number, bool several)
        : observer_(observer),
          data_(observer.world().data),
          model_(observer.parts().context.model()),
          number_(number),
          term_(model_.terms[number]),
          pattern_(satisfying_ids(data_, term_, term_values{}).pattern()),
          several_(several) {}

    void add_event(entity_t event) {
        if (term_.oper == Not) {
            add_opposite(event);
        } else if (!is_table_event(event)) {
            add_ids(event);
        } else if (term_.from == source_kind::self) {
            add(event, event, pattern_, trigger_kind::table);
        }
    }
    // Listens to the first entity that is derived from an element of the term.
    void expect_derived() {
        for (entity_t element : {term_.first, term_.second}) {
            if (element != 0 && !ids::is_builtin(index_of(element))) {
                add(0, OnAdd, make_pair(IsA, element), trigger_kind::first_derived);
            }
        }
    }

private:
    void add_ids(entity_t event) {
        if (term_.id == Any && !is_builtin_event(event)) {
            // An event without an id matches the term `Any`.
            const bool alone = model_.count == 1 && term_.from == source_kind::self;
            add(event, event, 0, alone ? trigger_kind::any_event : trigger_kind::without_id);
            add(event, event, make_pair(Wildcard, Wildcard), trigger_kind::term);
        }
        const bool plain = is_change(event) && is_plain(data_, model_, term_);
        add(event, event, pattern_, plain ? trigger_kind::plain : trigger_kind::term);
        add_derived(event, event);
        if (is_change(event) && term_.follows()) {
            add_visible(event);
        }
    }
    // A result of a negated term begins after the id is removed, and ends before the id is added.
    void add_opposite(entity_t event) {
        if (event == OnAdd || event == OnRemove) {
            const entity_t cause = event == OnAdd ? events::after_remove : events::before_add;
            add(event, cause, pattern_, trigger_kind::term);
            add_derived(event, cause);
            if (term_.follows()) {
                add_edges(event, cause);
            }
        }
    }
    // Ids of entities that are derived from the term's elements later satisfy the term as well: the
    // trigger for all ids is registered when there is such an entity.
    void add_derived(entity_t event, entity_t cause) {
        const id_t all = is_pair(term_.id) ? make_pair(Wildcard, Wildcard) : id_t{Wildcard};
        if (pattern_ != all) {
            add(event, cause, all, trigger_kind::derived, registers_when::derived);
        }
    }
    // Ids that are visible through a relationship become visible, and invisible, with its pairs.
    void add_visible(entity_t event) {
        add_edges(event, is_removal(event) ? OnRemove : event == OnSet ? events::after_add : OnAdd);
        if (event == OnSet) {
            // Another value becomes visible when a pair, or an id that hides others, is removed.
            add_edges(event, events::after_remove);
            add(event, events::after_remove, pattern_, trigger_kind::cover, registers_when::pairs);
            add(event, OnAdd, pattern_, trigger_kind::cover, registers_when::pairs);
        } else if (event != UnSet) {
            add_hiding(event);
        }
    }
    // The pairs that a search follows: pairs of its relationship, and the bases of visited
    // entities.
    void add_edges(entity_t event, entity_t cause) {
        add(event, cause, make_pair(term_.trav, Wildcard), trigger_kind::edge);
        if (term_.trav != IsA) {
            add(event, cause, detail::any_base, trigger_kind::edge);
        }
    }
    // An own pair of an exclusive relationship hides inherited pairs.
    void add_hiding(entity_t event) {
        const id_t pairs = make_pair(term_.first, Wildcard);
        if (term_.inherits() && term_.is_required() && term_.first != 0 && is_pair(term_.id) &&
            traits::is_exclusive(traits::describe_id(data_, pairs).traits)) {
            add(event, event == OnAdd ? events::after_remove : events::before_add, pairs,
                trigger_kind::hiding, registers_when::pairs);
        }
    }
    // A result is reported once per step if several terms may lead to it, or an id and the pair
    // through which it becomes visible. A value that is set is reported each time.
    bool is_reported_once(entity_t event, trigger_kind kind) const noexcept {
        return (term_.follows() && (is_add_or_remove(event) || kind == trigger_kind::edge)) ||
               (several_ && event != OnSet);
    }
    void add(entity_t event, entity_t cause, id_t pattern, trigger_kind kind,
             registers_when waits = registers_when::nothing) {
        observer_.parts().triggers.add(
            {{handler_of(kind), observer_.entity(), transient_policy_of(model_, term_)},
             &observer_,
             event,
             cause,
             pattern,
             number_,
             waits,
             kind,
             is_reported_once(event, kind)});
    }

    observer& observer_;
    const storage::store& data_;
    const query_model& model_;
    std::uint32_t number_;
    const term& term_;
    id_t pattern_;  // of the ids that can satisfy the term
    bool several_;  // several terms can cause a call
};

// Adds the triggers of an observer without terms, or of one entity.
void plan_without_terms(observer& observer, const observer_setup& setup) {
    auto add = [&](entity_t event, id_t pattern) {
        constexpr trigger_kind kind = trigger_kind::any_event;
        observer.parts().triggers.add({{handler_of(kind), observer.entity()},
                                       &observer,
                                       event,
                                       event,
                                       pattern,
                                       0,
                                       registers_when::nothing,
                                       kind,
                                       false});
    };
    for (std::uint32_t i = 0; i < setup.event_count; ++i) {
        const entity_t event = setup.events[i];
        if (setup.observed != 0) {
            add(event, events::entity_pattern(setup.observed));
        } else if (is_builtin_event(event)) {
            mutate::raise_id(observer.world(), errc::invalid_operation, event,
                             "is about ids: an observer of it needs terms");
        } else {
            for (id_t pattern : {id_t{0}, id_t{Wildcard}, make_pair(Wildcard, Wildcard)}) {
                add(event, pattern);
            }
        }
    }
}

// The consequences of losses during a deletion are reported when the deletion is complete.
void add_deletions(trigger_set& triggers) {
    auto add_like = [&](trigger copy, entity_t cause, trigger_kind kind) {
        copy.cause = cause;
        copy.kind = kind;
        copy.on_event = handler_of(kind);
        triggers.add(copy);
    };
    const std::uint32_t count = triggers.size();
    for (std::uint32_t i = 0; i < count; ++i) {
        if (triggers[i].cause == events::after_remove) {
            const bool edge = triggers[i].kind == trigger_kind::edge;
            add_like(triggers[i], events::before_cascade_remove,
                     edge ? trigger_kind::edge_loss : trigger_kind::cascade_remove);
        }
    }
    if (triggers.size() != count) {
        trigger complete = triggers[count];
        complete.pattern = 0;
        complete.waits = registers_when::nothing;
        add_like(complete, events::after_delete, trigger_kind::after_delete);
    }
}

}  // namespace

void plan_triggers(observer& observer, const observer_setup& setup) {
    trigger_set& triggers = observer.parts().triggers;
    KITH_ASSERT(setup.event_count != 0, "an observer has an event");
    KITH_ASSERT(triggers.size() == 0, "triggers are planned once");
    if (setup.observed != 0 || !observer.query()) {
        plan_without_terms(observer, setup);
        return;
    }
    if (setup.events[0] == Monitor) {
        return;  // observer::enter_leave() makes a monitor instead
    }
    const query_model& model = observer.parts().context.model();
    const bool several = has_several_waking(model);
    auto each_waking = [&](auto&& visit) {
        for (std::uint32_t i = 0; i < model.count; ++i) {
            if (wakes(model, i)) {
                visit(term_triggers(observer, i, several));
            }
        }
    };
    for (std::uint32_t i = 0; i < setup.event_count; ++i) {
        each_waking([&](term_triggers term) { term.add_event(setup.events[i]); });
    }
    if (triggers.size() == 0) {
        base::raise(errc::invalid_operation,
                    "an observer needs a term that can notify it of its events: terms that are "
                    "optional, filters, comparisons, lists, or inside of a negated scope cannot");
    }
    each_waking([](term_triggers term) { term.expect_derived(); });
    add_deletions(triggers);
}

}  // namespace kith::observe
