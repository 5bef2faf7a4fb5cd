// Which results of its query an observer is called for: those that a change makes, ends, or is
// about.
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

bool comes_or_goes(entity_t event) noexcept {
    return event == OnAdd || event == OnRemove || event == UnSet;
}

// It is about what one entity has, whoever sees that; else about the entity.
bool is_about_owner(entity_t event) noexcept {
    return comes_or_goes(event) || event == OnSet || event == OnDeleteTarget;
}

// The entity whose ids the term asks for.
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

std::uint64_t hash_of_copy(const trigger& trigger, entity_t subject, id_t id) noexcept {
    return base::mix(base::combine(base::combine(trigger.term, subject), id));
}

}  // namespace

void observer::expect_copy(const trigger& trigger, entity_t subject, id_t id) {
    const std::uint64_t hash = hash_of_copy(trigger, subject, id);
    if (std::find(arrived_.begin(), arrived_.end(), hash) == arrived_.end()) {
        awaited_.push(data_.mem, hash, purpose::index);
    }
}

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

// False if the subject sees the id on both sides of what happened: it neither comes nor goes.
bool observer::is_visible_change(const trigger& trigger, other_state& other, entity_t subject,
                                 id_t id) {
    const term& term = term_of(trigger);
    if (!comes_or_goes(trigger.event) || !term.follows() || term.flags & TraverseAll) {
        return true;
    }
    return (trigger.event == OnAdd && !awaited_.empty() && takes_awaited(trigger, subject, id)) ||
           other.find_owner(subject, term, id) == 0;
}

satisfying_ids observer::counted(const term& term, const detail::result& result) const {
    const bool matched = term.oper != Not && (!term.in_chain || term.every_of_chain);
    return {data_,
            term,
            {result.variables, result.count ? result.entities[0] : 0,
             matched ? result.fields[term.field].id : 0}};
}

// True if the term, or the chain that it is in, holds for the result on this side only; if it must
// not hold, on the other side only.
bool observer::differs(const term& searched_term, other_state& other,
                       const detail::result& result) const {
    auto held = [&](const term& member) {
        return other.holds(subject_of(member, result), counted(member, result));
    };
    if (!searched_term.in_chain || searched_term.every_of_chain) {
        return held(searched_term) == (searched_term.oper == Not);
    }
    return std::none_of(model().begin(), model().end(), [&](const term& member) {
        return member.in_chain && member.field == searched_term.field &&
               member.kind == queries::term_kind::ids && !member.is_from_list() && held(member);
    });
}

// True if the result holds, or ends, because of what happened.
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
        if (comes_or_goes(trigger.event)) {
            // Of what it has itself, an entity is told each id that counts.
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

// -- who is concerned

// Those for whom the term looks at what the entity has, itself first.
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

bool observer::can_be_subject(const term& term, entity_t entity) const noexcept {
    return term.from != source_kind::fixed || term.source == entity;
}

// Runs the query for results with the subject of the trigger's term.
template <class Wanted>
void observer::run_for(const trigger& trigger, const event_data& event, entity_t subject,
                       Wanted&& wanted) {
    with_subject(term_of(trigger), subject,
                 [&](const detail::run_options& options) { run(trigger, event, options, wanted); });
}

// One by one: each has its own view.
template <class Wanted>
void observer::run_each(const trigger& trigger, const event_data& event, const dependents& entities,
                        Wanted&& wanted) {
    for (entity_t subject : entities) {
        if (can_be_subject(term_of(trigger), subject)) {
            run_for(trigger, event, subject, wanted);
        }
    }
}

// Calls the callback for the rows of a result of which it was not told in this step.
void observer::call_new(const trigger& trigger, const event_data& event, id_t id,
                        const detail::result& result) {
    if (is_notified_once(trigger)) {
        call_rows(trigger, event, id, result,
                  [&](std::uint32_t row) { return note_emitted(trigger, result, row); });
    } else {
        call(trigger, event, id, result);
    }
}

// An event without ids notifies observers with a term `Any`, for the results of the event's entity.
void observer::hear_without_id(events::listener& me, const event_data& event) {
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

void observer::run_term(const trigger& trigger, const event_data& event) {
    const term& term = term_of(trigger);
    other_state other(world_, event);
    auto wanted = [&](const detail::result& result) {
        return concerns(trigger, event, other, result) ? event.id : id_t{0};
    };
    const bool existential = is_existential(data_, term);
    if (term.from == source_kind::self && !existential) {
        if (is_visible_change(trigger, other, event.entity, event.id)) {
            run_for(trigger, event, event.entity, wanted);
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
            run_for(trigger, event, subject, wanted);
        }
    }
}

// Those that see what the entity has.
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

// An id is gone, or has come, that hides others: those who see another value by that are told.
void observer::on_cover(events::listener& me, const event_data& event) {
    trigger& trigger = trigger_of(me);
    observer& observer = *trigger.owner;
    const entity_record& record = observer.data_.entities.at(index_of(event.entity));
    const bool gone = trigger.cause == events::after_remove;
    const term& term = observer.term_of(trigger);
    const bool down = term.flags & Down;
    if (!observer.is_awake() || (!gone && !down && !(record.state & storage::record_referenced))) {
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
    // What comes begins with the value that was seen before.
    const entity_t same = gone ? event.entity : before.find_beyond(event.entity, term, event.id);
    auto changes = [&](entity_t subject) {
        const entity_t owner = before.find_owner(subject, term, event.id);
        return gone ? owner == same : owner != 0 && owner != same;
    };
    auto wanted = [&](const detail::result& result) {
        const detail::field_data& field = result.fields[term.field];
        const bool other = gone ? field.source != 0 : field.source == event.entity;
        return field.value && other && field.id == event.id ? field.id : id_t{0};
    };
    if (term.from == source_kind::self) {
        observer.run_entities(trigger, event, entities, gone ? 0 : 1, changes, wanted);
        return;
    }
    for (entity_t subject : entities) {
        if (observer.can_be_subject(term, subject) && changes(subject)) {
            observer.run_for(trigger, event, subject, wanted);
        }
    }
}

// A pair of an exclusive relationship is about to hide those that are inherited, or did until now.
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

// A pair was added, is about to go, or is gone, through which a term searches.
void observer::on_edge(events::listener& me, const event_data& event) {
    trigger& trigger = trigger_of(me);
    observer& observer = *trigger.owner;
    if (observer.is_awake()) {
        running guard(observer);
        observer.run_edge(trigger, event);
    }
}

void observer::run_edge(const trigger& by, const event_data& event) {
    const term& followed = term_of(by);
    // Otherwise an entity that the search may visit gets or loses a base.
    const bool is_way = pair_first(event.id) == followed.trav;
    const bool down = is_way && followed.flags & Down;
    const entity_t target = data_.entities.alive_at(pair_second(event.id));
    const bool came = by.cause == OnAdd || by.cause == events::after_add;
    if (came && is_way) {
        add_post_iteration(registers_when::pairs, [&](const trigger& trigger) {
            return term_of(trigger).trav == followed.trav;
        });
        if (awaited_step_ != world_.step) {
            awaited_step_ = world_.step;
            awaited_.clear();
            arrived_.clear();
        }
    } else if (by.cause == OnRemove && !down && world_.deleting != 0 &&
               mutate::is_pending_delete(data_, index_of(target))) {
        return;  // what is seen through it is told to go by itself
    }
    dependents seeing(data_);
    collect_seeing(followed, down ? target : event.entity, seeing);
    other_state other(world_, event);
    if (is_existential(data_, followed) && by.event != OnSet) {
        auto wanted = [&](const detail::result& result) -> id_t {
            const detail::field_data& field = result.fields[followed.field];
            if ((by.event == UnSet && !field.value) || !differs(followed, other, result)) {
                return 0;
            }
            return followed.oper == Not ? counted(followed, result).asked().id : field.id;
        };
        run_each(by, event, seeing, wanted);
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
    // An instance gets copies of what is marked so: it is told of those.
    auto is_copied = [&](id_t id) {
        return came && followed.trav == IsA && followed.flags & Self &&
               std::any_of(seen.begin(), seen.end(), [&](entity_t base) {
                   const table& type = data_.tables.at(data_.entities.at(index_of(base)).table);
                   return type.flags & detail::shape_has_marks &&
                          storage::find_id(type, Override | id) >= 0;
               });
    };
    // Another value is seen than on the other side, and the pair is the reason.
    auto is_new_value = [&](entity_t subject, const detail::field_data& field) {
        const bool all = followed.flags & TraverseAll;
        const entity_t before = all ? 0 : other.find_owner(subject, followed, field.id);
        return field.value && before != field.source && seen.has(came ? field.source : before);
    };
    run_each(by, event, seeing, [&](const detail::result& result) -> id_t {
        const detail::field_data& field = result.fields[followed.field];
        const entity_t subject = subject_of(followed, result);
        // Another visited entity may inherit the id from the subject.
        const bool itself = field.source == subject && followed.flags & Self;
        if (field.source == 0 || itself) {
            return 0;
        }
        const bool counts = by.event == OnSet
                                ? is_new_value(subject, field)
                                : seen.has(field.source) && (by.event != UnSet || field.value) &&
                                      is_visible_change(by, other, subject, field.id);
        if (counts && is_copied(field.id)) {
            if (by.event == OnAdd) {
                expect_copy(by, subject, field.id);
            }
            return 0;
        }
        if (counts && came && by.event == OnAdd && subject == event.entity) {
            arrived_.push(data_.mem, hash_of_copy(by, subject, field.id), purpose::index);
        }
        return counts ? field.id : 0;
    });
}

}  // namespace kith::observe
