// Makes plans, as declared in plan.hpp. Ops are ordered by level, then tests come before ops that
// multiply results (rank()).
#include "base/assert.hpp"
#include "query/plan/graph_plan.hpp"
#include "storage/find.hpp"
#include "traits/implications.hpp"

#include <algorithm>

namespace kith::queries {

using storage::id_record;

namespace {

// True if rows of one table may differ in ids of the pattern: sparse ids and links lie outside of
// the table, and ids that can be toggled may be switched off for a row.
bool is_row_level(const storage::store& data, id_t pattern) noexcept {
    for (const id_record* toggled : data.toggled_ids) {
        if (matches_id(pattern, toggled->id)) {
            return true;
        }
    }
    if (!is_open(pattern)) {
        return (traits::describe_id(data, pattern).traits & traits::trait_sparse) != 0;
    }
    if (!is_pair(pattern)) {
        return !data.sparse_ids.empty();
    }
    std::uint32_t target = pair_second(pattern);
    return std::any_of(data.link_ids.begin(), data.link_ids.end(), [&](const id_record* relation) {
        return is_wildcard_element(target) ? relation->links->pair_count() != 0
                                           : relation->links->is_target(target);
    });
}

// Requires: the term has a source.
op_level level_of(const storage::store& data, const term& term) noexcept {
    KITH_ASSERT(term.from != source_kind::none, "the term has a source");
    if (term.from == source_kind::fixed) {
        return op_level::entity;
    }
    return is_table_level(data, term) ? op_level::table : op_level::row;
}

// An op and its place in the order of its level: cheap tests first, ops that multiply results last.
struct ranked_op {
    op step;
    std::uint32_t rank;   // lower ranks come first
    std::uint64_t count;  // of tables with the id, which orders ops of rank 1
};

// The number of active tables with the term's id.
std::uint64_t count_of(const storage::store& data, const term& term) noexcept {
    const id_record* record = data.ids.find(term.id);
    return record ? record->active : 0;
}

// The rank of a term that is no list and in no chain.
std::uint32_t rank_of(const term& term) noexcept {
    if (term.oper == Optional) {
        return 7;
    }
    if (term.oper == Not) {
        return 2;
    }
    if (is_wildcard(term.id) && !term.at_most_one) {
        return 6;
    }
    return term.trav != 0 && term.trav != IsA ? 3 : 1;
}

ranked_op rank(const storage::store& data, const query_model& model, const op& step) noexcept {
    const term& term = model.terms[step.first];
    const std::uint32_t rank = step.code == op_code::where   ? 0
                               : step.code == op_code::list  ? 4
                               : step.code == op_code::chain ? 5
                                                             : rank_of(term);
    return {step, rank, rank == 1 ? count_of(data, term) : 0};
}

bool ranks_before(const ranked_op& a, const ranked_op& b) noexcept {
    if (a.step.level != b.step.level) {
        return a.step.level < b.step.level;
    }
    return a.rank != b.rank ? a.rank < b.rank : a.count < b.count;
}

// A stable insertion sort. It allocates nothing, unlike std::stable_sort.
void sort_steps(ranked_op* steps, std::uint32_t count) noexcept {
    for (std::uint32_t i = 1; i < count; ++i) {
        ranked_op op = steps[i];
        std::uint32_t position = i;
        for (; position > 0 && ranks_before(op, steps[position - 1]); --position) {
            steps[position] = steps[position - 1];
        }
        steps[position] = op;
    }
}

// True if each source has one match of the term at most.
bool has_one_match(const storage::store& data, const term& term) noexcept {
    if (term.flags & TraverseAll) {
        return false;
    }
    if (!is_wildcard(term.id) || term.oper == Not || term.at_most_one) {
        return true;
    }
    return is_pair(term.id) && !is_open(term.id) && searches_self_or_bases(term) &&
           traits::is_exclusive(traits::describe_id(data, term.id).traits);
}

}  // namespace

bool can_follow(const storage::store& data, entity_t relation) noexcept {
    if (relation == 0) {
        return true;
    }
    const storage::id_record* record =
        data.entities.find(relation) ? data.ids.find(relation) : nullptr;
    return record && record->traits & traits::trait_no_cycles;
}

bool names_deleted(const storage::store& data, const term& term) noexcept {
    for (entity_t followed : {term.relation, term.first_by.relation, term.second_by.relation}) {
        if (!can_follow(data, followed)) {
            return true;
        }
    }
    if (term.value && term.value->has_operand && names_deleted(data, term.value->operand)) {
        return true;
    }
    return (term.first != 0 && !data.entities.find(term.first)) ||
           (term.second != 0 && !data.entities.find(term.second));
}

std::uint64_t find_dead_terms(const storage::store& data, const query_model& model) noexcept {
    std::uint64_t dead = 0;
    for (std::uint32_t i = 0; i < model.count; ++i) {
        dead |= std::uint64_t{names_deleted(data, model.terms[i])} << i;
    }
    return dead;
}

bool is_table_level(const storage::store& data, const term& term) noexcept {
    return !term.value && finds_by_table(data, term);
}

bool finds_by_table(const storage::store& data, const term& term) noexcept {
    if (term.is_from_list()) {
        return false;
    }
    if (term.flags & Down || is_row_level(data, term.id)) {
        return false;
    }
    return term.trav == 0 || term.trav == IsA || !storage::find_links(data, term.trav);
}

namespace {

// The terms that a match cache can answer, as bits: clauses in which each term is about $this alone
// and depends on the type of the table and its bases.
std::uint64_t find_cacheable(const storage::store& data, const query_model& model) noexcept {
    std::uint64_t cacheable = 0;
    each_clause(model, 0, model.count, [&](const clause& clause) {
        bool fits = true;
        std::uint64_t mask = 0;
        for (std::uint32_t i = clause.first; i < clause.last; ++i) {
            const term& term = model.terms[i];
            fits &= !term.is_graph() && term.from == source_kind::self &&
                    searches_self_or_bases(term) && find_semantics(data, term).is_plain() &&
                    is_table_level(data, term);
            mask |= std::uint64_t{1} << i;
        }
        cacheable |= fits ? mask : 0;
    });
    return cacheable;
}

// Makes the plan of a query that needs a graph plan.
void make_graph(const storage::store& data, const query_model& model, bool cache,
                std::uint64_t bound, plan& plan) {
    std::uint64_t cacheable = 0;
    if (cache && model.cascade < 0 && !(bound & this_variable)) {
        cacheable = find_cacheable(data, model);
    }
    plan.graph = make_graph_plan(data, model, bound, cacheable, model.is_ordered_by_group());
    plan.cached = plan.graph->cached;
    for (std::uint32_t i = 0; i < model.count; ++i) {
        plan.inherits |= (plan.cached >> i) & 1 && model.terms[i].inherits();
    }
    plan.dead = plan.graph->dead;
    if (is_given(data, model, bound)) {
        plan.strategy = run_strategy::bound;
    }
}

// Makes the plan of a query about $this and fixed sources.
class flat_planner {
public:
    flat_planner(const storage::store& data, const query_model& model, bool cache,
                 std::uint64_t bound, plan& plan)
        : data_(data), model_(model), cache_(cache), bound_(bound), plan_(plan) {
        KITH_ASSERT(model.count <= max_terms, "the model is a valid one");
    }

    void make() {
        plan_.dead = find_dead_terms(data_, model_);
        each_clause(model_, 0, model_.count, [&](const clause& clause) { add(clause); });
        sort_steps(steps_, count_);
        place_steps();
        plan_.leaf = ends_in_leaves();
        choose_strategy();
    }

private:
    // Leaves a clause to the match cache, or makes an op of it.
    void add(const clause& clause) {
        const term& leader = model_.terms[clause.first];  // its operator and source decide the op
        if (leader.from == source_kind::none) {
            all_cached_ = false;  // records of the cache have no field for a term without a source
            return;
        }
        op step{leader.is_from_list() ? op_code::list
                : leader.in_chain     ? op_code::chain
                                      : op_code::match,
                op_level::entity, static_cast<std::uint8_t>(clause.first),
                static_cast<std::uint8_t>(clause.last), 0};
        bool cacheable = cache_;
        for (std::uint32_t i = clause.first; i < clause.last; ++i) {
            const term& member = model_.terms[i];
            step.level = std::max(step.level, level_of(data_, member));
            cacheable &= member.from == source_kind::self && searches_self_or_bases(member);
            by_column_ &= !is_wildcard(member.id) && !leader.in_chain;
        }
        if (leader.value && !leader.in_chain) {
            add_value_test(step);
        }
        if (cacheable && step.level == op_level::table) {
            leave_to_cache(clause);
        } else {
            all_cached_ = false;
            add_step(step);
        }
    }
    // Splits a value term: the table decides whether $this has the component, each row whether its
    // value passes. Other value terms are one op.
    void add_value_test(op& step) {
        const term& leader = model_.terms[step.first];
        const bool splits = tests_ < plan::max_tests && leader.oper == And &&
                            leader.from == source_kind::self && !is_wildcard(leader.id) &&
                            !(leader.flags & TraverseAll) && finds_by_table(data_, leader);
        if (!splits) {
            step.code = op_code::match_value;
            return;
        }
        ++tests_;
        op test = step;
        test.code = op_code::where;
        test.level = op_level::row;
        all_cached_ = false;
        steps_[count_++] = rank(data_, model_, test);
        step.level = op_level::table;
    }
    void leave_to_cache(const clause& clause) noexcept {
        for (std::uint32_t i = clause.first; i < clause.last; ++i) {
            plan_.cached |= std::uint64_t{1} << i;
            plan_.inherits |= model_.terms[i].inherits();
        }
    }
    void add_step(op step) noexcept {
        const term& leader = model_.terms[step.first];
        if (model_.is_ordered_by_group()) {
            // Depth or group is the first order of results, so ops about fixed entities come after
            // the scan as well.
            step.level = std::max(step.level, op_level::table);
        }
        if (step.code == op_code::match && step.level == op_level::table &&
            leader.from == source_kind::self && leader.flags & Self &&
            !(leader.flags & TraverseAll) && !((plan_.dead >> step.first) & 1)) {
            step.code = is_wildcard(leader.id) ? op_code::wildcard : op_code::id_in_table;
        }
        steps_[count_++] = rank(data_, model_, step);
    }

    // Appends the sorted ops to the plan, with the scan in front of the first op about $this, and
    // each_row in front of the first op about single rows.
    void place_steps() noexcept {
        bool scanned = !model_.has_this;
        for (std::uint32_t i = 0; i < count_; ++i) {
            const op& step = steps_[i].step;
            if (!scanned && step.level != op_level::entity) {
                place_scan();
                scanned = true;
            }
            if (!plan_.by_row && step.level == op_level::row) {
                plan_.by_row = true;
                plan_.rows_at = plan_.count;
                plan_.ops[plan_.count++] = {op_code::each_row, op_level::row, 0, 0, 0};
            }
            plan_.tests += step.code == op_code::where;
            plan_.ops[plan_.count++] = step;
        }
        if (!scanned) {
            place_scan();
        }
    }
    void place_scan() noexcept {
        plan_.scan_at = plan_.count;
        plan_.ops[plan_.count++] = {op_code::scan, op_level::table, 0, 0, 0};
    }

    // True if each row has one result at most, and a batch has room for the fields of the ops
    // behind each_row.
    bool ends_in_leaves() const noexcept {
        const op* first = plan_.ops + plan_.rows_at + 1 + plan_.tests;
        const op* last = plan_.ops + plan_.count;
        return plan_.by_row && last - first <= std::ptrdiff_t{plan::max_leaf_fields} &&
               std::all_of(first, last, [&](const op& step) {
                   return step.code == op_code::match &&
                          has_one_match(data_, model_.terms[step.first]);
               });
    }

    void choose_strategy() noexcept {
        if (all_cached_ && cache_ && model_.cascade < 0 && model_.has_this && plan_.count == 1) {
            plan_.strategy = run_strategy::cached;
            plan_.by_column = by_column_;
        } else if (is_answered_by_types()) {
            const bool wild = std::any_of(plan_.ops, plan_.ops + plan_.count, [](const op& step) {
                return step.code == op_code::wildcard;
            });
            plan_.strategy = wild ? run_strategy::wildcard : run_strategy::table;
        } else if (plan_.by_row && is_given(data_, model_, bound_)) {
            plan_.strategy = run_strategy::bound;
            plan_.inheritable = std::any_of(model_.begin(), model_.end(), [&](const term& term) {
                const std::uint32_t traits = traits::describe_id(data_, term.id).traits;
                return term.inherits() && !(traits & traits::trait_dont_inherit);
            });
        }
    }
    // True if the type of a table answers all terms, and a required term can start the scan.
    bool is_answered_by_types() const noexcept {
        bool starts = false;
        for (std::uint32_t i = plan_.scan_at + 1; i < plan_.count; ++i) {
            const op& step = plan_.ops[i];
            const term& term = model_.terms[step.first];
            // A search along another relationship may find ids that the type lacks.
            if ((step.code != op_code::id_in_table && step.code != op_code::wildcard) ||
                (term.trav != 0 && term.trav != IsA)) {
                return false;
            }
            starts |= term.oper == And;
        }
        return starts && plan_.scan_at == 0 && plan_.count == model_.count + 1 &&
               model_.cascade < 0 && plan_.dead == 0 && model_.count <= plan::max_simple;
    }

    const storage::store& data_;
    const query_model& model_;
    bool cache_;  // the query has a match cache
    std::uint64_t bound_;
    plan& plan_;  // the plan that is made
    ranked_op steps_[max_terms + plan::max_tests];
    std::uint32_t count_ = 0;  // of steps_
    std::uint32_t tests_ = 0;  // steps that are tests of values
    bool all_cached_ = true;   // the match cache answers all clauses
    bool by_column_ = true;    // each field is the column of one id
};

// The record of the id of a term that is one living id in tables, neither transitive nor reflexive;
// null for all other terms. Requires: the model has no graph, the world has no IsA pairs.
const id_record* find_plain(const storage::store& data, const term& term) noexcept {
    const bool is_plain = (term.oper == And || term.oper == Not || term.oper == Optional) &&
                          term.from == source_kind::self && !term.in_chain && !term.value &&
                          term.flags == (Self | Up) && term.trav == IsA && !term.is_limited() &&
                          !is_wildcard(term.id);
    const id_record* record = is_plain ? data.ids.find(term.id) : nullptr;
    if (!record || record->traits & traits::trait_sparse ||
        (term.first != 0 && !data.entities.find(term.first)) ||
        (term.second != 0 && !data.entities.find(term.second))) {
        return nullptr;
    }
    if (is_pair(term.id)) {
        const id_record* relation = data.ids.find(pair_first(term.id));
        if (relation && relation->traits & (traits::trait_transitive | traits::trait_reflexive)) {
            return nullptr;
        }
    }
    return record;
}

// Makes the plan that flat_planner would make of the most frequent queries: each term is
// find_plain(). Such queries are often made for a single run. False for other queries.
bool make_plain(const storage::store& data, const query_model& model, plan& plan) noexcept {
    if (model.graph || !model.has_this || model.is_ordered_by_group() ||
        model.count > plan::max_simple || !data.toggled_ids.empty() || !data.bases->pairs.empty()) {
        return false;
    }
    ranked_op steps[plan::max_simple];
    bool starts = false;
    for (std::uint32_t i = 0; i < model.count; ++i) {
        const term& term = model.terms[i];
        const id_record* record = find_plain(data, term);
        if (!record) {
            return false;
        }
        starts |= term.oper == And;
        const op step{op_code::id_in_table, op_level::table, static_cast<std::uint8_t>(i),
                      static_cast<std::uint8_t>(i + 1), 0};
        steps[i] = {step, rank_of(term), term.oper == And ? record->active : 0};
    }
    if (!starts) {
        return false;
    }
    sort_steps(steps, model.count);
    plan.ops[plan.count++] = {op_code::scan, op_level::table, 0, 0, 0};
    for (std::uint32_t i = 0; i < model.count; ++i) {
        plan.ops[plan.count++] = steps[i].step;
    }
    plan.strategy = run_strategy::table;
    return true;
}

// Notes what a walk over tables asks of each of them. Requires: the dead terms are known.
void note_terms(const query_model& model, plan& plan) noexcept {
    for (std::uint32_t i = 0; i < model.count; ++i) {
        const term& term = model.terms[i];
        if (term.is_required() && !is_open(term.id)) {
            const bool any_target = is_pair(term.id) && is_wildcard_element(pair_second(term.id));
            plan.signature |= storage::signature_of(
                any_target ? make_pair(pair_first(term.id), Wildcard) : term.id);
        }
        plan.typed |= std::uint64_t{term.id >= low_id_limit} << i;
    }
    plan.typed &= ~plan.dead;
}

}  // namespace

plan make_plan(const storage::store& data, const query_model& model, bool cache,
               std::uint64_t bound) {
    plan made;
    if (cache || bound != 0 || !make_plain(data, model, made)) {
        if (is_graph(data, model)) {
            make_graph(data, model, cache, bound, made);
        } else {
            flat_planner(data, model, cache, bound, made).make();
        }
    }
    note_terms(model, made);
    return made;
}

}  // namespace kith::queries
