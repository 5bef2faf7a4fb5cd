#include "ids/builtin.hpp"
#include "observe/observer.hpp"
#include "observe/satisfying_ids.hpp"
#include "query/exec/executor.hpp"
#include "query/plan/term_meaning.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::observe {

using containers::purpose;
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

// Calls visit(pairs) for the pairs that a search follows: those of its relationship, and the bases
// of visited entities.
template <class Visit>
void each_way(const term& term, Visit&& visit) {
    visit(make_pair(term.trav, Wildcard));
    if (term.trav != IsA) {
        visit(make_pair(IsA, Wildcard));
    }
}

// Needs ids to be about.
bool is_builtin_event(entity_t event) noexcept {
    return is_change(event) || is_table_event(event) || event == OnDeleteTarget;
}

}  // namespace

void trigger_plan::run() {
    if (setup_.events[0] == Monitor && made_.query_) {
        return;  // a monitor tells it
    }
    for (std::uint32_t i = 0; i < setup_.event_count; ++i) {
        add_event(setup_.events[i]);
    }
    if (made_.triggers_.empty()) {
        base::raise(errc::invalid_operation,
                    "an observer needs a term that can tell it of its events: terms that are "
                    "optional, filters, comparisons, lists, or inside of a negated scope cannot");
    }
    for (std::uint32_t i = 0; made_.query_ && setup_.observed == 0 && i < made_.model().count;
         ++i) {
        if (wakes(i)) {
            expect_derived(i);
        }
    }
    add_deletions();
}

// What follows from a loss is told when a deletion is complete, not on the way.
void trigger_plan::add_deletions() {
    const std::uint32_t count = made_.triggers_.size();
    for (std::uint32_t i = 0; i < count; ++i) {
        const trigger trigger = made_.triggers_[i];
        if (trigger.cause == events::after_remove) {
            const bool edge = trigger.on_event == observer::on_edge;
            add(trigger.event, events::before_cascade_remove, trigger.pattern, trigger.term,
                edge ? observer::on_edge_loss : observer::on_cascade_remove, trigger.waits);
        }
    }
    if (made_.triggers_.size() != count) {
        add(0, events::after_delete, 0, 0, observer::on_after_delete);
    }
}

void trigger_plan::add_event(entity_t event) {
    if (setup_.observed != 0) {
        add(event, event, events::entity_pattern(setup_.observed), 0, observer::on_any_event);
        return;
    }
    if (!made_.query_) {
        if (is_builtin_event(event)) {
            mutate::raise_id(made_.world_, errc::invalid_operation, event,
                             "is about ids: an observer of it needs terms");
        }
        add_anything(event);
        return;
    }
    const std::uint32_t count = made_.model().count;
    std::uint32_t waking = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (wakes(i)) {
            ++waking;
            add_term(event, i);
        }
    }
    made_.several_ |= waking > 1;
}

// An observer of one id of an entity is told of what lasts. Those who look at more would not hear
// of the end of what they were told of, or hear of an end alone.
events::transient_policy trigger_plan::transient_policy_of(std::uint32_t number) const noexcept {
    if (!made_.query_) {
        return events::transient_policy::ignore;
    }
    if (made_.model().count > 1) {
        return events::transient_policy::all;
    }
    const term& term = made_.model().terms[number];
    if (!term.follows()) {
        return events::transient_policy::ignore;
    }
    return term.trav == IsA ? events::transient_policy::if_inherited
                            : events::transient_policy::all;
}

void trigger_plan::add_anything(entity_t event) {
    for (id_t pattern : {id_t{0}, id_t{Wildcard}, make_pair(Wildcard, Wildcard)}) {
        add(event, event, pattern, 0, observer::on_any_event);
    }
}

bool trigger_plan::wakes(std::uint32_t number) const noexcept {
    const queries::query_model& model = made_.model();
    const term& searched_term = model.terms[number];
    if (searched_term.kind != term_kind::ids || searched_term.from == source_kind::none ||
        searched_term.is_from_list() || searched_term.oper == Optional || searched_term.is_filter) {
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

// One id of $this is all that it asks for, and its own value all that the callback gets.
bool trigger_plan::is_plain(std::uint32_t number) const noexcept {
    const queries::query_model& model = made_.model();
    const term& term = model.terms[number];
    const queries::term_semantics meaning = queries::find_semantics(made_.data_, term);
    return model.count == 1 && term.from == source_kind::self && term.oper == And &&
           !term.at_most_one && !term.is_graph() && term.flags & Self &&
           (!term.follows() || term.inherits()) && !(term.flags & (Down | TraverseAll)) &&
           !meaning.first_subsets && !meaning.second_subsets && !meaning.transitive &&
           !meaning.reflexive;
}

// The ids that can make the term hold.
id_t trigger_plan::pattern_of(const term& term) const {
    return satisfying_ids(made_.data_, term, {}).pattern();
}

void trigger_plan::add_term(entity_t event, std::uint32_t number) {
    const term& term = made_.model().terms[number];
    const id_t pattern = pattern_of(term);
    if (term.oper == Not) {
        add_opposite(event, number);
        return;
    }
    if (is_table_event(event)) {
        if (term.from == source_kind::self) {
            add(event, event, pattern, number, observer::on_table);
        }
        return;
    }
    if (term.id == Any && !is_builtin_event(event)) {
        // Events about no id are about anything.
        const bool alone = made_.model().count == 1 && term.from == source_kind::self;
        add(event, event, 0, number, alone ? observer::on_any_event : observer::hear_without_id);
        add(event, event, make_pair(Wildcard, Wildcard), number, observer::on_term);
    }
    const bool plain = is_change(event) && is_plain(number);
    add(event, event, pattern, number, plain ? observer::on_plain : observer::on_term);
    add_derived(event, event, number);
    if (is_change(event) && term.follows()) {
        add_edge(event, number);
    }
}

// What must not be there: it goes before a match begins, and comes when one ends.
void trigger_plan::add_opposite(entity_t event, std::uint32_t number) {
    const term& term = made_.model().terms[number];
    if (event != OnAdd && event != OnRemove) {
        return;
    }
    const entity_t cause = event == OnAdd ? events::after_remove : events::before_add;
    add(event, cause, pattern_of(term), number, observer::on_term);
    add_derived(event, cause, number);
    if (term.follows()) {
        each_way(term, [&](id_t edges) { add(event, cause, edges, number, observer::on_edge); });
    }
}

// What is derived from the term's elements from now on counts, too: once there is something, all
// ids are listened to.
void trigger_plan::add_derived(entity_t event, entity_t cause, std::uint32_t number) {
    const term& term = made_.model().terms[number];
    const id_t all = is_pair(term.id) ? make_pair(Wildcard, Wildcard) : id_t{Wildcard};
    if (pattern_of(term) != all) {
        add(event, cause, all, number, observer::on_derived, registers_when::derived);
    }
}

void trigger_plan::expect_derived(std::uint32_t number) {
    const term& term = made_.model().terms[number];
    for (entity_t element : {term.first, term.second}) {
        if (element != 0 && !ids::is_builtin(index_of(element))) {
            add(0, OnAdd, make_pair(IsA, element), number, observer::on_first_derived);
        }
    }
}

// What is seen through a relationship comes and goes with its pairs.
void trigger_plan::add_edge(entity_t event, std::uint32_t number) {
    const term& term = made_.model().terms[number];
    const entity_t cause = is_removal(event) ? OnRemove
                           : event == OnSet  ? events::after_add
                                             : OnAdd;
    each_way(term, [&](id_t edges) { add(event, cause, edges, number, observer::on_edge); });
    add_hiding(event, number);
    if (event == OnSet) {
        // What hides other values comes and goes.
        const id_t pattern = pattern_of(term);
        each_way(term, [&](id_t edges) {
            add(event, events::after_remove, edges, number, observer::on_edge);
        });
        add(event, events::after_remove, pattern, number, observer::on_cover,
            registers_when::pairs);
        add(event, OnAdd, pattern, number, observer::on_cover, registers_when::pairs);
    }
}

// An own pair of an exclusive relationship hides what is inherited.
void trigger_plan::add_hiding(entity_t event, std::uint32_t number) {
    const term& term = made_.model().terms[number];
    if ((event != OnAdd && event != OnRemove) || !term.inherits() || !term.is_required() ||
        term.first == 0 || !is_pair(term.id)) {
        return;
    }
    const id_t pairs = make_pair(term.first, Wildcard);
    if (traits::describe_id(made_.data_, pairs).traits & traits::trait_exclusive) {
        add(event, event == OnAdd ? events::after_remove : events::before_add, pairs, number,
            observer::on_hiding, registers_when::pairs);
    }
}

void trigger_plan::add(entity_t event, entity_t cause, id_t pattern, std::uint32_t number,
                       void (*on_event)(events::listener&, const events::event_data&),
                       registers_when waits) {
    made_.triggers_.push(made_.data_.mem,
                         {{on_event, made_.entity_, transient_policy_of(number)},
                          &made_,
                          event,
                          cause,
                          pattern,
                          number,
                          waits},
                         purpose::index);
}

}  // namespace kith::observe
