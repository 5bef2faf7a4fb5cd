#include "observe/affected_bindings.hpp"

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
// Somebody has pairs with the entity, or has it.
constexpr std::uint32_t referenced_states =
    storage::record_used_as_id | storage::record_has_children | storage::record_link_target;
// Properties that change what queries find.
constexpr entity_t semantic_properties[] = {Transitive, Reflexive, Final,       DontInherit,
                                            Sparse,     Acyclic,   Traversable, Exclusive};

// It names what may have kinds, and asks for those, too.
bool accepts_subtypes(entity_t element, const queries::substitution& substitution) {
    return element != 0 && substitution.flags == 0 && !ids::is_builtin(index_of(element));
}

bool is_about_ids(const term& term) {
    return term.kind == term_kind::ids && term.from != source_kind::none;
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
        // Terms with variables that may be unset are skipped then.
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
            every_ |= std::uint64_t{required && head.every_of_chain} << clause.first;
            forbidden_ |= std::uint64_t{holds && head.oper == Not} << clause.first;
        } else {
            add_level(clause.first + 1, clause.last - 1, inside, outside, false);
        }
    };
    queries::each_clause(model_, first, last, [&](const clause& one) {
        // Scopes that are neither negated nor optional are no level of their own.
        if (one.kind == clause_kind::scope && model_.terms[one.first].oper == And) {
            read_clauses(one.first + 1, one.last - 1, inside, required);
            return;
        }
        level& here = levels_[static_cast<std::size_t>(inside)];
        for (std::uint32_t i = one.first; i < one.last; ++i) {
            here.group_of[i] = static_cast<std::uint8_t>(one.first);
        }
        // What it gives a value to itself, in some results, has none when it is asked.
        const variable_set outside =
            here.known.bound | (here.known.maybe & ~queries::given_by(one, here.known));
        if (one.kind == clause_kind::chain) {
            queries::each_alternative(model_, one, [&](const clause& alternative) {
                read_alternative(alternative, outside, true);
            });
        } else {
            read_alternative(one, outside, false);
        }
    });
}

// Only terms that hold wherever `from` has a value; and not if the group of the touched term is
// what gives it one: then results without a value are touched, too.
bool affected_bindings::can_hop(const level& where, std::uint32_t affected_term, std::uint32_t by,
                                std::uint8_t from, hop& edge) const {
    const term& term = model_.terms[by];
    if (where.known.producers[from] >> where.group_of[affected_term] & 1) {
        return false;
    }
    const bool binds = term.oper == Optional && where.known.producers[from] == std::uint64_t{1}
                                                                                   << by;
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
        edge = {static_cast<std::uint8_t>(by), true, term.second_variable};
    } else if (term.second_variable == from && has_source) {
        edge = {static_cast<std::uint8_t>(by), false, source};
    } else {
        return false;
    }
    return (where.known.bound & only(edge.reached)) != 0;
}

// Breadth first from the variables of the term, so that the terms on the way have shorter ones.
affected_bindings::route affected_bindings::find_route(std::uint32_t number) const {
    const term& term = model_.terms[number];
    struct reached {
        std::uint8_t variable;
        std::int32_t previous;
        hop by;
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
            route found{true, 0, {}};
            auto back = static_cast<std::int32_t>(position);
            for (; queue[static_cast<std::size_t>(back)].previous >= 0;
                 back = queue[static_cast<std::size_t>(back)].previous) {
                found.hops.insert(found.hops.begin(), queue[static_cast<std::size_t>(back)].by);
            }
            found.start = queue[static_cast<std::size_t>(back)].variable;
            return found;
        }
        for (std::int32_t l = level_of_[number]; l >= 0;) {
            const level& where = levels_[static_cast<std::size_t>(l)];
            for (std::uint32_t by = where.first; by < where.last; ++by) {
                hop edge;
                if (by != number && level_of_[by] == l &&
                    can_hop(where, number, by, queue[position].variable, edge) &&
                    !(seen & only(edge.reached))) {
                    seen |= only(edge.reached);
                    queue.push_back({edge.reached, static_cast<std::int32_t>(position), edge});
                }
            }
            l = where.outer;
        }
    }
    return {};
}

// -- what to listen to

void affected_bindings::add_patterns(const term& term) const {
    auto add_ids = [&](entity_t first) {
        if (!is_pair(term.id)) {
            add_pattern(first == 0 ? id_t{Wildcard} : first);
            return;
        }
        // Other targets count where there may be kinds of the target, or a way to it, or where
        // they hide what is inherited.
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
        // Kinds, and what is inherited.
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
    std::vector<std::uint32_t> found{index_of(element)};
    if (data_.bases->pairs.empty() && !data_.bases->links) {
        return found;
    }
    for (std::size_t position = 0; position < found.size(); ++position) {
        storage::each_source(data_, IsA, found[position], [&](entity_t kind) {
            if (std::find(found.begin(), found.end(), index_of(kind)) == found.end()) {
                found.push_back(index_of(kind));
            }
            return true;
        });
    }
    return found;
}

void affected_bindings::find_ways(const term& term, std::vector<way>& ways) const {
    ways.clear();
    if (term.follows()) {
        if (term.trav != IsA) {
            ways.push_back({term.trav, term.follows_up()});
        }
        // What is found on the way may be inherited there.
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

// -- what a change touches

bool affected_bindings::names(entity_t element) const {
    collect_elements();
    return std::find(elements_.begin(), elements_.end(), element) != elements_.end();
}

// Somebody becomes a kind of what a term names, or is no longer one.
bool affected_bindings::changes_subtypes(const change& change) const {
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

// Lists may have others inside.
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

// An id of a list may be satisfied by other ids, which may change anywhere: those of subtypes of
// its elements, and implied pairs.
bool affected_bindings::changes_semantics(const change& change) const {
    if (!is_pair(change.id)) {
        return false;
    }
    const bool new_kind = pair_first(change.id) == IsA &&
                          data_.entities.find(change.entity)->state & referenced_states;
    return new_kind || traits::describe_id(data_, change.id).traits & traits::trait_transitive;
}

// A pair of an exclusive relationship hides others that are inherited.
bool affected_bindings::hides_others(const term& term, id_t id) const {
    return term.follows() && traits::describe_id(data_, id).traits & traits::trait_exclusive;
}

// The id may be what the term asks for.
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

void affected_bindings::find(const change& change) {
    found_.clear();
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
        found_.assign(1, {});
    }
}

void affected_bindings::find_in(std::uint32_t number, const change& change) {
    const term& term = model_.terms[number];
    if (term.kind == term_kind::name_match) {
        if (change.id == name_pair) {
            members_.assign(1, change.entity);
            add_bindings(number, change, false);
        }
        return;
    }
    // What an optional term finds is no matter of whether there is a result.
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

// Whose own view of the term changes.
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

// The variables that the id itself gives values to.
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
        // A pair of an exclusive relationship hides others that are inherited.
        const term_semantics meaning = queries::find_semantics(data_, term);
        const bool hides = term.follows() &&
                           traits::describe_id(data_, change.id).traits & traits::trait_exclusive;
        if (!meaning.transitive && !meaning.reflexive && !hides) {
            add(term.second_variable, pair_second(change.id));
        }
    }
    return affected_set;
}

// The sources are in members_.
void affected_bindings::add_bindings(std::uint32_t number, const change& change, bool by_id) {
    const term& term = model_.terms[number];
    const bool has_ways = !ways_.empty();
    // By a way, other ids than the changed one may be found.
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
            found_.push_back(exact);
        }
        return;
    }
    if (bound_ & only(term.source_variable)) {
        add_affected(term.source_variable, exact);
    } else if (exact.which != 0) {
        found_.push_back(exact);
    } else {
        const route& along = routes_[number];
        if (along.is_known && along.start != term.source_variable) {
            take_targets(number, change);
        }
        follow_route(along);
    }
}

// The targets that the term may reach through the changed pair become the members.
void affected_bindings::take_targets(std::uint32_t number, const change& change) {
    members_.clear();
    add_member(change.entity);
    const entity_t target =
        is_pair(change.id) ? data_.entities.alive_at(pair_second(change.id)) : entity_t{0};
    add_member(target);
    hop_to({static_cast<std::uint8_t>(number), true, 0});
    add_member(target);
}

void affected_bindings::add_affected(std::uint8_t variable, const affected& with) {
    affected affected_set = with;
    // The source may be the target as well.
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
    found_.push_back(affected_set);
}

void affected_bindings::follow_route(const route& along) {
    if (!along.is_known) {
        everything_ = true;
        return;
    }
    std::uint8_t variable = along.start;
    for (const hop& edge : along.hops) {
        hop_to(edge);
        variable = edge.reached;
    }
    add_affected(variable, {});
}

void affected_bindings::hop_to(const hop& edge) {
    const term& term = model_.terms[edge.term];
    if (term.kind == term_kind::equal) {
        return;
    }
    const term_semantics meaning = queries::find_semantics(data_, term);
    const std::vector<std::uint32_t> relations = subtypes_of(term.first);
    find_ways(term, ways_);
    if (edge.to_target) {
        close(ways_, true);
    }
    reached_.clear();
    for (entity_t member : members_) {
        for (std::uint32_t relation : relations) {
            if (edge.to_target) {
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
    if (!edge.to_target) {
        close(ways_, false);
    }
}

}  // namespace kith::observe
