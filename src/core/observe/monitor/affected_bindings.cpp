// The analysis of which results of a query a change can create or end.
#include "observe/monitor/affected_bindings.hpp"

#include "base/assert.hpp"
#include "graph/reach.hpp"
#include "graph/walk.hpp"
#include "query/plan/term_semantics.hpp"
#include "traits/implications.hpp"

#include <algorithm>
#include <string_view>

namespace kith::observe {

using queries::no_variable;
using queries::only;
using queries::source_kind;
using queries::term;
using queries::term_kind;
using queries::term_semantics;

namespace {

// The entity is an element of an id that some entity has, or the target of a sparse pair.
constexpr std::uint32_t referenced_states =
    storage::record_used_as_id | storage::record_has_children | storage::record_link_target;

}  // namespace

void affected_bindings::close(const std::vector<way>& ways, bool forward) {
    for (std::uint32_t position = 0; position < members_.size(); ++position) {
        const entity_t member = members_[position];
        const storage::entity_record* record = data_.entities.find(member);
        if (!record) {
            continue;
        }
        for (const way& each : ways) {
            if (each.up == forward) {
                graph::add_targets(members_, data_, each.relation, member);
            } else if (record->state & referenced_states) {
                graph::add_sources(members_, data_, each.relation, member);
            }
        }
    }
}

// -- the bindings that a change affects

// True if the entity, which is used in ids, becomes a subtype of an entity that a term names, or
// ceases to be one.
bool affected_bindings::changes_subtypes(const change& change) const {
    KITH_ASSERT(data_.entities.find(change.entity), "the changed entity is alive");
    if (!is_pair(change.id) || pair_first(change.id) != IsA ||
        !(data_.entities.find(change.entity)->state & referenced_states)) {
        return false;
    }
    return std::any_of(model_.begin(), model_.end(), [&](const term& term) {
        return is_about_ids(term) &&
               ((accepts_subtypes(term.first, term.first_by) &&
                 graph::is_subtype_of(data_, pair_second(change.id), term.first)) ||
                (accepts_subtypes(term.second, term.second_by) &&
                 graph::is_subtype_of(data_, pair_second(change.id), term.second)));
    });
}

// True if a comparison with a name or path may have another outcome for any entity.
bool affected_bindings::changes_names(const change& change) const {
    const bool renames = change.id == detail::name_pair;
    const bool moves = is_pair(change.id) && pair_first(change.id) == ChildOf;
    if (!renames && !moves) {
        return false;
    }
    return std::any_of(model_.begin(), model_.end(), [&](const term& term) {
        if (term.kind != term_kind::name_equal) {
            return false;
        }
        const std::string_view name = names_.name(names_.world, change.entity);
        return renames ||
               (!name.empty() && std::string_view(term.text).find(name) != std::string_view::npos);
    });
}

// True if the changed entity is the list of the term, or a list inside of it.
bool affected_bindings::changes_list(const term& term, const change& change) const {
    graph::visit_set lists;
    lists.insert(data_.entities.alive_at(index_of(term.id)));
    for (std::uint32_t position = 0; position < lists.size(); ++position) {
        for (std::uint32_t inside : {index_of(AllOf), index_of(AnyOf)}) {
            graph::add_targets(lists, data_, inside, lists[position]);
        }
    }
    return lists.has(change.entity);
}

bool affected_bindings::affects_everything(const change& change) const {
    if (is_semantic_property(change.id) &&
        (names(model_, change.entity) || traits::is_in_use(data_, index_of(change.entity)))) {
        return true;
    }
    if (changes_subtypes(change) || changes_names(change)) {
        return true;
    }
    return std::any_of(model_.begin(), model_.end(), [&](const term& term) {
        if (!is_about_ids(term)) {
            return false;
        }
        auto follows = [&](const queries::substitution& substitution) {
            return substitution.flags != 0 && substitution.trav != 0 && is_pair(change.id) &&
                   pair_first(change.id) == substitution.trav;
        };
        return follows(term.first_by) || follows(term.second_by) ||
               (term.is_from_list() && (changes_list(term, change) || changes_semantics(change)));
    });
}

// Requires: a term of the query is about a list. An id of the list may be satisfied by other ids,
// which may change anywhere: ids of subtypes of its elements, and implied pairs.
bool affected_bindings::changes_semantics(const change& change) const {
    if (!is_pair(change.id)) {
        return false;
    }
    const bool new_kind = pair_first(change.id) == IsA &&
                          data_.entities.find(change.entity)->state & referenced_states;
    return new_kind || traits::describe_id(data_, change.id).traits & traits::trait_transitive;
}

bool affected_bindings::hides_others(const term& term, id_t id) const {
    return term.follows() && traits::is_exclusive(traits::describe_id(data_, id).traits);
}

bool affected_bindings::concerns(const term& term, id_t id) const {
    if (term.is_from_list()) {
        return true;
    }
    if (is_pair(term.id) != is_pair(id)) {
        return false;
    }
    const std::uint32_t first = is_pair(id) ? pair_first(id) : index_of(id);
    if (term.first != 0 && term.first_by.flags == 0 && index_of(term.first) != first &&
        !(accepts_subtypes(term.first, term.first_by) &&
          graph::is_subtype_of(data_, first, term.first))) {
        return false;
    }
    if (!is_pair(id) || term.second == 0 || term.second_by.flags != 0 ||
        index_of(term.second) == pair_second(id)) {
        return true;
    }
    const term_semantics meaning = queries::find_semantics(data_, term);
    return meaning.transitive || meaning.reflexive || hides_others(term, id) ||
           (accepts_subtypes(term.second, term.second_by) &&
            graph::is_subtype_of(data_, pair_second(id), term.second));
}

// Fills affected_; one set without variables stands for every result.
void affected_bindings::find(const change& change) {
    affected_.clear();
    values_.clear();
    everything_ = affects_everything(change);
    auto hides = [&](entity_t id, bool shown) { return !shown && change.id == id; };
    if (model_.has_this &&
        (hides(Prefab, model_.shows_prefabs) || hides(Disabled, model_.shows_disabled) ||
         hides(Kith, model_.shows_builtins))) {
        members_.clear();
        members_.insert(change.entity);
        add_affected(0, {});
    }
    for (std::uint32_t i = 0; i < model_.count && !everything_; ++i) {
        find_in(i, change);
    }
    if (everything_) {
        affected_.assign(1, {});
    }
}

// Adds the bindings that the change affects through one term.
void affected_bindings::find_in(std::uint32_t number, const change& change) {
    const term& term = model_.terms[number];
    if (term.kind == term_kind::name_match) {
        if (change.id == detail::name_pair) {
            members_.clear();
            members_.insert(change.entity);
            add_bindings(number, change, false);
        }
        return;
    }
    // An optional term without variables of its own neither creates nor ends a result.
    const variable_set used = queries::source_of(term) | queries::elements_of(term);
    if (!is_about_ids(term) || (term.oper == Optional && (used & ~structure_.bound()) == 0)) {
        return;
    }
    find_ways(data_, term, ways_);
    const bool by_id = concerns(term, change.id);
    const bool by_way =
        is_pair(change.id) && std::any_of(ways_.begin(), ways_.end(), [&](const way& each) {
            return each.relation == pair_first(change.id);
        });
    if (!by_id && !by_way) {
        return;
    }
    members_.clear();
    add_start(term, change, by_id);
    close(ways_, false);
    add_bindings(number, change, by_id);
}

void affected_bindings::add_start(const term& term, const change& change, bool by_id) {
    add_member(change.entity);
    if (!is_pair(change.id)) {
        return;
    }
    const bool down = std::any_of(ways_.begin(), ways_.end(), [&](const way& each) {
        return !each.up && each.relation == pair_first(change.id);
    });
    if (down || (by_id && queries::find_semantics(data_, term).reflexive)) {
        add_member(data_.entities.alive_at(pair_second(change.id)));
    }
}

// The variables of the term that get their values from the id itself.
affected_bindings::affected affected_bindings::find_exact(const term& term, const change& change,
                                                          bool by_id) const {
    affected affected_set;
    auto add = [&](std::uint8_t variable, std::uint32_t value) {
        affected_set.fixed[affected_set.fixed_count] = variable;
        affected_set.fixed_values[affected_set.fixed_count++] = data_.entities.alive_at(value);
        affected_set.which |= only(variable);
    };
    if (!by_id || term.is_from_list()) {
        return affected_set;
    }
    if (term.first_variable != no_variable && term.first_by.flags == 0 &&
        structure_.bound() & only(term.first_variable)) {
        add(term.first_variable, is_pair(change.id) ? pair_first(change.id) : index_of(change.id));
    }
    if (term.second_variable != no_variable && term.second_by.flags == 0 &&
        structure_.bound() & only(term.second_variable) &&
        term.second_variable != term.first_variable) {
        // A pair of an exclusive relationship hides inherited pairs with other targets.
        const term_semantics meaning = queries::find_semantics(data_, term);
        if (!meaning.transitive && !meaning.reflexive && !hides_others(term, change.id)) {
            add(term.second_variable, pair_second(change.id));
        }
    }
    return affected_set;
}

// Adds the bindings of a term. Requires: members_ are the possible sources.
void affected_bindings::add_bindings(std::uint32_t number, const change& change, bool by_id) {
    const term& term = model_.terms[number];
    const bool has_ways = !ways_.empty();
    // A changed pair of a way leads the search to ids other than itself.
    affected exact = find_exact(term, change, by_id);
    const bool also_by_way = by_id && has_ways && is_pair(change.id) &&
                             std::any_of(ways_.begin(), ways_.end(), [&](const way& each) {
                                 return each.relation == pair_first(change.id);
                             });
    if (also_by_way) {
        exact = {};
    }
    if (term.from == source_kind::fixed) {
        if (!members_.has(term.source)) {
            return;
        }
        if (exact.which == 0) {
            everything_ = true;
        } else {
            affected_.push_back(exact);
        }
        return;
    }
    if (structure_.bound() & only(term.source_variable)) {
        add_affected(term.source_variable, exact);
    } else if (exact.which != 0) {
        affected_.push_back(exact);
    } else {
        const query_structure::route& along = structure_.route_of(number);
        if (along.is_known && along.start != term.source_variable) {
            take_targets(number, change);
        }
        follow_route(along);
    }
}

void affected_bindings::take_targets(std::uint32_t number, const change& change) {
    members_.clear();
    add_member(change.entity);
    const entity_t target =
        is_pair(change.id) ? data_.entities.alive_at(pair_second(change.id)) : entity_t{0};
    add_member(target);
    hop_to({static_cast<std::uint8_t>(number), true, 0});
    add_member(target);
}

// Adds the bindings of each member to `variable`, together with the fixed values of `with`.
void affected_bindings::add_affected(std::uint8_t variable, const affected& with) {
    KITH_ASSERT(structure_.bound() & only(variable),
                "bindings are about variables of every result");
    affected affected_set = with;
    // The source variable may occur as the target as well; the member is its value then.
    for (std::uint32_t i = 0; i < affected_set.fixed_count;) {
        if (affected_set.fixed[i] == variable) {
            --affected_set.fixed_count;
            affected_set.fixed[i] = affected_set.fixed[affected_set.fixed_count];
            affected_set.fixed_values[i] = affected_set.fixed_values[affected_set.fixed_count];
        } else {
            ++i;
        }
    }
    affected_set.which |= only(variable);
    affected_set.variable = variable;
    affected_set.first = static_cast<std::uint32_t>(values_.size());
    values_.insert(values_.end(), members_.begin(), members_.end());
    affected_set.last = static_cast<std::uint32_t>(values_.size());
    affected_.push_back(affected_set);
}

// Replaces members_ step by step by the values of the variables along the route.
void affected_bindings::follow_route(const query_structure::route& along) {
    if (!along.is_known) {
        everything_ = true;
        return;
    }
    std::uint8_t variable = along.start;
    for (const query_structure::hop& step : along.hops) {
        hop_to(step);
        variable = step.reached;
    }
    add_affected(variable, {});
}

// Replaces members_ (values of one variable of the term) by the values of the other variable.
void affected_bindings::hop_to(const query_structure::hop& step) {
    const term& term = model_.terms[step.term];
    if (term.kind == term_kind::equal) {
        return;
    }
    const term_semantics meaning = queries::find_semantics(data_, term);
    const graph::visit_set relations = graph::subtypes_of(data_, term.first);
    find_ways(data_, term, ways_);
    if (step.to_target) {
        close(ways_, true);
    }
    reached_.clear();
    for (entity_t member : members_) {
        for (entity_t relation : relations) {
            if (step.to_target) {
                graph::add_targets(reached_, data_, index_of(relation), member);
            } else {
                graph::add_sources(reached_, data_, index_of(relation), member);
            }
        }
    }
    if (!meaning.reflexive) {
        members_.clear();
    }
    for (entity_t entity : reached_) {
        add_member(entity);
    }
    if (!step.to_target) {
        close(ways_, false);
    }
}

}  // namespace kith::observe
