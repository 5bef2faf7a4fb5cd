#include "query/plan/graph_plan.hpp"
#include "storage/find.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::queries {

using storage::id_record;

namespace {

// True if entities have ids of the pattern beside their tables, or may have them switched off.
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

op_level level_of(const storage::store& data, const term& term) noexcept {
    if (term.from == source_kind::fixed) {
        return op_level::entity;
    }
    return is_table_level(data, term) ? op_level::table : op_level::row;
}

// What a step costs and leaves over decide when it comes: cheap tests first, what multiplies
// results last.
struct ranked_op {
    op step;
    std::uint32_t rank;
    std::uint64_t count;
};

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

// Keeps the order of equals, and takes no memory, which std::stable_sort may do.
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

// True if no source can have several results for the term.
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

// How the terms are to be had from tables: each by one step, without any search.
struct table_terms {
    bool all = false;
    bool by_id = false;  // and none of them is a wildcard
};
table_terms find_table_terms(const query_model& model, const plan& made) noexcept {
    bool starts = false;
    bool by_id = true;
    for (std::uint32_t i = made.scan_at + 1; i < made.count; ++i) {
        if (made.ops[i].code != op_code::id_in_table && made.ops[i].code != op_code::wildcard) {
            return {};
        }
        by_id &= made.ops[i].code == op_code::id_in_table;
        const term& term = model.terms[made.ops[i].first];
        // Along any other relationship it may be found though the type lacks it.
        if (term.trav != 0 && term.trav != IsA) {
            return {};
        }
        starts |= term.oper == And;
    }
    const bool all = starts && made.scan_at == 0 && made.count == model.count + 1 &&
                     model.cascade < 0 && made.dead == 0 && model.count <= plan::max_simple;
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

// Groups of terms, none of them about more than $this, that a cache of tables can answer.
std::uint64_t find_cacheable(const storage::store& data, const query_model& model) noexcept {
    std::uint64_t found = 0;
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
        found |= fits ? mask : 0;
    });
    return found;
}

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
    plan made;
    ranked_op steps[max_terms];
    std::uint32_t count = 0;
    bool by_column = true;  // each field is
    made.kept = cache && model.cascade < 0;
    for (std::uint32_t i = 0; i < model.count; ++i) {
        made.dead |= std::uint64_t{names_deleted(data, model.terms[i])} << i;
    }
    for (std::uint32_t i = 0; i < model.count;) {
        const term& searched_term = model.terms[i];
        std::uint32_t last = i + 1;
        while (model.terms[last - 1].oper == Or) {
            ++last;
        }
        if (searched_term.from == source_kind::none) {
            made.kept = false;  // such a run has a field for each of its terms
            i = last;
            continue;
        }
        op step{searched_term.is_from_list() ? op_code::list
                : searched_term.in_chain     ? op_code::chain
                                             : op_code::match,
                op_level::entity, static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(last), 0};
        std::uint64_t mask = 0;
        bool keeps = cache;
        for (; i < last; ++i) {
            const term& member = model.terms[i];
            step.level = std::max(step.level, level_of(data, member));
            keeps &= member.from == source_kind::self && searches_self_or_bases(member);
            mask |= std::uint64_t{1} << i;
            by_column &= !is_wildcard(member.id) && !searched_term.in_chain;
        }
        if (keeps && step.level == op_level::table) {
            made.cached |= mask;
            for (std::uint32_t t = step.first; t < step.last; ++t) {
                made.inherits |= model.terms[t].inherits();
            }
            continue;
        }
        made.kept = false;
        if (model.is_ordered_by_group()) {
            // Depth or group is the first order: what is the same for all rows comes after it.
            step.level = std::max(step.level, op_level::table);
        }
        if (step.code == op_code::match && step.level == op_level::table &&
            searched_term.from == source_kind::self && searched_term.flags & Self &&
            !(searched_term.flags & TraverseAll) && !((made.dead >> step.first) & 1)) {
            step.code = is_wildcard(searched_term.id) ? op_code::wildcard : op_code::id_in_table;
        }
        steps[count++] = rank(data, model, step);
    }
    sort_steps(steps, count);
    bool scanned = !model.has_this;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!scanned && steps[i].step.level != op_level::entity) {
            made.scan_at = made.count;
            made.ops[made.count++] = {op_code::scan, op_level::table, 0, 0, 0};
            scanned = true;
        }
        if (!made.by_row && steps[i].step.level == op_level::row) {
            made.by_row = true;
            made.rows_at = made.count;
            made.ops[made.count++] = {op_code::each_row, op_level::row, 0, 0, 0};
        }
        made.ops[made.count++] = steps[i].step;
    }
    if (!scanned) {
        made.scan_at = made.count;
        made.ops[made.count++] = {op_code::scan, op_level::table, 0, 0, 0};
    }
    made.kept &= model.has_this && made.count == 1;
    made.plain = made.kept && by_column;
    const table_terms in_tables = find_table_terms(model, made);
    made.simple = in_tables.by_id;
    made.patterns = in_tables.all && !in_tables.by_id;
    made.leaf = made.by_row;
    std::uint32_t leaf_fields = 0;
    for (std::uint32_t i = made.rows_at + 1; made.leaf && i < made.count; ++i) {
        made.leaf = made.ops[i].code == op_code::match &&
                    has_one_match(data, model.terms[made.ops[i].first]);
        ++leaf_fields;
    }
    made.leaf &= leaf_fields <= plan::max_leaf_fields;
    made.given = made.by_row && is_given(data, model, bound);
    made.inheritable =
        !made.given || std::any_of(model.begin(), model.end(), [&](const term& term) {
            const std::uint32_t traits = traits::describe_id(data, term.id).traits;
            return term.inherits() && !(traits & traits::trait_dont_inherit);
        });
    return made;
}

}  // namespace kith::queries
