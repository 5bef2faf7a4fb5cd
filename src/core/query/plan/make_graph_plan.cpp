// The planner of graph plans, declared in graph_plan.hpp. It works level by level: of the clauses
// that can be evaluated with the variables bound so far, it places the one with the fewest expected
// results, and tests as soon as their variables are bound.
#include "base/assert.hpp"
#include "query/plan/block_writer.hpp"
#include "query/plan/expected_results.hpp"
#include "query/plan/graph_plan.hpp"
#include "query/plan/term_facts.hpp"

#include <algorithm>
#include <utility>

namespace kith::queries {

namespace {

class graph_planner {
public:
    graph_planner(const storage::store& data, const query_model& model, graph_plan& plan)
        : model_(model),
          plan_(plan),
          expected_(data, model, plan.meanings),
          facts_(data, model, plan),
          out_(model, plan, expected_.everything()) {}

    void take_this_from_outside() { out_.take_this_from_outside(); }
    // Lets the planner choose between the match cache and a shorter way to $this.
    void offer_list() noexcept { list_offered_ = true; }
    // Declares variables that have values from the start.
    void set_bound(variable_set bound) noexcept { out_.bind(bound); }

    void plan_all() {
        plan_level(0, model_.count);
        if (model_.has_this && !(out_.bound() & this_variable)) {
            out_.enumerate_this();
        }
        plan_.tail = out_.tail();
    }

private:
    // A clause of the level that is planned.
    struct item {
        clause what;
        bool placed = false;  // its ops are part of the plan
    };

    double expect(const clause& clause) const noexcept {
        return expected_.of_group(clause, out_.bound());
    }
    double expect_term(std::uint32_t number) const noexcept {
        return expected_.of_term(number, out_.bound());
    }

    // -- one level of clauses

    // Places all clauses of the level [first, last): required ones by their expected results, tests
    // as early as possible, then optional and dependent ones.
    void plan_level(std::uint32_t first, std::uint32_t last) {
        std::vector<item> items;
        collect(first, last, items);
        const scope_bindings bindings = analyze_bindings(model_, first, last, out_.bound());
        // The match cache may serve the outermost level only: inner levels are evaluated for the
        // values that outer levels bind.
        bool list_offered = std::exchange(list_offered_, false);
        for (;;) {
            place_tests(items, bindings);
            item* best = find_best(items, bindings);
            if (list_offered && (!best || expect_list() <= expect(best->what))) {
                list_offered = false;
                take_this_from_outside();
            } else if (best) {
                if (const std::vector<item*> intersected = find_intersected(*best, items, bindings);
                    !intersected.empty()) {
                    place_intersection(*best, intersected);
                } else {
                    place(*best, 0);
                }
                if (list_offered && out_.bound() & this_variable) {
                    list_offered = false;
                    decline_list(items);
                }
            } else if (needs_this(items) && !(out_.bound() & this_variable)) {
                out_.enumerate_this();
            } else if (item* open = find_open_comparison(items, bindings)) {
                out_.enumerate_all(model_.terms[open->what.first].source_variable);
            } else {
                break;
            }
        }
        place_rest(items, bindings);
    }
    // Lists the clauses of a level that need ops. The clauses of an And scope belong to the level
    // around it.
    void collect(std::uint32_t first, std::uint32_t last, std::vector<item>& items) {
        each_clause(model_, first, last, [&](const clause& clause) {
            if (clause.kind == clause_kind::scope && model_.terms[clause.first].oper == And) {
                collect(clause.first + 1, clause.last - 1, items);
            } else if (is_cached(clause) || facts_.is_declaration(clause)) {
                return;
            } else {
                items.push_back({clause});
            }
        });
    }
    // The expected number of rows of the match cache, at most.
    double expect_list() const noexcept {
        double rows = expected_.everything();
        each_clause(model_, 0, model_.count, [&](const clause& clause) {
            if (is_cached(clause) && operator_of(model_, clause) == And) {
                rows = std::min(rows, expect(clause));
            }
        });
        return rows;
    }
    // Does without the match cache: its terms become clauses of the level.
    void decline_list(std::vector<item>& items) {
        each_clause(model_, 0, model_.count, [&](const clause& clause) {
            if (is_cached(clause)) {
                items.push_back({clause});
            }
        });
        plan_.cached = 0;
    }
    bool is_cached(const clause& clause) const noexcept {
        return (plan_.cached >> clause.first) & 1;
    }
    bool needs_this(const std::vector<item>& items) const noexcept {
        return std::any_of(items.begin(), items.end(), [&](const item& entry) {
            return !entry.placed && used_by(model_, entry.what) & this_variable;
        });
    }
    void place_tests(std::vector<item>& items, const scope_bindings& bindings) {
        for (item& entry : items) {
            // Variables that no clause of the level binds are private to the test.
            variable_set needed = used_by(model_, entry.what) & (bindings.bound | bindings.maybe);
            if (!entry.placed && facts_.is_test(entry.what) && !(needed & bindings.maybe) &&
                !(needed & ~out_.bound())) {
                place(entry, 0);
            }
        }
    }
    item* find_best(std::vector<item>& items, const scope_bindings& bindings) {
        item* best = nullptr;
        double least = 0;
        for (item& entry : items) {
            if (!can_be_next(entry, bindings)) {
                continue;
            }
            double expected = expect(entry.what);
            if (!best || expected < least || (expected == least && comes_before(entry, *best))) {
                best = &entry;
                least = expected;
            }
        }
        return best;
    }
    bool can_be_next(const item& entry, const scope_bindings& bindings) const noexcept {
        return !entry.placed && !facts_.is_test(entry.what) &&
               operator_of(model_, entry.what) != Optional &&
               depends_on(model_, entry.what, bindings) == 0 && has_values(entry.what, bindings);
    }
    // Breaks ties by the terms themselves, so that the order in which they were written does not
    // matter.
    bool comes_before(const item& left, const item& right) const noexcept {
        const term& a = model_.terms[left.what.first];
        const term& b = model_.terms[right.what.first];
        if (a.from != b.from) {
            return a.from < b.from;
        }
        return a.id != b.id ? a.id < b.id : a.source < b.source;
    }
    // True if all variables have values that the clause needs before it can be evaluated. A chain
    // also waits for the variables that only some of its alternatives bind: results of different
    // alternatives are compared by their values.
    bool has_values(const clause& clause, const scope_bindings& bindings) const noexcept {
        if (clause.kind == clause_kind::chain) {
            bool all = true;
            each_alternative(model_, clause, [&](const queries::clause& alternative) {
                all &= has_values(alternative, bindings);
            });
            const variable_set in_all = bindings_of(model_, clause, out_.bound()).always;
            return all && !(used_by(model_, clause) & bindings.bound & ~in_all & ~out_.bound());
        }
        if (clause.kind == clause_kind::scope) {
            return true;
        }
        const term& term = model_.terms[clause.first];
        if (term.kind == term_kind::name_match) {
            return !(source_of(term) & ~out_.bound());
        }
        if (term.kind == term_kind::equal && elements_of(term) && source_of(term)) {
            return ((source_of(term) | elements_of(term)) & out_.bound()) != 0;
        }
        variable_set needed = (term.first_by.flags ? only(term.first_variable) : 0) |
                              (term.second_by.flags ? only(term.second_variable) : 0) |
                              (only(term.value_variable) & ~bound_by_value(term));
        return !(needed & ~out_.bound() & ~source_of(term));
    }
    // A comparison `$a == $b` that nothing gives a value to, because the chains that bind the
    // variables wait for them. The planner then enumerates entities for the left variable.
    item* find_open_comparison(std::vector<item>& items, const scope_bindings& bindings) const {
        for (item& entry : items) {
            const term& term = model_.terms[entry.what.first];
            if (!entry.placed && entry.what.kind == clause_kind::term && term.oper == And &&
                term.kind == term_kind::equal && source_of(term) && elements_of(term) &&
                depends_on(model_, entry.what, bindings) == 0 &&
                !has_values(entry.what, bindings)) {
                return &entry;
            }
        }
        return nullptr;
    }
    // Places optional clauses and the clauses that depend on nullable variables, each after the
    // producers of its variables.
    void place_rest(std::vector<item>& items, const scope_bindings& bindings) {
        while (item* next = next_of_rest(items, bindings)) {
            // A variable may have several producers: each is planned as if it was the first.
            out_.unbind(given_by(next->what, bindings));
            place(*next, depends_on(model_, next->what, bindings));
        }
    }
    // The next clause that waits for no producer; required clauses before optional ones, which may
    // multiply the results.
    item* next_of_rest(std::vector<item>& items, const scope_bindings& bindings) const {
        item* next = nullptr;
        for (item& entry : items) {
            const bool better = !next || (operator_of(model_, next->what) == Optional &&
                                          operator_of(model_, entry.what) != Optional);
            if (!entry.placed && better && !waits(entry, items, bindings)) {
                next = &entry;
            }
        }
        return next;
    }
    bool waits(const item& entry, const std::vector<item>& items,
               const scope_bindings& bindings) const {
        const variable_set needed = depends_on(model_, entry.what, bindings);
        return std::any_of(items.begin(), items.end(), [&](const item& other) {
            return !other.placed && (given_by(other.what, bindings) & needed) != 0;
        });
    }

    // -- placing one clause

    // Emits the ops of a clause. `depends`: nullable variables without which the ops are skipped.
    void place(item& entry, variable_set depends) {
        KITH_ASSERT(!entry.placed, "each clause is placed once");
        entry.placed = true;
        switch (entry.what.kind) {
            case clause_kind::term:
                place_term(entry.what.first, depends);
                break;
            case clause_kind::scope:
                place_scope(entry.what, depends);
                break;
            case clause_kind::chain:
                place_chain(entry.what, depends);
                break;
        }
    }
    // True if the target of the term is an open variable, and the targets of a source can be read
    // as a list: then the term can take part in an intersection.
    bool has_open_targets(const clause& clause) const noexcept {
        if (clause.kind != clause_kind::term || !facts_.is_linkable(clause.first)) {
            return false;
        }
        const term& term = model_.terms[clause.first];
        return term.first_variable == no_variable && term.second_variable != no_variable &&
               !((out_.bound() | source_of(term)) & only(term.second_variable));
    }
    // The other terms whose targets are the same open variable: terms with the same source if that
    // is open as well, else all terms with bound sources. Empty if the term cannot be intersected.
    std::vector<item*> find_intersected(const item& best, std::vector<item>& items,
                                        const scope_bindings& bindings) {
        std::vector<item*> intersected;
        if (!has_open_targets(best.what)) {
            return intersected;
        }
        const term& first = model_.terms[best.what.first];
        for (item& other : items) {
            if (&other == &best || !can_be_next(other, bindings) || !has_open_targets(other.what)) {
                continue;
            }
            const term& term = model_.terms[other.what.first];
            const bool same_source = out_.is_open_source(first)
                                         ? source_of(term) == source_of(first)
                                         : !out_.is_open_source(term);
            if (same_source && term.second_variable == first.second_variable) {
                intersected.push_back(&other);
            }
        }
        return intersected;
    }
    // Emits an intersect block. The ops inside of the block evaluate term by term: the executor
    // uses them for sources with bases, whose lists of targets are incomplete.
    void place_intersection(item& best, const std::vector<item*>& intersected) {
        const std::uint32_t first = best.what.first;
        const term& term = model_.terms[first];
        const std::size_t number = out_.size();
        const std::uint8_t sought = out_.is_open_source(term) ? term.source_variable : no_variable;
        const double expected = expect_term(first);
        std::uint64_t terms = std::uint64_t{1} << first;
        variable_set added = 0;
        block_writer::this_state state = out_.state();
        out_.block(block_writer::op_of(op_code::intersect, op_level::table, first), 0, [&] {
            added = out_.inside([&] {
                place(best, 0);
                for (item* other : intersected) {
                    terms |= std::uint64_t{1} << other->what.first;
                    place(*other, 0);
                }
                state = out_.state();
            });
        });
        graph_op& op = out_[number];
        op.level = state == block_writer::this_state::row ? op_level::row : op_level::table;
        op.terms = terms;
        op.variable = sought;
        op.expected = expected;
        out_.bind(added);
        out_.set_state(state);
    }
    // Emits a negated or optional term with an open source: a block that enumerates the source.
    void place_open_term(std::uint32_t number, variable_set depends) {
        const term& term = model_.terms[number];
        if (elements_of(term) & out_.bound() & this_variable) {
            out_.need_rows();
        }
        const op_code code = term.oper == Not ? op_code::not_exists : op_code::optional;
        variable_set added = 0;
        out_.block(block_writer::op_of(code, op_level::entity, number), depends,
                   [&] { added = out_.inside([&] { place_alternative(number); }); });
        out_.bind(term.oper == Not ? 0 : added);
    }
    // Emits a single term, with an enumerate before it if its source is open.
    void place_term(std::uint32_t number, variable_set depends) {
        const term& term = model_.terms[number];
        if (term.kind == term_kind::ids && out_.is_open_source(term) &&
            (term.oper == Not || term.oper == Optional)) {
            place_open_term(number, depends);
            return;
        }
        double expected = expect_term(number);
        bool binds_this = term.kind != term_kind::ids && term.oper == And &&
                          (source_of(term) | elements_of(term)) & this_variable & ~out_.bound();
        bool target_known = second_is_known(term);
        bool source_known = !out_.is_open_source(term);
        if (elements_of(term) & out_.bound() & this_variable) {
            out_.need_rows();
        }
        if (term.kind == term_kind::ids && out_.is_open_source(term) && term.oper == And) {
            out_.enumerate_source(number, expected, depends);
            expected = 1;
        }
        if (facts_.is_by_row(number) && !binds_this) {
            out_.need_rows();
        }
        op step = block_writer::op_of(facts_.code_of(number), facts_.level_of(number), number);
        if (step.code == op_code::match && step.level == op_level::table &&
            out_.bound() & this_variable && facts_.is_exact(number)) {
            step.code = op_code::id_in_table;
        }
        graph_op& op = out_.emit(step);
        op.depends = depends;
        op.expected = expected;
        op.outer_target = target_known && !source_known;
        op.linkable = facts_.is_linkable(number);
        op.exact = facts_.is_exact(number);
        out_.bind(term.oper == Not ? 0 : source_of(term) | elements_of(term));
    }
    bool second_is_known(const term& term) const noexcept {
        return term.second_variable == no_variable
                   ? term.second != 0
                   : (out_.bound() & only(term.second_variable)) != 0;
    }
    // Emits a negated or optional scope as a block.
    void place_scope(const clause& clause, variable_set depends) {
        if (out_.bound() & this_variable && facts_.has_row_terms(clause)) {
            out_.need_rows();
        }
        const bool negated = model_.terms[clause.first].oper == Not;
        const std::size_t number = out_.size();
        variable_set added = 0;
        op step{negated ? op_code::not_exists : op_code::optional, op_level::entity,
                static_cast<std::uint8_t>(clause.first), static_cast<std::uint8_t>(clause.last), 0};
        out_.block(step, depends, [&] {
            added = out_.inside([&] { plan_level(clause.first + 1, clause.last - 1); });
        });
        out_[number].about_sources = negated && facts_.is_about_sources(number);
        out_.bind(negated ? 0 : added);
    }
    // Emits a chain: one op if all alternatives are plain terms, else an or_else block.
    void place_chain(const clause& chain, variable_set depends) {
        if (out_.bound() & this_variable && facts_.has_row_terms(chain)) {
            out_.need_rows();
        }
        if (facts_.is_plain_chain(chain)) {
            if (!(out_.bound() & this_variable) && uses_this(chain)) {
                out_.enumerate_this();
                if (facts_.has_row_terms(chain)) {
                    out_.need_rows();
                }
            }
            out_.emit({op_code::chain,
                       facts_.has_row_terms(chain) ? op_level::row : op_level::table,
                       static_cast<std::uint8_t>(chain.first),
                       static_cast<std::uint8_t>(chain.last), 0})
                .depends = depends;
            return;
        }
        variable_set added = 0;
        op step{op_code::or_else, op_level::entity, static_cast<std::uint8_t>(chain.first),
                static_cast<std::uint8_t>(chain.last), 0};
        out_.block(step, depends, [&] {
            each_alternative(model_, chain, [&](const clause& alternative) {
                added |= place_branch(alternative);
            });
        });
        out_.bind(added);
    }
    // Emits one alternative of an or_else block; returns the variables that it binds.
    variable_set place_branch(const clause& alternative) {
        op step{op_code::branch, op_level::entity, static_cast<std::uint8_t>(alternative.first),
                static_cast<std::uint8_t>(alternative.last), 0};
        variable_set added = 0;
        out_.block(step, 0, [&] {
            added = out_.inside_branch([&] {
                if (alternative.kind == clause_kind::scope) {
                    plan_level(alternative.first + 1, alternative.last - 1);
                } else {
                    place_alternative(alternative.first);
                }
            });
        });
        return added;
    }
    // Emits a term as if its operator were And: a member of a chain, or the inside of a block.
    void place_alternative(std::uint32_t number) {
        const term& term = model_.terms[number];
        if (elements_of(term) & out_.bound() & this_variable) {
            out_.need_rows();
        }
        if (term.kind == term_kind::ids && out_.is_open_source(term)) {
            out_.enumerate_source(number, expect_term(number));
        }
        if (facts_.is_by_row(number)) {
            out_.need_rows();
        }
        const op_code code = term.kind == term_kind::ids ? op_code::match_term : op_code::compare;
        graph_op& op = out_.emit(block_writer::op_of(code, facts_.level_of(number), number));
        op.must = true;
        op.linkable = facts_.is_linkable(number);
        op.exact = facts_.is_exact(number);
        out_.bind(source_of(term) | elements_of(term));
    }
    bool uses_this(const clause& clause) const noexcept {
        return (used_by(model_, clause) & this_variable) != 0;
    }

    const query_model& model_;
    graph_plan& plan_;  // the plan that is made
    expected_results expected_;
    term_facts facts_;
    block_writer out_;
    bool list_offered_ = false;  // $this may come from the match cache
};

}  // namespace

std::shared_ptr<const graph_plan> make_graph_plan(const storage::store& data,
                                                  const query_model& model, variable_set bound,
                                                  std::uint64_t cached, bool ordered) {
    auto plan = std::make_shared<graph_plan>();
    plan->dead = find_dead_terms(data, model);
    for (std::uint32_t i = 0; i < model.count; ++i) {
        plan->meanings.push_back(find_semantics(data, model.terms[i]));
    }
    plan->cached = cached;
    plan->rows = find_row_terms(data, model);
    plan->subsets = find_subsets(data, model);
    each_clause(model, 0, model.count, [&](const clause& clause) {
        bool plain = clause.kind == clause_kind::term && !model.terms[clause.first].is_graph() &&
                     plan->meanings[clause.first].is_plain();
        plan->scannable |= std::uint64_t{plain} << clause.first;
    });
    graph_planner planner(data, model, *plan);
    if (model.has_this && (ordered || bound & this_variable || (cached != 0 && bound == 0))) {
        planner.take_this_from_outside();
    } else if (cached != 0) {
        planner.offer_list();
    }
    planner.set_bound(bound & ~this_variable);
    planner.plan_all();
    return plan;
}

}  // namespace kith::queries
