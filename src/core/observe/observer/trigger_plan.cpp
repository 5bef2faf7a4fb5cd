// Chooses the triggers of an observer: for each term and event, the internal and public events and
// the patterns of ids that can create or end a result.
#include "observe/observer/trigger_plan.hpp"

#include "ids/builtin.hpp"
#include "observe/observer/dispatch.hpp"
#include "query/exec/executor.hpp"
#include "query/plan/term_semantics.hpp"
#include "traits/implications.hpp"

#include <algorithm>

namespace kith::observe {

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

// Calls visit(pairs) for the patterns of pairs that a search follows: pairs of its relationship,
// and the bases of visited entities.
template <class Visit>
void each_way(const term& term, Visit&& visit) {
    visit(make_pair(term.trav, Wildcard));
    if (term.trav != IsA) {
        visit(make_pair(IsA, Wildcard));
    }
}

// True if the event is about ids, so that observers of it need terms.
bool is_builtin_event(entity_t event) noexcept {
    return is_change(event) || is_table_event(event) || event == OnDeleteTarget;
}

}  // namespace

void trigger_plan::run() {
    KITH_ASSERT(setup_.event_count != 0, "an observer has an event");
    KITH_ASSERT(triggers_.size() == 0, "a plan is run once");
    if (setup_.events[0] == Monitor && observer_.query()) {
        return;  // observer::enter_leave() makes a monitor instead
    }
    std::uint32_t waking = 0;
    for (std::uint32_t i = 0; observer_.query() && i < model().count; ++i) {
        waking += wakes(i);
    }
    several_ = waking > 1;
    for (std::uint32_t i = 0; i < setup_.event_count; ++i) {
        add_event(setup_.events[i]);
    }
    if (triggers_.size() == 0) {
        base::raise(errc::invalid_operation,
                    "an observer needs a term that can notify it of its events: terms that are "
                    "optional, filters, comparisons, lists, or inside of a negated scope cannot");
    }
    for (std::uint32_t i = 0; observer_.query() && setup_.observed == 0 && i < model().count; ++i) {
        if (wakes(i)) {
            expect_derived(i);
        }
    }
    add_deletions();
}

// The consequences of losses during a deletion are reported when the deletion is complete.
void trigger_plan::add_deletions() {
    const std::uint32_t count = triggers_.size();
    for (std::uint32_t i = 0; i < count; ++i) {
        const trigger trigger = triggers_[i];
        if (trigger.cause == events::after_remove) {
            const bool edge = trigger.kind == trigger_kind::edge;
            add(trigger.event, events::before_cascade_remove, trigger.pattern, trigger.term,
                edge ? trigger_kind::edge_loss : trigger_kind::cascade_remove, trigger.waits);
        }
    }
    if (triggers_.size() != count) {
        add(0, events::after_delete, 0, 0, trigger_kind::after_delete);
    }
}

void trigger_plan::add_event(entity_t event) {
    if (setup_.observed != 0) {
        add(event, event, events::entity_pattern(setup_.observed), 0, trigger_kind::any_event);
        return;
    }
    if (!observer_.query()) {
        if (is_builtin_event(event)) {
            mutate::raise_id(observer_.world(), errc::invalid_operation, event,
                             "is about ids: an observer of it needs terms");
        }
        add_anything(event);
        return;
    }
    for (std::uint32_t i = 0; i < model().count; ++i) {
        if (wakes(i)) {
            add_term(event, i);
        }
    }
}

// An observer of one id of an entity receives net effects only. Observers of several terms, or of
// ids of other entities, receive transient changes as well: otherwise they could receive the end of
// a result without its beginning.
events::transient_policy trigger_plan::transient_policy_of(std::uint32_t number) const noexcept {
    if (!observer_.query()) {
        return events::transient_policy::ignore;
    }
    if (model().count > 1) {
        return events::transient_policy::all;
    }
    const term& term = model().terms[number];
    if (!term.follows()) {
        return events::transient_policy::ignore;
    }
    return term.trav == IsA ? events::transient_policy::if_inherited
                            : events::transient_policy::all;
}

void trigger_plan::add_anything(entity_t event) {
    for (id_t pattern : {id_t{0}, id_t{Wildcard}, make_pair(Wildcard, Wildcard)}) {
        add(event, event, pattern, 0, trigger_kind::any_event);
    }
}

// True if events of the term's ids can cause a call.
bool trigger_plan::wakes(std::uint32_t number) const noexcept {
    const queries::query_model& model = this->model();
    const term& trigger_term = model.terms[number];
    if (trigger_term.kind != term_kind::ids || trigger_term.from == source_kind::none ||
        trigger_term.is_from_list() || trigger_term.oper == Optional || trigger_term.is_filter) {
        return false;
    }
    for (std::uint32_t i = 0; i < number; ++i) {
        const term& scope = model.terms[i];
        if (scope.kind == term_kind::scope_open && scope.scope_end > number && scope.oper != And &&
            scope.oper != Or) {
            return false;
        }
    }
    return true;
}

// True if the term asks for one id of $this and is the only one: the event itself says whether and
// with which value the callback is called.
bool trigger_plan::is_plain(std::uint32_t number) const noexcept {
    const queries::query_model& model = this->model();
    const term& term = model.terms[number];
    const queries::term_semantics meaning = queries::find_semantics(data(), term);
    return model.count == 1 && term.from == source_kind::self && term.oper == And &&
           !term.at_most_one && !term.is_graph() && term.flags & Self &&
           (!term.follows() || term.inherits()) && !(term.flags & (Down | TraverseAll)) &&
           !meaning.first_subsets && !meaning.second_subsets && !meaning.transitive &&
           !meaning.reflexive;
}

// A pattern of the ids that can satisfy the term.
id_t trigger_plan::pattern_of(const term& term) const {
    return satisfying_ids(data(), term, term_values{}).pattern();
}

void trigger_plan::add_term(entity_t event, std::uint32_t number) {
    const term& term = model().terms[number];
    const id_t pattern = pattern_of(term);
    if (term.oper == Not) {
        add_opposite(event, number);
        return;
    }
    if (is_table_event(event)) {
        if (term.from == source_kind::self) {
            add(event, event, pattern, number, trigger_kind::table);
        }
        return;
    }
    if (term.id == Any && !is_builtin_event(event)) {
        // An event without an id matches the term `Any`.
        const bool alone = model().count == 1 && term.from == source_kind::self;
        add(event, event, 0, number, alone ? trigger_kind::any_event : trigger_kind::without_id);
        add(event, event, make_pair(Wildcard, Wildcard), number, trigger_kind::term);
    }
    const bool plain = is_change(event) && is_plain(number);
    add(event, event, pattern, number, plain ? trigger_kind::plain : trigger_kind::term);
    add_derived(event, event, number);
    if (is_change(event) && term.follows()) {
        add_edge(event, number);
    }
}

// A result of a negated term begins after the id is removed, and ends before the id is added.
void trigger_plan::add_opposite(entity_t event, std::uint32_t number) {
    const term& term = model().terms[number];
    if (event != OnAdd && event != OnRemove) {
        return;
    }
    const entity_t cause = event == OnAdd ? events::after_remove : events::before_add;
    add(event, cause, pattern_of(term), number, trigger_kind::term);
    add_derived(event, cause, number);
    if (term.follows()) {
        each_way(term, [&](id_t edges) { add(event, cause, edges, number, trigger_kind::edge); });
    }
}

// Ids of entities that are derived from the term's elements later satisfy the term as well: the
// trigger for all ids is registered when there is such an entity.
void trigger_plan::add_derived(entity_t event, entity_t cause, std::uint32_t number) {
    const term& term = model().terms[number];
    const id_t all = is_pair(term.id) ? make_pair(Wildcard, Wildcard) : id_t{Wildcard};
    if (pattern_of(term) != all) {
        add(event, cause, all, number, trigger_kind::derived, registers_when::derived);
    }
}

// Listens to the first entity that is derived from an element of the term.
void trigger_plan::expect_derived(std::uint32_t number) {
    const term& term = model().terms[number];
    for (entity_t element : {term.first, term.second}) {
        if (element != 0 && !ids::is_builtin(index_of(element))) {
            add(0, OnAdd, make_pair(IsA, element), number, trigger_kind::first_derived);
        }
    }
}

// Ids that are visible through a relationship become visible, and invisible, with its pairs.
void trigger_plan::add_edge(entity_t event, std::uint32_t number) {
    const term& term = model().terms[number];
    const entity_t cause = is_removal(event) ? OnRemove
                           : event == OnSet  ? events::after_add
                                             : OnAdd;
    each_way(term, [&](id_t edges) { add(event, cause, edges, number, trigger_kind::edge); });
    add_hiding(event, number);
    if (event == OnSet) {
        // Another value becomes visible when a pair, or an id that hides others, is removed.
        const id_t pattern = pattern_of(term);
        each_way(term, [&](id_t edges) {
            add(event, events::after_remove, edges, number, trigger_kind::edge);
        });
        add(event, events::after_remove, pattern, number, trigger_kind::cover,
            registers_when::pairs);
        add(event, OnAdd, pattern, number, trigger_kind::cover, registers_when::pairs);
    }
}

// An own pair of an exclusive relationship hides inherited pairs.
void trigger_plan::add_hiding(entity_t event, std::uint32_t number) {
    const term& term = model().terms[number];
    if ((event != OnAdd && event != OnRemove) || !term.inherits() || !term.is_required() ||
        term.first == 0 || !is_pair(term.id)) {
        return;
    }
    const id_t pairs = make_pair(term.first, Wildcard);
    if (traits::is_exclusive(traits::describe_id(data(), pairs).traits)) {
        add(event, event == OnAdd ? events::after_remove : events::before_add, pairs, number,
            trigger_kind::hiding, registers_when::pairs);
    }
}

// True if a result is reported once per step: several terms may lead to it, or an id and the pair
// through which it becomes visible. A value that is set is reported each time.
bool trigger_plan::is_notified_once(entity_t event, std::uint32_t number,
                                    trigger_kind kind) const noexcept {
    if (!observer_.query()) {
        return false;
    }
    const bool by_way =
        model().terms[number].follows() && (is_add_or_remove(event) || kind == trigger_kind::edge);
    return by_way || (several_ && event != OnSet);
}

void trigger_plan::add(entity_t event, entity_t cause, id_t pattern, std::uint32_t number,
                       trigger_kind kind, registers_when waits) {
    triggers_.add({{handler_of(kind), observer_.entity(), transient_policy_of(number)},
                   &observer_,
                   event,
                   cause,
                   pattern,
                   number,
                   waits,
                   kind,
                   is_notified_once(event, number, kind)});
}

}  // namespace kith::observe
