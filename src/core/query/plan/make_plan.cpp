// Makes plans, as declared in plan.hpp. Ops are ordered by level, then tests come before ops that
// multiply results (rank()).
#include "base/assert.hpp"
#include "query/plan/graph_plan.hpp"
#include "storage/find.hpp"
#include "traits/traits.hpp"

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
    std::uint64_t count;  // of tables with the id, which orders ops of rank 0
};

// The number of active tables with the term's id.
std::uint64_t count_of(const storage::store& data, const term& term) noexcept {
    const id_record* record = data.ids.find(term.id);
    return record ? record->active : 0;
}

ranked_op rank(const storage::store& data, const query_model& model, const op& step) noexcept {
    const term& term = model.terms[step.first];
    std::uint32_t rank = 0;
    if (step.code == op_code::list) {
        rank = 3;
    } else if (step.code == op_code::chain) {
        rank = 4;
    } else if (term.oper == Optional) {
        rank = 6;
    } else if (term.oper == Not) {
        rank = 1;
    } else if (is_wildcard(term.id) && !term.at_most_one) {
        rank = 5;
    } else if (term.trav != 0 && term.trav != IsA) {
        rank = 2;
    }
    return {step, rank, rank == 0 ? count_of(data, term) : 0};
}

bool comes_before(const ranked_op& a, const ranked_op& b) noexcept {
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
        for (; position > 0 && comes_before(op, steps[position - 1]); --position) {
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
           traits::describe_id(data, term.id).traits & traits::trait_exclusive;
}

// Whether the type of a table answers all terms of a query.
struct table_terms {
    // Each op is an id_in_table or a wildcard, and a required term can start the scan.
    bool all = false;
    bool by_id = false;  // `all`, and no op is a wildcard
};
table_terms find_table_terms(const query_model& model, const plan& plan) noexcept {
    bool starts = false;
    bool by_id = true;
    for (std::uint32_t i = plan.scan_at + 1; i < plan.count; ++i) {
        if (plan.ops[i].code != op_code::id_in_table && plan.ops[i].code != op_code::wildcard) {
            return {};
        }
        by_id &= plan.ops[i].code == op_code::id_in_table;
        const term& term = model.terms[plan.ops[i].first];
        // A search along another relationship may find ids that the type lacks.
        if (term.trav != 0 && term.trav != IsA) {
            return {};
        }
        starts |= term.oper == And;
    }
    const bool all = starts && plan.scan_at == 0 && plan.count == model.count + 1 &&
                     model.cascade < 0 && plan.dead == 0 &&
                     model.count <= queries::plan::max_simple;
    return {all, all && by_id};
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
    return (term.first != 0 && !data.entities.find(term.first)) ||
           (term.second != 0 && !data.entities.find(term.second));
}

bool is_table_level(const storage::store& data, const term& term) noexcept {
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

// The plan of a query that needs a graph plan.
plan make_graph(const storage::store& data, const query_model& model, bool cache,
                std::uint64_t bound) {
    plan plan;
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
    plan.given = is_given(data, model, bound);
    return plan;
}

}  // namespace

plan make_plan(const storage::store& data, const query_model& model, bool cache,
               std::uint64_t bound) {
    if (is_graph(data, model)) {
        return make_graph(data, model, cache, bound);
    }
    KITH_ASSERT(model.count <= max_terms, "the model is a valid one");
    plan flat;
    ranked_op steps[max_terms];
    std::uint32_t count = 0;
    bool by_column = true;  // each field is the column of one id
    flat.kept = cache && model.cascade < 0;
    for (std::uint32_t i = 0; i < model.count; ++i) {
        flat.dead |= std::uint64_t{names_deleted(data, model.terms[i])} << i;
    }
    for (std::uint32_t i = 0; i < model.count;) {
        const term& leader = model.terms[i];  // its operator and source decide the op
        std::uint32_t last = i + 1;
        while (model.terms[last - 1].oper == Or) {
            ++last;
        }
        if (leader.from == source_kind::none) {
            flat.kept = false;  // records of the cache have no field for a term without a source
            i = last;
            continue;
        }
        op step{leader.is_from_list() ? op_code::list
                : leader.in_chain     ? op_code::chain
                                      : op_code::match,
                op_level::entity, static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(last), 0};
        std::uint64_t mask = 0;
        bool keeps = cache;
        for (; i < last; ++i) {
            const term& member = model.terms[i];
            step.level = std::max(step.level, level_of(data, member));
            keeps &= member.from == source_kind::self && searches_self_or_bases(member);
            mask |= std::uint64_t{1} << i;
            by_column &= !is_wildcard(member.id) && !leader.in_chain;
        }
        if (keeps && step.level == op_level::table) {
            flat.cached |= mask;
            for (std::uint32_t t = step.first; t < step.last; ++t) {
                flat.inherits |= model.terms[t].inherits();
            }
            continue;
        }
        flat.kept = false;
        if (model.is_ordered_by_group()) {
            // Depth or group is the first order of results, so ops about fixed entities come after
            // the scan as well.
            step.level = std::max(step.level, op_level::table);
        }
        if (step.code == op_code::match && step.level == op_level::table &&
            leader.from == source_kind::self && leader.flags & Self &&
            !(leader.flags & TraverseAll) && !((flat.dead >> step.first) & 1)) {
            step.code = is_wildcard(leader.id) ? op_code::wildcard : op_code::id_in_table;
        }
        steps[count++] = rank(data, model, step);
    }
    sort_steps(steps, count);
    bool scanned = !model.has_this;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!scanned && steps[i].step.level != op_level::entity) {
            flat.scan_at = flat.count;
            flat.ops[flat.count++] = {op_code::scan, op_level::table, 0, 0, 0};
            scanned = true;
        }
        if (!flat.by_row && steps[i].step.level == op_level::row) {
            flat.by_row = true;
            flat.rows_at = flat.count;
            flat.ops[flat.count++] = {op_code::each_row, op_level::row, 0, 0, 0};
        }
        flat.ops[flat.count++] = steps[i].step;
    }
    if (!scanned) {
        flat.scan_at = flat.count;
        flat.ops[flat.count++] = {op_code::scan, op_level::table, 0, 0, 0};
    }
    flat.kept &= model.has_this && flat.count == 1;
    flat.plain = flat.kept && by_column;
    const table_terms in_tables = find_table_terms(model, flat);
    flat.simple = in_tables.by_id;
    flat.patterns = in_tables.all && !in_tables.by_id;
    flat.leaf = flat.by_row;
    std::uint32_t leaf_fields = 0;
    for (std::uint32_t i = flat.rows_at + 1; flat.leaf && i < flat.count; ++i) {
        flat.leaf = flat.ops[i].code == op_code::match &&
                    has_one_match(data, model.terms[flat.ops[i].first]);
        ++leaf_fields;
    }
    flat.leaf &= leaf_fields <= plan::max_leaf_fields;
    flat.given = flat.by_row && is_given(data, model, bound);
    flat.inheritable =
        !flat.given || std::any_of(model.begin(), model.end(), [&](const term& term) {
            const std::uint32_t traits = traits::describe_id(data, term.id).traits;
            return term.inherits() && !(traits & traits::trait_dont_inherit);
        });
    return flat;
}

}  // namespace kith::queries
