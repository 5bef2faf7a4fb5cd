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
bool accepts_subtypes(entity_t element, const queries::substitution& by) {
    return element != 0 && by.flags == 0 && !ids::is_builtin(index_of(element));
}

bool is_about_ids(const term& one) {
    return one.kind == term_kind::ids && one.from != source_kind::none;
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
        const term& one = model_.terms[i];
        const variable_set used = queries::source_of(one) | queries::elements_of(one);
        // Terms with variables that may be unset are skipped then.
        if (is_required(i) && one.kind == term_kind::ids && (used & ~bound_) == 0) {
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
    auto read_alternative = [&](const clause& one, variable_set outside, bool in_chain) {
        const term& head = model_.terms[one.first];
        const bool holds = required && !in_chain;
        if (one.kind == clause_kind::term) {
            level_of_[one.first] = inside;
            required_ |= std::uint64_t{holds && head.oper == And} << one.first;
            every_ |= std::uint64_t{required && head.every_of_chain} << one.first;
            forbidden_ |= std::uint64_t{holds && head.oper == Not} << one.first;
        } else {
            add_level(one.first + 1, one.last - 1, inside, outside, false);
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
                                std::uint8_t from, hop& made) const {
    const term& one = model_.terms[by];
    if (where.known.producers[from] >> where.group_of[affected_term] & 1) {
        return false;
    }
    const bool binds = one.oper == Optional && where.known.producers[from] == std::uint64_t{1}
                                                                                  << by;
    if ((one.oper != And && !binds) || one.in_chain || one.first_by.flags != 0 ||
        one.second_by.flags != 0) {
        return false;
    }
    const bool compares = one.kind == term_kind::equal;
    if (!compares && (one.kind != term_kind::ids || one.first == 0)) {
        return false;
    }
    const bool has_source = queries::source_of(one) != 0;
    const std::uint8_t source = has_source ? one.source_variable : no_variable;
    if (source == from && one.second_variable != no_variable) {
        made = {static_cast<std::uint8_t>(by), true, one.second_variable};
    } else if (one.second_variable == from && has_source) {
        made = {static_cast<std::uint8_t>(by), false, source};
    } else {
        return false;
    }
    return (where.known.bound & only(made.reached)) != 0;
}

// Breadth first from the variables of the term, so that the terms on the way have shorter ones.
affected_bindings::route affected_bindings::find_route(std::uint32_t number) const {
    const term& one = model_.terms[number];
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
    if (level_of_[number] >= 0 && queries::source_of(one) != 0) {
        start_at(one.source_variable);
    }
    if (level_of_[number] >= 0 && one.kind == term_kind::ids && one.first != 0 &&
        one.first_by.flags == 0 && one.second_by.flags == 0) {
        start_at(one.second_variable);
    }
    for (std::size_t at = 0; at < queue.size(); ++at) {
        if (bound_ & only(queue[at].variable)) {
            route found{true, 0, {}};
            auto back = static_cast<std::int32_t>(at);
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
                hop made;
                if (by != number && level_of_[by] == l &&
                    can_hop(where, number, by, queue[at].variable, made) &&
                    !(seen & only(made.reached))) {
                    seen |= only(made.reached);
                    queue.push_back({made.reached, static_cast<std::int32_t>(at), made});
                }
            }
            l = where.outer;
        }
    }
    return {};
}

// -- what to listen to

void affected_bindings::add_patterns(const term& one) const {
    auto add_ids = [&](entity_t first) {
        if (!is_pair(one.id)) {
            add_pattern(first == 0 ? id_t{Wildcard} : first);
            return;
        }
        // Other targets count where there may be kinds of the target, or a way to it, or where
        // they hide what is inherited.
        const bool any =
            one.second == 0 || one.second_by.flags != 0 || one.first != 0 || one.follows();
        add_pattern(make_pair(first == 0 ? Wildcard : first, any ? Wildcard : one.second));
    };
    if (one.is_from_list()) {
        add_pattern(Wildcard);
        add_pattern(make_pair(Wildcard, Wildcard));
        return;
    }
    if (one.first == 0 || one.first_by.flags != 0) {
        add_ids(0);
    } else {
        for (std::uint32_t kind : subtypes_of(one.first)) {
            add_ids(data_.entities.alive_at(kind));
        }
    }
    std::vector<way> ways;
    find_ways(one, ways);
    for (const way& each : ways) {
        add_pattern(make_pair(each.relation, Wildcard));
    }
    for (const queries::substitution* by : {&one.first_by, &one.second_by}) {
        if (by->flags != 0 && by->trav != 0) {
            add_pattern(make_pair(by->trav, Wildcard));
        }
    }
}

void affected_bindings::collect_patterns() const {
    patterns_.clear();
    bool has_ids = false;
    for (const term& one : model_) {
        if (is_about_ids(one)) {
            has_ids = true;
            add_patterns(one);
        } else if (one.kind == term_kind::name_match || one.kind == term_kind::name_equal) {
            add_pattern(name_pair);
            if (one.kind == term_kind::name_equal) {
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

void affected_bindings::collect_new_patterns(const change& made) {
    patterns_.clear();
    if (!is_pair(made.id) || pair_first(made.id) != IsA) {
        return;
    }
    for (const term& one : model_) {
        if (is_about_ids(one) && accepts_subtypes(one.first, one.first_by) &&
            is_subtype_of(pair_second(made.id), one.first)) {
            for (std::uint32_t kind : subtypes_of(made.entity)) {
                const entity_t first = data_.entities.alive_at(kind);
                add_pattern(is_pair(one.id) ? make_pair(first, Wildcard) : first);
            }
        }
    }
}

void affected_bindings::collect_elements() const {
    elements_.clear();
    for (const term& one : model_) {
        for (entity_t element : {one.first, one.second, one.source, one.relation,
                                 one.first_by.relation, one.second_by.relation}) {
            if (element != 0) {
                elements_.push_back(element);
            }
        }
    }
}

// -- relationships

bool affected_bindings::is_subtype_of(std::uint32_t element, entity_t from) const {
    std::vector<std::uint32_t> open{element};
    for (std::size_t at = 0; at < open.size(); ++at) {
        if (open[at] == index_of(from)) {
            return true;
        }
        storage::each_target(data_, data_.entities.alive_at(open[at]), IsA,
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
    for (std::size_t at = 0; at < found.size(); ++at) {
        storage::each_source(data_, IsA, found[at], [&](entity_t kind) {
            if (std::find(found.begin(), found.end(), index_of(kind)) == found.end()) {
                found.push_back(index_of(kind));
            }
            return true;
        });
    }
    return found;
}

void affected_bindings::find_ways(const term& one, std::vector<way>& ways) const {
    ways.clear();
    if (one.follows()) {
        if (one.trav != IsA) {
            ways.push_back({one.trav, one.follows_up()});
        }
        // What is found on the way may be inherited there.
        ways.push_back({IsA, one.trav != IsA || one.follows_up()});
    }
    if (is_pair(one.id) && one.first != 0 && queries::find_semantics(data_, one).transitive) {
        for (std::uint32_t relation : subtypes_of(one.first)) {
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
    for (std::size_t at = 0; at < members_.size(); ++at) {
        const entity_t member = members_[at];
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
bool affected_bindings::changes_subtypes(const change& made) const {
    if (!is_pair(made.id) || pair_first(made.id) != IsA ||
        !(data_.entities.find(made.entity)->state & referenced_states)) {
        return false;
    }
    return std::any_of(model_.begin(), model_.end(), [&](const term& one) {
        return is_about_ids(one) && ((accepts_subtypes(one.first, one.first_by) &&
                                      is_subtype_of(pair_second(made.id), one.first)) ||
                                     (accepts_subtypes(one.second, one.second_by) &&
                                      is_subtype_of(pair_second(made.id), one.second)));
    });
}

bool affected_bindings::changes_names(const change& made) const {
    const bool renames = made.id == name_pair;
    const bool moves = is_pair(made.id) && pair_first(made.id) == ChildOf;
    if (!renames && !moves) {
        return false;
    }
    return std::any_of(model_.begin(), model_.end(), [&](const term& one) {
        if (one.kind != term_kind::name_equal) {
            return false;
        }
        const std::string_view name = names_.name(names_.world, made.entity);
        return renames ||
               (!name.empty() && std::string_view(one.text).find(name) != std::string_view::npos);
    });
}

// Lists may have others inside.
bool affected_bindings::changes_list(const term& one, const change& made) const {
    std::vector<std::uint32_t> lists{static_cast<std::uint32_t>(index_of(one.id))};
    for (std::size_t at = 0; at < lists.size(); ++at) {
        if (lists[at] == index_of(made.entity)) {
            return true;
        }
        for (entity_t inside : {AllOf, AnyOf}) {
            storage::each_target(
                data_, data_.entities.alive_at(lists[at]), static_cast<std::uint32_t>(inside),
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

bool affected_bindings::affects_everything(const change& made) const {
    if (is_semantic_property(made.id) &&
        (names(made.entity) || traits::is_in_use(data_, index_of(made.entity)))) {
        return true;
    }
    if (changes_subtypes(made) || changes_names(made)) {
        return true;
    }
    return std::any_of(model_.begin(), model_.end(), [&](const term& one) {
        if (!is_about_ids(one)) {
            return false;
        }
        auto follows = [&](const queries::substitution& by) {
            return by.flags != 0 && by.trav != 0 && is_pair(made.id) &&
                   pair_first(made.id) == by.trav;
        };
        return follows(one.first_by) || follows(one.second_by) ||
               (one.is_from_list() && (changes_list(one, made) || changes_semantics(made)));
    });
}

// An id of a list may be satisfied by other ids, which may change anywhere: those of subtypes of
// its elements, and implied pairs.
bool affected_bindings::changes_semantics(const change& made) const {
    if (!is_pair(made.id)) {
        return false;
    }
    const bool new_kind =
        pair_first(made.id) == IsA && data_.entities.find(made.entity)->state & referenced_states;
    return new_kind || traits::describe_id(data_, made.id).traits & traits::trait_transitive;
}

// A pair of an exclusive relationship hides others that are inherited.
bool affected_bindings::hides_others(const term& one, id_t id) const {
    return one.follows() && traits::describe_id(data_, id).traits & traits::trait_exclusive;
}

// The id may be what the term asks for.
bool affected_bindings::concerns(const term& one, id_t id) const {
    if (one.is_from_list()) {
        return true;
    }
    if (is_pair(one.id) != is_pair(id)) {
        return false;
    }
    const std::uint32_t first = is_pair(id) ? pair_first(id) : index_of(id);
    if (one.first != 0 && one.first_by.flags == 0 && index_of(one.first) != first &&
        !(accepts_subtypes(one.first, one.first_by) && is_subtype_of(first, one.first))) {
        return false;
    }
    if (!is_pair(id) || one.second == 0 || one.second_by.flags != 0 ||
        index_of(one.second) == pair_second(id)) {
        return true;
    }
    const term_semantics meaning = queries::find_semantics(data_, one);
    return meaning.transitive || meaning.reflexive || hides_others(one, id) ||
           (accepts_subtypes(one.second, one.second_by) &&
            is_subtype_of(pair_second(id), one.second));
}

void affected_bindings::find(const change& made) {
    found_.clear();
    values_.clear();
    everything_ = affects_everything(made);
    auto hides = [&](entity_t id, bool shown) { return !shown && made.id == id; };
    if (model_.has_this &&
        (hides(Prefab, model_.shows_prefabs) || hides(Disabled, model_.shows_disabled) ||
         hides(Kith, model_.shows_builtins))) {
        members_.assign(1, made.entity);
        add_affected(0, {});
    }
    for (std::uint32_t i = 0; i < model_.count && !everything_; ++i) {
        find_in(i, made);
    }
    if (everything_) {
        found_.assign(1, {});
    }
}

void affected_bindings::find_in(std::uint32_t number, const change& made) {
    const term& one = model_.terms[number];
    if (one.kind == term_kind::name_match) {
        if (made.id == name_pair) {
            members_.assign(1, made.entity);
            add_bindings(number, made, false);
        }
        return;
    }
    // What an optional term finds is no matter of whether there is a result.
    const variable_set used = queries::source_of(one) | queries::elements_of(one);
    if (!is_about_ids(one) || (one.oper == Optional && (used & ~bound_) == 0)) {
        return;
    }
    find_ways(one, ways_);
    const bool by_id = concerns(one, made.id);
    const bool by_way =
        is_pair(made.id) && std::any_of(ways_.begin(), ways_.end(), [&](const way& each) {
            return each.relation == pair_first(made.id);
        });
    if (!by_id && !by_way) {
        return;
    }
    members_.clear();
    add_start(one, made, by_id);
    close(ways_, false);
    add_bindings(number, made, by_id);
}

// Whose own view of the term changes.
void affected_bindings::add_start(const term& one, const change& made, bool by_id) {
    add_member(made.entity);
    if (!is_pair(made.id)) {
        return;
    }
    const bool down = std::any_of(ways_.begin(), ways_.end(), [&](const way& each) {
        return !each.up && each.relation == pair_first(made.id);
    });
    if (down || (by_id && queries::find_semantics(data_, one).reflexive)) {
        add_member(data_.entities.alive_at(pair_second(made.id)));
    }
}

// The variables that the id itself gives values to.
affected_bindings::affected affected_bindings::find_exact(const term& one, const change& made,
                                                          bool by_id) const {
    affected found;
    auto add = [&](std::uint8_t variable, std::uint32_t value) {
        found.fixed[found.fixed_count] = variable;
        found.fixed_values[found.fixed_count++] = data_.entities.alive_at(value);
        found.which |= only(variable);
    };
    if (!by_id || one.is_from_list()) {
        return found;
    }
    if (one.first_variable != no_variable && one.first_by.flags == 0 &&
        bound_ & only(one.first_variable)) {
        add(one.first_variable, is_pair(made.id) ? pair_first(made.id) : index_of(made.id));
    }
    if (one.second_variable != no_variable && one.second_by.flags == 0 &&
        bound_ & only(one.second_variable) && one.second_variable != one.first_variable) {
        // A pair of an exclusive relationship hides others that are inherited.
        const term_semantics meaning = queries::find_semantics(data_, one);
        const bool hides =
            one.follows() && traits::describe_id(data_, made.id).traits & traits::trait_exclusive;
        if (!meaning.transitive && !meaning.reflexive && !hides) {
            add(one.second_variable, pair_second(made.id));
        }
    }
    return found;
}

// The sources are in members_.
void affected_bindings::add_bindings(std::uint32_t number, const change& made, bool by_id) {
    const term& one = model_.terms[number];
    const bool has_ways = !ways_.empty();
    // By a way, other ids than the changed one may be found.
    affected exact = find_exact(one, made, by_id);
    const bool also_by_way = by_id && has_ways && is_pair(made.id) &&
                             std::any_of(ways_.begin(), ways_.end(), [&](const way& each) {
                                 return each.relation == pair_first(made.id);
                             });
    if (also_by_way) {
        exact = {};
    }
    if (one.from == source_kind::fixed) {
        if (std::find(members_.begin(), members_.end(), one.source) == members_.end()) {
            return;
        }
        if (exact.which == 0) {
            everything_ = true;
        } else {
            found_.push_back(exact);
        }
        return;
    }
    if (bound_ & only(one.source_variable)) {
        add_affected(one.source_variable, exact);
    } else if (exact.which != 0) {
        found_.push_back(exact);
    } else {
        const route& along = routes_[number];
        if (along.is_known && along.start != one.source_variable) {
            take_targets(number, made);
        }
        follow_route(along);
    }
}

// The targets that the term may reach through the changed pair become the members.
void affected_bindings::take_targets(std::uint32_t number, const change& made) {
    members_.clear();
    add_member(made.entity);
    const entity_t target =
        is_pair(made.id) ? data_.entities.alive_at(pair_second(made.id)) : entity_t{0};
    add_member(target);
    hop_to({static_cast<std::uint8_t>(number), true, 0});
    add_member(target);
}

void affected_bindings::add_affected(std::uint8_t variable, const affected& with) {
    affected one = with;
    // The source may be the target as well.
    for (std::uint32_t i = 0; i < one.fixed_count;) {
        if (one.fixed[i] == variable) {
            --one.fixed_count;
            one.fixed[i] = one.fixed[one.fixed_count];
            one.fixed_values[i] = one.fixed_values[one.fixed_count];
        } else {
            ++i;
        }
    }
    one.which |= only(variable);
    one.variable = variable;
    one.first = static_cast<std::uint32_t>(values_.size());
    values_.insert(values_.end(), members_.begin(), members_.end());
    one.last = static_cast<std::uint32_t>(values_.size());
    found_.push_back(one);
}

void affected_bindings::follow_route(const route& along) {
    if (!along.is_known) {
        everything_ = true;
        return;
    }
    std::uint8_t variable = along.start;
    for (const hop& one : along.hops) {
        hop_to(one);
        variable = one.reached;
    }
    add_affected(variable, {});
}

void affected_bindings::hop_to(const hop& one) {
    const term& by = model_.terms[one.term];
    if (by.kind == term_kind::equal) {
        return;
    }
    const term_semantics meaning = queries::find_semantics(data_, by);
    const std::vector<std::uint32_t> relations = subtypes_of(by.first);
    find_ways(by, ways_);
    if (one.to_target) {
        close(ways_, true);
    }
    reached_.clear();
    for (entity_t member : members_) {
        for (std::uint32_t relation : relations) {
            if (one.to_target) {
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
    for (entity_t found : reached_) {
        add_member(found);
    }
    if (!one.to_target) {
        close(ways_, false);
    }
}

}  // namespace kith::observe
