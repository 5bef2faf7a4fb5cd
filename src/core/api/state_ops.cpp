// Reads of a whole world for save files (kith/detail/state_ops.hpp).
#include <kith/detail/state_ops.hpp>

#include "api/world_impl.hpp"
#include "base/assert.hpp"
#include "storage/link_store.hpp"
#include "storage/sparse_store.hpp"
#include "storage/table.hpp"
#include "traits/traits.hpp"

#include <vector>

namespace kith::detail {

namespace {

using api::impl_of;

// Calls visit once for each id of the table. Tags have no values; the values of a column lie one
// behind the other.
void visit_table(const storage::store& data, const storage::table& owner, visit_ids visit,
                 void* context) {
    const table_rows& rows = data.tables.rows(owner.number);
    if (rows.count == 0) {
        return;
    }
    const entity_t* entities = storage::entities_of(owner, rows);
    std::vector<const void*> values(owner.id_count);
    for (std::uint32_t column = 0; column < owner.column_count; ++column) {
        values[owner.column_ids[column]] = storage::column_data(rows, owner.columns[column]);
    }
    for (std::uint32_t i = 0; i < owner.id_count; ++i) {
        const types::component_type* type = values[i] ? owner.records[i]->value_type : nullptr;
        visit(context, {owner.ids[i], type ? &type->info : nullptr,
                        type ? data.entities.alive_at(type->component) : 0, entities, rows.count,
                        values[i], nullptr});
    }
}

void visit_store(const storage::store& data, const storage::id_record& record, visit_ids visit,
                 void* context) {
    const storage::sparse_store& store = *record.sparse;
    std::vector<const void*> values;
    for (std::uint32_t i = 0; store.info() && i < store.count(); ++i) {
        values.push_back(store.find(index_of(store.entity_at(i))));
    }
    if (store.count() != 0) {
        visit(context,
              {record.id, store.info(),
               store.info() ? data.entities.alive_at(record.value_type->component) : 0,
               store.entities(), store.count(), nullptr, store.info() ? values.data() : nullptr});
    }
}

// Links have no column: entities and values of one target are collected first.
void visit_target(const storage::store& data, const storage::id_record& relation, entity_t target,
                  visit_ids visit, void* context) {
    const storage::link_store& links = *relation.links;
    const storage::id_info link = traits::describe_link(data, relation, index_of(target));
    std::vector<entity_t> sources;
    std::vector<const void*> values;
    const storage::source_span listed = links.sources(index_of(target));
    for (std::uint32_t i = 0; i < listed.size; ++i) {
        if (listed.items[i] == 0) {
            continue;  // a removed source
        }
        const entity_t source = data.entities.alive_at(index_of(listed.items[i]));
        KITH_ASSERT(source != 0, "the source of a link is alive");
        sources.push_back(source);
        if (link.value_type) {
            values.push_back(links.value(index_of(source), index_of(target)));
        }
    }
    const types::component_type* type = link.value_type;
    visit(context, {link.id, type ? &type->info : nullptr,
                    type ? data.entities.alive_at(type->component) : 0, sources.data(),
                    sources.size(), nullptr, type ? values.data() : nullptr});
}

}  // namespace

// An id is visited once for each table that has it. The pointers of stored_ids are valid during the
// call of `visit` only.
void each_stored_id(const world_t* world, visit_ids visit, void* context) {
    const storage::store& data = impl_of(world).data;
    for (std::uint32_t number = storage::root_table; number < data.tables.number_limit();
         ++number) {
        if (const storage::table* owner = data.tables.find_number(number)) {
            visit_table(data, *owner, visit, context);
        }
    }
    for (const storage::id_record* record : data.sparse_ids) {
        visit_store(data, *record, visit, context);
    }
    for (const storage::id_record* relation : data.link_ids) {
        data.entities.each([&](entity_t target) {
            if (relation->links->is_target(index_of(target))) {
                visit_target(data, *relation, target, visit, context);
            }
        });
    }
}

void each_disabled_id(const world_t* world, visit_ids visit, void* context) {
    const storage::store& data = impl_of(world).data;
    for (const storage::id_record* record : data.toggled_ids) {
        const storage::sparse_store& store = *record->disabled;
        if (store.count() != 0) {
            visit(context,
                  {record->id, nullptr, 0, store.entities(), store.count(), nullptr, nullptr});
        }
    }
}

void each_alive(const world_t* world, visit_entity visit, void* context) {
    impl_of(world).data.entities.each([&](entity_t entity) { visit(context, entity); });
}

// A free record has the generation that its next entity gets.
void each_free_id(const world_t* world, visit_entity visit, void* context) {
    const storage::entity_index& index = impl_of(world).data.entities;
    std::uint32_t last = 0;
    index.each_next([&](std::uint32_t next) {
        // The last index was never issued.
        if (last != 0) {
            visit(context, make_entity_id(last, static_cast<std::uint16_t>(index.at(last).state)));
        }
        last = next;
    });
}

}  // namespace kith::detail
