// Reading the structure of a query: its levels, and the routes between its terms.
#include "observe/monitor/query_structure.hpp"

namespace kith::observe {

using queries::clause;
using queries::clause_kind;
using queries::no_variable;
using queries::only;
using queries::term;
using queries::term_kind;
using queries::this_variable;

query_structure::query_structure(const queries::query_model& model)
    : model_(model), level_of_(model.count, -1) {
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

void query_structure::add_level(std::uint32_t first, std::uint32_t last, std::int32_t outer,
                                variable_set outside, bool required) {
    levels_.push_back(
        {first, last, outer, queries::analyze_bindings(model_, first, last, outside), {}});
    levels_.back().group_of.resize(model_.count);
    read_clauses(first, last, static_cast<std::int32_t>(levels_.size()) - 1, required);
}

void query_structure::read_clauses(std::uint32_t first, std::uint32_t last, std::int32_t inside,
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
bool query_structure::can_hop(const level& where, std::uint32_t affected_term,
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
query_structure::route query_structure::find_route(std::uint32_t number) const {
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

}  // namespace kith::observe
