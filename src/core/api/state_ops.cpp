// Reads of a whole world for save files (kith/detail/state_ops.hpp).
#include <kith/detail/state_ops.hpp>

#include "api/snapshot.hpp"
#include "api/world_impl.hpp"
#include "base/assert.hpp"
#include "base/scope_exit.hpp"
#include "mutate/ops/create.hpp"
#include "mutate/state/storage_order.hpp"
#include "storage/link_store.hpp"
#include "storage/sparse_store.hpp"
#include "storage/table.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace kith::detail {

namespace {

using api::impl_of;

// Visits records by number: equal worlds are visited in the same order.
template <class Visit>
void each_record(const storage::store& data, Visit&& visit) {
    for (std::uint32_t number = 0; number < data.ids.number_limit(); ++number) {
        if (const storage::id_record* record = data.ids.by_number(number)) {
            visit(*record);
        }
    }
}

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
    each_record(data, [&](const storage::id_record& record) {
        if (record.sparse) {
            visit_store(data, record, visit, context);
        }
    });
    const std::vector<entity_t> may_be_targets = mutate::find_link_targets(data);
    each_record(data, [&](const storage::id_record& relation) {
        if (!relation.links) {
            return;
        }
        for (const entity_t target : may_be_targets) {
            if (relation.links->is_target(index_of(target))) {
                visit_target(data, relation, target, visit, context);
            }
        }
    });
}

void each_disabled_id(const world_t* world, visit_ids visit, void* context) {
    const storage::store& data = impl_of(world).data;
    each_record(data, [&](const storage::id_record& record) {
        if (record.disabled && record.disabled->count() != 0) {
            const storage::sparse_store& store = *record.disabled;
            visit(context,
                  {record.id, nullptr, 0, store.entities(), store.count(), nullptr, nullptr});
        }
    });
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

storage_order read_storage_order(const world_t* world) {
    return mutate::read_order(impl_of(world).data);
}

// The source is ordered in place; its state is then captured and gets its numbers. Enums are
// registered again by their next use: their constants are other entities now.
void replace_contents(world_t* target, world_t* source, const storage_order& order) {
    api::world_impl& from = impl_of(source);
    mutate::order_storage(from.data, order);
    const api::shared_state captured = api::capture(from);
    from.is_spent = true;
    api::world_impl& owner = impl_of(target);
    api::restore_state(owner, mutate::renumber_state(*captured, order));
    for (api::enum_entry& entry : owner.enums) {
        entry.desc = nullptr;
    }
}

namespace {

// The parents of C++ types, and their parents.
std::unordered_set<entity_t> scopes_of_types(const storage::store& data) {
    std::unordered_set<entity_t> scopes;
    data.entities.each([&](entity_t entity) {
        const bool is_type = index_of(entity) < first_entity && find_type(index_of(entity));
        for (entity_t at = is_type ? find_parent(data, entity) : 0; index_of(at) >= first_entity;
             at = find_parent(data, at)) {
            scopes.insert(at);
        }
    });
    return scopes;
}

bool is_constant(const storage::store& data, entity_t entity) {
    const entity_t parent = find_parent(data, entity);
    return parent != 0 && index_of(parent) < first_entity && find_type(index_of(parent));
}

}  // namespace

// A scope that the program has given ids of its own is an entity of the program.
bool has_own_entities(const world_t* world) {
    const storage::store& data = impl_of(world).data;
    const std::unordered_set<entity_t> scopes = scopes_of_types(data);
    bool found = false;
    data.entities.each(
        [&](entity_t entity) {
            const storage::table& type = data.tables.at(data.entities.find(entity)->table);
            const bool is_scope = scopes.contains(entity) &&
                                  std::all_of(type.ids, type.ids + type.id_count, [](id_t id) {
                                      return is_pair(id) && (pair_first(id) == identifier_type_id ||
                                                             pair_first(id) == ChildOf);
                                  });
            found = found || (!is_scope && !is_constant(data, entity));
        },
        first_entity);
    return found;
}

void make_all_alive(world_t* world, const entity_t* entities, std::size_t count) {
    constexpr std::size_t most = 0x7FFFFFFF;
    for (; count > most; count -= most, entities += most) {
        mutate::make_alive(impl_of(world), entities, most);
    }
    mutate::make_alive(impl_of(world), entities, static_cast<std::uint32_t>(count));
}

bool fill_bulk(world_t* world, const entity_t* entities, std::size_t count, const id_t* ids,
               std::size_t id_count, const void* const* columns, const std::string_view* names) {
    constexpr std::size_t most_rows = 0x7FFFFFFF;
    return count <= most_rows &&
           mutate::fill_bulk(impl_of(world), entities, static_cast<std::uint32_t>(count), ids,
                             static_cast<std::uint32_t>(id_count), columns, names);
}

void add_base(world_t* world, entity_t entity, entity_t base) {
    api::world_impl& owner = impl_of(world);
    const entity_t before = std::exchange(owner.operation.complete, entity);
    const base::scope_exit restore([&] { owner.operation.complete = before; });
    add_id(world, entity, make_pair(IsA, base));
}

}  // namespace kith::detail
