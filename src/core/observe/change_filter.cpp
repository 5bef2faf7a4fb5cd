// Decides which results of its query an observer reports for a change: those that begin, end, or
// are about the changed id. Member functions of class observer, declared in observer.hpp.
#include "base/hash.hpp"
#include "observe/observer_runs.hpp"
#include "storage/graph.hpp"

#include <algorithm>

namespace kith::observe {

using containers::purpose;
using events::event_data;
using queries::source_kind;
using queries::term;
using storage::entity_record;
using storage::table;

namespace {

// True if the event reports that an id begins or ceases to be visible.
bool is_add_or_remove(entity_t event) noexcept {
    return event == OnAdd || event == OnRemove || event == UnSet;
}

// True if the event concerns an id of its owner, wherever the id is visible; other events concern
// the entity that they were emitted for.
bool is_about_owner(entity_t event) noexcept {
    return is_add_or_remove(event) || event == OnSet || event == OnDeleteTarget;
}

// The entity whose ids the term asks for in this result.
entity_t subject_of(const term& term, const detail::result& result) noexcept {
    switch (term.from) {
        case source_kind::fixed:
            return term.source;
        case source_kind::variable:
            return result.variables[term.source_variable];
        default:
            return result.count ? result.entities[0] : 0;
    }
}

// The hash of an id that a prefab's instance gets a copy of.
std::uint64_t hash_of_copy(const trigger& trigger, entity_t subject, id_t id) noexcept {
    return base::mix(base::combine(base::combine(trigger.term, subject), id));
}

}  // namespace

// Postpones the call until the subject gets its copy of the inherited id.
void observer::expect_copy(const trigger& trigger, entity_t subject, id_t id) {
    const std::uint64_t hash = hash_of_copy(trigger, subject, id);
    if (std::find(arrived_.begin(), arrived_.end(), hash) == arrived_.end()) {
        awaited_.push(data_.mem, hash, purpose::index);
    }
}

// True, once, if a call for the copy was postponed.
bool observer::takes_awaited(const trigger& trigger, entity_t subject, id_t id) noexcept {
    const std::uint64_t hash = hash_of_copy(trigger, subject, id);
    for (std::uint32_t i = 0; i < awaited_.size(); ++i) {
        if (awaited_[i] == hash) {
            awaited_.swap_remove(i);
            return true;
        }
    }
    return false;
}

// False if the subject sees the id on both sides of the change.
bool observer::is_visible_change(const trigger& trigger, other_state& other, entity_t subject,
                                 id_t id) {
    const term& term = term_of(trigger);
    if (!is_add_or_remove(trigger.event) || !term.follows() || term.flags & TraverseAll) {
        return true;
    }
    return (trigger.event == OnAdd && !awaited_.empty() && takes_awaited(trigger, subject, id)) ||
           other.find_owner(subject, term, id) == 0;
}

// The ids that satisfy the term with the values of the result.
satisfying_ids observer::counted(const term& term, const detail::result& result) const {
    const bool matched = term.oper != Not && (!term.in_chain || term.every_of_chain);
    return {data_,
            term,
            {result.variables, result.count ? result.entities[0] : 0,
             matched ? result.fields[term.field].id : 0}};
}

// True if the term, or the Or chain that it is in, holds for the result on this side only; a
// negated term, on the other side only.
bool observer::differs(const term& trigger_term, other_state& other,
                       const detail::result& result) const {
    auto held = [&](const term& member) {
        return other.holds(subject_of(member, result), counted(member, result));
    };
    if (!trigger_term.in_chain || trigger_term.every_of_chain) {
        return held(trigger_term) == (trigger_term.oper == Not);
    }
    return std::none_of(model().begin(), model().end(), [&](const term& member) {
        return member.in_chain && member.field == trigger_term.field &&
               member.kind == queries::term_kind::ids && !member.is_from_list() && held(member);
    });
}

// True if the result begins, ends or is changed by the event.
bool observer::concerns(const trigger& trigger, const event_data& event, other_state& other,
                        const detail::result& result) const {
    const term& term = term_of(trigger);
    const bool existential = is_existential(data_, term);
    if (existential) {
        if (!other.counts(event.id, counted(term, result))) {
            return false;
        }
        const bool itself = subject_of(term, result) == event.entity;
        const bool own = itself && (term.flags & Self || !term.follows());
        if (is_add_or_remove(trigger.event)) {
            // Each own id that satisfies the term is reported, also if another one does as well.
            return (own && (term.is_required() || term.every_of_chain)) ||
                   differs(term, other, result);
        }
        if (term.in_chain && !term.every_of_chain) {
            return own || !itself || !is_about_owner(trigger.event);
        }
    }
    const detail::field_data& field = result.fields[term.field];
    const bool of_row = result.count == 1 && result.entities[0] == event.entity;
    const bool own = field.source == event.entity ||
                     (of_row && (field.source == 0 || !is_about_owner(trigger.event)));
    return own && (field.id == event.id || term.id == event.id || term.at_most_one ||
                   (existential && !is_about_owner(trigger.event)));
}

// -- subjects whose view of the term has changed

// Collects the subjects whose search of the term visits the entity, the entity first.
void observer::collect_seeing(const term& term, entity_t entity, dependents& entities) const {
    const std::uint32_t through =
        queries::find_semantics(data_, term).transitive ? index_of(term.first) : 0;
    const bool down = term.flags & Down;
    const bool is_seen =
        down || data_.entities.at(index_of(entity)).state & storage::record_referenced;
    if (is_seen && term.follows() && term.trav != IsA) {
        // A search also finds ids that the visited entities inherit.
        entities.collect(entity, IsA, dependents::direction::to_sources);
    }
    if (is_seen && (term.follows() || through != 0)) {
        entities.collect(
            entity, term.trav,
            down ? dependents::direction::to_targets : dependents::direction::to_sources, through);
    } else {
        entities.add(entity);
    }
}

// False if the term has another fixed source.
bool observer::can_be_subject(const term& term, entity_t entity) const noexcept {
    return term.from != source_kind::fixed || term.source == entity;
}

// Runs the query for the results in which the trigger's term asks for ids of the subject.
template <class Select>
void observer::run_for(const trigger& trigger, const event_data& event, entity_t subject,
                       Select&& select) {
    with_subject(term_of(trigger), subject,
                 [&](const detail::run_options& options) { run(trigger, event, options, select); });
}

// Runs the query for one subject after the other, because each has a view of its own.
template <class Select>
void observer::run_each(const trigger& trigger, const event_data& event, const dependents& entities,
                        Select&& select) {
    for (entity_t subject : entities) {
        if (can_be_subject(term_of(trigger), subject)) {
            run_for(trigger, event, subject, select);
        }
    }
}

// Calls the callback for the rows of a result that were not reported in this step.
void observer::call_new(const trigger& trigger, const event_data& event, id_t id,
                        const detail::result& result) {
    if (is_notified_once(trigger)) {
        call_rows(trigger, event, id, result,
                  [&](std::uint32_t row) { return note_emitted(trigger, result, row); });
    } else {
        call(trigger, event, id, result);
    }
}

// An event without an id notifies observers with a term `Any`, for the results of its entity.
void observer::on_event_without_id(events::listener& me, const event_data& event) {
    const trigger& trigger = trigger_of(me);
    observer& observer = *trigger.owner;
    const term& term = observer.term_of(trigger);
    if (!observer.is_awake() || event.entity == 0 || !observer.can_be_subject(term, event.entity)) {
        return;
    }
    running guard(observer);
    observer.with_subject(term, event.entity, [&](const detail::run_options& options) {
        observer.each_result(event.world, options, [&](const detail::result& result) {
            observer.call_new(trigger, event, 0, result);
        });
    });
}

// Runs the query for all subjects that see the changed id.
void observer::run_term(const trigger& trigger, const event_data& event) {
    const term& term = term_of(trigger);
    other_state other(world_, event);
    auto select = [&](const detail::result& result) {
        return concerns(trigger, event, other, result) ? event.id : id_t{0};
    };
    const bool existential = is_existential(data_, term);
    if (term.from == source_kind::self && !existential) {
        if (is_visible_change(trigger, other, event.entity, event.id)) {
            run_for(trigger, event, event.entity, select);
        }
        run_dependents(trigger, event, other);
        return;
    }
    dependents entities(data_);
    if (trigger.event != OnDelete) {
        collect_seeing(term, event.entity, entities);
    } else {
        entities.add(event.entity);
    }
    for (entity_t subject : entities) {
        if (can_be_subject(term, subject) &&
            (existential || is_visible_change(trigger, other, subject, event.id))) {
            run_for(trigger, event, subject, select);
        }
    }
}

// Runs the query for the dependents of the changed entity that see the id through it.
void observer::run_dependents(const trigger& trigger, const event_data& event, other_state& other) {
    const term& term = term_of(trigger);
    if (!term.follows() || trigger.event == OnDelete) {
        return;
    }
    dependents entities(data_);
    collect_seeing(term, event.entity, entities);
    run_entities(
        trigger, event, entities, 1,
        [&](entity_t subject) { return is_visible_change(trigger, other, subject, event.id); },
        [&](const detail::result& result) {
            return concerns(trigger, event, other, result) ? event.id : id_t{0};
        });
}

// An id that hides the ids of entities further away was added or removed: subjects that see another
// value by that are notified.
void observer::on_cover(events::listener& me, const event_data& event) {
    trigger& trigger = trigger_of(me);
    observer& observer = *trigger.owner;
    const entity_record& record = observer.data_.entities.at(index_of(event.entity));
    const bool removed = trigger.cause == events::after_remove;
    const term& term = observer.term_of(trigger);
    const bool down = term.flags & Down;
    if (!observer.is_awake() ||
        (!removed && !down && !(record.state & storage::record_referenced))) {
        return;
    }
    running guard(observer);
    other_state before(observer.world_, event);
    dependents entities(observer.data_);
    if (term.trav != IsA) {
        entities.collect(event.entity, IsA, dependents::direction::to_sources);
    }
    entities.collect(event.entity, term.trav,
                     down ? dependents::direction::to_targets : dependents::direction::to_sources);
    // An added id starts with the value that was visible before, so only subjects that saw the
    // value of another owner see a new one.
    const entity_t former_owner =
        removed ? event.entity : before.find_beyond(event.entity, term, event.id);
    auto changes = [&](entity_t subject) {
        const entity_t owner = before.find_owner(subject, term, event.id);
        return removed ? owner == former_owner : owner != 0 && owner != former_owner;
    };
    auto select = [&](const detail::result& result) {
        const detail::field_data& field = result.fields[term.field];
        const bool other = removed ? field.source != 0 : field.source == event.entity;
        return field.value && other && field.id == event.id ? field.id : id_t{0};
    };
    if (term.from == source_kind::self) {
        observer.run_entities(trigger, event, entities, removed ? 0 : 1, changes, select);
        return;
    }
    for (entity_t subject : entities) {
        if (observer.can_be_subject(term, subject) && changes(subject)) {
            observer.run_for(trigger, event, subject, select);
        }
    }
}

// A pair of an exclusive relationship is about to hide inherited pairs, or has ceased to.
void observer::on_hiding(events::listener& me, const event_data& event) {
    trigger& trigger = trigger_of(me);
    observer& observer = *trigger.owner;
    if (!observer.is_awake()) {
        return;
    }
    running guard(observer);
    const term& term = observer.term_of(trigger);
    other_state other(observer.world_, event);
    dependents entities(observer.data_);
    observer.collect_seeing(term, event.entity, entities);
    observer.run_each(trigger, event, entities, [&](const detail::result& result) -> id_t {
        const detail::field_data& field = result.fields[term.field];
        const entity_t subject = subject_of(term, result);
        const bool inherited = field.source != 0 && field.source != subject;
        return inherited && field.id != event.id && pair_first(field.id) == pair_first(event.id) &&
                       observer.is_visible_change(trigger, other, subject, field.id)
                   ? field.id
                   : id_t{0};
    });
}

// A pair of the relationship that a term follows was added, is about to be removed, or was removed.
void observer::on_edge(events::listener& me, const event_data& event) {
    trigger& trigger = trigger_of(me);
    observer& observer = *trigger.owner;
    if (observer.is_awake()) {
        running guard(observer);
        observer.run_edge(trigger, event);
    }
}

// Runs the query for the subjects that see other entities, and their ids, through the pair.
void observer::run_edge(const trigger& edge, const event_data& event) {
    const term& followed = term_of(edge);
    // If the pair is not of the followed relationship, a visited entity gets or loses a base.
    const bool is_way = pair_first(event.id) == followed.trav;
    const bool down = is_way && followed.flags & Down;
    const entity_t target = data_.entities.alive_at(pair_second(event.id));
    const bool added = edge.cause == OnAdd || edge.cause == events::after_add;
    if (added && is_way) {
        register_waiting(registers_when::pairs, [&](const trigger& trigger) {
            return term_of(trigger).trav == followed.trav;
        });
        if (awaited_step_ != world_.operation.step) {
            awaited_step_ = world_.operation.step;
            awaited_.clear();
            arrived_.clear();
        }
    } else if (edge.cause == OnRemove && !down && world_.deletion.entity != 0 &&
               mutate::is_pending_delete(data_, index_of(target))) {
        return;  // the deletion of the target reports its ids
    }
    dependents seeing(data_);
    collect_seeing(followed, down ? target : event.entity, seeing);
    other_state other(world_, event);
    if (is_existential(data_, followed) && edge.event != OnSet) {
        auto select = [&](const detail::result& result) -> id_t {
            const detail::field_data& field = result.fields[followed.field];
            if ((edge.event == UnSet && !field.value) || !differs(followed, other, result)) {
                return 0;
            }
            return followed.oper == Not ? counted(followed, result).bound_term().id : field.id;
        };
        run_each(edge, event, seeing, select);
        return;
    }
    dependents seen(data_);
    const entity_t first_seen = down ? event.entity : target;
    if (is_way) {
        seen.collect(first_seen, followed.trav,
                     down ? dependents::direction::to_sources : dependents::direction::to_targets);
    }
    if (followed.trav != IsA) {
        seen.collect(first_seen, IsA, dependents::direction::to_targets);
    }
    // An instance gets a copy of each id that is marked Override: the copy is reported instead.
    auto is_copied = [&](id_t id) {
        return added && followed.trav == IsA && followed.flags & Self &&
               std::any_of(seen.begin(), seen.end(), [&](entity_t base) {
                   const table& type = data_.tables.at(data_.entities.at(index_of(base)).table);
                   return type.flags & detail::shape_has_marks &&
                          storage::find_id(type, Override | id) >= 0;
               });
    };
    // True if the subject sees another value than on the other side because of the pair.
    auto is_new_value = [&](entity_t subject, const detail::field_data& field) {
        const bool all = followed.flags & TraverseAll;
        const entity_t before = all ? 0 : other.find_owner(subject, followed, field.id);
        return field.value && before != field.source && seen.has(added ? field.source : before);
    };
    run_each(edge, event, seeing, [&](const detail::result& result) -> id_t {
        const detail::field_data& field = result.fields[followed.field];
        const entity_t subject = subject_of(followed, result);
        // An own id of the subject is not seen through the pair.
        const bool itself = field.source == subject && followed.flags & Self;
        if (field.source == 0 || itself) {
            return 0;
        }
        const bool counts = edge.event == OnSet
                                ? is_new_value(subject, field)
                                : seen.has(field.source) && (edge.event != UnSet || field.value) &&
                                      is_visible_change(edge, other, subject, field.id);
        if (counts && is_copied(field.id)) {
            if (edge.event == OnAdd) {
                expect_copy(edge, subject, field.id);
            }
            return 0;
        }
        if (counts && added && edge.event == OnAdd && subject == event.entity) {
            arrived_.push(data_.mem, hash_of_copy(edge, subject, field.id), purpose::index);
        }
        return counts ? field.id : 0;
    });
}

}  // namespace kith::observe
