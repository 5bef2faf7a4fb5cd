// Implements destination.hpp.
#include "mutate/rules/destination.hpp"

#include "mutate/context/wide_tables.hpp"
#include "traits/implications.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;
using storage::id_info;
using storage::id_record;
using storage::table;

void check_default_constructible(const stage& world, const id_info& id) {
    if (id.value_type && !id.value_type->info.can_construct()) {
        raise_id(world, errc::not_constructible, id.id,
                 "has no default constructor: give it a value with set or emplace");
    }
}

void mark_elements_used(storage::store& data, id_t id) noexcept {
    if (is_pair(id)) {
        data.entities.at(pair_first(id)).state |= storage::record_used_as_id;
        data.entities.at(pair_second(id)).state |= storage::record_used_as_id;
    } else {
        data.entities.at(index_of(id)).state |= storage::record_used_as_id;
    }
}

namespace {

// The entity of an element, 0 if it is not alive. A C++ type is made known.
entity_t adopt_element(stage& world, std::uint32_t index, entity_t changed) {
    entity_t entity = world.data.entities.alive_at(index);
    if (!entity && index < first_entity && detail::find_type(index)) {
        world.callbacks.adopt_type(world, index, changed);
        entity = world.data.entities.alive_at(index);
    }
    return entity;
}

void mark_used(stage& world, entity_t element) noexcept {
    world.data.entities.at(index_of(element)).state |= storage::record_used_as_id;
}

}  // namespace

void check_range(const stage& world, entity_t entity, id_t id) {
    if (!world.data.entities.in_checked_range(index_of(entity))) {
        raise_entity_id(world, errc::invalid_entity, entity, id,
                        "the entity is outside of the range of ids that may be changed");
    }
}

namespace {

// Prepares a pair. Links have no records of their own: their meaning comes from the record of
// (R,*).
id_info prepare_pair(stage& world, id_t id, entity_t changed) {
    entity_t relation = adopt_element(world, pair_first(id), changed);
    entity_t target = adopt_element(world, pair_second(id), changed);
    if (!relation || !target) {
        raise_id(world, errc::invalid_id, id, "has an element that is not alive");
    }
    storage::store& data = world.data;
    if (!data.link_ids.empty()) {
        const id_record* any = data.ids.find(make_pair(relation, Wildcard));
        if (any && any->links) {
            data.entities.at(index_of(target)).state |= storage::target_flag(*any);
            return traits::describe_link(data, *any, index_of(target));
        }
    }
    mark_used(world, relation);
    mark_used(world, target);
    return data.ids.ensure(id);
}

}  // namespace

id_info prepare_id(stage& world, id_t id, entity_t changed) {
    if (id == 0) {
        base::raise(errc::invalid_id, "0 is no id that can be added");
    }
    if (is_wildcard(id)) {
        raise_id(world, errc::invalid_id, id, "is a wildcard: it can be asked for, not added");
    }
    if (id & Override) {
        prepare_id(world, id & ~Override, changed);
        mark_elements_used(world.data, id);
        return world.data.ids.ensure(id);
    }
    if (is_pair(id)) {
        return prepare_pair(world, id, changed);
    }
    entity_t element = adopt_element(world, index_of(id), changed);
    if (element != (id & ~id_flags_mask)) {
        raise_id(world, errc::invalid_id, id, "is not alive: it cannot be added");
    }
    if (id & id_flags_mask) {
        raise_id(world, errc::invalid_id, id, "has flags that cannot be added");
    }
    mark_used(world, element);
    return world.data.ids.ensure(id);
}

table& table_after(stage& world, const table& from, const id_t* added, std::uint32_t added_count,
                   const id_t* removed, std::uint32_t removed_count) {
    // Types of tables are sorted lists without duplicates.
    id_buffer ids(world.data.mem, purpose::tables);
    ids.reserve(from.id_count + added_count);
    id_buffer removed_ids(world.data.mem, purpose::tables);
    removed_ids.reserve(removed_count);
    for (std::uint32_t i = 0; i < removed_count; ++i) {
        removed_ids.push(removed[i]);
    }
    std::sort(removed_ids.begin(), removed_ids.end());
    for (std::uint32_t i = 0; i < from.id_count; ++i) {
        if (!std::binary_search(removed_ids.begin(), removed_ids.end(), from.ids[i])) {
            ids.push(from.ids[i]);
        }
    }
    for (std::uint32_t i = 0; i < added_count; ++i) {
        ids.push(added[i]);
    }
    std::sort(ids.begin(), ids.end());
    std::uint32_t count =
        static_cast<std::uint32_t>(std::unique(ids.begin(), ids.end()) - ids.begin());
    return world.data.tables.ensure(ids.data(), count);
}

table& resolve_add(stage& world, table& from, const id_info& added) {
    if (const storage::edge* edge = world.data.tables.find_edge(from, added.id)) {
        return world.data.tables.at(edge->to);
    }
    const id_t id = added.id;
    if (const id_t replaced = traits::find_replaced(from, added)) {
        // The path leads through the table with neither pair: an edge for each two targets would
        // take quadratic memory.
        const storage::edge* edge = world.data.tables.find_edge(from, replaced);
        if (!edge) {
            table& neither = table_after(world, from, nullptr, 0, &replaced, 1);
            world.data.tables.connect(neither, from, replaced);
            edge = world.data.tables.find_edge(from, replaced);
        }
        return resolve_add(world, world.data.tables.at(edge->to), added);
    }
    table& to = table_after(world, from, &id, 1, nullptr, 0);
    warn_of_targets(world, to, id);
    world.data.tables.connect(from, to, id);
    return to;
}

}  // namespace kith::mutate
