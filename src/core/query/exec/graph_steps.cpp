// The steps of graph plans: variables, scopes, comparisons, terms. What variables may be is
// proposed in graph_seek.cpp.
#include "query/exec/executor.hpp"
#include "storage/graph.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <bit>

namespace kith::queries {

void executor::start_graph(std::uint32_t steps) {
    graph_.take(steps);
    std::fill(graph_->values, graph_->values + model_.variable_count, 0);
    if (graph_->below.size() < model_.count) {
        graph_->below.resize(model_.count);
    }
    for (target_closure& below : graph_->below) {
        below.clear();
    }
    for (std::uint32_t i = 0; i < steps; ++i) {
        const graph_op& step = steps_->ops[i];
        const bool about_term = step.code == op_code::match_term ||
                                step.code == op_code::enumerate || step.code == op_code::intersect;
        if (about_term && step.first < step.last) {
            graph_->frames[i].now = model_.terms[step.first];
        }
    }
}

// -- variables ------------------------------------------------------------------------------------

bool executor::is_bound(std::uint8_t variable) const noexcept {
    return (graph_->bound >> variable) & 1;
}

// 0 if it has no value. While $this is several rows: the first; steps that need one row come behind
// the step `rows`.
entity_t executor::value_of(std::uint8_t variable) const noexcept {
    if (!is_bound(variable)) {
        return 0;
    }
    return variable == 0 ? this_entity() : graph_->values[variable];
}

// False if the variable has another value, or cannot have this one.
bool executor::bind(std::uint8_t variable, entity_t value, graph_frame& current) {
    if (is_bound(variable)) {
        return value_of(variable) == value;
    }
    const std::uint32_t hidden = hidden_of(variable);
    const storage::entity_record* record = hidden != 0 ? data_.entities.find(value) : nullptr;
    if (record && data_.tables.at(record->table).flags & hidden) {
        return false;
    }
    if (variable == 0) {
        record = record ? record : data_.entities.find(value);
        // One that waits in a queue has no row yet.
        if (!record || record->table == storage::no_table) {
            return false;
        }
        take_range({record->table, record->row, 1});
    } else {
        graph_->values[variable] = value;
    }
    graph_->bound |= only(variable);
    current.bound |= only(variable);
    return true;
}

void executor::release(graph_frame& current) noexcept {
    if (current.bound & this_variable) {
        table_ = nullptr;
        range_ = whole_ = {};
    }
    graph_->bound &= ~current.bound;
    for (; current.bound != 0; current.bound &= current.bound - 1) {
        graph_->values[std::countr_zero(current.bound)] = 0;
    }
}

// What the steps of a block bound is unbound.
void executor::abandon(std::uint32_t first, std::uint32_t last) noexcept {
    for (std::uint32_t i = first; i < last; ++i) {
        release(graph_->frames[i]);
    }
}

void executor::clear_fields(const op& block) noexcept {
    for (std::uint32_t t = block.first; t < block.last; ++t) {
        if (model_.terms[t].kind < term_kind::apart) {
            clear_field(model_.terms[t]);
        }
    }
}

bool executor::bind_elements(const term& term, id_t id, graph_frame& current) {
    auto element = [&](std::uint8_t variable, std::uint32_t index) {
        return variable == no_variable || bind(variable, data_.entities.alive_at(index), current);
    };
    bool substituted_first = term.first_by.flags != 0;
    bool substituted_second = term.second_by.flags != 0;
    return (substituted_first ||
            element(term.first_variable, is_pair(id) ? pair_first(id) : index_of(id))) &&
           (substituted_second || !is_pair(id) || element(term.second_variable, pair_second(id)));
}

// -- blocks ---------------------------------------------------------------------------------------

bool executor::run_block(std::uint32_t first, std::uint32_t last, std::uint32_t tail, bool again) {
    if (first == last) {
        return !again;
    }
    const graph_op* const ops = steps_->ops.data();
    const graph_frame* const frames = graph_->frames.data();
    std::uint32_t position = again ? tail : first;
    for (;;) {
        // Back to what may hold in another way.
        for (; again && frames[position].once; position = ops[position].previous) {
            if (position == first) {
                return false;
            }
        }
        if (eval_op(position, again)) {
            if (position == shared_step_ && !share_.takes_one()) [[unlikely]] {
                again = true;  // another share has this way
                continue;
            }
            position = ops[position].next;
            again = false;
            if (position == last) {
                return true;
            }
        } else if (position == first || gives_up()) {
            return false;
        } else {
            position = ops[position].previous;
            again = true;
        }
    }
}

// A search may go on for long without a result, and without another table of candidates.
bool executor::gives_up() {
    constexpr std::uint32_t patience = 1024;
    if (++retries_ % patience == 0) {
        stopped_ = stopped_ || source_.stopped();
    }
    return stopped_;
}

bool executor::advance_graph() {
    bool again = started_;
    started_ = true;
    // A block that was given up inside of a negation looks like one that does not hold.
    return run_block(0, static_cast<std::uint32_t>(steps_->ops.size()), steps_->tail, again) &&
           !stopped_;
}

bool executor::run_inside(std::uint32_t number, bool again) {
    const graph_op& step = steps_->ops[number];
    return run_block(number + 1, step.next, step.tail, again);
}

bool executor::eval_op(std::uint32_t number, bool again) {
    KITH_COUNT(steps);
    const graph_op& step = steps_->ops[number];
    graph_frame& current = graph_->frames[number];
    current.once = false;
    if (step.depends != 0) {
        if (!again) {
            current.skipped = (step.depends & ~graph_->bound) != 0;
            if (current.skipped) {
                clear_fields(step);
                current.once = true;
                return true;
            }
        } else if (current.skipped) {
            return false;
        }
    }
    switch (step.code) {
        case op_code::enumerate:
            return eval_enumerate(step, current, again);
        case op_code::match_term:
            return eval_match_term(step, current, again);
        case op_code::compare:
            return eval_compare(step, current, again);
        case op_code::not_exists:
            current.once = true;
            return !again && eval_not_exists(number);
        case op_code::optional:
            return eval_optional(number, again);
        case op_code::or_else:
            return eval_or_else(number, again);
        case op_code::intersect:
            return eval_intersect(number, again);
        case op_code::each_row:
            return take_rows(current, again);
        case op_code::scan:
            if (!next_candidate(again)) {
                graph_->bound &= ~this_variable;
                return false;
            }
            graph_->bound |= this_variable;
            return true;
        case op_code::id_in_table:
            if (!eval_id_in_table(step, frames_[number], again)) {
                return false;
            }
            current.once = !frames_[number].elsewhere;
            return true;
        default:
            return eval_plain(step, frames_[number], again);
    }
}

// -- shares ---------------------------------------------------------------------------------------

// True if the step gives values to variables, and may do so in several ways.
bool executor::is_choice(const graph_op& step) const noexcept {
    auto is_open = [&](std::uint8_t variable) {
        return variable != no_variable && !is_bound(variable);
    };
    switch (step.code) {
        case op_code::scan:
        case op_code::optional:
        case op_code::or_else:
        case op_code::intersect:
            return true;
        case op_code::enumerate:
            return is_open(step.variable);
        case op_code::match_term: {
            const term& term = model_.terms[step.first];
            return is_open(term.first_variable) || is_open(term.second_variable);
        }
        default:
            return false;
    }
}

// The first step that enumerates values; earlier steps only test. no_step: all steps test.
std::uint32_t executor::find_first_choice() const noexcept {
    const auto count = static_cast<std::uint32_t>(steps_->ops.size());
    for (std::uint32_t i = 0; i < count; i = steps_->ops[i].next) {
        if (is_choice(steps_->ops[i])) {
            return i;
        }
    }
    return no_step;
}

bool executor::shares_candidates() const noexcept {
    const std::uint32_t first = find_first_choice();
    return first != no_step && steps_->ops[first].code == op_code::scan;
}

bool executor::share_steps(const row_share& share) noexcept {
    const std::uint32_t first = graph_ ? find_first_choice() : no_step;
    if (first == no_step) {
        return false;
    }
    share_ = share;
    (proposes_source(first) ? shared_source_ : shared_step_) = first;
    return true;
}

// True if the step goes through what one variable may be.
bool executor::proposes_source(std::uint32_t number) const noexcept {
    const graph_op& step = steps_->ops[number];
    if (step.depends != 0 || step.variable == no_variable || is_bound(step.variable)) {
        return false;
    }
    // A comparison may have given a value to it.
    for (std::uint32_t i = 0; i < number; i = steps_->ops[i].next) {
        if (steps_->ops[i].code == op_code::compare) {
            return false;
        }
    }
    const std::uint32_t seek = step.code == op_code::intersect ? number + 1 : number;
    return steps_->ops[seek].code == op_code::enumerate && steps_->ops[seek].depends == 0 &&
           steps_->ops[seek].variable == step.variable;
}

// $this may be one row already, in one alternative of several.
bool executor::take_rows(graph_frame& current, bool again) {
    if (!again) {
        current.skipped = range_.count <= 1;
    }
    return current.skipped ? !again : accept_row(again);
}

bool executor::eval_not_exists(std::uint32_t number) {
    const graph_op& step = steps_->ops[number];
    if (bool exists = false; step.about_sources && find_source(number, exists)) {
        // Once: it gives nothing to them.
        if (bool& cleared = graph_->frames[number].matched; !cleared) {
            clear_fields(step);
            cleared = true;
        }
        return !exists;
    }
    bool found = run_inside(number, false);
    abandon(number + 1, step.next);
    clear_fields(step);
    return !found;
}

bool executor::eval_optional(std::uint32_t number, bool again) {
    const graph_op& step = steps_->ops[number];
    graph_frame& current = graph_->frames[number];
    if (again && !current.matched) {
        return false;
    }
    if (run_inside(number, again)) {
        current.matched = true;
        return true;
    }
    abandon(number + 1, step.next);
    clear_fields(step);
    current.matched = false;
    return !again;
}

bool executor::eval_or_else(std::uint32_t number, bool again) {
    const std::vector<graph_op>& ops = steps_->ops;
    graph_frame& current = graph_->frames[number];
    if (!again) {
        current.alternative = number + 1;
        clear_fields(ops[number]);
    }
    while (current.alternative != ops[number].next) {
        while (run_inside(current.alternative, again)) {
            again = true;
            if (!held_before(number, current.alternative)) {
                return true;
            }
        }
        again = false;
        abandon(current.alternative + 1, ops[current.alternative].next);
        clear_fields(ops[current.alternative]);
        current.alternative = ops[current.alternative].next;
    }
    return false;
}

// True if an alternative before this one holds for the same values; of alternatives that give every
// match, if it has the same match.
bool executor::held_before(std::uint32_t either, std::uint32_t alternative) {
    graph_frame& current = graph_->frames[either];
    const term& first = model_.terms[steps_->ops[either].first];
    const bool every = first.every_of_chain;
    const std::uint8_t number = first.field;
    current.fields.assign(fields_, fields_ + model_.field_count);
    auto is_same = [&] {
        return !every || (fields_[number].id == current.fields[number].id &&
                          fields_[number].source == current.fields[number].source);
    };
    bool held = false;
    for (std::uint32_t other = either + 1; !held && other != alternative;
         other = steps_->ops[other].next) {
        for (bool again = false; !held && run_inside(other, again); again = true) {
            held = is_same();
        }
        abandon(other + 1, steps_->ops[other].next);
    }
    std::copy(current.fields.begin(), current.fields.end(), fields_);
    return held;
}

// -- comparisons ----------------------------------------------------------------------------------

bool executor::eval_compare(const graph_op& step, graph_frame& current, bool again) {
    const term& term = model_.terms[step.first];
    release(current);
    if (again) {
        return false;
    }
    if (term.kind != term_kind::apart) {
        clear_field(term);
    }
    const bool negated = term.oper == Not;
    if ((steps_->dead >> step.first) & 1) {
        return negated;
    }
    const bool fixed = term.from == source_kind::fixed;
    entity_t entity = fixed ? term.source : value_of(term.source_variable);
    if (term.kind == term_kind::name_match) {
        std::string_view name = entity ? names_.name(names_.world, entity) : std::string_view{};
        return (!name.empty() && name.find(term.text) != std::string_view::npos) != negated;
    }
    entity_t right = term.kind == term_kind::name_equal    ? names_.find(names_.world, term.text)
                     : term.second_variable != no_variable ? value_of(term.second_variable)
                                                           : term.second;
    if (term.kind == term_kind::apart) {
        return are_distinct(term, entity, right);
    }
    if (negated || (entity != 0 && right != 0)) {
        return (entity == right && entity != 0) != negated;
    }
    if (entity == 0 && right != 0) {
        return bind(term.source_variable, right, current);
    }
    return right == 0 && entity != 0 && term.second_variable != no_variable &&
           bind(term.second_variable, entity, current);
}

// Of two that the caller left open, both orders are the same.
bool executor::are_distinct(const term& term, entity_t entity, entity_t right) const noexcept {
    variable_set both = only(term.source_variable) | only(term.second_variable);
    return both & graph_->given ? entity != right : entity < right;
}

// -- terms ----------------------------------------------------------------------------------------

const substitutes* executor::make_set(const term& term, bool is_first, graph_frame& current) {
    const term_semantics& meaning =
        steps_->meanings[static_cast<std::size_t>(&term - model_.terms)];
    const substitution& asked = is_first ? term.first_by : term.second_by;
    const bool subsets = is_first ? meaning.first_subsets : meaning.second_subsets;
    if (asked.flags == 0 && !subsets) {
        return nullptr;
    }
    std::uint8_t variable = is_first ? term.first_variable : term.second_variable;
    entity_t start = variable != no_variable ? value_of(variable)
                     : is_first              ? term.first
                                             : term.second;
    substitutes& substitutes = is_first ? current.first : current.second;
    if (substitutes.start != start || start == 0) {
        constexpr substitution below{0, IsA, Self | Down, 1, 0xFFFFFFFF};
        substitutes.make(data_, start, asked.flags != 0 ? asked : below);
    }
    return &substitutes;
}

// The id that is looked for: variables that have values are put in, sets and others stay open.
match_request executor::request(const term& term, graph_frame& current) {
    const substitutes* first = make_set(term, true, current);
    const substitutes* second = make_set(term, false, current);
    auto element = [&](std::uint8_t variable, const substitutes* set, entity_t constant) {
        if (set) {
            return entity_t{Wildcard};
        }
        entity_t value = variable == no_variable ? 0 : value_of(variable);
        return value != 0 ? value : constant;
    };
    current.now.id = is_pair(term.id)
                         ? make_pair(element(term.first_variable, first, pair_first(term.id)),
                                     element(term.second_variable, second, pair_second(term.id)))
                         : element(term.first_variable, first, term.id);
    auto open = [&](std::uint8_t variable, const substitutes* set) {
        return variable != no_variable && !set && value_of(variable) == 0;
    };
    const bool pair = is_pair(term.id);
    return {current.now,
            first,
            second,
            open(term.first_variable, first),
            open(term.second_variable, second),
            (pair ? pair_first(term.id) : term.id) == Any,
            pair && pair_second(term.id) == Any};
}

bool executor::eval_match_term(const graph_op& step, graph_frame& current, bool again) {
    const term& term = model_.terms[step.first];
    const oper_kind_t how = step.must ? And : term.oper;
    release(current);
    if (how == Not) {
        if (again) {
            return false;
        }
        begin_find(step, term, current);
        bool found = find_next_match(term, current);
        release(current);
        clear_field(term);
        current.once = true;
        return !found;
    }
    if (!again) {
        begin_find(step, term, current);
    } else if ((how == Optional && !current.matched) || current.single) {
        return false;
    }
    current.matched = find_next_match(term, current);
    if (current.matched || again || how != Optional) {
        current.once = current.single && current.bound == 0;
        return current.matched;
    }
    clear_field(term);
    current.once = true;
    return true;
}

void executor::begin_find(const graph_op& step, const term& term, graph_frame& current) {
    using way = graph_frame::way;
    current.how = way::none;
    current.single = term.at_most_one;
    if (step.exact && begin_column(term, current)) {
        return;
    }
    if (step.linkable && begin_link(step, term, current)) {
        return;
    }
    current.matches.clear();
    current.at = 0;
    location source = (steps_->dead >> step.first) & 1 ? location{} : graph_source(term);
    if (!source.table) {
        return;
    }
    const term_semantics& meaning = steps_->meanings[step.first];
    const match_request asked = request(term, current);
    if (meaning.transitive || meaning.reflexive) {
        current.how = way::list;
        list_closure(step, term, source, asked, current);
        return;
    }
    const bool open = asked.open_first || asked.open_second;
    current.single = term.at_most_one && !open;
    const bool exact = !open && !asked.first && !asked.second && !is_wildcard(current.now.id) &&
                       (term.flags & (Self | TraverseAll)) == Self;
    if (exact && data_.toggled_ids.empty()) {
        const std::int32_t position = storage::find_id(*source.table, current.now.id);
        if (position >= 0) {
            current.how = way::column;
            current.single = true;
            current.link = static_cast<std::uint32_t>(position);
            return;
        }
    }
    if (asked.first || asked.second || term.flags & TraverseAll ||
        (is_wildcard(current.now.id) && is_looked_for_further(term, source)) ||
        (open && term.at_most_one)) {
        current.how = way::list;
        collect_matches(data_, source, asked, current.matches);
        return;
    }
    current.how = way::pattern;
    current.position = {};
    current.owner = open ? owner_ref{term.flags & Self ? source.entity : 0, true, 0}
                         : find_owner(data_, source, current.now);
}

// The shortest way, for one id that is in the type of the source's table. False if there is more
// to it.
bool executor::begin_column(const term& term, graph_frame& current) const noexcept {
    const bool given = term.second_variable != no_variable;
    const entity_t target = given ? value_of(term.second_variable) : 0;
    const storage::table* type = term.from == source_kind::self ? table_ : graph_source(term).table;
    // The value may be the entity `*`, which is nobody's target.
    if (!type || !data_.toggled_ids.empty() ||
        (given && (target == 0 || is_wildcard_element(index_of(target))))) {
        return false;
    }
    const std::int32_t position =
        storage::find_id(*type, given ? make_pair(term.first, target) : term.id);
    if (position < 0) {
        return false;
    }
    current.how = graph_frame::way::column;
    current.single = true;
    current.link = static_cast<std::uint32_t>(position);
    return true;
}

// The links of the relationship that the term names, null if there are none. Looked up once, unless
// what ids mean changes while a callback has a result.
const storage::link_store* executor::links_of(const term& term,
                                              graph_frame& current) const noexcept {
    if (current.schema != data_.schema) {
        current.schema = data_.schema;
        current.relation = term.first != 0 && is_pair(term.id)
                               ? data_.ids.find(make_pair(term.first, Wildcard))
                               : nullptr;
    }
    return current.relation ? current.relation->links : nullptr;
}

// The short way, if the source has the pairs of the relationship as links and by itself. False if
// there is more to it.
bool executor::begin_link(const graph_op& step, const term& term, graph_frame& current) {
    const entity_t source = term.from == source_kind::self    ? (table_ ? this_entity() : 0)
                            : term.from == source_kind::fixed ? term.source
                                                              : value_of(term.source_variable);
    const storage::entity_record* record = data_.entities.find(source);
    const bool inherits = term.inherits() && !data_.bases->pairs.empty();
    if (!record || (steps_->dead >> step.first) & 1 || !links_of(term, current) ||
        (inherits && data_.tables.at(record->table).flags & detail::shape_has_base)) {
        return false;
    }
    const entity_t target =
        term.second_variable == no_variable ? term.second : value_of(term.second_variable);
    current.how = graph_frame::way::links;
    current.single = target != 0;
    current.link = 0;
    current.owner = {source, true, 0};
    current.now.id = make_pair(term.first, target != 0 ? target : entity_t{Wildcard});
    return true;
}

// The next pair of a source that has them as links.
bool executor::next_link(const term& term, graph_frame& current) {
    const storage::link_store* links = links_of(term, current);
    const std::uint32_t source = index_of(current.owner.owner);
    const std::uint32_t asked = pair_second(current.now.id);
    const bool open = is_wildcard_element(asked);
    const std::uint32_t count = !links ? 0 : open ? links->target_count(source) : 1;
    while (current.link < count) {
        const std::uint32_t target = open ? links->target_at(source, current.link) : asked;
        ++current.link;
        const id_t id = make_pair(pair_first(term.id), target);
        if ((!open && !links->has(source, target)) || is_off(data_, current.owner.owner, id)) {
            continue;
        }
        if (!bind_elements(term, id, current)) {
            release(current);
            continue;
        }
        owned_id owned{id, nullptr, 0};
        if (links->has_values()) {
            owned_id_position position;
            next_owned_id(data_, graph_source(term), id, visibility::own, position, owned);
        }
        set_field(term, current.owner, owned);
        return true;
    }
    return false;
}

location executor::graph_source(const term& term) const {
    return term.from == source_kind::self && !table_ ? location{} : source_of(term);
}

// The pairs of a relationship that follow from others, or from nothing.
void executor::list_closure(const graph_op& step, const term& term, const location& source,
                            const match_request& request, graph_frame& current) {
    const term_semantics& meaning = steps_->meanings[step.first];
    const entity_t target = is_wildcard_element(pair_second(current.now.id))
                                ? 0
                                : data_.entities.alive_at(pair_second(current.now.id));
    const entity_t self =
        meaning.reflexive && is_reflexive_at(term, source.entity) ? source.entity : 0;
    if (target != 0 && !request.second) {
        id_t pair = make_pair(term.first, target);
        if (target == self) {
            bool stored = owns_any(data_, source, pair, visibility::own);
            current.matches.push_back({{source.entity, true, 0}, pair, 0, stored, false});
        } else if (meaning.transitive) {
            test_closure(step, source, request, target, current);
        } else {
            collect_matches(data_, source, request, current.matches);
        }
        return;
    }
    if (meaning.transitive) {
        collect_closure(data_, source, request, self, current.matches);
        return;
    }
    if (self != 0) {
        std::uint64_t rank = 0;
        bool fits = !request.second || request.second->ranks.count(index_of(self)) != 0;
        id_t pair = make_pair(term.first, self);
        if (fits) {
            const bool stored = owns_any(data_, source, pair, visibility::own);
            current.matches.push_back({{source.entity, true, 0}, pair, rank, stored, false});
        }
    }
    std::size_t first = current.matches.size();
    collect_matches(data_, source, request, current.matches);
    if (first != 0) {
        // A stored pair with itself was counted already; one result is enough for a named target.
        bool named = request.second && !request.second->every;
        current.matches.erase(std::remove_if(current.matches.begin() + 1, current.matches.end(),
                                             [&](const match& match) {
                                                 return named ||
                                                        pair_second(match.id) == index_of(self);
                                             }),
                              current.matches.end());
    }
}

// For a named side, that the other is the same is enough; variables range over what occurs in pairs
// of the relationship.
bool executor::is_reflexive_at(const term& term, entity_t entity) const {
    if (term.from == source_kind::fixed || term.second != 0) {
        return true;
    }
    const storage::entity_record* record = data_.entities.find(entity);
    std::uint32_t relation = pair_first(term.id);
    if (!record) {
        return false;
    }
    if (storage::owns_id(data_, *record, entity, make_pair(relation, Wildcard))) {
        return true;
    }
    if (const storage::link_store* links = storage::find_links(data_, relation)) {
        return links->is_target(index_of(entity));
    }
    const storage::id_record* pairs = data_.ids.find(make_pair(relation, entity));
    for (std::uint32_t i = 0; pairs && i < pairs->active; ++i) {
        if (data_.tables.rows(pairs->tables[i].table).count != 0) {
            return true;
        }
    }
    return false;
}

// True once searches upwards for one target have visited as much as all pairs of the relationship:
// finding everything below the target costs no more than that, and answers for all sources.
bool executor::pays_to_walk_down(const match_request& request, entity_t target,
                                 graph_frame& current) const {
    if (current.tested_target != target) {
        current.tested_target = target;
        current.visited = 0;
    }
    constexpr std::uint64_t always_cheap = 64;
    std::uint64_t pairs = always_cheap;
    auto add_pairs = [&](std::uint32_t relation) {
        const storage::id_record* any = data_.ids.find(make_pair(relation, Wildcard));
        pairs += !any ? 0 : any->links ? any->links->pair_count() : any->pairs.size();
    };
    if (current.visited < always_cheap) {
        return false;
    }
    if (!request.first) {
        add_pairs(pair_first(request.asked.id));
        return current.visited >= pairs;
    }
    for (entity_t relation : request.first->members) {
        add_pairs(index_of(relation));
    }
    return current.visited >= pairs;
}

// Whether a known target is reached.
void executor::test_closure(const graph_op& step, const location& source,
                            const match_request& request, entity_t target, graph_frame& current) {
    id_t pair = make_pair(request.asked.first, target);
    bool reached = false;
    if (step.outer_target || pays_to_walk_down(request, target, current)) {
        // Many sources are asked for one target: what is below it is found once.
        target_closure& below = graph_->below[step.first];
        below.of(data_, request, target);
        reached = leads_to(source, request, below);
    } else {
        collect_closure(data_, source, request, 0, current.matches);
        current.visited += current.matches.size() + 1;
        reached = std::any_of(
            current.matches.begin(), current.matches.end(),
            [&](const match& match) { return pair_second(match.id) == index_of(target); });
    }
    current.matches.clear();
    if (!reached) {
        return;
    }
    // Where the pair itself is stored, its value is at hand.
    if (!has_own_only(source, request) || owns_any(data_, source, pair, visibility::own)) {
        collect_matches(data_, source, request, current.matches);
    }
    if (current.matches.empty()) {
        current.matches.push_back({{source.entity, true, 0}, pair, 0, false, false});
    }
}

// True if only the pairs of the source itself count, as they are.
bool executor::has_own_only(const location& source, const match_request& request) const noexcept {
    return !request.first && data_.toggled_ids.empty() &&
           !(source.table->flags & detail::shape_has_base);
}

// True if a source has a pair with one of these targets.
bool executor::leads_to(const location& source, const match_request& request,
                        const target_closure& targets) {
    const id_t any = make_pair(request.first ? entity_t{Wildcard} : pair_first(request.asked.id),
                               entity_t{Wildcard});
    if (has_own_only(source, request)) {
        if (const storage::link_store* links = storage::find_links(data_, pair_first(any))) {
            const storage::target_span own = links->targets(index_of(source.entity));
            return own.count != 0 &&
                   (targets.has(own.first) ||
                    std::any_of(own.rest, own.rest + (own.count - 1),
                                [&](std::uint32_t target) { return targets.has(target); }));
        }
        for (std::int32_t position = storage::find_match(*source.table, any, 0); position >= 0;
             position = storage::next_match(*source.table, any, position)) {
            if (targets.has(pair_second(source.table->ids[position]))) {
                return true;
            }
        }
        return false;
    }
    std::vector<match> edges;
    collect_edges(data_, source, request, edges);
    return std::any_of(edges.begin(), edges.end(),
                       [&](const match& match) { return targets.has(pair_second(match.id)); });
}

bool executor::find_next_match(const term& term, graph_frame& current) {
    using way = graph_frame::way;
    if (current.how == way::none) {
        return false;
    }
    if (current.how == way::links) {
        return next_link(term, current);
    }
    if (current.how == way::column && term.from == source_kind::self) {
        set_column(term, current.link);
        return true;
    }
    const location source = graph_source(term);
    if (current.how == way::column) {
        const detail::column slot = source.table->slots[current.link];
        std::byte* value =
            slot.size ? storage::value_in(data_.tables.rows(source.table->number), slot, source.row)
                      : nullptr;
        set_field(term, {source.entity, true, 0},
                  {source.table->ids[current.link], value, slot.size});
        return true;
    }
    if (current.how == way::list) {
        while (current.at < current.matches.size()) {
            const match& next = current.matches[current.at++];
            owned_id owned{next.id, nullptr, 0};
            if (next.stored && !find_stored(source, next, owned)) {
                continue;  // it went while a callback had the last match
            }
            if (bind_elements(term, next.id, current)) {
                set_field(term, next.owner, owned);
                return true;
            }
            release(current);
        }
        return false;
    }
    if (current.owner.owner == 0) {
        return false;
    }
    const bool own = current.owner.is_source;
    const location where = own ? source : locate(data_, current.owner.owner);
    owned_id owned;
    while (where.table && next_owned_id(data_, where, current.now.id,
                                        own ? visibility::own : visibility::inheritable,
                                        current.position, owned)) {
        if (is_off(data_, where.entity, owned.id) ||
            (!own && !is_passed_on(data_, current.owner, source, owned.id))) {
            continue;
        }
        if (bind_elements(term, owned.id, current)) {
            set_field(term, current.owner, owned);
            return true;
        }
        release(current);
    }
    return false;
}

bool executor::find_stored(const location& source, const match& match, owned_id& owned) const {
    const location where = match.owner.is_source ? source : locate(data_, match.owner.owner);
    owned_id_position position;
    return where.table && next_owned_id(data_, where, match.id, visibility::own, position, owned);
}

}  // namespace kith::queries
