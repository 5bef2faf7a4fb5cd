// Following a relation: from an entity to its targets, and from a target to its sources. Own pairs
// only. `visit` must not change the store.
//
// Covered by tests/core/api/traverse_test.cpp.
#pragma once

#include "storage/store.hpp"

namespace kith::storage {

// Calls visit(index of the target) until it returns false.
template <class Visit>
void each_target(const store& data, entity_t entity, std::uint32_t relation, Visit&& visit) {
    const entity_record* record = data.entities.find(entity);
    if (!record) {
        return;
    }
    const id_t any = make_pair(relation, Wildcard);
    const detail::table_shape& shape = *data.shapes[record->table];
    // Pairs of one relation lie side by side.
    std::int32_t first = find_id(shape, any);
    for (std::int32_t at = first; first >= 0 && at < shape.id_count; ++at) {
        if (!matches_id(any, shape.ids[at])) {
            break;
        }
        if (!visit(pair_second(shape.ids[at]))) {
            return;
        }
    }
    if (!(record->state & record_any_sparse)) {
        return;
    }
    for (const id_record* sparse : data.sparse_ids) {
        bool found = sparse && matches_id(any, sparse->id) && sparse->sparse->has(index_of(entity));
        if (found && !visit(pair_second(sparse->id))) {
            return;
        }
    }
}

// Calls visit(source) until it returns false.
template <class Visit>
void each_source(const store& data, std::uint32_t relation, std::uint32_t target, Visit&& visit) {
    const id_record* record = data.ids.find(make_pair(relation, target));
    if (!record) {
        return;
    }
    for (const table_entry& entry : record->tables) {
        const detail::table_rows& rows = data.tables.rows(entry.table);
        const entity_t* entities = entities_of(data.tables.at(entry.table), rows);
        for (std::uint32_t row = 0; row < rows.count; ++row) {
            if (!visit(entities[row])) {
                return;
            }
        }
    }
    for (std::uint32_t at = 0; record->sparse && at < record->sparse->count(); ++at) {
        if (!visit(record->sparse->entity_at(at))) {
            return;
        }
    }
}

}  // namespace kith::storage
