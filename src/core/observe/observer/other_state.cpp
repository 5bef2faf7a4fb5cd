// Reading entities as they are on the far side of a change.
#include "observe/observer/other_state.hpp"

#include "base/hash.hpp"
#include "graph/walk.hpp"
#include "mutate/commit/archetype_move.hpp"
#include "query/exec/search.hpp"
#include "traits/implications.hpp"

#include <algorithm>

namespace kith::observe {

using containers::purpose;
using queries::term;
using storage::table;

other_state::other_state(const mutate::stage& world, const events::event_data& event) noexcept
    : data_(world.data),
      mem_(const_cast<containers::memory&>(world.data.mem)),
      event_(event),
      has_id_(event.event == events::after_remove || event.event == events::before_add),
      deleting_(world.deletion.entity != 0 && (event.event == OnRemove || event.event == UnSet)) {
    if (const mutate::change_view* side = world.operation.other_view;
        side && side->entity == event.entity) {
        type_ = side->type;
        replaced_pair_ = side->replaced_pair;
        sparse_ = side->sparse_change;
    }
}

bool other_state::differs(id_t id) const noexcept {
    return id == event_.id || id == replaced_pair_ || (sparse_ && sparse_->changes(id));
}

template <class Visit>
bool other_state::each_changed(id_t pattern, Visit&& visit) const {
    if (has_id_ && matches_id(pattern, event_.id) && !visit(event_.id)) {
        return false;
    }
    if (!has_id_ && replaced_pair_ != 0 && matches_id(pattern, replaced_pair_) &&
        !visit(replaced_pair_)) {
        return false;
    }
    for (std::int32_t index = type_ ? storage::find_match(*type_, pattern, 0) : -1; index >= 0;
         index = storage::next_match(*type_, pattern, index)) {
        if (!is_gone_id(type_->ids[index]) && !visit(type_->ids[index])) {
            return false;
        }
    }
    if (type_ && type_->number == storage::no_table) {
        return true;
    }
    // Ids outside of the table; ids of the table as well, if the change does not move the row.
    const queries::location where = queries::locate(data_, event_.entity);
    queries::owned_id_position position;
    queries::owned_id owned;
    while (
        queries::next_owned_id(data_, where, pattern, queries::visibility::own, position, owned)) {
        const bool in_table = storage::find_id(*where.table, owned.id) >= 0;
        if (!differs(owned.id) && !is_gone_id(owned.id) && !(type_ && in_table) &&
            !visit(owned.id)) {
            return false;
        }
    }
    return true;
}

template <class Visit>
bool other_state::each_own(entity_t entity, id_t pattern, Visit&& visit) const {
    if (is_changed(entity)) {
        return each_changed(pattern, visit);
    }
    const queries::location where = queries::locate(data_, entity);
    if (is_gone(entity) || !where.table) {
        return true;
    }
    queries::owned_id_position position;
    queries::owned_id owned;
    while (
        queries::next_owned_id(data_, where, pattern, queries::visibility::own, position, owned)) {
        if (!is_gone_id(owned.id) && !visit(owned.id)) {
            return false;
        }
    }
    return true;
}

bool other_state::owns(entity_t entity, id_t pattern) const {
    return !each_own(entity, pattern, [](id_t) { return false; });
}

bool other_state::owns_counted(entity_t entity, const satisfying_ids& ids, bool passes) const {
    return !each_own(entity, ids.pattern(), [&](id_t id) {
        return !ids.has(id) || (passes && !queries::is_inheritable(data_, id));
    });
}

template <class Visit>
void other_state::each_changed_target(std::uint32_t relation, Visit&& visit) const {
    auto visit_index = [&](std::uint32_t target) {
        const entity_t alive = data_.entities.alive_at(target);
        if (alive != 0 && !is_gone(alive)) {
            visit(alive);
        }
    };
    const bool is_sparse = storage::find_links(data_, relation) != nullptr;
    if (type_ && type_->number == storage::no_table) {
        return;
    }
    if (type_ && !is_sparse) {
        const id_t any = make_pair(relation, Wildcard);
        for (std::int32_t position = storage::find_match(*type_, any, 0); position >= 0;
             position = storage::next_match(*type_, any, position)) {
            visit_index(pair_second(type_->ids[position]));
        }
        return;
    }
    auto is_of_relation = [&](id_t id) { return is_pair(id) && pair_first(id) == relation; };
    if (const id_t id = has_id_ ? event_.id : replaced_pair_; is_of_relation(id)) {
        visit_index(pair_second(id));
    }
    storage::each_target(data_, event_.entity, relation, [&](std::uint32_t target) {
        if (!differs(make_pair(relation, target))) {
            visit_index(target);
        }
        return true;
    });
}

template <class Visit>
void other_state::each_target(entity_t entity, std::uint32_t relation, Visit&& visit) const {
    if (is_changed(entity)) {
        each_changed_target(relation, visit);
    } else if (!is_gone(entity)) {
        storage::each_target(data_, entity, relation, [&](std::uint32_t target) {
            const entity_t alive = data_.entities.alive_at(target);
            if (!is_gone(alive)) {
                visit(alive);
            }
            return true;
        });
    }
}

template <class Visit>
void other_state::each_source(entity_t entity, std::uint32_t relation, Visit&& visit) const {
    if (is_gone(entity)) {
        return;
    }
    storage::each_source(data_, relation, index_of(entity), [&](entity_t source) {
        if (!is_changed(source) && !is_gone(source)) {
            visit(source);
        }
        return true;
    });
    if (event_.entity != 0) {
        each_changed_target(relation, [&](entity_t target) {
            if (target == entity) {
                visit(event_.entity);
            }
        });
    }
}

other_state::~other_state() {
    answers_.release(mem_, purpose::commands);
    answer_index_.release(mem_, purpose::commands);
}

const other_state::answer* other_state::find_answer(entity_t entity, id_t id,
                                                    std::uint32_t trav) const noexcept {
    const std::uint32_t number = answer_index_.find(base::mix(entity), [&](std::uint32_t position) {
        const answer& known_answer = answers_[position - 1];
        return known_answer.entity == entity && known_answer.id == id && known_answer.trav == trav;
    });
    return number != 0 ? &answers_[number - 1] : nullptr;
}

void other_state::remember(const answer& known_answer) {
    if (!find_answer(known_answer.entity, known_answer.id, known_answer.trav)) {
        answer_index_.reserve_one(mem_, purpose::commands);
        answers_.push(mem_, known_answer, purpose::commands);
        answer_index_.insert_reserved(base::mix(known_answer.entity), answers_.size());
    }
}

entity_t other_state::find_owner(entity_t from, const term& term, id_t id) {
    // A wildcard is searched id by id. The nearest pair of an exclusive relationship hides pairs of
    // the relationship that are further away.
    const bool exclusive = is_pair(id) && term.inherits() &&
                           traits::is_exclusive(traits::describe_id(data_, id).traits);
    const id_t pattern = exclusive ? make_pair(pair_first(id), Wildcard) : id;
    const bool self = owns(from, pattern);
    if (self && (term.flags & Self || exclusive)) {
        return term.flags & Self && owns(from, id) ? from : 0;
    }
    if (!term.follows() || !queries::is_inheritable(data_, id)) {
        return 0;
    }
    if (term.flags & Self && term.tests_bases()) {
        if (entity_t base = find_base(from, id)) {
            return base;
        }
    }
    const bool plain = pattern == id && term.follows_up() && !term.is_limited();
    const entity_t entity = find_further(from, term, id, pattern, plain);
    if (plain) {
        // The remembered answer serves searches that visit this entity on the way.
        const entity_t base = self || term.trav == IsA ? 0 : find_base(from, id);
        remember({from, id, term.trav, self ? from : base != 0 ? base : entity});
    }
    return entity;
}

entity_t other_state::find_beyond(entity_t visited, const term& term, id_t id) {
    const entity_t base = term.trav == IsA ? 0 : find_base(visited, id);
    return base != 0 ? base : find_owner(visited, term, id);
}

// Upward searches are depth first, as in queries, and may turn back; downward searches are breadth
// first.
template <class Visit>
void other_state::search_further(entity_t from, const way& along, Visit&& visit) {
    const graph::repeat repeats = along.by_level ? graph::repeat::by_level : graph::repeat::never;
    if (!along.up) {
        graph::walk_levels(
            from, along.max_depth, repeats, &mem_,
            [&](entity_t target, auto&& add) { each_source(target, along.relation, add); },
            [&](entity_t entity, std::uint32_t level) {
                return visit(entity, level) != then::stop;
            });
        return;
    }
    graph::depth_first steps(repeats, graph::cycles::impossible, &mem_);
    graph::visit step{from, 0};
    for (then now = then::go_on; now != then::stop; now = visit(step.entity, step.level)) {
        if (now == then::go_on && step.level < along.max_depth) {
            steps.open(step, [&](auto&& add) { each_target(step.entity, along.relation, add); });
        }
        if (!steps.next(step)) {
            return;
        }
    }
}

template <class Visit>
bool other_state::each_base(entity_t inheritor, Visit&& visit) {
    if (data_.bases->pairs.empty()) {
        return true;
    }
    bool complete = true;
    constexpr std::uint32_t unlimited = 0xFFFFFFFF;
    search_further(inheritor, {IsA, true, unlimited, false}, [&](entity_t base, std::uint32_t) {
        complete = visit(base);
        return complete ? then::go_on : then::stop;
    });
    return complete;
}

entity_t other_state::find_base(entity_t inheritor, id_t pattern) {
    entity_t entity = 0;
    containers::small_vec<entity_t, 8> nearer(mem_, purpose::commands);
    nearer.push(inheritor);
    // The nearest pair of an exclusive relationship hides pairs of bases further away.
    auto is_passed_on = [&](id_t id) {
        const std::uint32_t traits = traits::describe_id(data_, id).traits;
        const bool hides = is_pair(id) && traits::is_exclusive(traits);
        return !(traits & traits::trait_dont_inherit) &&
               !(hides && std::any_of(nearer.begin(), nearer.end(), [&](entity_t other) {
                     return owns(other, make_pair(pair_first(id), Wildcard));
                 }));
    };
    each_base(inheritor, [&](entity_t base) {
        if (!each_own(base, pattern, [&](id_t id) { return !is_passed_on(id); })) {
            entity = base;
            return false;
        }
        nearer.push(base);
        return true;
    });
    return entity;
}

other_state::way other_state::way_of(const term& term) noexcept {
    return {term.trav, term.follows_up(), term.max_depth, term.is_limited()};
}

entity_t other_state::find_further(entity_t from, const term& term, id_t id, id_t pattern,
                                   bool plain) {
    entity_t owner = 0;
    search_further(from, way_of(term), [&](entity_t entity, std::uint32_t level) {
        if (const answer* known_answer = plain ? find_answer(entity, id, term.trav) : nullptr) {
            owner = known_answer->owner;
            return owner != 0 ? then::stop : then::turn_back;
        }
        if (level < term.min_depth) {
            return then::go_on;
        }
        if (owns(entity, pattern)) {
            owner = owns(entity, id) ? entity : 0;
            return then::stop;
        }
        const entity_t base = term.trav != IsA ? find_base(entity, pattern) : 0;
        if (base == 0) {
            return then::go_on;
        }
        owner = owns(base, id) ? base : 0;
        return then::stop;
    });
    return owner;
}

bool other_state::counts(id_t id, const satisfying_ids& ids) {
    if (!ids.has(id) || !ids.is_closure() || ids.is_end(pair_second(id))) {
        return ids.has(id);
    }
    const entity_t target = data_.entities.alive_at(pair_second(id));
    return target != 0 && leads_to_end(target, ids);
}

bool other_state::holds(entity_t from, const satisfying_ids& ids) {
    if (ids.is_empty() || ids.holds_anyway(from)) {
        return !ids.is_empty();
    }
    if (ids.is_exact()) {
        return find_owner(from, ids.bound_term(), ids.bound_term().id) != 0;
    }
    return ids.is_closure() ? leads_to_end(from, ids) : finds_counted(from, ids);
}

bool other_state::finds_counted(entity_t from, const satisfying_ids& ids) {
    const term& term = ids.bound_term();
    auto inherits_counted = [&](entity_t inheritor) {
        return term.tests_bases() &&
               !each_base(inheritor, [&](entity_t base) { return !owns_counted(base, ids, true); });
    };
    bool satisfied =
        term.flags & Self && (owns_counted(from, ids, false) || inherits_counted(from));
    if (satisfied || !term.follows()) {
        return satisfied;
    }
    search_further(from, way_of(term), [&](entity_t entity, std::uint32_t level) {
        if (level < term.min_depth) {
            return then::go_on;
        }
        satisfied = owns_counted(entity, ids, true) || inherits_counted(entity);
        return satisfied ? then::stop : then::go_on;
    });
    return satisfied;
}

// A pair of a base is a member of the chain for the base's instances as well.
bool other_state::leads_to_end(entity_t from, const satisfying_ids& ids) {
    const term& term = ids.bound_term();
    const bool inherits = term.inherits() && queries::is_inheritable(data_, term.id);
    graph::depth_first steps(graph::repeat::never, graph::cycles::possible, &mem_);
    graph::visit step{from, 0};
    steps.begin(from);
    do {
        bool ends = false;
        steps.open(step, [&](auto&& add) {
            ends = !each_own(step.entity, ids.pattern(), [&](id_t id) {
                if (!ids.has(id)) {
                    return true;
                }
                if (entity_t target = data_.entities.alive_at(pair_second(id))) {
                    add(target);
                }
                return !ids.is_end(pair_second(id));
            });
            if (!ends && inherits) {
                each_target(step.entity, IsA, add);
            }
        });
        if (ends) {
            return true;
        }
    } while (steps.next(step));
    return false;
}

}  // namespace kith::observe
