// The analysis of which results of a query a change can create or end.
#include "observe/monitor/affected_bindings.hpp"

#include "base/assert.hpp"
#include "ids/builtin.hpp"
#include "query/plan/term_meaning.hpp"
#include "storage/graph.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <string_view>

namespace kith::observe {

using queries::clause;
using queries::clause_kind;
using queries::no_variable;
using queries::only;
using queries::source_kind;
using queries::term;
using queries::term_kind;
using queries::term_semantics;
using queries::this_variable;

namespace {

constexpr id_t name_pair = make_pair(detail::identifier_type_id, Name);
// The entity is an element of an id that some entity has, or the target of a sparse pair.
constexpr std::uint32_t referenced_states =
    storage::record_used_as_id | storage::record_has_children | storage::record_link_target;
// Properties that change the results of queries for ids of the property's holder.
constexpr entity_t semantic_properties[] = {Transitive, Reflexive, Final,       DontInherit,
                                            Sparse,     Acyclic,   Traversable, Exclusive};

// True if the term names an entity that can have subtypes, whose ids satisfy the term as well.
bool accepts_subtypes(entity_t element, const queries::substitution& substitution) {
    return element != 0 && substitution.flags == 0 && !ids::is_builtin(index_of(element));
}

}  // namespace

bool is_semantic_property(id_t id) noexcept {
    return std::find(std::begin(semantic_properties), std::end(semantic_properties), id) !=
           std::end(semantic_properties);
}

affected_bindings::affected_bindings(const queries::compiled_query& query,
                                     const storage::store& data)
    : model_(query.model), names_(query.names), data_(data), level_of_(model_.count, -1) {
    add_level(0, model_.count, -1, this_variable, true);
    bound_ = levels_[0].known.bound & (model_.has_this ? ~variable_set{0} : ~this_variable);
    variable_set constrained = 0;
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const term& term = model_.terms[i];
        const variable_set used = queries::source_of(term) | queries::elements_of(term);
        // A term with a nullable variable is skipped in results without a value.
        if (is_required(i) && term.kind == term_kind::ids && (used & ~bound_) == 0) {
            constrained |= used;
        }
    }
    open_ = model_.has_this && !(constrained & this_variable);
    routes_.resize(model_.count);
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        routes_[i] = find_route(i);
    }
}

// -- the structure of the query

void affected_bindings::add_level(std::uint32_t first, std::uint32_t last, std::int32_t outer,
                                  variable_set outside, bool required) {
    levels_.push_back(
        {first, last, outer, queries::analyze_bindings(model_, first, last, outside), {}});
    levels_.back().group_of.resize(model_.count);
    read_clauses(first, last, static_cast<std::int32_t>(levels_.size()) - 1, required);
}

void affected_bindings::read_clauses(std::uint32_t first, std::uint32_t last, std::int32_t inside,
                                     bool required) {
    auto read_alternative = [&](const clause& clause, variable_set outside, bool in_chain) {
        const term& head = model_.terms[clause.first];
        const bool holds = required && !in_chain;
        if (clause.kind == clause_kind::term) {
            level_of_[clause.first] = inside;
            required_ |= std::uint64_t{holds && head.oper == And} << clause.first;
            alternatives_ |= std::uint64_t{required && head.every_of_chain} << clause.first;
            forbidden_ |= std::uint64_t{holds && head.oper == Not} << clause.first;
        } else {
            add_level(clause.first + 1, clause.last - 1, inside, outside, false);
        }
    };
    queries::each_clause(model_, first, last, [&](const clause& member) {
        // A scope that is neither negated nor optional is part of the level around it.
        if (member.kind == clause_kind::scope && model_.terms[member.first].oper == And) {
            read_clauses(member.first + 1, member.last - 1, inside, required);
            return;
        }
        level& here = levels_[static_cast<std::size_t>(inside)];
        for (std::uint32_t i = member.first; i < member.last; ++i) {
            here.group_of[i] = static_cast<std::uint8_t>(member.first);
        }
        // A nullable variable that this clause binds has no value yet when the clause is evaluated.
        const variable_set outside =
            here.known.bound | (here.known.maybe & ~queries::given_by(member, here.known));
        if (member.kind == clause_kind::chain) {
            queries::each_alternative(model_, member, [&](const clause& alternative) {
                read_alternative(alternative, outside, true);
            });
        } else {
            read_alternative(member, outside, false);
        }
    });
}

// The hop must hold wherever `from` has a value. It is refused if the clause of the affected term
// can give `from` its value: results without a value would be affected, and missed.
bool affected_bindings::can_hop(const level& where, std::uint32_t affected_term,
                                std::uint32_t hop_term, std::uint8_t from, hop& step) const {
    const term& term = model_.terms[hop_term];
    if (where.known.producers[from] >> where.group_of[affected_term] & 1) {
        return false;
    }
    const bool binds = term.oper == Optional && where.known.producers[from] == std::uint64_t{1}
                                                                                   << hop_term;
    if ((term.oper != And && !binds) || term.in_chain || term.first_by.flags != 0 ||
        term.second_by.flags != 0) {
        return false;
    }
    const bool compares = term.kind == term_kind::equal;
    if (!compares && (term.kind != term_kind::ids || term.first == 0)) {
        return false;
    }
    const bool has_source = queries::source_of(term) != 0;
    const std::uint8_t source = has_source ? term.source_variable : no_variable;
    if (source == from && term.second_variable != no_variable) {
        step = {static_cast<std::uint8_t>(hop_term), true, term.second_variable};
    } else if (term.second_variable == from && has_source) {
        step = {static_cast<std::uint8_t>(hop_term), false, source};
    } else {
        return false;
    }
    return (where.known.bound & only(step.reached)) != 0;
}

// Breadth first from the variables of the term: the route with the fewest hops is found.
affected_bindings::route affected_bindings::find_route(std::uint32_t number) const {
    const term& term = model_.terms[number];
    struct reached {
        std::uint8_t variable;
        std::int32_t previous;
        hop step;
    };
    std::vector<reached> queue;
    variable_set seen = 0;
    auto start_at = [&](std::uint8_t variable) {
        if (variable != no_variable && !(seen & only(variable))) {
            seen |= only(variable);
            queue.push_back({variable, -1, {}});
        }
    };
    if (level_of_[number] >= 0 && queries::source_of(term) != 0) {
        start_at(term.source_variable);
    }
    if (level_of_[number] >= 0 && term.kind == term_kind::ids && term.first != 0 &&
        term.first_by.flags == 0 && term.second_by.flags == 0) {
        start_at(term.second_variable);
    }
    for (std::size_t position = 0; position < queue.size(); ++position) {
        if (bound_ & only(queue[position].variable)) {
            route path{true, 0, {}};
            auto back = static_cast<std::int32_t>(position);
            for (; queue[static_cast<std::size_t>(back)].previous >= 0;
                 back = queue[static_cast<std::size_t>(back)].previous) {
                path.hops.insert(path.hops.begin(), queue[static_cast<std::size_t>(back)].step);
            }
            path.start = queue[static_cast<std::size_t>(back)].variable;
            return path;
        }
        for (std::int32_t l = level_of_[number]; l >= 0;) {
            const level& where = levels_[static_cast<std::size_t>(l)];
            for (std::uint32_t other = where.first; other < where.last; ++other) {
                hop step;
                if (other != number && level_of_[other] == l &&
                    can_hop(where, number, other, queue[position].variable, step) &&
                    !(seen & only(step.reached))) {
                    seen |= only(step.reached);
                    queue.push_back({step.reached, static_cast<std::int32_t>(position), step});
                }
            }
            l = where.outer;
        }
    }
    return {};
}

// -- patterns of ids to subscribe to

void affected_bindings::add_patterns(const term& term) const {
    auto add_ids = [&](entity_t first) {
        if (!is_pair(term.id)) {
            add_pattern(first == 0 ? id_t{Wildcard} : first);
            return;
        }
        // Pairs with other targets count if the target can have subtypes, if a chain of pairs can
        // lead to it, or if they hide inherited pairs.
        const bool any =
            term.second == 0 || term.second_by.flags != 0 || term.first != 0 || term.follows();
        add_pattern(make_pair(first == 0 ? Wildcard : first, any ? Wildcard : term.second));
    };
    if (term.is_from_list()) {
        add_pattern(Wildcard);
        add_pattern(make_pair(Wildcard, Wildcard));
        return;
    }
    if (term.first == 0 || term.first_by.flags != 0) {
        add_ids(0);
    } else {
        for (std::uint32_t kind : subtypes_of(term.first)) {
            add_ids(data_.entities.alive_at(kind));
        }
    }
    std::vector<way> ways;
    find_ways(term, ways);
    for (const way& each : ways) {
        add_pattern(make_pair(each.relation, Wildcard));
    }
    for (const queries::substitution* substitution : {&term.first_by, &term.second_by}) {
        if (substitution->flags != 0 && substitution->trav != 0) {
            add_pattern(make_pair(substitution->trav, Wildcard));
        }
    }
}

void affected_bindings::collect_patterns() const {
    patterns_.clear();
    bool has_ids = false;
    for (const term& term : model_) {
        if (is_about_ids(term)) {
            has_ids = true;
            add_patterns(term);
        } else if (term.kind == term_kind::name_match || term.kind == term_kind::name_equal) {
            add_pattern(name_pair);
            if (term.kind == term_kind::name_equal) {
                add_pattern(make_pair(ChildOf, Wildcard));
            }
        }
    }
    if (has_ids) {
        // IsA makes subtypes and inherited ids; properties change the meaning of ids.
        add_pattern(make_pair(IsA, Wildcard));
        for (entity_t property : semantic_properties) {
            add_pattern(property);
        }
    }
    if (model_.has_this) {
        for (entity_t hidden : {Prefab, Disabled, Kith}) {
            add_pattern(hidden);
        }
    }
}

void affected_bindings::collect_new_patterns(const change& change) {
    patterns_.clear();
    if (!is_pair(change.id) || pair_first(change.id) != IsA) {
        return;
    }
    for (const term& term : model_) {
        if (is_about_ids(term) && accepts_subtypes(term.first, term.first_by) &&
            is_subtype_of(pair_second(change.id), term.first)) {
            for (std::uint32_t kind : subtypes_of(change.entity)) {
                const entity_t first = data_.entities.alive_at(kind);
                add_pattern(is_pair(term.id) ? make_pair(first, Wildcard) : first);
            }
        }
    }
}

void affected_bindings::collect_elements() const {
    elements_.clear();
    for (const term& term : model_) {
        for (entity_t element : {term.first, term.second, term.source, term.relation,
                                 term.first_by.relation, term.second_by.relation}) {
            if (element != 0) {
                elements_.push_back(element);
            }
        }
    }
}

// -- relationships

bool affected_bindings::is_subtype_of(std::uint32_t element, entity_t from) const {
    std::vector<std::uint32_t> open{element};
    for (std::size_t position = 0; position < open.size(); ++position) {
        if (open[position] == index_of(from)) {
            return true;
        }
        storage::each_target(data_, data_.entities.alive_at(open[position]), IsA,
                             [&](std::uint32_t base) {
                                 if (std::find(open.begin(), open.end(), base) == open.end()) {
                                     open.push_back(base);
                                 }
                                 return true;
                             });
    }
    return false;
}

std::vector<std::uint32_t> affected_bindings::subtypes_of(entity_t element) const {
    std::vector<std::uint32_t> subtypes{index_of(element)};
    if (data_.bases->pairs.empty() && !data_.bases->links) {
        return subtypes;
    }
    for (std::size_t position = 0; position < subtypes.size(); ++position) {
        storage::each_source(data_, IsA, subtypes[position], [&](entity_t kind) {
            if (std::find(subtypes.begin(), subtypes.end(), index_of(kind)) == subtypes.end()) {
                subtypes.push_back(index_of(kind));
            }
            return true;
        });
    }
    return subtypes;
}

void affected_bindings::find_ways(const term& term, std::vector<way>& ways) const {
    ways.clear();
    if (term.follows()) {
        if (term.trav != IsA) {
            ways.push_back({term.trav, term.follows_up()});
        }
        // An entity that the search visits may inherit the id.
        ways.push_back({IsA, term.trav != IsA || term.follows_up()});
    }
    if (is_pair(term.id) && term.first != 0 && queries::find_semantics(data_, term).transitive) {
        for (std::uint32_t relation : subtypes_of(term.first)) {
            ways.push_back({relation, true});
        }
    }
}

void affected_bindings::add_member(entity_t entity) {
    constexpr std::size_t few = 16;
    if (entity == 0) {
        return;
    }
    if (members_.size() <= few) {
        if (std::find(members_.begin(), members_.end(), entity) != members_.end()) {
            return;
        }
        members_.push_back(entity);
        if (members_.size() > few) {
            seen_.clear();
            seen_.insert(members_.begin(), members_.end());
        }
    } else if (seen_.insert(entity).second) {
        members_.push_back(entity);
    }
}

void affected_bindings::close(const std::vector<way>& ways, bool forward) {
    for (std::size_t position = 0; position < members_.size(); ++position) {
        const entity_t member = members_[position];
        const storage::entity_record* record = data_.entities.find(member);
        if (!record) {
            continue;
        }
        for (const way& each : ways) {
            if (each.up == forward) {
                storage::each_target(data_, member, each.relation, [&](std::uint32_t target) {
                    add_member(data_.entities.alive_at(target));
                    return true;
                });
            } else if (record->state & referenced_states) {
                storage::each_source(data_, each.relation, index_of(member), [&](entity_t source) {
                    add_member(source);
                    return true;
                });
            }
        }
    }
}

// -- the bindings that a change affects

bool affected_bindings::names(entity_t element) const {
    collect_elements();
    return std::find(elements_.begin(), elements_.end(), element) != elements_.end();
}

// True if the entity, which is used in ids, becomes a subtype of an entity that a term names, or
// ceases to be one.
bool affected_bindings::changes_subtypes(const change& change) const {
    KITH_ASSERT(data_.entities.find(change.entity), "the changed entity is alive");
    if (!is_pair(change.id) || pair_first(change.id) != IsA ||
        !(data_.entities.find(change.entity)->state & referenced_states)) {
        return false;
    }
    return std::any_of(model_.begin(), model_.end(), [&](const term& term) {
        return is_about_ids(term) && ((accepts_subtypes(term.first, term.first_by) &&
                                       is_subtype_of(pair_second(change.id), term.first)) ||
                                      (accepts_subtypes(term.second, term.second_by) &&
                                       is_subtype_of(pair_second(change.id), term.second)));
    });
}

// True if a comparison with a name or path may have another outcome for any entity.
bool affected_bindings::changes_names(const change& change) const {
    const bool renames = change.id == name_pair;
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
    std::vector<std::uint32_t> lists{static_cast<std::uint32_t>(index_of(term.id))};
    for (std::size_t position = 0; position < lists.size(); ++position) {
        if (lists[position] == index_of(change.entity)) {
            return true;
        }
        for (entity_t inside : {AllOf, AnyOf}) {
            storage::each_target(
                data_, data_.entities.alive_at(lists[position]), static_cast<std::uint32_t>(inside),
                [&](std::uint32_t list) {
                    if (std::find(lists.begin(), lists.end(), list) == lists.end()) {
                        lists.push_back(list);
                    }
                    return true;
                });
        }
    }
    return false;
}

bool affected_bindings::affects_everything(const change& change) const {
    if (is_semantic_property(change.id) &&
        (names(change.entity) || traits::is_in_use(data_, index_of(change.entity)))) {
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
    return term.follows() && traits::describe_id(data_, id).traits & traits::trait_exclusive;
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
        !(accepts_subtypes(term.first, term.first_by) && is_subtype_of(first, term.first))) {
        return false;
    }
    if (!is_pair(id) || term.second == 0 || term.second_by.flags != 0 ||
        index_of(term.second) == pair_second(id)) {
        return true;
    }
    const term_semantics meaning = queries::find_semantics(data_, term);
    return meaning.transitive || meaning.reflexive || hides_others(term, id) ||
           (accepts_subtypes(term.second, term.second_by) &&
            is_subtype_of(pair_second(id), term.second));
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
        members_.assign(1, change.entity);
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
        if (change.id == name_pair) {
            members_.assign(1, change.entity);
            add_bindings(number, change, false);
        }
        return;
    }
    // An optional term without variables of its own neither creates nor ends a result.
    const variable_set used = queries::source_of(term) | queries::elements_of(term);
    if (!is_about_ids(term) || (term.oper == Optional && (used & ~bound_) == 0)) {
        return;
    }
    find_ways(term, ways_);
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
        bound_ & only(term.first_variable)) {
        add(term.first_variable, is_pair(change.id) ? pair_first(change.id) : index_of(change.id));
    }
    if (term.second_variable != no_variable && term.second_by.flags == 0 &&
        bound_ & only(term.second_variable) && term.second_variable != term.first_variable) {
        // A pair of an exclusive relationship hides inherited pairs with other targets.
        const term_semantics meaning = queries::find_semantics(data_, term);
        const bool hides = term.follows() &&
                           traits::describe_id(data_, change.id).traits & traits::trait_exclusive;
        if (!meaning.transitive && !meaning.reflexive && !hides) {
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
        if (std::find(members_.begin(), members_.end(), term.source) == members_.end()) {
            return;
        }
        if (exact.which == 0) {
            everything_ = true;
        } else {
            affected_.push_back(exact);
        }
        return;
    }
    if (bound_ & only(term.source_variable)) {
        add_affected(term.source_variable, exact);
    } else if (exact.which != 0) {
        affected_.push_back(exact);
    } else {
        const route& along = routes_[number];
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
    KITH_ASSERT(bound_ & only(variable), "bindings are about variables of every result");
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
void affected_bindings::follow_route(const route& along) {
    if (!along.is_known) {
        everything_ = true;
        return;
    }
    std::uint8_t variable = along.start;
    for (const hop& step : along.hops) {
        hop_to(step);
        variable = step.reached;
    }
    add_affected(variable, {});
}

// Replaces members_ (values of one variable of the term) by the values of the other variable.
void affected_bindings::hop_to(const hop& step) {
    const term& term = model_.terms[step.term];
    if (term.kind == term_kind::equal) {
        return;
    }
    const term_semantics meaning = queries::find_semantics(data_, term);
    const std::vector<std::uint32_t> relations = subtypes_of(term.first);
    find_ways(term, ways_);
    if (step.to_target) {
        close(ways_, true);
    }
    reached_.clear();
    for (entity_t member : members_) {
        for (std::uint32_t relation : relations) {
            if (step.to_target) {
                storage::each_target(data_, member, relation, [&](std::uint32_t target) {
                    reached_.push_back(data_.entities.alive_at(target));
                    return true;
                });
            } else {
                storage::each_source(data_, relation, index_of(member), [&](entity_t source) {
                    reached_.push_back(source);
                    return true;
                });
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
