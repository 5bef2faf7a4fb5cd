// The operator `not_exists`, declared in not_exists.hpp.
#include "query/exec/ops/not_exists.hpp"

namespace kith::queries {

namespace {

// True if the source has what the ops behind the first two of a block demand. All of them are
// answered by the table of the source and by its bases.
bool satisfies_tests(const exec_context& context, std::uint32_t first, std::uint32_t last,
                     const storage::entity_record& record, entity_t source) {
    const storage::table& type = context.data.tables.at(record.table);
    for (std::uint32_t i = first; i < last; ++i) {
        const term& term = context.model.terms[context.blocks->ops[i].first];
        bool has = storage::find_id(type, term.id) >= 0;
        if (!has && term.inherits() && type.flags & detail::shape_has_base) {
            has = find_owner(context.data, {&type, &record, source, record.row}, term).owner != 0;
        }
        if (has == (term.oper == Not)) {
            return false;
        }
    }
    return true;
}

// True if a source of the target, in one of the lists of the links, passes the test. Sources in
// `failed_table` do not; the function updates the number.
template <class Test>
bool any_linked(const storage::store& data, const storage::source_span& sources,
                std::uint32_t hidden, std::uint32_t& failed_table, Test&& test) {
    std::uint32_t failed = failed_table;
    for (std::uint32_t i = 0; i < sources.size; ++i) {
        const entity_t source = sources.items[i];
        if (source == 0) {
            continue;
        }
        const storage::entity_record& record = data.entities.at(index_of(source));
        if (record.table == failed) {
            continue;
        }
        if (!(data.tables.at(record.table).flags & hidden) && test(record, source)) {
            return true;
        }
        failed = record.table;  // the sources of one table have one answer
    }
    failed_table = failed;
    return false;
}

}  // namespace

bool not_exists_operator::open(exec_context& context, const graph_op& op, inner_block& block) {
    if (bool exists = false; op.about_sources && find_source(context, op, exists)) {
        // This way never sets the fields, so they are unset once for the run.
        if (!cleared) {
            context.clear_fields(op);
            cleared = true;
        }
        return !exists;
    }
    const bool exists = block.run_inside(op, false);
    block.abandon_inside(op);
    context.clear_fields(op);
    return !exists;
}

// Answers a block that asks whether a target has a source of some kind, without evaluating the ops
// inside: the sources of the target are listed, and few tables decide. False if the question has to
// be answered by the ops.
bool not_exists_operator::find_source(const exec_context& context, const graph_op& op,
                                      bool& exists) {
    const storage::store& data = context.data;
    const std::uint32_t first = number_of(context, op) + 1;
    const graph_op& seek = context.blocks->ops[first];
    KITH_ASSERT(seek.code == op_code::enumerate, "a block about sources begins with their list");
    const term& term = context.model.terms[seek.first];
    const bool inherited =
        term.inherits() && !data.bases->pairs.empty() && is_inheritable(data, term.id);
    const entity_t target =
        term.second_variable == no_variable ? term.second : context.value_of(term.second_variable);
    if (inherited || !data.toggled_ids.empty() || target == 0 || context.dead != 0) {
        return false;
    }
    const std::uint32_t hidden = context.hidden_of(seek.variable);
    auto test = [&](const storage::entity_record& record, entity_t source) {
        return satisfies_tests(context, first + 2, op.next, record, source);
    };
    exists = false;
    if (const storage::link_store* store = links.find(data, term)) {
        if (failed_epoch != data.table_epoch) {
            failed_table = 0;
            failed_epoch = data.table_epoch;
        }
        exists = any_linked(data, store->sources(index_of(target)), hidden, failed_table, test);
        // Bases of a table may change from row to row.
        if (failed_table != 0 && data.tables.at(failed_table).flags & detail::shape_has_base) {
            failed_table = 0;
        }
        return true;
    }
    const storage::id_record* pairs = data.ids.find(make_pair(pair_first(term.id), target));
    for (std::uint32_t i = 0; pairs && i < pairs->active && !exists; ++i) {
        const std::uint32_t table = pairs->tables[i].table;
        if (data.tables.rows(table).count != 0 && !(data.tables.at(table).flags & hidden)) {
            const entity_t source = context.entity_at({table, 0, 1}, 0);
            exists = test(data.entities.at(index_of(source)), source);
        }
    }
    return true;
}

}  // namespace kith::queries
