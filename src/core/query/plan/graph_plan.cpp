#include "query/plan/graph_plan.hpp"

#include "base/raise.hpp"
#include "query/plan/expected_results.hpp"

#include <algorithm>
#include <utility>

namespace kith::queries {

namespace {

constexpr std::uint32_t nothing = 0xFF;

class graph_planner {
public:
    graph_planner(const storage::store& data, const query_model& model, graph_plan& plan)
        : data_(data),
          model_(model),
          made_(plan),
          rows_(plan.rows),
          expected_(data, model, plan.meanings) {}

    // Where $this comes from a list that is made elsewhere.
    void take_this_from_outside() {
        emit({op_code::scan, op_level::table, 0, 0, 0});
        state_ = this_state::range;
        bound_ |= this_variable;
    }
    // ... or may come from one, unless it is found in a shorter way.
    void offer_list() noexcept { list_offered_ = true; }
    void set_bound(variable_set bound) noexcept { bound_ |= bound; }

    void plan_all() {
        plan_level(0, model_.count);
        if (model_.has_this && !(bound_ & this_variable)) {
            seek_everything();
        }
        made_.tail = level_tail_;
    }

private:
    enum class this_state : std::uint8_t { unbound, range, row };

    struct item {
        clause what;
        bool placed = false;
    };

    // -- emitting
    graph_op& emit(const op& step) {
        graph_op made{};
        static_cast<op&>(made) = step;
        if (made_.ops.size() >= nothing) {
            base::raise(errc::limit, "a query has too many steps");
        }
        auto number = static_cast<std::uint8_t>(made_.ops.size());
        made.previous = static_cast<std::uint8_t>(level_tail_);
        made.next = static_cast<std::uint8_t>(number + 1);
        level_tail_ = number;
        made_.ops.push_back(made);
        return made_.ops.back();
    }
    void need_rows() {
        if (state_ == this_state::range) {
            emit({op_code::each_row, op_level::row, 0, 0, 0});
            state_ = this_state::row;
        }
    }
    void seek_everything() {
        graph_op& op = emit({op_code::enumerate, op_level::table, nothing, nothing, 0});
        op.variable = 0;
        op.expected = expected_.everything();
        state_ = this_state::range;
        bound_ |= this_variable;
        if (in_branch_) {
            need_rows();
        }
    }
    // For a variable of which no term says more than what it equals.
    void seek_anything(std::uint8_t variable) {
        graph_op& op = emit({op_code::enumerate, op_level::table, nothing, nothing, 0});
        op.variable = variable;
        op.expected = expected_.everything();
        bound_ |= only(variable);
    }
    // Before a term whose source is open.
    void seek_source(std::uint32_t number, double expected, variable_set depends = 0) {
        const term& term = model_.terms[number];
        auto at = static_cast<std::uint8_t>(number);
        graph_op& op =
            emit({op_code::enumerate, op_level::table, at, static_cast<std::uint8_t>(at + 1), 0});
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

    bool is_open_source(const term& term) const noexcept {
        return (source_of(term) & ~bound_) != 0;
    }
    double expect(const clause& clause) const noexcept {
        return expected_.of_group(clause, bound_);
    }
    double expect_term(std::uint32_t number) const noexcept {
        return expected_.of_term(number, bound_);
    }

    // -- one level of terms
    void plan_level(std::uint32_t first, std::uint32_t last) {
        std::vector<item> items;
        collect(first, last, items);
        const scope_bindings bindings = analyze_bindings(model_, first, last, bound_);
        // To the outermost level: those inside are asked for what it finds.
        bool list_offered = std::exchange(list_offered_, false);
        // Terms that must hold, the most selective first; tests as soon as they can be made.
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
                seek_everything();
            } else if (item* open = find_open_comparison(items, bindings)) {
                seek_anything(model_.terms[open->what.first].source_variable);
            } else {
                break;
            }
        }
        place_rest(items, bindings);
    }
    // Scopes that are neither negated nor optional are no level of their own.
    void collect(std::uint32_t first, std::uint32_t last, std::vector<item>& items) {
        each_clause(model_, first, last, [&](const clause& clause) {
            if (clause.kind == clause_kind::scope && model_.terms[clause.first].oper == And) {
                collect(clause.first + 1, clause.last - 1, items);
            } else if (is_cached(clause) || is_sparse(clause)) {
                return;
            } else {
                items.push_back({clause});
            }
        });
    }
    // How many rows the list has, at most about.
    double expect_list() const noexcept {
        double rows = expected_.everything();
        each_clause(model_, 0, model_.count, [&](const clause& clause) {
            if (is_cached(clause) && operator_of(model_, clause) == And) {
                rows = std::min(rows, expect(clause));
            }
        });
        return rows;
    }
    // What the list would have answered is asked like all else.
    void decline_list(std::vector<item>& items) {
        each_clause(model_, 0, model_.count, [&](const clause& clause) {
            if (is_cached(clause)) {
                items.push_back({clause});
            }
        });
        made_.cached = 0;
    }
    bool is_cached(const clause& clause) const noexcept {
        return (made_.cached >> clause.first) & 1;
    }
    bool is_sparse(const clause& clause) const noexcept {
        return clause.kind == clause_kind::term &&
               model_.terms[clause.first].kind == term_kind::ids &&
               model_.terms[clause.first].from == source_kind::none;
    }
    // What binds nothing.
    bool is_test(const clause& clause) const noexcept {
        if (clause.kind == clause_kind::chain) {
            return false;
        }
        const term& term = model_.terms[clause.first];
        return term.oper == Not || term.is_from_list() || term.kind == term_kind::name_match ||
               term.kind == term_kind::apart;
    }
    bool needs_this(const std::vector<item>& items) const noexcept {
        return std::any_of(items.begin(), items.end(), [&](const item& clause_item) {
            return !clause_item.placed && used_by(model_, clause_item.what) & this_variable;
        });
    }
    void place_tests(std::vector<item>& items, const scope_bindings& bindings) {
        for (item& clause_item : items) {
            // Variables that nothing else binds are its own.
            variable_set needed =
                used_by(model_, clause_item.what) & (bindings.bound | bindings.maybe);
            if (!clause_item.placed && is_test(clause_item.what) && !(needed & bindings.maybe) &&
                !(needed & ~bound_)) {
                place(clause_item, 0);
            }
        }
    }
    item* find_best(std::vector<item>& items, const scope_bindings& bindings) {
        item* best = nullptr;
        double least = 0;
        for (item& clause_item : items) {
            if (!can_be_next(clause_item, bindings)) {
                continue;
            }
            double expected = expect(clause_item.what);
            if (!best || expected < least ||
                (expected == least && comes_before(clause_item, *best))) {
                best = &clause_item;
                least = expected;
            }
        }
        return best;
    }
    bool can_be_next(const item& clause_item, const scope_bindings& bindings) const noexcept {
        return !clause_item.placed && !is_test(clause_item.what) &&
               operator_of(model_, clause_item.what) != Optional &&
               depends_on(model_, clause_item.what, bindings) == 0 &&
               has_values(clause_item.what, bindings);
    }
    // Of equals, the order in which they are written does not decide.
    bool comes_before(const item& one, const item& other) const noexcept {
        const term& a = model_.terms[one.what.first];
        const term& b = model_.terms[other.what.first];
        if (a.from != b.from) {
            return a.from < b.from;
        }
        return a.id != b.id ? a.id < b.id : a.source < b.source;
    }
    // What must be known before the group can be asked. Alternatives of which only some are about
    // a variable are compared with each other for its value.
    bool has_values(const clause& one, const scope_bindings& bindings) const noexcept {
        if (one.kind == clause_kind::chain) {
            bool all = true;
            each_alternative(model_, one, [&](const clause& alternative) {
                all &= has_values(alternative, bindings);
            });
            const variable_set in_all = bindings_of(model_, one, bound_).always;
            return all && !(used_by(model_, one) & bindings.bound & ~in_all & ~bound_);
        }
        if (one.kind == clause_kind::scope) {
            return true;
        }
        const term& term = model_.terms[one.first];
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
    // Variables that are equal, and have values in every result, though all other terms wait for
    // these: alternatives that are not all about them.
    item* find_open_comparison(std::vector<item>& items, const scope_bindings& bindings) const {
        for (item& clause_item : items) {
            const term& term = model_.terms[clause_item.what.first];
            if (!clause_item.placed && clause_item.what.kind == clause_kind::term &&
                term.oper == And && term.kind == term_kind::equal && source_of(term) &&
                elements_of(term) && depends_on(model_, clause_item.what, bindings) == 0 &&
                !has_values(clause_item.what, bindings)) {
                return &clause_item;
            }
        }
        return nullptr;
    }
    // What is optional, and what depends on it, behind those that give it values.
    void place_rest(std::vector<item>& items, const scope_bindings& bindings) {
        while (item* next = next_of_rest(items, bindings)) {
            // Several may give a value to the same variable: each as if it was the first.
            bound_ &= ~given_by(next->what, bindings);
            place(*next, depends_on(model_, next->what, bindings));
        }
    }
    // Tests before what may multiply the results.
    item* next_of_rest(std::vector<item>& items, const scope_bindings& bindings) const {
        item* next = nullptr;
        for (item& clause_item : items) {
            const bool better = !next || (operator_of(model_, next->what) == Optional &&
                                          operator_of(model_, clause_item.what) != Optional);
            if (!clause_item.placed && better && !waits(clause_item, items, bindings)) {
                next = &clause_item;
            }
        }
        return next;
    }
    bool waits(const item& one, const std::vector<item>& items,
               const scope_bindings& bindings) const {
        const variable_set needed = depends_on(model_, one.what, bindings);
        return std::any_of(items.begin(), items.end(), [&](const item& other) {
            return !other.placed && (given_by(other.what, bindings) & needed) != 0;
        });
    }

    // -- placing a group
    void place(item& clause_item, variable_set depends) {
        clause_item.placed = true;
        switch (clause_item.what.kind) {
            case clause_kind::term:
                place_term(clause_item.what.first, depends);
                break;
            case clause_kind::scope:
                place_scope(clause_item.what, depends);
                break;
            case clause_kind::chain:
                place_chain(clause_item.what, depends);
                break;
        }
    }
    // True if the targets of the term are an open variable, and are to be had as a list.
    bool has_open_targets(const clause& clause) const noexcept {
        if (clause.kind != clause_kind::term || !is_linkable(clause.first)) {
            return false;
        }
        const term& term = model_.terms[clause.first];
        return term.first_variable == no_variable && term.second_variable != no_variable &&
               !((bound_ | source_of(term)) & only(term.second_variable));
    }
    // The terms that have the same open targets: those with the same source, if that is open, too;
    // else all whose sources are known.
    std::vector<item*> find_intersected(const item& one, std::vector<item>& items,
                                        const scope_bindings& bindings) {
        std::vector<item*> found;
        if (!has_open_targets(one.what)) {
            return found;
        }
        const term& first = model_.terms[one.what.first];
        for (item& other : items) {
            if (&other == &one || !can_be_next(other, bindings) || !has_open_targets(other.what)) {
                continue;
            }
            const term& term = model_.terms[other.what.first];
            const bool same_source =
                is_open_source(first) ? source_of(term) == source_of(first) : !is_open_source(term);
            if (same_source && term.second_variable == first.second_variable) {
                found.push_back(&other);
            }
        }
        return found;
    }
    void place_intersection(item& one, const std::vector<item*>& intersected) {
        const std::uint32_t first = one.what.first;
        const term& term = model_.terms[first];
        const std::size_t number = made_.ops.size();
        const std::uint8_t sought = is_open_source(term) ? term.source_variable : no_variable;
        const double expected = expect_term(first);
        std::uint64_t terms = std::uint64_t{1} << first;
        variable_set added = 0;
        this_state state = state_;
        op step{op_code::intersect, op_level::table, static_cast<std::uint8_t>(first),
                static_cast<std::uint8_t>(first + 1), 0};
        block(step, 0, [&] {
            added = inside([&] {
                place(one, 0);
                for (item* other : intersected) {
                    terms |= std::uint64_t{1} << other->what.first;
                    place(*other, 0);
                }
                state = state_;
            });
        });
        graph_op& op = made_.ops[number];
        op.level = state == this_state::row ? op_level::row : op_level::table;
        op.terms = terms;
        op.variable = sought;
        op.expected = expected;
        bind(added);
        state_ = state;
    }
    // A term that need not hold, about something that is still to be found.
    void place_open_term(std::uint32_t number, variable_set depends) {
        const term& term = model_.terms[number];
        if (elements_of(term) & bound_ & this_variable) {
            need_rows();
        }
        auto at = static_cast<std::uint8_t>(number);
        op step{term.oper == Not ? op_code::not_exists : op_code::optional, op_level::entity, at,
                static_cast<std::uint8_t>(at + 1), 0};
        variable_set added = 0;
        block(step, depends, [&] { added = inside([&] { place_alternative(number); }); });
        bind(term.oper == Not ? 0 : added);
    }
    void place_term(std::uint32_t number, variable_set depends) {
        const term& term = model_.terms[number];
        if (term.kind == term_kind::ids && is_open_source(term) &&
            (term.oper == Not || term.oper == Optional)) {
            place_open_term(number, depends);
            return;
        }
        const term_semantics& meaning = made_.meanings[number];
        double expected = expect_term(number);
        bool binds_this = term.kind != term_kind::ids && term.oper == And &&
                          (source_of(term) | elements_of(term)) & this_variable & ~bound_;
        bool target_known = second_is_known(term);
        bool source_known = !is_open_source(term);
        if (elements_of(term) & bound_ & this_variable) {
            need_rows();
        }
        if (term.kind == term_kind::ids && is_open_source(term) && term.oper == And) {
            seek_source(number, expected, depends);
            expected = 1;
        }
        if ((rows_ >> number) & 1 && !binds_this) {
            need_rows();
        }
        auto at = static_cast<std::uint8_t>(number);
        op step{code_of(term, meaning), level_of(number), at, static_cast<std::uint8_t>(at + 1), 0};
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
    bool is_linkable(std::uint32_t number) const noexcept {
        const term& term = model_.terms[number];
        return term.kind == term_kind::ids && is_pair(term.id) && term.first != 0 &&
               term.first_by.flags == 0 && term.second_by.flags == 0 && !term.at_most_one &&
               term.type == 0 && searches_self_or_bases(term) && made_.meanings[number].is_plain();
    }
    bool is_exact(std::uint32_t number) const noexcept {
        const term& term = model_.terms[number];
        const bool open = term.second_variable != no_variable;
        return term.kind == term_kind::ids && term.first_variable == no_variable &&
               term.first_by.flags == 0 && term.second_by.flags == 0 &&
               searches_self_or_bases(term) && (open ? term.first != 0 : !is_wildcard(term.id)) &&
               made_.meanings[number].is_plain() && !((made_.dead >> number) & 1);
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
    void bind(variable_set variables) noexcept {
        if (variables & this_variable & ~bound_) {
            state_ = this_state::row;
        }
        bound_ |= variables;
    }

    // A group of steps inside of another step.
    template <class Fill>
    void block(const op& step, variable_set depends, Fill&& fill) {
        std::size_t number = made_.ops.size();
        emit(step).depends = depends;
        std::uint32_t outer_tail = level_tail_;
        level_tail_ = nothing;
        fill();
        made_.ops[number].tail = static_cast<std::uint8_t>(level_tail_);
        made_.ops[number].next = static_cast<std::uint8_t>(made_.ops.size());
        level_tail_ = outer_tail;
    }
    // The inside of a block starts with what is bound outside; what it binds is told.
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
    void place_scope(const clause& clause, variable_set depends) {
        if (bound_ & this_variable && has_row_terms(clause)) {
            need_rows();
        }
        const bool negated = model_.terms[clause.first].oper == Not;
        const std::size_t number = made_.ops.size();
        variable_set added = 0;
        op step{negated ? op_code::not_exists : op_code::optional, op_level::entity,
                static_cast<std::uint8_t>(clause.first), static_cast<std::uint8_t>(clause.last), 0};
        block(step, depends,
              [&] { added = inside([&] { plan_level(clause.first + 1, clause.last - 1); }); });
        made_.ops[number].about_sources = negated && is_about_sources(number);
        bind(negated ? 0 : added);
    }
    // True if the block looks for a source of a known target of one relationship that has some ids,
    // and lacks others, all of them in its table.
    bool is_about_sources(std::size_t number) const noexcept {
        const std::size_t end = made_.ops[number].next;
        if (end < number + 3) {
            return false;
        }
        const graph_op& seek = made_.ops[number + 1];
        const graph_op& find = made_.ops[number + 2];
        const term& searched_term = model_.terms[seek.first];
        if (seek.code != op_code::enumerate || find.code != op_code::match_term ||
            seek.first != find.first || seek.variable == 0 || searched_term.first == 0 ||
            searched_term.at_most_one || !searches_self_or_bases(searched_term) ||
            !is_pair(searched_term.id) || searched_term.second_by.flags != 0 ||
            searched_term.first_by.flags != 0 || !made_.meanings[seek.first].is_plain() ||
            (searched_term.second == 0 && searched_term.second_variable == no_variable) ||
            searched_term.second_variable == seek.variable) {
            return false;
        }
        for (std::size_t i = number + 3; i < end; ++i) {
            const graph_op& test = made_.ops[i];
            const term& term = model_.terms[test.first];
            if (test.code != op_code::match_term || term.has_element_variables() ||
                term.first_by.flags != 0 || term.second_by.flags != 0 ||
                !made_.meanings[test.first].is_plain() || term.source_variable != seek.variable ||
                term.from != source_kind::variable || is_wildcard(term.id) ||
                term.oper == Optional || !searches_self_or_bases(term) ||
                !is_table_level(data_, term)) {
                return false;
            }
        }
        return true;
    }
    void place_chain(const clause& chain, variable_set depends) {
        if (bound_ & this_variable && has_row_terms(chain)) {
            need_rows();
        }
        if (is_plain_chain(chain)) {
            if (!(bound_ & this_variable) && uses_this(chain)) {
                seek_everything();
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
    // As if it were not joined with others.
    void place_alternative(std::uint32_t number) {
        const term& term = model_.terms[number];
        if (elements_of(term) & bound_ & this_variable) {
            need_rows();
        }
        if (term.kind == term_kind::ids && is_open_source(term)) {
            seek_source(number, expect_term(number));
        }
        if ((rows_ >> number) & 1) {
            need_rows();
        }
        auto at = static_cast<std::uint8_t>(number);
        op_code code = term.kind == term_kind::ids ? op_code::match_term : op_code::compare;
        graph_op& op = emit({code, level_of(number), at, static_cast<std::uint8_t>(at + 1), 0});
        op.must = true;
        op.linkable = is_linkable(number);
        op.exact = is_exact(number);
        bind(source_of(term) | elements_of(term));
    }
    bool is_plain_chain(const clause& chain) const noexcept {
        for (std::uint32_t i = chain.first; i < chain.last; ++i) {
            if (model_.terms[i].is_graph() || !made_.meanings[i].is_plain()) {
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
    graph_plan& made_;
    std::uint64_t rows_;
    expected_results expected_;
    variable_set bound_ = 0;
    this_state state_ = this_state::unbound;
    bool in_branch_ = false;
    bool list_offered_ = false;  // $this may come from the list of the cache
    std::uint32_t level_tail_ = nothing;
};

}  // namespace

std::shared_ptr<const graph_plan> make_graph_plan(const storage::store& data,
                                                  const query_model& model, variable_set bound,
                                                  std::uint64_t cached, bool ordered) {
    auto made = std::make_shared<graph_plan>();
    for (std::uint32_t i = 0; i < model.count; ++i) {
        made->dead |= std::uint64_t{names_deleted(data, model.terms[i])} << i;
        made->meanings.push_back(find_semantics(data, model.terms[i]));
    }
    made->cached = cached;
    made->rows = find_row_terms(data, model);
    made->subsets = find_subsets(data, model);
    each_clause(model, 0, model.count, [&](const clause& clause) {
        bool plain = clause.kind == clause_kind::term && !model.terms[clause.first].is_graph() &&
                     made->meanings[clause.first].is_plain();
        made->scannable |= std::uint64_t{plain} << clause.first;
    });
    graph_planner planner(data, model, *made);
    if (model.has_this && (ordered || bound & this_variable || (cached != 0 && bound == 0))) {
        planner.take_this_from_outside();
    } else if (cached != 0) {
        planner.offer_list();
    }
    planner.set_bound(bound & ~this_variable);
    planner.plan_all();
    return made;
}

}  // namespace kith::queries
