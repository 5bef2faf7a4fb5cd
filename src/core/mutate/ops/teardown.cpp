// Implements teardown.hpp.
#include "mutate/ops/teardown.hpp"

#include "base/assert.hpp"
#include "ids/builtin.hpp"
#include "mutate/apply/owned_ids.hpp"
#include "mutate/apply/rows.hpp"
#include "mutate/notify/deletion_events.hpp"
#include "mutate/notify/notify.hpp"
#include "storage/graph.hpp"

#include <algorithm>

namespace kith::mutate {

using storage::entity_record;
using storage::id_info;
using storage::id_record;
using storage::table;

namespace {

// One teardown. The flag record_pending_delete marks entities whose sources were sorted.
class teardown {
public:
    explicit teardown(stage& world) noexcept : world_(world), data_(world.data) {
        const id_record* systems = data_.ids.find(System);
        has_systems_ = systems && systems->tables.size() != 0;
    }

    void run() noexcept {
        // Each pass ends a group of entities; later passes skip the entities that have ended.
        if (world_.events.has_listeners(OnDelete)) {
            each_entity(first_entity, [&](entity_t entity) {
                keep_error(world_, [&] { notify_deletion(world_, entity); });
            });
        }
        each_entity(first_entity, [&](entity_t entity) {
            if (is_plain(entity) && storage::parent_of(data_, entity) == 0 &&
                !storage::each_source(data_, ChildOf, index_of(entity),
                                      [](entity_t) { return false; })) {
                end_with_sources(entity);
            }
        });
        each_entity(first_entity, [&](entity_t entity) {
            if (is_plain(entity)) {
                end_with_sources(entity);
            }
        });
        each_entity(1, [&](entity_t entity) {
            if (!ids::is_builtin(index_of(entity))) {
                end_with_sources(entity);
            }
        });
        each_entity(1, [&](entity_t entity) { end(entity); });
    }

private:
    // Calls visit(entity) for each entity that has not ended, in the order of ids.
    template <class Visit>
    void each_entity(std::uint32_t from, Visit&& visit) noexcept {
        auto visit_live = [&](entity_t entity) {
            if (!has_ended(entity)) {
                visit(entity);
            }
        };
        data_.entities.each(visit_live, from);
    }
    bool has_ended(entity_t entity) const noexcept {
        return data_.entities.find(entity)->table == storage::no_table;
    }
    // True unless the entity is a component, a module, a query, an observer, a system, a phase or a
    // pipeline.
    bool is_plain(entity_t entity) const noexcept {
        const table& type = data_.tables.at(data_.entities.find(entity)->table);
        bool special = false;
        for (id_t tag : {detail::component_type_id, Module, Query, Observer}) {
            special = special || storage::find_id(type, tag) >= 0;
        }
        for (id_t tag : {System, Phase, Pipeline}) {
            special = special || (has_systems_ && storage::find_id(type, tag) >= 0);
        }
        return !special;
    }

    // -- order

    // Calls visit(index of relation) for each relation that deletes its sources with the entity.
    template <class Visit>
    void each_deleting(std::uint32_t state, entity_t entity, Visit&& visit) const noexcept {
        constexpr std::uint32_t policy = traits::trait_delete_sources;
        if (state & (storage::record_has_children | storage::record_link_target)) {
            for (const id_record* relation : data_.link_ids) {
                if (relation->traits & policy) {
                    visit(pair_first(relation->id));
                }
            }
        }
        if (state & storage::record_used_as_id) {
            for (const id_record* pair = data_.ids.first_with_target(index_of(entity)); pair;
                 pair = data_.ids.next_with_target(*pair)) {
                if (pair->traits & policy) {
                    visit(pair_first(pair->id));
                }
            }
        }
    }
    // The lowest id in a table, 0 if it is empty. In a large table the id of the last row, because
    // a search through all rows for each ending entity would be quadratic.
    entity_t lowest_in(std::uint32_t number) const noexcept {
        const detail::table_rows& rows = data_.tables.rows(number);
        if (rows.count == 0) {
            return 0;
        }
        const entity_t* entities = storage::entities_of(data_.tables.at(number), rows);
        constexpr std::uint32_t few = 4096;
        return rows.count > few ? entities[rows.count - 1]
                                : *std::min_element(entities, entities + rows.count);
    }
    // The source that ends next before the entity, 0 if there is none.
    entity_t source_of(entity_t entity) noexcept {
        entity_record& record = *data_.entities.find(entity);
        entity_t source = 0;
        bool sorted = record.state & storage::record_pending_delete;
        record.state |= storage::record_pending_delete;
        each_deleting(record.state, entity, [&](std::uint32_t relation) {
            if (storage::link_store* links = storage::find_links(data_, relation)) {
                if (!sorted) {
                    links->sort_sources(index_of(entity));
                }
                storage::source_span sources = links->sources(index_of(entity));
                entity_t last = sources.size ? sources.items[sources.size - 1] : 0;
                source = last && (!source || last < source) ? last : source;
            } else {
                const id_record& pair = *data_.ids.find(make_pair(relation, entity));
                for (std::uint32_t i = 0; i < pair.tables.size(); ++i) {
                    entity_t lowest = lowest_in(pair.tables[i].table);
                    source = lowest && (!source || lowest < source) ? lowest : source;
                }
            }
        });
        return source == entity ? 0 : source;
    }
    // A target of the entity that must end after it and has not ended; 0 if there is none.
    entity_t target_of(entity_t entity) noexcept {
        entity_t target = 0;
        each_owned(data_, entity, make_pair(Wildcard, Wildcard), [&](const id_info& pair) {
            entity_t second = data_.entities.alive_at(pair_second(pair.id));
            if (pair.traits & traits::trait_delete_sources && second != entity &&
                !has_ended(second)) {
                target = second;
            }
        });
        return target;
    }
    // Walks from source to source to an entity without sources, or to the lowest id of a cycle.
    // Cycles are found by a checkpoint that moves at powers of two (Brent's algorithm), without
    // memory.
    entity_t first_to_end(entity_t entity) noexcept {
        entity_t checkpoint = entity;
        std::uint64_t steps = 0;
        std::uint64_t limit = 2;
        for (entity_t position = entity;;) {
            entity_t next = source_of(position);
            if (next == 0) {
                return position;
            }
            if (next == checkpoint) {
                entity_t lowest = next;
                for (entity_t member = source_of(next); member != next;
                     member = source_of(member)) {
                    lowest = std::min(lowest, member);
                }
                return lowest;
            }
            position = next;
            if (++steps == limit) {
                checkpoint = position;
                limit *= 2;
                steps = 0;
            }
        }
    }
    // Ends the entity, after the sources that a deletion would delete first.
    void end_with_sources(entity_t entity) noexcept {
        for (entity_t position = entity; position != 0 || !has_ended(entity);) {
            entity_t ending = first_to_end(position ? position : entity);
            position = target_of(ending);
            end(ending);
        }
    }

    // -- one entity

    // Notifies hooks of each id of the entity, and removes its ids and its row.
    void end(entity_t entity) noexcept {
        entity_record& record = *data_.entities.find(entity);
        KITH_ASSERT(record.table != storage::no_table, "an entity ends once");
        const table& type = data_.tables.at(record.table);
        const change_view_scope after(world_, {entity, &data_.tables.at(storage::no_table)});
        world_.operation.begin_step();
        for (std::uint32_t i = 0; i < type.id_count && type.flags & detail::shape_on_remove; ++i) {
            detail::column value_column = type.slots[i];
            const detail::table_rows& rows = data_.tables.rows(type.number);
            notify(world_, storage::event_remove, *type.records[i], entity,
                   value_column.size ? storage::value_in(rows, value_column, record.row) : nullptr);
        }
        auto notify_id = [&](const id_info& id) {
            if (id.event_mask & storage::event_remove) {
                notify(world_, storage::event_remove, id, entity, value_sparse(data_, entity, id));
            }
        };
        each_sparse_id(data_, record, entity, Wildcard, notify_id);
        each_sparse_id(data_, record, entity, make_pair(Wildcard, Wildcard), notify_id);
        discard_sparse(world_, entity, record);
        drop_parent(world_, entity, record);
        remove_row(data_, data_.tables.at(record.table), record.row);
        record.table = storage::no_table;
        record.row = 0;
    }

    stage& world_;
    storage::store& data_;
    bool has_systems_;
};

}  // namespace

void end_all_entities(stage& world) noexcept {
    begin_defer(world);
    world.data.mem.prefer_reserve();
    teardown(world).run();
    world.operation.failed = nullptr;  // no caller is left to receive it
}

}  // namespace kith::mutate
