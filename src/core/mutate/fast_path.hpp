// The short ways of the operations that programs call most: nothing but bytes moves, the way
// between the tables is known, nobody listens, nothing is locked. Each says whether it did the
// work; if not, nothing has changed and the long way must be taken.
#pragma once

#include "mutate/rows.hpp"
#include "mutate/stage.hpp"
#include "traits/traits.hpp"

namespace kith::mutate {

namespace fast {

// Entities whose place among others matters: that have a name, or that somebody refers to.
constexpr std::uint32_t hierarchy_flags = storage::record_named | storage::record_used_as_id |
                                          storage::record_has_children |
                                          storage::record_link_target;

// Children of prefabs become prefabs.
inline bool joins_prefab(const storage::store& data, id_t pair) noexcept {
    return pair_first(pair) == ChildOf &&
           data.tables.at(data.entities.at(pair_second(pair)).table).flags &
               detail::shape_has_prefab;
}

// Moves along an edge and returns the destination, which has room.
[[gnu::always_inline]] inline const table& follow_to_room(storage::store& data, entity_t entity,
                                                          storage::entity_record& record,
                                                          const table& from,
                                                          const storage::edge& way) noexcept {
    const table& to = data.tables.at(way.to);
    if (record.state & storage::record_referenced) [[unlikely]] {
        data.on_referenced_moved(record, index_of(entity), from, to);
    }
    move_row_bytes(data, entity, record, from, to, way.column);
    return to;
}

inline bool has_room(const storage::store& data, const storage::edge& way) noexcept {
    const detail::table_rows& rows = data.tables.rows(way.to);
    return rows.count != rows.capacity;
}

// Moves along an edge and returns the destination, or null if it has no room.
inline const table* follow(storage::store& data, entity_t entity, storage::entity_record& record,
                           const table& from, const storage::edge& way) noexcept {
    return has_room(data, way) ? &follow_to_room(data, entity, record, from, way) : nullptr;
}

// The record of a component with sparse storage, or null. C++ types only: others are looked up in a
// hash, and take the long way.
inline const storage::id_record* find_sparse(const storage::store& data, id_t id) noexcept {
    const storage::id_record* record = id < low_id_limit ? data.ids.find(id) : nullptr;
    constexpr std::uint32_t relevant =
        traits::trait_sparse | traits::trait_with | traits::trait_required;
    return record && (record->traits & relevant) == traits::trait_sparse ? record : nullptr;
}

// An id in a sparse store that exists; `bytes` null: a default value, if it is zero. Inlined: a
// call would cost a tenth of it.
[[gnu::always_inline]] inline bool add_sparse_bytes(const storage::store& data, entity_t entity,
                                                    storage::entity_record& record,
                                                    const storage::id_record& added,
                                                    const void* bytes) {
    storage::sparse_store* values = added.sparse;
    if (!values || added.event_mask != 0 || record.table == storage::no_table) {
        return false;
    }
    const type_info* info = values->info();
    // The default value of an instance is a copy of what it inherits.
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

// The record (R,*) of a pair whose relationship has links without values, about which nobody wants
// to know. Null if there is more to it.
inline const storage::id_record* find_plain_links(const storage::store& data, id_t pair) noexcept {
    const storage::id_record* relation = nullptr;
    if (pair_first(pair) == ChildOf) {
        relation = data.parents_relation;
    } else if (!data.link_ids.empty()) {
        relation = data.ids.find(make_pair(pair_first(pair), Wildcard));
    }
    constexpr std::uint32_t involved = traits::trait_symmetric | traits::trait_one_of |
                                       traits::trait_with | traits::trait_required;
    return relation && relation->links && !relation->value_type && relation->event_mask == 0 &&
                   !(relation->traits & involved) && !relation->links->has_values() &&
                   !(pair & Override)
               ? relation
               : nullptr;
}

// With room to be made.
[[gnu::noinline]] inline void link_slowly(storage::link_store& links, entity_t source,
                                          entity_t target) {
    if (links.has(index_of(source), index_of(target))) {
        return;
    }
    links.prepare(index_of(source), index_of(target), nullptr);
    if (links.is_exclusive() && links.has_any(index_of(source))) {
        links.remove(index_of(source), links.find(index_of(source))->target);
    }
    links.commit(source, target);
}

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

// The entity has neither a name nor anything that is switched off.
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

// A component with a value that the entity's table holds, found by array access; null: none.
struct own_column {
    const storage::id_record* id;
    std::byte* value;
};
inline own_column find_own_column(const storage::store& data, const storage::entity_record& record,
                                  id_t id) noexcept {
    const table& type = data.tables.at(record.table);
    const std::int32_t position =
        id < low_id_limit ? detail::find_low(type, static_cast<std::uint32_t>(id)) : -1;
    if (position < 0 || type.slots[position].size == 0) {
        return {nullptr, nullptr};
    }
    return {type.records[position],
            storage::value_in(data.tables.rows(record.table), type.slots[position], record.row)};
}

// An id of which somebody wants to know when it was added; otherwise, bytes move. False if there is
// no room.
bool add_and_notify(stage& world, entity_t entity, storage::entity_record& record,
                    const storage::edge& way);
// The same for the value of a component that the entity's table holds. False if it does not.
bool assign_and_notify(stage& world, entity_t entity, const storage::entity_record& record, id_t id,
                       const void* bytes);

// 0 if it was not done.
inline entity_t try_new(stage& world) {
    storage::store& data = world.data;
    detail::table_rows& rows = data.tables.rows(storage::root_table);
    constexpr std::uint32_t more = detail::mode_in_scope | detail::mode_tracks_empty;
    if (needs_slow_path(world) || world.mode & more || rows.count == rows.capacity) [[unlikely]] {
        return 0;
    }
    storage::entity_record* record = nullptr;
    entity_t entity = data.entities.create(record);
    // As append_row(): rows of the root table are entities, and nothing else.
    reinterpret_cast<entity_t*>(rows.block)[rows.count] = entity;
    record->table = storage::root_table;
    record->row = rows.count++;
    return entity;
}

// An entity that nothing else knows of, with values that need no destructor.
inline bool try_delete(stage& world, entity_t entity) noexcept {
    storage::store& data = world.data;
    storage::entity_record* record = data.entities.find(entity);
    constexpr std::uint32_t is_referenced =
        storage::record_used_as_id | storage::record_has_disabled | storage::record_any_sparse |
        storage::record_has_parent | storage::record_has_children | storage::record_link_target;
    if (!record || record->state & is_referenced || needs_slow_path(world) ||
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
    if (const storage::edge* way = data.tables.find_edge(from, id)) [[likely]] {
        constexpr std::uint16_t plain = storage::edge_simple | storage::edge_zero;
        if ((way->flags & plain) != plain ||
            (way->flags & storage::edge_affects_hierarchy &&
             (record->state & fast::hierarchy_flags || fast::joins_prefab(data, id)))) {
            constexpr std::uint16_t notifies = storage::edge_notifies | storage::edge_zero;
            constexpr std::uint16_t others =
                storage::edge_affects_hierarchy | storage::edge_removes;
            return (way->flags & (notifies | others)) == notifies &&
                   add_and_notify(world, entity, *record, *way);
        }
        if (way->flags & storage::edge_removes) {
            return true;
        }
        std::uint16_t column = way->column;
        const table* to = fast::follow(data, entity, *record, from, *way);
        if (to && column != storage::no_column) {
            std::memset(
                storage::value_in(data.tables.rows(to->number), to->columns[column], record->row),
                0, to->columns[column].size);
        }
        return to != nullptr;
    }
    return fast::add_link(data, entity, *record, id);
}

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
    if (const storage::edge* way = data.tables.find_edge(from, id)) [[likely]] {
        if (!(way->flags & storage::edge_simple)) {
            return false;
        }
        if (way->flags & storage::edge_affects_hierarchy && record->state & fast::hierarchy_flags) {
            return false;
        }
        return !(way->flags & storage::edge_removes) ||
               fast::follow(data, entity, *record, from, *way);
    }
    return fast::remove_link(data, entity, *record, id);
}

// A component that the entity's table holds, whose value is bytes.
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

// A plain component (its id is its type) whose value is bytes.
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
    const storage::edge* way = data.tables.find_edge(from, id);
    if (!way) {
        return false;
    }
    constexpr std::uint16_t relevant = storage::edge_simple | storage::edge_removes;
    std::uint16_t column = way->column;
    const table& to = data.tables.at(way->to);
    if ((way->flags & relevant) != storage::edge_simple || column == storage::no_column ||
        to.flags & detail::shape_notify_set || !fast::has_room(data, *way)) {
        return false;
    }
    // The value is made first: it may be copied from the row that moves.
    const detail::table_rows& rows = data.tables.rows(way->to);
    const detail::column& place = to.columns[column];
    copy_bytes(storage::value_in(rows, place, rows.count), static_cast<const std::byte*>(bytes),
               place.size);
    fast::follow_to_room(data, entity, record, from, *way);
    return true;
}

}  // namespace kith::mutate
