// check_invariants() (declared in store.hpp): verifies the invariants of the storage for
// world::check(). Each function returns the sentence about the first broken invariant, or null.
#include "storage/store.hpp"
#include "storage/table_layout.hpp"

#include <algorithm>

namespace kith::storage {

namespace {

// True if deletions of the entity look for ids with it.
bool is_used(const store& data, std::uint32_t index) noexcept {
    return (data.entities.at(index).state & record_used_as_id) != 0;
}

// The immutable part of a table against the component index: ids, records, entries, columns.
// Requires of ids that they are alive.
const char* check_shape(const store& data, const table& owner) {
    if (owner.number != no_table && data.tables.find(owner.ids, owner.id_count) != &owner) {
        return "a table is not found by its ids";
    }
    if (owner.flags & detail::shape_tracked && !data.ticks.has_table(owner.number)) {
        return "a tracked table has no marks of changes";
    }
    if (data.tables.signature(owner.number) != signature_of(owner)) {
        return "a table has another signature than its ids";
    }
    if (!column_layouts::fits(data.tables.layouts().of(owner.number), owner)) {
        return "a table has another column layout than its ids";
    }
    for (std::uint32_t i = 0; i < owner.id_count; ++i) {
        if (i > 0 && owner.ids[i - 1] >= owner.ids[i]) {
            return "the ids of a table are not sorted";
        }
        if (find_id(owner, owner.ids[i]) != static_cast<std::int32_t>(i)) {
            return "a table does not find one of its ids";
        }
        const id_record* record = data.ids.find(owner.ids[i]);
        if (!record || record != owner.records[i]) {
            return "a table holds a record that is not the index's";
        }
        std::uint32_t position = owner.entry_positions[i];
        if (position >= record->tables.size() || record->tables[position].table != owner.number ||
            record->tables[position].position != i) {
            return "the index does not list a table where the table says";
        }
        if ((record->value_type != nullptr) != (owner.slots[i].size != 0)) {
            return "a table has a column for a tag, or none for a component";
        }
        if (record->value_type && owner.slots[i].size != record->value_type->info.size) {
            return "a column has another size than its type";
        }
        if (is_pair(owner.ids[i])) {
            if (!data.entities.alive_at(pair_first(owner.ids[i])) ||
                !data.entities.alive_at(pair_second(owner.ids[i]))) {
                return "a table has a pair with an element that is not alive";
            }
            if (!is_used(data, pair_first(owner.ids[i])) ||
                !is_used(data, pair_second(owner.ids[i]))) {
                return "an element of a pair is not marked as used";
            }
        } else if (!data.entities.find(owner.ids[i] & ~id_flags_mask)) {
            return "a table has an id that is not alive";
        } else if (!is_used(data, index_of(owner.ids[i] & ~id_flags_mask))) {
            return "an id of a table is not marked as used";
        }
    }
    return nullptr;
}

// The rows of a table against the entity index, and its state (active, idle or dormant).
const char* check_rows(const store& data, const table& owner) {
    const detail::table_rows& current = data.tables.rows(owner.number);
    if (current.count > current.capacity) {
        return "a table has more rows than capacity";
    }
    const bool idle = (owner.flags & detail::shape_idle) != 0;
    const bool dormant = (owner.flags & detail::shape_dormant) != 0;
    if (dormant && (current.count != 0 || idle)) {
        return "a dormant table has rows, or is listed as idle";
    }
    if (idle && !data.tables.idle().has(owner.number)) {
        return "an idle table is not listed";
    }
    if (owner.number == no_table && current.count != 0) {
        return "the table of entities without rows has rows";
    }
    const entity_t* entities = current.count ? entities_of(owner, current) : nullptr;
    for (std::uint32_t row = 0; row < current.count; ++row) {
        const entity_record* record = data.entities.find(entities[row]);
        if (!record || record->table != owner.number || record->row != row) {
            return "a row's entity is dead or says that it is elsewhere";
        }
    }
    for (std::uint32_t i = 0; i < owner.column_count && current.block; ++i) {
        auto address = reinterpret_cast<std::uintptr_t>(column_data(current, owner.columns[i]));
        if (address % owner.column_type(i).alignment != 0) {
            return "a column is not aligned";
        }
    }
    return nullptr;
}

// The destination of an edge: its type differs by exactly the id of the edge.
const char* check_edge(const store& data, const table& from, const edge& leaving) {
    if (leaving.id == 0) {
        return nullptr;
    }
    const table* to = data.tables.find_number(leaving.to);
    if (!to) {
        return "an edge leads to a deleted table";
    }
    bool removes = find_id(from, leaving.id) >= 0;
    if (removes != ((leaving.flags & edge_removes) != 0)) {
        return "an edge has the wrong direction";
    }
    const table& with = removes ? from : *to;
    const table& without = removes ? *to : from;
    if (with.id_count != without.id_count + 1 || find_id(with, leaving.id) < 0 ||
        !std::includes(with.ids, with.ids + with.id_count, without.ids,
                       without.ids + without.id_count)) {
        return "an edge leads to a table of another type";
    }
    return nullptr;
}

const char* check_edges(const store& data, const table& owner) {
    std::uint32_t count = owner.first_edge.id != 0;
    const char* fault = check_edge(data, owner, owner.first_edge);
    for (std::uint32_t i = 0; !fault && owner.edges && i <= owner.edge_mask; ++i) {
        count += owner.edges[i].id != 0;
        fault = check_edge(data, owner, owner.edges[i]);
    }
    if (!fault && count != owner.edge_count) {
        fault = "a table counts its edges wrongly";
    }
    return fault;
}

// The place of a record in the component index: it is found by its number and by its id, and a pair
// is listed by its relation.
const char* check_place(const store& data, const id_record& record) {
    if (record.number >= data.ids.number_limit() || data.ids.by_number(record.number) != &record ||
        data.ids.find(record.id) != &record) {
        return "a record is not found by its number or its id";
    }
    if (is_pair(record.id) && !(record.id & Override) && !is_wildcard(record.id)) {
        const id_record* relation = data.ids.find(make_pair(pair_first(record.id), Wildcard));
        if (!relation || record.relation_position >= relation->pairs.size() ||
            relation->pairs[record.relation_position] != &record) {
            return "a relation does not list one of its pairs";
        }
    }
    if (record.id & Override && !data.ids.find(record.id & ~Override)) {
        return "the id of an override mark has no record";
    }
    return nullptr;
}

// The links of a relationship, and the flags of the entities at both of their ends.
const char* check_links(const store& data, const id_record& relation) {
    const link_store& links = *relation.links;
    if (const char* fault = links.check_invariants(data.entities)) {
        return fault;
    }
    for (std::uint32_t source = links.next_source(1); source != 0;
         source = links.next_source(source + 1)) {
        if (!(data.entities.at(source).state & source_flag(relation))) {
            return "the source of a link lacks the flag of its relationship";
        }
        for (std::uint32_t i = 0; i < links.target_count(source); ++i) {
            const entity_record& target = data.entities.at(links.target_at(source, i));
            if (!(target.state & target_flag(relation))) {
                return "the target of a link lacks the flag of links";
            }
        }
    }
    return nullptr;
}

// The lists of an id record: tables (active ones first), pairs, pairs by target, sparse entities.
const char* check_record(const store& data, const id_record& record) {
    for (std::uint32_t i = 0; i < record.tables.size(); ++i) {
        const table* listed = data.tables.find_number(record.tables[i].table);
        if (!listed || listed->ids[record.tables[i].position] != record.id) {
            return "the index lists a table that lacks the id";
        }
    }
    for (std::uint32_t i = 0; i < record.tables.size(); ++i) {
        const table& listed = data.tables.at(record.tables[i].table);
        if ((i < record.active) != !(listed.flags & detail::shape_dormant)) {
            return "a dormant table is listed among the active ones, or the reverse";
        }
    }
    for (std::uint32_t i = 0; i < record.pairs.size(); ++i) {
        if ((i < record.active_pairs) != (record.pairs[i]->active != 0)) {
            return "a pair without active tables is listed among the others, or the reverse";
        }
        if (record.pairs[i]->relation_position != i ||
            pair_first(record.pairs[i]->id) != pair_first(record.id)) {
            return "the list of a relation's pairs is broken";
        }
    }
    if (is_pair(record.id) && !(record.id & Override) && !is_wildcard(record.id)) {
        bool listed = false;
        for (const id_record* pair = data.ids.first_with_target(pair_second(record.id)); pair;
             pair = data.ids.next_with_target(*pair)) {
            listed |= pair == &record;
        }
        if (!listed) {
            return "a pair is missing among the pairs of its target";
        }
    }
    for (const sparse_store* values : {record.sparse, record.disabled}) {
        if (!values) {
            continue;
        }
        if (!values->is_consistent()) {
            return "a sparse store is inconsistent";
        }
        for (std::uint32_t i = 0; i < values->count(); ++i) {
            const entity_record* owner = data.entities.find(values->entity_at(i));
            std::uint32_t needed = values == record.sparse ? sparse_flag(record.sparse_number)
                                                           : std::uint32_t{record_has_disabled};
            if (!owner || !(owner->state & needed)) {
                return "a sparse store lists an entity that is dead or does not know it";
            }
        }
    }
    return nullptr;
}

// The entity index, and the number of its entities with rows. A world that is checked is not inside
// of a deletion.
const char* check_entities(const store& data) {
    const char* fault = data.entities.check_invariants();
    std::size_t rows = 0;
    for (std::uint32_t number = 0; number < data.tables.number_limit(); ++number) {
        rows += data.tables.rows(number).count;
    }
    std::size_t placed = 0;
    data.entities.each([&](entity_t entity) {
        const entity_record& record = *data.entities.find(entity);
        placed += record.table != no_table;
        if (record.state & (record_pending_delete | record_delete_ordered)) {
            fault = "an entity is marked as dying outside of any deletion";
        }
    });
    if (!fault && placed != rows) {
        fault = "the number of rows differs from the number of placed entities";
    }
    return fault;
}

// The lists of the store that name the records with sparse stores, links and switched-off entities.
const char* check_lists(const store& data) {
    std::size_t sparse = 0;
    std::size_t links = 0;
    std::size_t toggled = 0;
    for (std::uint32_t number = 0; number < data.ids.number_limit(); ++number) {
        if (const id_record* record = data.ids.by_number(number)) {
            sparse += record->sparse != nullptr;
            links += record->links != nullptr;
            toggled += record->disabled != nullptr;
        }
    }
    auto lists = [](const containers::vec<id_record*>& list, std::size_t count, auto has_store) {
        return list.size() == count && std::all_of(list.begin(), list.end(), has_store);
    };
    if (!lists(data.sparse_ids, sparse, [](const id_record* record) { return record->sparse; }) ||
        !lists(data.link_ids, links, [](const id_record* record) { return record->links; }) ||
        !lists(data.toggled_ids, toggled,
               [](const id_record* record) { return record->disabled; })) {
        return "a list of records with sparse storage differs from the records";
    }
    const id_record* parents = data.ids.find(make_pair(ChildOf, Wildcard));
    if (data.parents_store != (parents ? parents->links : nullptr)) {
        return "the links of ChildOf are not those of its record";
    }
    return nullptr;
}

}  // namespace

const char* check_invariants(const store& data) {
    for (auto* check : {check_entities, check_lists}) {
        if (const char* fault = check(data)) {
            return fault;
        }
    }
    std::uint32_t table_count = 0;
    for (std::uint32_t number = 0; number < data.tables.number_limit(); ++number) {
        const table* owner = data.tables.find_number(number);
        if (!owner) {
            continue;
        }
        ++table_count;
        for (auto* check : {check_shape, check_rows, check_edges}) {
            if (const char* fault = check(data, *owner)) {
                return fault;
            }
        }
    }
    if (table_count != data.tables.count()) {
        return "the number of tables differs from the count";
    }
    for (std::uint32_t number = 0; number < data.ids.number_limit(); ++number) {
        const id_record* record = data.ids.by_number(number);
        if (!record) {
            continue;
        }
        for (auto* check : {check_place, check_record}) {
            if (const char* fault = check(data, *record)) {
                return fault;
            }
        }
        if (const char* fault = record->links ? check_links(data, *record) : nullptr) {
            return fault;
        }
    }
    return nullptr;
}

}  // namespace kith::storage
