// The planner of graph plans, declared in graph_plan.hpp. It works level by level: of the clauses
// that can be evaluated with the variables bound so far, it places the one with the fewest expected
// results, and tests as soon as their variables are bound.
#include "query/plan/graph_plan.hpp"

#include "base/assert.hpp"
#include "base/raise.hpp"
#include "query/plan/expected_results.hpp"

#include <algorithm>
#include <utility>

namespace kith::queries {

namespace {

// Stands for "no op" and "no term" in the 8-bit numbers of a plan.
constexpr std::uint32_t nothing = 0xFF;

class graph_planner {
public:
    graph_planner(const storage::store& data, const query_model& model, graph_plan& plan)
        : data_(data),
          model_(model),
          plan_(plan),
          rows_(plan.rows),
          expected_(data, model, plan.meanings) {}

    // Binds $this to rows that the run provides: the match cache, ordered rows or given rows.
    void take_this_from_outside() {
        emit({op_code::scan, op_level::table, 0, 0, 0});
        state_ = this_state::range;
        bound_ |= this_variable;
    }
    // Lets the planner choose between the match cache and a shorter way to $this.
    void offer_list() noexcept { list_offered_ = true; }
    // Declares variables that have values from the start.
    void set_bound(variable_set bound) noexcept { bound_ |= bound; }

    void plan_all() {
        plan_level(0, model_.count);
        if (model_.has_this && !(bound_ & this_variable)) {
            enumerate_this();
        }
        plan_.tail = level_tail_;
    }

private:
    // Whether $this is open, a range of rows of one table, or a single row.
    enum class this_state : std::uint8_t { unbound, range, row };

    // A clause of the level that is planned.
    struct item {
        clause what;
        bool placed = false;  // its ops are part of the plan
    };

    // -- emitting

    // Appends an op to the current level. The reference is valid until the next call.
    graph_op& emit(const op& step) {
        graph_op emitted{};
        static_cast<op&>(emitted) = step;
        if (plan_.ops.size() >= nothing) {
            base::raise(errc::limit, "a query has too many steps");
        }
        auto number = static_cast<std::uint8_t>(plan_.ops.size());
        emitted.previous = static_cast<std::uint8_t>(level_tail_);
        emitted.next = static_cast<std::uint8_t>(number + 1);
        level_tail_ = number;
        plan_.ops.push_back(emitted);
        return plan_.ops.back();
    }
    // Narrows $this from a range to a single row, for ops that depend on the row.
    void need_rows() {
        if (state_ == this_state::range) {
            emit({op_code::each_row, op_level::row, 0, 0, 0});
            state_ = this_state::row;
        }
    }
    // Enumerates the rows of the whole world for $this. Rows of a branch are compared with the rows
    // of earlier branches, so a branch needs single rows.
    void enumerate_this() {
        graph_op& op = emit({op_code::enumerate, op_level::table, nothing, nothing, 0});
        op.variable = 0;
        op.expected = expected_.everything();
        state_ = this_state::range;
        bound_ |= this_variable;
        if (in_branch_) {
            need_rows();
        }
    }
    // Binds a variable to all entities: only comparisons mention it.
    void enumerate_all(std::uint8_t variable) {
        graph_op& op = emit({op_code::enumerate, op_level::table, nothing, nothing, 0});
        op.variable = variable;
        op.expected = expected_.everything();
        bound_ |= only(variable);
    }
    // Binds the open source of a term to the entities that may satisfy it.
    void enumerate_source(std::uint32_t number, double expected, variable_set depends = 0) {
        const term& term = model_.terms[number];
        KITH_ASSERT(is_open_source(term), "the source is to be found");
        graph_op& op = emit(op_of(op_code::enumerate, op_level::table, number));
        op.variable = term.source_variable;
        op.expected = expected;
        op.depends = depends;
        bound_ |= source_of(term);
        if (term.from == source_kind::self) {
            state_ = this_state::range;
            if (in_branch_) {
                need_rows();
            }
        }
    }

    // An op for a single term.
    static op op_of(op_code code, op_level level, std::uint32_t number) noexcept {
        return {code, level, static_cast<std::uint8_t>(number),
                static_cast<std::uint8_t>(number + 1), 0};
    }
    bool is_open_source(const term& term) const noexcept {
        return (source_of(term) & ~bound_) != 0;
    }
    double expect(const clause& clause) const noexcept {
        return expected_.of_group(clause, bound_);
    }
    double expect_term(std::uint32_t number) const noexcept {
        return expected_.of_term(number, bound_);
    }

    // -- one level of clauses

    // Places all clauses of the level [first, last): required ones by their expected results, tests
    // as early as possible, then optional and dependent ones.
    void plan_level(std::uint32_t first, std::uint32_t last) {
        std::vector<item> items;
        collect(first, last, items);
        const scope_bindings bindings = analyze_bindings(model_, first, last, bound_);
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
                if (list_offered && bound_ & this_variable) {
                    list_offered = false;
                    decline_list(items);
                }
            } else if (needs_this(items) && !(bound_ & this_variable)) {
                enumerate_this();
            } else if (item* open = find_open_comparison(items, bindings)) {
                enumerate_all(model_.terms[open->what.first].source_variable);
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
            } else if (is_cached(clause) || is_declaration(clause)) {
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
    // True for a term without a source, which only declares access.
    bool is_declaration(const clause& clause) const noexcept {
        return clause.kind == clause_kind::term &&
               model_.terms[clause.first].kind == term_kind::ids &&
               model_.terms[clause.first].from == source_kind::none;
    }
    // True for clauses that bind no variable.
    bool is_test(const clause& clause) const noexcept {
        if (clause.kind == clause_kind::chain) {
            return false;
        }
        const term& term = model_.terms[clause.first];
        return term.oper == Not || term.is_from_list() || term.kind == term_kind::name_match ||
               term.kind == term_kind::apart;
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
            if (!entry.placed && is_test(entry.what) && !(needed & bindings.maybe) &&
                !(needed & ~bound_)) {
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
        return !entry.placed && !is_test(entry.what) &&
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
            const variable_set in_all = bindings_of(model_, clause, bound_).always;
            return all && !(used_by(model_, clause) & bindings.bound & ~in_all & ~bound_);
        }
        if (clause.kind == clause_kind::scope) {
            return true;
        }
        const term& term = model_.terms[clause.first];
        if (term.kind == term_kind::name_match) {
            return !(source_of(term) & ~bound_);
        }
        if (term.kind == term_kind::equal && elements_of(term) && source_of(term)) {
            return ((source_of(term) | elements_of(term)) & bound_) != 0;
        }
        variable_set needed = (term.first_by.flags ? only(term.first_variable) : 0) |
                              (term.second_by.flags ? only(term.second_variable) : 0);
        return !(needed & ~bound_ & ~source_of(term));
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
            bound_ &= ~given_by(next->what, bindings);
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
        if (clause.kind != clause_kind::term || !is_linkable(clause.first)) {
            return false;
        }
        const term& term = model_.terms[clause.first];
        return term.first_variable == no_variable && term.second_variable != no_variable &&
               !((bound_ | source_of(term)) & only(term.second_variable));
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
            const bool same_source =
                is_open_source(first) ? source_of(term) == source_of(first) : !is_open_source(term);
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
        const std::size_t number = plan_.ops.size();
        const std::uint8_t sought = is_open_source(term) ? term.source_variable : no_variable;
        const double expected = expect_term(first);
        std::uint64_t terms = std::uint64_t{1} << first;
        variable_set added = 0;
        this_state state = state_;
        block(op_of(op_code::intersect, op_level::table, first), 0, [&] {
            added = inside([&] {
                place(best, 0);
                for (item* other : intersected) {
                    terms |= std::uint64_t{1} << other->what.first;
                    place(*other, 0);
                }
                state = state_;
            });
        });
        graph_op& op = plan_.ops[number];
        op.level = state == this_state::row ? op_level::row : op_level::table;
        op.terms = terms;
        op.variable = sought;
        op.expected = expected;
        bind(added);
        state_ = state;
    }
    // Emits a negated or optional term with an open source: a block that enumerates the source.
    void place_open_term(std::uint32_t number, variable_set depends) {
        const term& term = model_.terms[number];
        if (elements_of(term) & bound_ & this_variable) {
            need_rows();
        }
        const op_code code = term.oper == Not ? op_code::not_exists : op_code::optional;
        variable_set added = 0;
        block(op_of(code, op_level::entity, number), depends,
              [&] { added = inside([&] { place_alternative(number); }); });
        bind(term.oper == Not ? 0 : added);
    }
    // Emits a single term, with an enumerate before it if its source is open.
    void place_term(std::uint32_t number, variable_set depends) {
        const term& term = model_.terms[number];
        if (term.kind == term_kind::ids && is_open_source(term) &&
            (term.oper == Not || term.oper == Optional)) {
            place_open_term(number, depends);
            return;
        }
        const term_semantics& meaning = plan_.meanings[number];
        double expected = expect_term(number);
        bool binds_this = term.kind != term_kind::ids && term.oper == And &&
                          (source_of(term) | elements_of(term)) & this_variable & ~bound_;
        bool target_known = second_is_known(term);
        bool source_known = !is_open_source(term);
        if (elements_of(term) & bound_ & this_variable) {
            need_rows();
        }
        if (term.kind == term_kind::ids && is_open_source(term) && term.oper == And) {
            enumerate_source(number, expected, depends);
            expected = 1;
        }
        if ((rows_ >> number) & 1 && !binds_this) {
            need_rows();
        }
        op step = op_of(code_of(term, meaning), level_of(number), number);
        if (step.code == op_code::match && step.level == op_level::table &&
            bound_ & this_variable && is_exact(number)) {
            step.code = op_code::id_in_table;
        }
        graph_op& op = emit(step);
        op.depends = depends;
        op.expected = expected;
        op.outer_target = target_known && !source_known;
        op.linkable = is_linkable(number);
        op.exact = is_exact(number);
        bind(term.oper == Not ? 0 : source_of(term) | elements_of(term));
    }
    // True if the term matches stored pairs of a named relationship, without widening.
    bool is_linkable(std::uint32_t number) const noexcept {
        const term& term = model_.terms[number];
        return term.kind == term_kind::ids && is_pair(term.id) && term.first != 0 &&
               term.first_by.flags == 0 && term.second_by.flags == 0 && !term.at_most_one &&
               term.type == 0 && searches_self_or_bases(term) && plan_.meanings[number].is_plain();
    }
    // True if the term matches exactly one id once its target is bound.
    bool is_exact(std::uint32_t number) const noexcept {
        const term& term = model_.terms[number];
        const bool open = term.second_variable != no_variable;
        return term.kind == term_kind::ids && term.first_variable == no_variable &&
               term.first_by.flags == 0 && term.second_by.flags == 0 &&
               searches_self_or_bases(term) && (open ? term.first != 0 : !is_wildcard(term.id)) &&
               plan_.meanings[number].is_plain() && !((plan_.dead >> number) & 1);
    }
    bool second_is_known(const term& term) const noexcept {
        return term.second_variable == no_variable ? term.second != 0
                                                   : (bound_ & only(term.second_variable)) != 0;
    }
    op_level level_of(std::uint32_t number) const noexcept {
        const term& term = model_.terms[number];
        return (rows_ >> number) & 1            ? op_level::row
               : term.from == source_kind::self ? op_level::table
                                                : op_level::entity;
    }
    // match_term is for terms that bind variables or are widened; match answers the others faster.
    static op_code code_of(const term& term, const term_semantics& meaning) noexcept {
        if (term.kind != term_kind::ids) {
            return op_code::compare;
        }
        if (term.is_from_list()) {
            return op_code::list;
        }
        return term.is_graph() || !meaning.is_plain() || term.flags & TraverseAll
                   ? op_code::match_term
                   : op_code::match;
    }
    // Marks variables as bound. A term that binds $this without a scan gives a single row.
    void bind(variable_set variables) noexcept {
        if (variables & this_variable & ~bound_) {
            state_ = this_state::row;
        }
        bound_ |= variables;
    }

    // Emits a block op, and the ops of its inside by fill().
    template <class Fill>
    void block(const op& step, variable_set depends, Fill&& fill) {
        std::size_t number = plan_.ops.size();
        emit(step).depends = depends;
        std::uint32_t outer_tail = level_tail_;
        level_tail_ = nothing;
        fill();
        plan_.ops[number].tail = static_cast<std::uint8_t>(level_tail_);
        plan_.ops[number].next = static_cast<std::uint8_t>(plan_.ops.size());
        level_tail_ = outer_tail;
    }
    // Plans the inside of a block by fill(), from the present bindings. Returns the variables that
    // the inside binds, and restores the bindings.
    template <class Fill>
    variable_set inside(Fill&& fill) {
        variable_set before = bound_;
        this_state state = state_;
        fill();
        variable_set after = bound_;
        bound_ = before;
        state_ = state;
        return after & ~before;
    }
    bool has_row_terms(const clause& clause) const noexcept {
        std::uint64_t mask =
            clause.last >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << clause.last) - 1;
        return (rows_ & mask & ~((std::uint64_t{1} << clause.first) - 1)) != 0;
    }
    // Emits a negated or optional scope as a block.
    void place_scope(const clause& clause, variable_set depends) {
        if (bound_ & this_variable && has_row_terms(clause)) {
            need_rows();
        }
        const bool negated = model_.terms[clause.first].oper == Not;
        const std::size_t number = plan_.ops.size();
        variable_set added = 0;
        op step{negated ? op_code::not_exists : op_code::optional, op_level::entity,
                static_cast<std::uint8_t>(clause.first), static_cast<std::uint8_t>(clause.last), 0};
        block(step, depends,
              [&] { added = inside([&] { plan_level(clause.first + 1, clause.last - 1); }); });
        plan_.ops[number].about_sources = negated && is_about_sources(number);
        bind(negated ? 0 : added);
    }
    // True if the block asks whether a bound target has a source (by one relationship) whose table
    // has certain ids and lacks others. The executor then tests tables instead of sources.
    bool is_about_sources(std::size_t number) const noexcept {
        const std::size_t end = plan_.ops[number].next;
        if (end < number + 3) {
            return false;
        }
        const graph_op& enumerate = plan_.ops[number + 1];
        const graph_op& match = plan_.ops[number + 2];
        const term& pair = model_.terms[enumerate.first];
        if (enumerate.code != op_code::enumerate || match.code != op_code::match_term ||
            enumerate.first != match.first || enumerate.variable == 0 || pair.first == 0 ||
            pair.at_most_one || !searches_self_or_bases(pair) || !is_pair(pair.id) ||
            pair.second_by.flags != 0 || pair.first_by.flags != 0 ||
            !plan_.meanings[enumerate.first].is_plain() ||
            (pair.second == 0 && pair.second_variable == no_variable) ||
            pair.second_variable == enumerate.variable) {
            return false;
        }
        for (std::size_t i = number + 3; i < end; ++i) {
            const graph_op& test = plan_.ops[i];
            const term& term = model_.terms[test.first];
            if (test.code != op_code::match_term || term.has_element_variables() ||
                term.first_by.flags != 0 || term.second_by.flags != 0 ||
                !plan_.meanings[test.first].is_plain() ||
                term.source_variable != enumerate.variable || term.from != source_kind::variable ||
                is_wildcard(term.id) || term.oper == Optional || !searches_self_or_bases(term) ||
                !is_table_level(data_, term)) {
                return false;
            }
        }
        return true;
    }
    // Emits a chain: one op if all alternatives are plain terms, else an or_else block.
    void place_chain(const clause& chain, variable_set depends) {
        if (bound_ & this_variable && has_row_terms(chain)) {
            need_rows();
        }
        if (is_plain_chain(chain)) {
            if (!(bound_ & this_variable) && uses_this(chain)) {
                enumerate_this();
                if (has_row_terms(chain)) {
                    need_rows();
                }
            }
            emit({op_code::chain, has_row_terms(chain) ? op_level::row : op_level::table,
                  static_cast<std::uint8_t>(chain.first), static_cast<std::uint8_t>(chain.last), 0})
                .depends = depends;
            return;
        }
        variable_set added = 0;
        op step{op_code::or_else, op_level::entity, static_cast<std::uint8_t>(chain.first),
                static_cast<std::uint8_t>(chain.last), 0};
        block(step, depends, [&] {
            each_alternative(model_, chain, [&](const clause& alternative) {
                added |= place_branch(alternative);
            });
        });
        bind(added);
    }
    // Emits one alternative of an or_else block; returns the variables that it binds.
    variable_set place_branch(const clause& alternative) {
        op step{op_code::branch, op_level::entity, static_cast<std::uint8_t>(alternative.first),
                static_cast<std::uint8_t>(alternative.last), 0};
        variable_set added = 0;
        block(step, 0, [&] {
            added = inside([&] {
                bool outer = in_branch_;
                in_branch_ = true;
                if (alternative.kind == clause_kind::scope) {
                    plan_level(alternative.first + 1, alternative.last - 1);
                } else {
                    place_alternative(alternative.first);
                }
                in_branch_ = outer;
            });
        });
        return added;
    }
    // Emits a term as if its operator were And: a member of a chain, or the inside of a block.
    void place_alternative(std::uint32_t number) {
        const term& term = model_.terms[number];
        if (elements_of(term) & bound_ & this_variable) {
            need_rows();
        }
        if (term.kind == term_kind::ids && is_open_source(term)) {
            enumerate_source(number, expect_term(number));
        }
        if ((rows_ >> number) & 1) {
            need_rows();
        }
        const op_code code = term.kind == term_kind::ids ? op_code::match_term : op_code::compare;
        graph_op& op = emit(op_of(code, level_of(number), number));
        op.must = true;
        op.linkable = is_linkable(number);
        op.exact = is_exact(number);
        bind(source_of(term) | elements_of(term));
    }
    bool is_plain_chain(const clause& chain) const noexcept {
        for (std::uint32_t i = chain.first; i < chain.last; ++i) {
            if (model_.terms[i].is_graph() || !plan_.meanings[i].is_plain()) {
                return false;
            }
        }
        return true;
    }
    bool uses_this(const clause& clause) const noexcept {
        return (used_by(model_, clause) & this_variable) != 0;
    }

    const storage::store& data_;
    const query_model& model_;
    graph_plan& plan_;    // the plan that is made
    std::uint64_t rows_;  // terms that depend on the row
    expected_results expected_;
    variable_set bound_ = 0;  // variables that are bound where the next op is placed
    this_state state_ = this_state::unbound;
    bool in_branch_ = false;              // the level is inside of an or_else
    bool list_offered_ = false;           // $this may come from the match cache
    std::uint32_t level_tail_ = nothing;  // the last op of the current level
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
