// The operator `match_term`, declared in match_term.hpp: the choice of a strategy,
// and the results of each.
#include "query/exec/ops/match_term.hpp"

#include "query/exec/ops/owner_search.hpp"
#include "query/exec/value_check.hpp"

namespace kith::queries {

namespace {

// The operator of the term; And where the op demands a match.
oper_kind_t operator_of(const graph_op& op, const term& term) noexcept {
    return op.must ? And : term.oper;
}

}  // namespace

bool match_term_operator::open(exec_context& context, const graph_op& op, op_head& head) {
    const term& term = context.model.terms[op.first];
    const oper_kind_t oper = operator_of(op, term);
    context.release(head.bound);
    choose_strategy(context, op, term);
    matched = find_passing_match(context, term, head);
    if (oper == Not) {
        context.release(head.bound);
        context.clear_field(term);
        head.once = true;
        return !matched;
    }
    if (matched || oper != Optional) {
        head.once = single && head.bound == 0;
        return matched;
    }
    context.clear_field(term);
    head.once = true;
    return true;
}

bool match_term_operator::next(exec_context& context, const graph_op& op, op_head& head) {
    const term& term = context.model.terms[op.first];
    const oper_kind_t oper = operator_of(op, term);
    context.release(head.bound);
    if (oper == Not || single || (oper == Optional && !matched)) {
        return false;
    }
    matched = find_passing_match(context, term, head);
    return matched;
}

// The next match; of a term that compares values, the next one whose value passes.
bool match_term_operator::find_passing_match(exec_context& context, const term& term,
                                             op_head& head) {
    if (!term.value) {
        return find_next(context, term, head);
    }
    for (bool first = true; (first || how != strategy::column) && find_next(context, term, head);
         first = false) {
        if (bind_value(context, term, head.bound)) {
            return true;
        }
        context.release(head.bound);
    }
    return false;
}

// Chooses how the matches for the present bindings are found, the cheapest way first.
void match_term_operator::choose_strategy(exec_context& context, const graph_op& op,
                                          const term& term) {
    how = strategy::none;
    single = term.at_most_one;
    if (op.exact && open_column(context, term)) {
        return;
    }
    if (op.linkable && open_links(context, op, term)) {
        return;
    }
    matches.clear();
    position = 0;
    const location source = context.is_dead(op.first) ? location{} : context.bound_source_of(term);
    if (!source.table) {
        return;
    }
    const storage::store& data = context.data;
    const term_semantics& meaning = context.blocks->meanings[op.first];
    const match_request asked = request.make(context, term);
    if (meaning.transitive || meaning.reflexive) {
        how = strategy::list;
        closure.collect(context, op, source, asked, matches);
        return;
    }
    const id_t id = request.now.id;
    const bool open = asked.open_first || asked.open_second;
    single = term.at_most_one && !open;
    const bool exact = !open && !asked.first && !asked.second && !is_wildcard(id) &&
                       (term.flags & (Self | TraverseAll)) == Self;
    if (exact && data.toggled_ids.empty()) {
        if (const std::int32_t column = storage::find_id(*source.table, id); column >= 0) {
            use_column(column);
            return;
        }
    }
    if (asked.first || asked.second || term.flags & TraverseAll ||
        (is_wildcard(id) && searches_beyond(term, source)) || (open && term.at_most_one)) {
        how = strategy::list;
        collect_matches(data, source, asked, matches);
        return;
    }
    how = strategy::pattern;
    owned_position = {};
    owner = open ? owner_ref{term.flags & Self ? source.entity : 0, true, 0}
                 : find_owner(data, source, request.now);
}

void match_term_operator::use_column(std::int32_t column) noexcept {
    KITH_ASSERT(column >= 0, "the type of the source has the id");
    how = strategy::column;
    single = true;
    position = static_cast<std::uint32_t>(column);
}

// The shortest way, for one id that is in the type of the source's table. False if the id has to be
// searched.
bool match_term_operator::open_column(const exec_context& context, const term& term) noexcept {
    const bool given = term.second_variable != no_variable;
    const entity_t target = given ? context.value_of(term.second_variable) : 0;
    const storage::table* type =
        term.from == source_kind::self ? context.self.table : context.bound_source_of(term).table;
    // The value may be the entity `*`, which is never a target.
    if (!type || !context.data.toggled_ids.empty() ||
        (given && (target == 0 || is_wildcard_element(index_of(target))))) {
        return false;
    }
    const std::int32_t column =
        storage::find_id(*type, given ? make_pair(term.first, target) : term.id);
    if (column < 0) {
        return false;
    }
    use_column(column);
    return true;
}

// A short way, if the source itself has all pairs of the relationship that count, as links. False
// if the pairs have to be searched.
bool match_term_operator::open_links(const exec_context& context, const graph_op& op,
                                     const term& term) noexcept {
    const storage::store& data = context.data;
    const entity_t source =
        term.from == source_kind::self    ? (context.self.table ? context.this_entity() : 0)
        : term.from == source_kind::fixed ? term.source
                                          : context.value_of(term.source_variable);
    const storage::entity_record* record = data.entities.find(source);
    const bool inherits = term.inherits() && !data.bases->pairs.empty();
    if (!record || context.is_dead(op.first) || !links.find(data, term) ||
        (inherits && data.tables.at(record->table).flags & detail::shape_has_base)) {
        return false;
    }
    const entity_t target =
        term.second_variable == no_variable ? term.second : context.value_of(term.second_variable);
    how = strategy::links;
    single = target != 0;
    position = 0;
    owner = {source, true, 0};
    request.now.id = make_pair(term.first, target != 0 ? target : entity_t{Wildcard});
    return true;
}

bool match_term_operator::find_next(exec_context& context, const term& term, op_head& head) {
    switch (how) {
        case strategy::none:
            return false;
        case strategy::column:
            return next_column(context, term);
        case strategy::links:
            return next_link(context, term, head);
        case strategy::list:
            return next_listed(context, term, head);
        case strategy::pattern:
            return next_owned(context, term, head);
    }
    return false;
}

bool match_term_operator::next_column(exec_context& context, const term& term) noexcept {
    if (term.from == source_kind::self) {
        context.set_column(term, position);
        return true;
    }
    const location source = context.source_of(term);
    const detail::column slot = source.table->slots[position];
    std::byte* value = slot.size ? storage::value_in(context.data.tables.rows(source.table->number),
                                                     slot, source.row)
                                 : nullptr;
    context.set_field(term, {source.entity, true, 0},
                      {source.table->ids[position], value, slot.size});
    return true;
}

bool match_term_operator::next_link(exec_context& context, const term& term,
                                    op_head& head) noexcept {
    const storage::store& data = context.data;
    const storage::link_store* store = links.find(data, term);
    const std::uint32_t source = index_of(owner.owner);
    const std::uint32_t asked = pair_second(request.now.id);
    const bool open = is_wildcard_element(asked);
    const std::uint32_t count = !store ? 0 : open ? store->target_count(source) : 1;
    while (position < count) {
        const std::uint32_t target = open ? store->target_at(source, position) : asked;
        ++position;
        const id_t id = make_pair(pair_first(term.id), target);
        if ((!open && !store->has(source, target)) || is_off(data, owner.owner, id)) {
            continue;
        }
        if (!context.bind_elements(term, id, head.bound)) {
            context.release(head.bound);
            continue;
        }
        owned_id owned{id, nullptr, 0};
        if (store->has_values()) {
            owned_id_position at;
            next_owned_id(data, context.bound_source_of(term), id, visibility::own, at, owned);
        }
        context.set_field(term, owner, owned);
        return true;
    }
    return false;
}

bool match_term_operator::next_listed(exec_context& context, const term& term,
                                      op_head& head) noexcept {
    const location source = context.bound_source_of(term);
    while (position < matches.size()) {
        const match& match = matches[position++];
        owned_id owned{match.id, nullptr, 0};
        if (match.stored && !context.find_stored(source, match, owned)) {
            continue;  // a callback removed the pair
        }
        if (context.bind_elements(term, match.id, head.bound)) {
            context.set_field(term, match.owner, owned);
            return true;
        }
        context.release(head.bound);
    }
    return false;
}

bool match_term_operator::next_owned(exec_context& context, const term& term, op_head& head) {
    if (owner.owner == 0) {
        return false;
    }
    const storage::store& data = context.data;
    const location source = context.bound_source_of(term);
    const bool own = owner.is_source;
    const location where = own ? source : locate(data, owner.owner);
    owned_id owned;
    while (where.table &&
           next_owned_id(data, where, request.now.id,
                         own ? visibility::own : visibility::inheritable, owned_position, owned)) {
        if (is_off(data, where.entity, owned.id) ||
            (!own && !is_passed_on(data, owner, source, owned.id))) {
            continue;
        }
        if (context.bind_elements(term, owned.id, head.bound)) {
            context.set_field(term, owner, owned);
            return true;
        }
        context.release(head.bound);
    }
    return false;
}

}  // namespace kith::queries
