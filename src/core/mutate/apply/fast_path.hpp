// Fast paths of the most frequent operations: only bytes move, the edge between the tables exists,
// no listener is subscribed, nothing is locked. Each try_ function returns whether it did the work;
// otherwise nothing has changed and the caller must take the slow path. notify.cpp implements
// add_and_notify() and assign_and_notify().
#pragma once

#include "mutate/apply/rows.hpp"
#include "mutate/context/stage.hpp"
#include "traits/implications.hpp"
#include "traits/traits.hpp"

namespace kith::mutate {

namespace fast {

// Flags of entities with a name or with referrers, whose place in the hierarchy matters.
constexpr std::uint32_t hierarchy_flags = storage::record_named | storage::record_used_as_id |
                                          storage::record_has_children |
                                          storage::record_link_target;

// True for a pair that makes its holder a child of a prefab, and thereby a prefab.
inline bool joins_prefab(const storage::store& data, id_t pair) noexcept {
    return pair_first(pair) == ChildOf &&
           data.tables.at(data.entities.at(pair_second(pair)).table).flags &
               detail::shape_has_prefab;
}

// Moves the row along an edge and returns the destination. Requires: has_room().
[[gnu::always_inline]] inline const table& follow_to_room(storage::store& data, entity_t entity,
                                                          storage::entity_record& record,
                                                          const table& from,
                                                          const storage::edge& edge) noexcept {
    const table& to = data.tables.at(edge.to);
    if (record.state & storage::record_referenced) [[unlikely]] {
        data.on_referenced_moved(record, index_of(entity), from, to);
    }
    move_row_bytes(data, entity, record, from, to, edge.column);
    return to;
}

// True if the destination of the edge has room for a row.
inline bool has_room(const storage::store& data, const storage::edge& edge) noexcept {
    const detail::table_rows& rows = data.tables.rows(edge.to);
    return rows.count != rows.capacity;
}

// Moves the row along an edge and returns the destination, null if it has no room.
inline const table* follow(storage::store& data, entity_t entity, storage::entity_record& record,
                           const table& from, const storage::edge& edge) noexcept {
    return has_room(data, edge) ? &follow_to_room(data, entity, record, from, edge) : nullptr;
}

// The record of a component with sparse storage and without other rules, or null. Only C++ types
// are looked up by array access; other ids would need a hash and take the slow path.
inline const storage::id_record* find_sparse(const storage::store& data, id_t id) noexcept {
    const storage::id_record* record = id < low_id_limit ? data.ids.find(id) : nullptr;
    constexpr std::uint32_t relevant = traits::trait_sparse | traits::trait_joined;
    return record && (record->traits & relevant) == traits::trait_sparse ? record : nullptr;
}

// Adds a sparse id or assigns its value. `bytes` null: the default value, if it is zero. Returns
// false if the store does not exist or the id has listeners. Inlined: a call would cost a tenth of
// the operation.
[[gnu::always_inline]] inline bool add_sparse_bytes(const storage::store& data, entity_t entity,
                                                    storage::entity_record& record,
                                                    const storage::id_record& added,
                                                    const void* bytes) {
    storage::sparse_store* values = added.sparse;
    if (!values || added.event_mask != 0 || record.table == storage::no_table) {
        return false;
    }
    const type_info* info = values->info();
    // The default value of an instance is a copy of the inherited value.
    if (info && !bytes &&
        (!info->zero_construct || data.tables.at(record.table).flags & detail::shape_has_base)) {
        return false;
    }
    if (values->has(index_of(entity))) {
        if (info && bytes) {
            copy_bytes(static_cast<std::byte*>(values->find(index_of(entity))),
                       static_cast<const std::byte*>(bytes), info->size);
        }
        return true;
    }
    void* place = values->prepare(index_of(entity));
    if (place && bytes) {
        copy_bytes(static_cast<std::byte*>(place), static_cast<const std::byte*>(bytes),
                   info->size);
    } else if (place) {
        std::memset(place, 0, info->size);
    }
    values->commit(entity);
    record.state |= storage::sparse_flag(added.sparse_number);
    return true;
}

// The record (R,*) of a pair whose relationship has links without values, rules or listeners; null
// if the slow path is needed.
inline const storage::id_record* find_plain_links(const storage::store& data, id_t pair) noexcept {
    const storage::id_record* relation = nullptr;
    if (pair_first(pair) == ChildOf) {
        relation = data.parents_relation;
    } else if (!data.link_ids.empty()) {
        relation = data.ids.find(make_pair(pair_first(pair), Wildcard));
    }
    constexpr std::uint32_t involved = traits::trait_reaching | traits::trait_joined;
    return relation && relation->links && !relation->value_type && relation->event_mask == 0 &&
                   !(relation->traits & involved) && !relation->links->has_values() &&
                   !(pair & Override)
               ? relation
               : nullptr;
}

// Adds a link for which the store may have to grow.
[[gnu::noinline]] inline void link_slowly(storage::link_store& links, entity_t source,
                                          entity_t target) {
    if (links.has(index_of(source), index_of(target))) {
        return;
    }
    if (links.is_target(index_of(target))) {
        // Mostly the list of sources is full; then the short way works when it has grown.
        links.reserve_pair(index_of(source), index_of(target), nullptr);
        if (links.try_link(source, target)) {
            return;
        }
    }
    links.prepare(index_of(source), index_of(target), nullptr);
    if (links.is_exclusive() && links.has_any(index_of(source))) {
        links.remove(index_of(source), links.find(index_of(source))->target);
    }
    links.commit(source, target);
}

// Adds a pair that is a plain link. Returns false if the pair is none, or the hierarchy is
// affected.
inline bool add_link(storage::store& data, entity_t entity, storage::entity_record& record,
                     id_t pair) {
    const storage::id_record* relation = is_pair(pair) ? find_plain_links(data, pair) : nullptr;
    std::uint32_t index = pair_second(pair);
    if (!relation || record.table == storage::no_table || is_wildcard_element(index) ||
        index >> detail::record_page_bits >= data.page_count) {
        return false;
    }
    storage::entity_record& to = data.entities.at(index);
    if (to.state & detail::record_free) {
        return false;
    }
    entity_t target = make_entity_id(index, static_cast<std::uint16_t>(to.state));
    bool typed = !(relation->traits & traits::trait_tag) && to.state & storage::record_used_as_id;
    bool placed = relation->traits & traits::trait_no_cycles &&
                  (record.state & hierarchy_flags || target == entity ||
                   data.tables.at(to.table).flags & detail::shape_has_prefab);
    if (typed || placed || record.state & storage::record_has_disabled) {
        return false;
    }
    if (!relation->links->try_link(entity, target)) {
        link_slowly(*relation->links, entity, target);
    }
    record.state |= storage::source_flag(*relation);
    to.state |= storage::target_flag(*relation);
    return true;
}

// Removes a pair that is a plain link. Requires: the entity has no name and no disabled ids.
inline bool remove_link(storage::store& data, entity_t entity, storage::entity_record& record,
                        id_t pair) noexcept {
    const storage::id_record* relation = is_pair(pair) ? find_plain_links(data, pair) : nullptr;
    if (!relation || is_wildcard(pair) ||
        (pair_first(pair) == ChildOf && record.state & hierarchy_flags)) {
        return false;
    }
    storage::link_store& links = *relation->links;
    const storage::link_node* node = links.find(index_of(entity));
    if (!node || node->target == 0) {
        return true;
    }
    if (node->target != pair_second(pair) || !links.try_unlink(index_of(entity))) {
        if (links.has(index_of(entity), pair_second(pair))) {
            links.remove(index_of(entity), pair_second(pair));
        }
        if (links.has_any(index_of(entity))) {
            return true;
        }
    }
    storage::clear_sparse_flag(record, storage::source_flag(*relation));
    return true;
}

}  // namespace fast

// The column of a component in the entity's table: its record and the value; null if there is none.
// Found by array access, so only for ids below low_id_limit.
struct own_column {
    const storage::id_record* id;
    std::byte* value;
    const table& owner;
};
inline own_column find_own_column(const storage::store& data, const storage::entity_record& record,
                                  id_t id) noexcept {
    const table& type = data.tables.at(record.table);
    const std::int32_t position =
        id < low_id_limit ? detail::find_low(type, static_cast<std::uint32_t>(id)) : -1;
    if (position < 0 || type.slots[position].size == 0) {
        return {nullptr, nullptr, type};
    }
    return {type.records[position],
            storage::value_in(data.tables.rows(record.table), type.slots[position], record.row),
            type};
}

// Adds an id that has listeners of OnAdd; otherwise only bytes move. Returns false if there is no
// room.
bool add_and_notify(stage& world, entity_t entity, storage::entity_record& record,
                    const storage::edge& edge);
// Assigns the value of a component with listeners of OnSet. Returns false if the entity's table
// does not hold it.
bool assign_and_notify(stage& world, entity_t entity, const storage::entity_record& record, id_t id,
                       const void* bytes);

// Creates an entity in the root table. Returns 0 if the slow path is needed.
inline entity_t try_new(stage& world) {
    storage::store& data = world.data;
    detail::table_rows& rows = data.tables.rows(storage::root_table);
    constexpr std::uint32_t unusual_modes = detail::mode_in_scope | detail::mode_tracks_empty;
    if (needs_slow_path(world) || world.mode & unusual_modes || rows.count == rows.capacity)
        [[unlikely]] {
        return 0;
    }
    storage::entity_record* record = nullptr;
    entity_t entity = data.entities.create(record);
    // The row is appended as by append_row(): rows of the root table consist of the entity alone.
    reinterpret_cast<entity_t*>(rows.block)[rows.count] = entity;
    record->table = storage::root_table;
    record->row = rows.count++;
    return entity;
}

// Deletes an entity without referrers whose values need no destructor.
inline bool try_delete(stage& world, entity_t entity) noexcept {
    storage::store& data = world.data;
    storage::entity_record* record = data.entities.find(entity);
    constexpr std::uint32_t reference_flags =
        storage::record_used_as_id | storage::record_has_disabled | storage::record_any_sparse |
        storage::record_has_parent | storage::record_has_children | storage::record_link_target;
    if (!record || record->state & reference_flags || needs_slow_path(world) ||
        record->table == storage::no_table) [[unlikely]] {
        return false;
    }
    const table& from = data.tables.at(record->table);
    constexpr std::uint32_t plain = detail::shape_trivial_destroy | detail::shape_trivial_move;
    if ((from.flags & (plain | detail::shape_on_remove)) != plain) {
        return false;
    }
    remove_row_bytes(data, from, record->row);
    data.entities.free(index_of(entity), *record);
    return true;
}

// Adds an id: a sparse component, a link, or along an edge that moves only bytes.
inline bool try_add(stage& world, entity_t entity, id_t id) {
    if (needs_slow_path(world)) [[unlikely]] {
        return false;
    }
    storage::store& data = world.data;
    storage::entity_record* record = data.entities.find(entity);
    if (!record) [[unlikely]] {
        return false;
    }
    if (const storage::id_record* id_record = fast::find_sparse(data, id)) {
        return fast::add_sparse_bytes(data, entity, *record, *id_record, nullptr);
    }
    if (id >> 32 == make_pair(ChildOf, 0) >> 32 && data.parents_store) {
        return fast::add_link(data, entity, *record, id);
    }
    const table& from = data.tables.at(record->table);
    if (const storage::edge* edge = data.tables.find_edge(from, id)) [[likely]] {
        constexpr std::uint16_t plain = storage::edge_simple | storage::edge_zero;
        if ((edge->flags & plain) != plain ||
            (edge->flags & storage::edge_affects_hierarchy &&
             (record->state & fast::hierarchy_flags || fast::joins_prefab(data, id)))) {
            constexpr std::uint16_t notifies = storage::edge_notifies | storage::edge_zero;
            constexpr std::uint16_t others =
                storage::edge_affects_hierarchy | storage::edge_removes;
            return (edge->flags & (notifies | others)) == notifies &&
                   add_and_notify(world, entity, *record, *edge);
        }
        if (edge->flags & storage::edge_removes) {
            return true;
        }
        std::uint16_t column = edge->column;
        const table* to = fast::follow(data, entity, *record, from, *edge);
        if (to && column != storage::no_column) {
            std::memset(
                storage::value_in(data.tables.rows(to->number), to->columns[column], record->row),
                0, to->columns[column].size);
        }
        return to != nullptr;
    }
    return fast::add_link(data, entity, *record, id);
}

// Removes an id: a sparse component, a link, or along an edge that moves only bytes.
inline bool try_remove(stage& world, entity_t entity, id_t id) {
    if (needs_slow_path(world)) [[unlikely]] {
        return false;
    }
    storage::store& data = world.data;
    storage::entity_record* record = data.entities.find(entity);
    if (!record || record->state & (storage::record_named | storage::record_has_disabled))
        [[unlikely]] {
        return false;
    }
    if (const storage::id_record* id_record = fast::find_sparse(data, id)) {
        if (!id_record->sparse || id_record->event_mask != 0) {
            return false;
        }
        if (id_record->sparse->remove(index_of(entity))) {
            storage::clear_sparse_flag(*record, storage::sparse_flag(id_record->sparse_number));
        }
        return true;
    }
    const table& from = data.tables.at(record->table);
    if (const storage::edge* edge = data.tables.find_edge(from, id)) [[likely]] {
        if (!(edge->flags & storage::edge_simple)) {
            return false;
        }
        if (edge->flags & storage::edge_affects_hierarchy &&
            record->state & fast::hierarchy_flags) {
            return false;
        }
        return !(edge->flags & storage::edge_removes) ||
               fast::follow(data, entity, *record, from, *edge);
    }
    return fast::remove_link(data, entity, *record, id);
}

// Assigns the value of a component in the entity's table, as bytes. Requires: values of the id are
// bytes.
inline bool try_assign_bytes(stage& world, const storage::entity_record& record, id_t id,
                             const void* bytes) noexcept {
    const table& type = world.data.tables.at(record.table);
    std::int32_t position =
        id < low_id_limit ? detail::find_low(type, static_cast<std::uint32_t>(id)) : -1;
    if (position < 0 || type.flags & detail::shape_notify_set || type.slots[position].size == 0) {
        return false;
    }
    const detail::column& place = type.slots[position];
    copy_bytes(storage::value_in(world.data.tables.rows(record.table), place, record.row),
               static_cast<const std::byte*>(bytes), place.size);
    return true;
}

// Adds a plain component (its id is its type) with a value, as bytes. Requires: the entity lacks
// the component, and values are bytes.
inline bool try_set_bytes(stage& world, entity_t entity, storage::entity_record& record, id_t id,
                          const void* bytes) {
    storage::store& data = world.data;
    if (needs_slow_path(world)) [[unlikely]] {
        return false;
    }
    if (const storage::id_record* id_record = fast::find_sparse(data, id)) {
        return fast::add_sparse_bytes(data, entity, record, *id_record, bytes);
    }
    const table& from = data.tables.at(record.table);
    const storage::edge* edge = data.tables.find_edge(from, id);
    if (!edge) {
        return false;
    }
    constexpr std::uint16_t relevant = storage::edge_simple | storage::edge_removes;
    std::uint16_t column = edge->column;
    const table& to = data.tables.at(edge->to);
    if ((edge->flags & relevant) != storage::edge_simple || column == storage::no_column ||
        to.flags & detail::shape_notify_set || !fast::has_room(data, *edge)) {
        return false;
    }
    // The value is copied before the move, because its source may lie in the row that moves.
    const detail::table_rows& rows = data.tables.rows(edge->to);
    const detail::column& place = to.columns[column];
    copy_bytes(storage::value_in(rows, place, rows.count), static_cast<const std::byte*>(bytes),
               place.size);
    fast::follow_to_room(data, entity, record, from, *edge);
    return true;
}

}  // namespace kith::mutate
