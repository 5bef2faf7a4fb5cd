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
entity_t subject_of(const term& one, const detail::result& found) noexcept {
    switch (one.from) {
        case source_kind::fixed:
            return one.source;
        case source_kind::variable:
            return found.variables[one.source_variable];
        default:
            return found.count ? found.entities[0] : 0;
    }
}

std::uint64_t hash_of_copy(const trigger& by, entity_t subject, id_t id) noexcept {
    return base::mix(base::combine(base::combine(by.term, subject), id));
}

}  // namespace

void observer::expect_copy(const trigger& by, entity_t subject, id_t id) {
    const std::uint64_t hash = hash_of_copy(by, subject, id);
    if (std::find(arrived_.begin(), arrived_.end(), hash) == arrived_.end()) {
        awaited_.push(data_.mem, hash, purpose::index);
    }
}

bool observer::takes_awaited(const trigger& by, entity_t subject, id_t id) noexcept {
    const std::uint64_t hash = hash_of_copy(by, subject, id);
    for (std::uint32_t i = 0; i < awaited_.size(); ++i) {
        if (awaited_[i] == hash) {
            awaited_.swap_remove(i);
            return true;
        }
    }
    return false;
}

// False if the subject sees the id on both sides of what happened: it neither comes nor goes.
bool observer::is_visible_change(const trigger& by, other_state& other, entity_t subject, id_t id) {
    const term& one = term_of(by);
    if (!comes_or_goes(by.event) || !one.follows() || one.flags & TraverseAll) {
        return true;
    }
    return (by.event == OnAdd && !awaited_.empty() && takes_awaited(by, subject, id)) ||
           other.find_owner(subject, one, id) == 0;
}

satisfying_ids observer::counted(const term& one, const detail::result& found) const {
    const bool matched = one.oper != Not && (!one.in_chain || one.every_of_chain);
    return {data_,
            one,
            {found.variables, found.count ? found.entities[0] : 0,
             matched ? found.fields[one.field].id : 0}};
}

// True if the term, or the chain that it is in, holds for the result on this side only; if it must
// not hold, on the other side only.
bool observer::differs(const term& one, other_state& other, const detail::result& found) const {
    auto held = [&](const term& member) {
        return other.holds(subject_of(member, found), counted(member, found));
    };
    if (!one.in_chain || one.every_of_chain) {
        return held(one) == (one.oper == Not);
    }
    return std::none_of(model().begin(), model().end(), [&](const term& member) {
        return member.in_chain && member.field == one.field &&
               member.kind == queries::term_kind::ids && !member.is_from_list() && held(member);
    });
}

// True if the result holds, or ends, because of what happened.
bool observer::concerns(const trigger& by, const event_data& what, other_state& other,
                        const detail::result& found) const {
    const term& one = term_of(by);
    const bool existential = is_existential(data_, one);
    if (existential) {
        if (!other.counts(what.id, counted(one, found))) {
            return false;
        }
        const bool itself = subject_of(one, found) == what.entity;
        const bool own = itself && (one.flags & Self || !one.follows());
        if (comes_or_goes(by.event)) {
            // Of what it has itself, an entity is told each id that counts.
            return (own && (one.is_required() || one.every_of_chain)) || differs(one, other, found);
        }
        if (one.in_chain && !one.every_of_chain) {
            return own || !itself || !is_about_owner(by.event);
        }
    }
    const detail::field_data& field = found.fields[one.field];
    const bool of_row = found.count == 1 && found.entities[0] == what.entity;
    const bool own =
        field.source == what.entity || (of_row && (field.source == 0 || !is_about_owner(by.event)));
    return own && (field.id == what.id || one.id == what.id || one.at_most_one ||
                   (existential && !is_about_owner(by.event)));
}

// -- who is concerned

// Those for whom the term looks at what the entity has, itself first.
void observer::collect_seeing(const term& one, entity_t entity, dependents& entities) const {
    const std::uint32_t through =
        queries::find_semantics(data_, one).transitive ? index_of(one.first) : 0;
    const bool down = one.flags & Down;
    const bool is_seen =
        down || data_.entities.at(index_of(entity)).state & storage::record_referenced;
    if (is_seen && one.follows() && one.trav != IsA) {
        // A search also finds ids that the visited entities inherit.
        entities.collect(entity, IsA, dependents::direction::to_sources);
    }
    if (is_seen && (one.follows() || through != 0)) {
        entities.collect(
            entity, one.trav,
            down ? dependents::direction::to_targets : dependents::direction::to_sources, through);
    } else {
        entities.add(entity);
    }
}

bool observer::can_be_subject(const term& one, entity_t entity) const noexcept {
    return one.from != source_kind::fixed || one.source == entity;
}

// Runs the query for results with the subject of the trigger's term.
template <class Wanted>
void observer::run_for(const trigger& by, const event_data& what, entity_t subject,
                       Wanted&& wanted) {
    with_subject(term_of(by), subject,
                 [&](const detail::run_options& options) { run(by, what, options, wanted); });
}

// One by one: each has its own view.
template <class Wanted>
void observer::run_each(const trigger& by, const event_data& what, const dependents& entities,
                        Wanted&& wanted) {
    for (entity_t subject : entities) {
        if (can_be_subject(term_of(by), subject)) {
            run_for(by, what, subject, wanted);
        }
    }
}

// Calls the callback for the rows of a result of which it was not told in this step.
void observer::call_new(const trigger& by, const event_data& what, id_t id,
                        const detail::result& found) {
    if (is_notified_once(by)) {
        call_rows(by, what, id, found,
                  [&](std::uint32_t row) { return note_emitted(by, found, row); });
    } else {
        call(by, what, id, found);
    }
}

// An event without ids notifies observers with a term `Any`, for the results of the event's entity.
void observer::hear_without_id(events::listener& me, const event_data& what) {
    const trigger& by = trigger_of(me);
    observer& one = *by.owner;
    const term& asked = one.term_of(by);
    if (!one.is_awake() || what.entity == 0 || !one.can_be_subject(asked, what.entity)) {
        return;
    }
    running guard(one);
    one.with_subject(asked, what.entity, [&](const detail::run_options& options) {
        one.each_result(what.world, options,
                        [&](const detail::result& found) { one.call_new(by, what, 0, found); });
    });
}

void observer::run_term(const trigger& by, const event_data& what) {
    const term& one = term_of(by);
    other_state other(world_, what);
    auto wanted = [&](const detail::result& found) {
        return concerns(by, what, other, found) ? what.id : id_t{0};
    };
    const bool existential = is_existential(data_, one);
    if (one.from == source_kind::self && !existential) {
        if (is_visible_change(by, other, what.entity, what.id)) {
            run_for(by, what, what.entity, wanted);
        }
        run_dependents(by, what, other);
        return;
    }
    dependents entities(data_);
    if (by.event != OnDelete) {
        collect_seeing(one, what.entity, entities);
    } else {
        entities.add(what.entity);
    }
    for (entity_t subject : entities) {
        if (can_be_subject(one, subject) &&
            (existential || is_visible_change(by, other, subject, what.id))) {
            run_for(by, what, subject, wanted);
        }
    }
}

// Those that see what the entity has.
void observer::run_dependents(const trigger& by, const event_data& what, other_state& other) {
    const term& one = term_of(by);
    if (!one.follows() || by.event == OnDelete) {
        return;
    }
    dependents entities(data_);
    collect_seeing(one, what.entity, entities);
    run_entities(
        by, what, entities, 1,
        [&](entity_t subject) { return is_visible_change(by, other, subject, what.id); },
        [&](const detail::result& found) {
            return concerns(by, what, other, found) ? what.id : id_t{0};
        });
}

// An id is gone, or has come, that hides others: those who see another value by that are told.
void observer::on_cover(events::listener& me, const event_data& what) {
    trigger& by = trigger_of(me);
    observer& one = *by.owner;
    const entity_record& record = one.data_.entities.at(index_of(what.entity));
    const bool gone = by.cause == events::after_remove;
    const term& asked = one.term_of(by);
    const bool down = asked.flags & Down;
    if (!one.is_awake() || (!gone && !down && !(record.state & storage::record_referenced))) {
        return;
    }
    running guard(one);
    other_state before(one.world_, what);
    dependents entities(one.data_);
    if (asked.trav != IsA) {
        entities.collect(what.entity, IsA, dependents::direction::to_sources);
    }
    entities.collect(what.entity, asked.trav,
                     down ? dependents::direction::to_targets : dependents::direction::to_sources);
    // What comes begins with the value that was seen before.
    const entity_t same = gone ? what.entity : before.find_beyond(what.entity, asked, what.id);
    auto changes = [&](entity_t subject) {
        const entity_t owner = before.find_owner(subject, asked, what.id);
        return gone ? owner == same : owner != 0 && owner != same;
    };
    auto wanted = [&](const detail::result& found) {
        const detail::field_data& field = found.fields[asked.field];
        const bool other = gone ? field.source != 0 : field.source == what.entity;
        return field.value && other && field.id == what.id ? field.id : id_t{0};
    };
    if (asked.from == source_kind::self) {
        one.run_entities(by, what, entities, gone ? 0 : 1, changes, wanted);
        return;
    }
    for (entity_t subject : entities) {
        if (one.can_be_subject(asked, subject) && changes(subject)) {
            one.run_for(by, what, subject, wanted);
        }
    }
}

// A pair of an exclusive relationship is about to hide those that are inherited, or did until now.
void observer::on_hiding(events::listener& me, const event_data& what) {
    trigger& by = trigger_of(me);
    observer& one = *by.owner;
    if (!one.is_awake()) {
        return;
    }
    running guard(one);
    const term& asked = one.term_of(by);
    other_state other(one.world_, what);
    dependents entities(one.data_);
    one.collect_seeing(asked, what.entity, entities);
    one.run_each(by, what, entities, [&](const detail::result& found) -> id_t {
        const detail::field_data& field = found.fields[asked.field];
        const entity_t subject = subject_of(asked, found);
        const bool inherited = field.source != 0 && field.source != subject;
        return inherited && field.id != what.id && pair_first(field.id) == pair_first(what.id) &&
                       one.is_visible_change(by, other, subject, field.id)
                   ? field.id
                   : id_t{0};
    });
}

// A pair was added, is about to go, or is gone, through which a term searches.
void observer::on_edge(events::listener& me, const event_data& what) {
    trigger& by = trigger_of(me);
    observer& one = *by.owner;
    if (one.is_awake()) {
        running guard(one);
        one.run_edge(by, what);
    }
}

void observer::run_edge(const trigger& by, const event_data& what) {
    const term& followed = term_of(by);
    // Otherwise an entity that the search may visit gets or loses a base.
    const bool is_way = pair_first(what.id) == followed.trav;
    const bool down = is_way && followed.flags & Down;
    const entity_t target = data_.entities.alive_at(pair_second(what.id));
    const bool came = by.cause == OnAdd || by.cause == events::after_add;
    if (came && is_way) {
        add_post_iteration(registers_when::pairs,
                           [&](const trigger& one) { return term_of(one).trav == followed.trav; });
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
    collect_seeing(followed, down ? target : what.entity, seeing);
    other_state other(world_, what);
    if (is_existential(data_, followed) && by.event != OnSet) {
        auto wanted = [&](const detail::result& found) -> id_t {
            const detail::field_data& field = found.fields[followed.field];
            if ((by.event == UnSet && !field.value) || !differs(followed, other, found)) {
                return 0;
            }
            return followed.oper == Not ? counted(followed, found).asked().id : field.id;
        };
        run_each(by, what, seeing, wanted);
        return;
    }
    dependents seen(data_);
    const entity_t first_seen = down ? what.entity : target;
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
    run_each(by, what, seeing, [&](const detail::result& found) -> id_t {
        const detail::field_data& field = found.fields[followed.field];
        const entity_t subject = subject_of(followed, found);
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
        if (counts && came && by.event == OnAdd && subject == what.entity) {
            arrived_.push(data_.mem, hash_of_copy(by, subject, field.id), purpose::index);
        }
        return counts ? field.id : 0;
    });
}

}  // namespace kith::observe
