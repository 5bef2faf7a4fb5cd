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
bool executor::bind(std::uint8_t variable, entity_t value, graph_frame& at) {
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
    at.bound |= only(variable);
    return true;
}

void executor::release(graph_frame& at) noexcept {
    if (at.bound & this_variable) {
        table_ = nullptr;
        range_ = whole_ = {};
    }
    graph_->bound &= ~at.bound;
    for (; at.bound != 0; at.bound &= at.bound - 1) {
        graph_->values[std::countr_zero(at.bound)] = 0;
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

bool executor::bind_elements(const term& one, id_t id, graph_frame& at) {
    auto element = [&](std::uint8_t variable, std::uint32_t index) {
        return variable == no_variable || bind(variable, data_.entities.alive_at(index), at);
    };
    bool substituted_first = one.first_by.flags != 0;
    bool substituted_second = one.second_by.flags != 0;
    return (substituted_first ||
            element(one.first_variable, is_pair(id) ? pair_first(id) : index_of(id))) &&
           (substituted_second || !is_pair(id) || element(one.second_variable, pair_second(id)));
}

// -- blocks ---------------------------------------------------------------------------------------

bool executor::run_block(std::uint32_t first, std::uint32_t last, std::uint32_t tail, bool again) {
    if (first == last) {
        return !again;
    }
    const graph_op* const ops = steps_->ops.data();
    const graph_frame* const frames = graph_->frames.data();
    std::uint32_t at = again ? tail : first;
    for (;;) {
        // Back to what may hold in another way.
        for (; again && frames[at].once; at = ops[at].previous) {
            if (at == first) {
                return false;
            }
        }
        if (eval_op(at, again)) {
            if (at == shared_step_ && !share_.takes_one()) [[unlikely]] {
                again = true;  // another share has this way
                continue;
            }
            at = ops[at].next;
            again = false;
            if (at == last) {
                return true;
            }
        } else if (at == first || gives_up()) {
            return false;
        } else {
            at = ops[at].previous;
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
    graph_frame& at = graph_->frames[number];
    at.once = false;
    if (step.depends != 0) {
        if (!again) {
            at.skipped = (step.depends & ~graph_->bound) != 0;
            if (at.skipped) {
                clear_fields(step);
                at.once = true;
                return true;
            }
        } else if (at.skipped) {
            return false;
        }
    }
    switch (step.code) {
        case op_code::enumerate:
            return eval_enumerate(step, at, again);
        case op_code::match_term:
            return eval_match_term(step, at, again);
        case op_code::compare:
            return eval_compare(step, at, again);
        case op_code::not_exists:
            at.once = true;
            return !again && eval_not_exists(number);
        case op_code::optional:
            return eval_optional(number, again);
        case op_code::or_else:
            return eval_or_else(number, again);
        case op_code::intersect:
            return eval_intersect(number, again);
        case op_code::each_row:
            return take_rows(at, again);
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
            at.once = !frames_[number].elsewhere;
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
            const term& one = model_.terms[step.first];
            return is_open(one.first_variable) || is_open(one.second_variable);
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
bool executor::take_rows(graph_frame& at, bool again) {
    if (!again) {
        at.skipped = range_.count <= 1;
    }
    return at.skipped ? !again : accept_row(again);
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
    graph_frame& at = graph_->frames[number];
    if (again && !at.matched) {
        return false;
    }
    if (run_inside(number, again)) {
        at.matched = true;
        return true;
    }
    abandon(number + 1, step.next);
    clear_fields(step);
    at.matched = false;
    return !again;
}

bool executor::eval_or_else(std::uint32_t number, bool again) {
    const std::vector<graph_op>& ops = steps_->ops;
    graph_frame& at = graph_->frames[number];
    if (!again) {
        at.alternative = number + 1;
        clear_fields(ops[number]);
    }
    while (at.alternative != ops[number].next) {
        while (run_inside(at.alternative, again)) {
            again = true;
            if (!held_before(number, at.alternative)) {
                return true;
            }
        }
        again = false;
        abandon(at.alternative + 1, ops[at.alternative].next);
        clear_fields(ops[at.alternative]);
        at.alternative = ops[at.alternative].next;
    }
    return false;
}

// True if an alternative before this one holds for the same values; of alternatives that give every
// match, if it has the same match.
bool executor::held_before(std::uint32_t either, std::uint32_t alternative) {
    graph_frame& at = graph_->frames[either];
    const term& first = model_.terms[steps_->ops[either].first];
    const bool every = first.every_of_chain;
    const std::uint8_t number = first.field;
    at.fields.assign(fields_, fields_ + model_.field_count);
    auto is_same = [&] {
        return !every || (fields_[number].id == at.fields[number].id &&
                          fields_[number].source == at.fields[number].source);
    };
    bool held = false;
    for (std::uint32_t other = either + 1; !held && other != alternative;
         other = steps_->ops[other].next) {
        for (bool again = false; !held && run_inside(other, again); again = true) {
            held = is_same();
        }
        abandon(other + 1, steps_->ops[other].next);
    }
    std::copy(at.fields.begin(), at.fields.end(), fields_);
    return held;
}

// -- comparisons ----------------------------------------------------------------------------------

bool executor::eval_compare(const graph_op& step, graph_frame& at, bool again) {
    const term& one = model_.terms[step.first];
    release(at);
    if (again) {
        return false;
    }
    if (one.kind != term_kind::apart) {
        clear_field(one);
    }
    const bool negated = one.oper == Not;
    if ((steps_->dead >> step.first) & 1) {
        return negated;
    }
    const bool fixed = one.from == source_kind::fixed;
    entity_t left = fixed ? one.source : value_of(one.source_variable);
    if (one.kind == term_kind::name_match) {
        std::string_view name = left ? names_.name(names_.world, left) : std::string_view{};
        return (!name.empty() && name.find(one.text) != std::string_view::npos) != negated;
    }
    entity_t right = one.kind == term_kind::name_equal    ? names_.find(names_.world, one.text)
                     : one.second_variable != no_variable ? value_of(one.second_variable)
                                                          : one.second;
    if (one.kind == term_kind::apart) {
        return are_distinct(one, left, right);
    }
    if (negated || (left != 0 && right != 0)) {
        return (left == right && left != 0) != negated;
    }
    if (left == 0 && right != 0) {
        return bind(one.source_variable, right, at);
    }
    return right == 0 && left != 0 && one.second_variable != no_variable &&
           bind(one.second_variable, left, at);
}

// Of two that the caller left open, both orders are the same.
bool executor::are_distinct(const term& one, entity_t left, entity_t right) const noexcept {
    variable_set both = only(one.source_variable) | only(one.second_variable);
    return both & graph_->given ? left != right : left < right;
}

// -- terms ----------------------------------------------------------------------------------------

const substitutes* executor::make_set(const term& one, bool is_first, graph_frame& at) {
    const term_semantics& meaning = steps_->meanings[static_cast<std::size_t>(&one - model_.terms)];
    const substitution& asked = is_first ? one.first_by : one.second_by;
    const bool subsets = is_first ? meaning.first_subsets : meaning.second_subsets;
    if (asked.flags == 0 && !subsets) {
        return nullptr;
    }
    std::uint8_t variable = is_first ? one.first_variable : one.second_variable;
    entity_t start = variable != no_variable ? value_of(variable)
                     : is_first              ? one.first
                                             : one.second;
    substitutes& made = is_first ? at.first : at.second;
    if (made.start != start || start == 0) {
        constexpr substitution below{0, IsA, Self | Down, 1, 0xFFFFFFFF};
        made.make(data_, start, asked.flags != 0 ? asked : below);
    }
    return &made;
}

// The id that is looked for: variables that have values are put in, sets and others stay open.
match_request executor::request(const term& one, graph_frame& at) {
    const substitutes* first = make_set(one, true, at);
    const substitutes* second = make_set(one, false, at);
    auto element = [&](std::uint8_t variable, const substitutes* set, entity_t constant) {
        if (set) {
            return entity_t{Wildcard};
        }
        entity_t value = variable == no_variable ? 0 : value_of(variable);
        return value != 0 ? value : constant;
    };
    at.now.id = is_pair(one.id)
                    ? make_pair(element(one.first_variable, first, pair_first(one.id)),
                                element(one.second_variable, second, pair_second(one.id)))
                    : element(one.first_variable, first, one.id);
    auto open = [&](std::uint8_t variable, const substitutes* set) {
        return variable != no_variable && !set && value_of(variable) == 0;
    };
    const bool pair = is_pair(one.id);
    return {at.now,
            first,
            second,
            open(one.first_variable, first),
            open(one.second_variable, second),
            (pair ? pair_first(one.id) : one.id) == Any,
            pair && pair_second(one.id) == Any};
}

bool executor::eval_match_term(const graph_op& step, graph_frame& at, bool again) {
    const term& one = model_.terms[step.first];
    const oper_kind_t how = step.must ? And : one.oper;
    release(at);
    if (how == Not) {
        if (again) {
            return false;
        }
        begin_find(step, one, at);
        bool found = find_next_match(one, at);
        release(at);
        clear_field(one);
        at.once = true;
        return !found;
    }
    if (!again) {
        begin_find(step, one, at);
    } else if ((how == Optional && !at.matched) || at.single) {
        return false;
    }
    at.matched = find_next_match(one, at);
    if (at.matched || again || how != Optional) {
        at.once = at.single && at.bound == 0;
        return at.matched;
    }
    clear_field(one);
    at.once = true;
    return true;
}

void executor::begin_find(const graph_op& step, const term& one, graph_frame& at) {
    using way = graph_frame::way;
    at.how = way::none;
    at.single = one.at_most_one;
    if (step.exact && begin_column(one, at)) {
        return;
    }
    if (step.linkable && begin_link(step, one, at)) {
        return;
    }
    at.matches.clear();
    at.at = 0;
    location source = (steps_->dead >> step.first) & 1 ? location{} : graph_source(one);
    if (!source.table) {
        return;
    }
    const term_semantics& meaning = steps_->meanings[step.first];
    const match_request asked = request(one, at);
    if (meaning.transitive || meaning.reflexive) {
        at.how = way::list;
        list_closure(step, one, source, asked, at);
        return;
    }
    const bool open = asked.open_first || asked.open_second;
    at.single = one.at_most_one && !open;
    const bool exact = !open && !asked.first && !asked.second && !is_wildcard(at.now.id) &&
                       (one.flags & (Self | TraverseAll)) == Self;
    if (exact && data_.toggled_ids.empty()) {
        const std::int32_t position = storage::find_id(*source.table, at.now.id);
        if (position >= 0) {
            at.how = way::column;
            at.single = true;
            at.link = static_cast<std::uint32_t>(position);
            return;
        }
    }
    if (asked.first || asked.second || one.flags & TraverseAll ||
        (is_wildcard(at.now.id) && is_looked_for_further(one, source)) ||
        (open && one.at_most_one)) {
        at.how = way::list;
        collect_matches(data_, source, asked, at.matches);
        return;
    }
    at.how = way::pattern;
    at.position = {};
    at.owner = open ? owner_ref{one.flags & Self ? source.entity : 0, true, 0}
                    : find_owner(data_, source, at.now);
}

// The shortest way, for one id that is in the type of the source's table. False if there is more
// to it.
bool executor::begin_column(const term& one, graph_frame& at) const noexcept {
    const bool given = one.second_variable != no_variable;
    const entity_t target = given ? value_of(one.second_variable) : 0;
    const storage::table* type = one.from == source_kind::self ? table_ : graph_source(one).table;
    // The value may be the entity `*`, which is nobody's target.
    if (!type || !data_.toggled_ids.empty() ||
        (given && (target == 0 || is_wildcard_element(index_of(target))))) {
        return false;
    }
    const std::int32_t position =
        storage::find_id(*type, given ? make_pair(one.first, target) : one.id);
    if (position < 0) {
        return false;
    }
    at.how = graph_frame::way::column;
    at.single = true;
    at.link = static_cast<std::uint32_t>(position);
    return true;
}

// The links of the relationship that the term names, null if there are none. Looked up once, unless
// what ids mean changes while a callback has a result.
const storage::link_store* executor::links_of(const term& one, graph_frame& at) const noexcept {
    if (at.schema != data_.schema) {
        at.schema = data_.schema;
        at.relation = one.first != 0 && is_pair(one.id)
                          ? data_.ids.find(make_pair(one.first, Wildcard))
                          : nullptr;
    }
    return at.relation ? at.relation->links : nullptr;
}

// The short way, if the source has the pairs of the relationship as links and by itself. False if
// there is more to it.
bool executor::begin_link(const graph_op& step, const term& one, graph_frame& at) {
    const entity_t source = one.from == source_kind::self    ? (table_ ? this_entity() : 0)
                            : one.from == source_kind::fixed ? one.source
                                                             : value_of(one.source_variable);
    const storage::entity_record* record = data_.entities.find(source);
    const bool inherits = one.inherits() && !data_.bases->pairs.empty();
    if (!record || (steps_->dead >> step.first) & 1 || !links_of(one, at) ||
        (inherits && data_.tables.at(record->table).flags & detail::shape_has_base)) {
        return false;
    }
    const entity_t target =
        one.second_variable == no_variable ? one.second : value_of(one.second_variable);
    at.how = graph_frame::way::links;
    at.single = target != 0;
    at.link = 0;
    at.owner = {source, true, 0};
    at.now.id = make_pair(one.first, target != 0 ? target : entity_t{Wildcard});
    return true;
}

// The next pair of a source that has them as links.
bool executor::next_link(const term& one, graph_frame& at) {
    const storage::link_store* links = links_of(one, at);
    const std::uint32_t source = index_of(at.owner.owner);
    const std::uint32_t asked = pair_second(at.now.id);
    const bool open = is_wildcard_element(asked);
    const std::uint32_t count = !links ? 0 : open ? links->target_count(source) : 1;
    while (at.link < count) {
        const std::uint32_t target = open ? links->target_at(source, at.link) : asked;
        ++at.link;
        const id_t id = make_pair(pair_first(one.id), target);
        if ((!open && !links->has(source, target)) || is_off(data_, at.owner.owner, id)) {
            continue;
        }
        if (!bind_elements(one, id, at)) {
            release(at);
            continue;
        }
        owned_id found{id, nullptr, 0};
        if (links->has_values()) {
            owned_id_position position;
            next_owned_id(data_, graph_source(one), id, visibility::own, position, found);
        }
        set_field(one, at.owner, found);
        return true;
    }
    return false;
}

location executor::graph_source(const term& one) const {
    return one.from == source_kind::self && !table_ ? location{} : source_of(one);
}

// The pairs of a relationship that follow from others, or from nothing.
void executor::list_closure(const graph_op& step, const term& one, const location& source,
                            const match_request& asked, graph_frame& at) {
    const term_semantics& meaning = steps_->meanings[step.first];
    const entity_t target = is_wildcard_element(pair_second(at.now.id))
                                ? 0
                                : data_.entities.alive_at(pair_second(at.now.id));
    const entity_t self =
        meaning.reflexive && is_reflexive_at(one, source.entity) ? source.entity : 0;
    if (target != 0 && !asked.second) {
        id_t pair = make_pair(one.first, target);
        if (target == self) {
            bool stored = owns_any(data_, source, pair, visibility::own);
            at.matches.push_back({{source.entity, true, 0}, pair, 0, stored, false});
        } else if (meaning.transitive) {
            test_closure(step, source, asked, target, at);
        } else {
            collect_matches(data_, source, asked, at.matches);
        }
        return;
    }
    if (meaning.transitive) {
        collect_closure(data_, source, asked, self, at.matches);
        return;
    }
    if (self != 0) {
        std::uint64_t rank = 0;
        bool fits = !asked.second || asked.second->ranks.count(index_of(self)) != 0;
        id_t pair = make_pair(one.first, self);
        if (fits) {
            const bool stored = owns_any(data_, source, pair, visibility::own);
            at.matches.push_back({{source.entity, true, 0}, pair, rank, stored, false});
        }
    }
    std::size_t first = at.matches.size();
    collect_matches(data_, source, asked, at.matches);
    if (first != 0) {
        // A stored pair with itself was counted already; one result is enough for a named target.
        bool named = asked.second && !asked.second->every;
        at.matches.erase(std::remove_if(at.matches.begin() + 1, at.matches.end(),
                                        [&](const match& found) {
                                            return named || pair_second(found.id) == index_of(self);
                                        }),
                         at.matches.end());
    }
}

// For a named side, that the other is the same is enough; variables range over what occurs in pairs
// of the relationship.
bool executor::is_reflexive_at(const term& one, entity_t entity) const {
    if (one.from == source_kind::fixed || one.second != 0) {
        return true;
    }
    const storage::entity_record* record = data_.entities.find(entity);
    std::uint32_t relation = pair_first(one.id);
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
bool executor::pays_to_walk_down(const match_request& asked, entity_t target,
                                 graph_frame& at) const {
    if (at.tested_target != target) {
        at.tested_target = target;
        at.visited = 0;
    }
    constexpr std::uint64_t always_cheap = 64;
    std::uint64_t pairs = always_cheap;
    auto add_pairs = [&](std::uint32_t relation) {
        const storage::id_record* any = data_.ids.find(make_pair(relation, Wildcard));
        pairs += !any ? 0 : any->links ? any->links->pair_count() : any->pairs.size();
    };
    if (at.visited < always_cheap) {
        return false;
    }
    if (!asked.first) {
        add_pairs(pair_first(asked.asked.id));
        return at.visited >= pairs;
    }
    for (entity_t relation : asked.first->members) {
        add_pairs(index_of(relation));
    }
    return at.visited >= pairs;
}

// Whether a known target is reached.
void executor::test_closure(const graph_op& step, const location& source,
                            const match_request& asked, entity_t target, graph_frame& at) {
    id_t pair = make_pair(asked.asked.first, target);
    bool reached = false;
    if (step.outer_target || pays_to_walk_down(asked, target, at)) {
        // Many sources are asked for one target: what is below it is found once.
        target_closure& below = graph_->below[step.first];
        below.of(data_, asked, target);
        reached = leads_to(source, asked, below);
    } else {
        collect_closure(data_, source, asked, 0, at.matches);
        at.visited += at.matches.size() + 1;
        reached = std::any_of(at.matches.begin(), at.matches.end(), [&](const match& one) {
            return pair_second(one.id) == index_of(target);
        });
    }
    at.matches.clear();
    if (!reached) {
        return;
    }
    // Where the pair itself is stored, its value is at hand.
    if (!has_own_only(source, asked) || owns_any(data_, source, pair, visibility::own)) {
        collect_matches(data_, source, asked, at.matches);
    }
    if (at.matches.empty()) {
        at.matches.push_back({{source.entity, true, 0}, pair, 0, false, false});
    }
}

// True if only the pairs of the source itself count, as they are.
bool executor::has_own_only(const location& source, const match_request& asked) const noexcept {
    return !asked.first && data_.toggled_ids.empty() &&
           !(source.table->flags & detail::shape_has_base);
}

// True if a source has a pair with one of these targets.
bool executor::leads_to(const location& source, const match_request& asked,
                        const target_closure& targets) {
    const id_t any = make_pair(asked.first ? entity_t{Wildcard} : pair_first(asked.asked.id),
                               entity_t{Wildcard});
    if (has_own_only(source, asked)) {
        if (const storage::link_store* links = storage::find_links(data_, pair_first(any))) {
            const storage::target_span own = links->targets(index_of(source.entity));
            return own.count != 0 &&
                   (targets.has(own.first) ||
                    std::any_of(own.rest, own.rest + (own.count - 1),
                                [&](std::uint32_t target) { return targets.has(target); }));
        }
        for (std::int32_t at = storage::find_match(*source.table, any, 0); at >= 0;
             at = storage::next_match(*source.table, any, at)) {
            if (targets.has(pair_second(source.table->ids[at]))) {
                return true;
            }
        }
        return false;
    }
    std::vector<match> edges;
    collect_edges(data_, source, asked, edges);
    return std::any_of(edges.begin(), edges.end(),
                       [&](const match& one) { return targets.has(pair_second(one.id)); });
}

bool executor::find_next_match(const term& one, graph_frame& at) {
    using way = graph_frame::way;
    if (at.how == way::none) {
        return false;
    }
    if (at.how == way::links) {
        return next_link(one, at);
    }
    if (at.how == way::column && one.from == source_kind::self) {
        set_column(one, at.link);
        return true;
    }
    const location source = graph_source(one);
    if (at.how == way::column) {
        const detail::column slot = source.table->slots[at.link];
        std::byte* value =
            slot.size ? storage::value_in(data_.tables.rows(source.table->number), slot, source.row)
                      : nullptr;
        set_field(one, {source.entity, true, 0}, {source.table->ids[at.link], value, slot.size});
        return true;
    }
    if (at.how == way::list) {
        while (at.at < at.matches.size()) {
            const match& next = at.matches[at.at++];
            owned_id found{next.id, nullptr, 0};
            if (next.stored && !find_stored(source, next, found)) {
                continue;  // it went while a callback had the last match
            }
            if (bind_elements(one, next.id, at)) {
                set_field(one, next.owner, found);
                return true;
            }
            release(at);
        }
        return false;
    }
    if (at.owner.owner == 0) {
        return false;
    }
    const bool own = at.owner.is_source;
    const location where = own ? source : locate(data_, at.owner.owner);
    owned_id found;
    while (where.table &&
           next_owned_id(data_, where, at.now.id, own ? visibility::own : visibility::inheritable,
                         at.position, found)) {
        if (is_off(data_, where.entity, found.id) ||
            (!own && !is_passed_on(data_, at.owner, source, found.id))) {
            continue;
        }
        if (bind_elements(one, found.id, at)) {
            set_field(one, at.owner, found);
            return true;
        }
        release(at);
    }
    return false;
}

bool executor::find_stored(const location& source, const match& one, owned_id& found) const {
    const location where = one.owner.is_source ? source : locate(data_, one.owner.owner);
    owned_id_position position;
    return where.table && next_owned_id(data_, where, one.id, visibility::own, position, found);
}

}  // namespace kith::queries
