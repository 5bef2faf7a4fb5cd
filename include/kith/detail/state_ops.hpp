// A whole world for save files: reading entities, free ids, and ids with their values, as storage
// has them, and replacing all of it. Implemented in src/core/api/state_ops.cpp.
#pragma once

#include <kith/type_info.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace kith::detail {

// Some entities that own an id, in the order of storage, with the values of the id.
struct stored_ids {
    id_t id;
    const type_info* type;  // of the values, null: the id has none
    entity_t component;     // that has the type, 0 without values
    const entity_t* entities;
    std::size_t count;
    const void* values;       // one after the other; null: see `each`
    const void* const* each;  // pointers to the values, null: see `values`
};

// Calls visit for the ids of all tables, then of sparse stores and links. Pairs of a sparse
// relationship are visited by target, with the sources in their order. Requires, for
// all functions of this header: the world does not change during the call.
using visit_ids = void (*)(void* context, const stored_ids& ids);
void each_stored_id(const world_t* world, visit_ids visit, void* context);
// The ids that are switched off, without values.
void each_disabled_id(const world_t* world, visit_ids visit, void* context);
using visit_entity = void (*)(void* context, entity_t entity);
void each_alive(const world_t* world, visit_entity visit, void* context);
// The ids that new entities get from free indices, in their order.
void each_free_id(const world_t* world, visit_entity visit, void* context);

// The order of a world's storage, which decides world::hash() together with the facts.
struct link_order {
    entity_t relation;
    entity_t entity;
    std::vector<entity_t> others;  // its targets or its sources
};
struct storage_order {
    std::vector<id_t> ids;  // by number, 0: free
    std::vector<std::uint32_t> free_ids;
    std::vector<std::vector<id_t>> tables;  // by number, sorted ids; empty: free, or without ids
    std::vector<std::uint32_t> free_tables;
    std::vector<entity_t> free_entities;  // the ids that new entities get, in their order
    std::uint32_t next_index = 0;         // that no entity had so far
    std::vector<entity_t> rows;       // of several tables; the first mention of an entity counts
    std::vector<link_order> targets;  // of sources
    std::vector<link_order> sources;  // of targets
};
// Lists that loading a file finds out by itself are left out: rows of tables without C++ types, and
// targets in the order of their indices.
storage_order read_storage_order(const world_t* world);
// Replaces the contents of a world by those of another one, in the given order. Entries of the
// order that do not fit are ignored. Hooks and observers are not notified. If it throws, `target`
// has not changed. Requires: `target` has no entities of its own; `source` is not used any more.
void replace_contents(world_t* target, world_t* source, const storage_order& order);
// Hashes values whose bytes in memory do not all count. find() returns the argument of hash(), null
// for components whose values are their bytes.
struct value_digest {
    const void* (*find)(const world_t* world, entity_t component);
    std::uint64_t (*hash)(const void* type, const void* value);
};
// For all worlds of the process; null: bytes are hashed. The object stays alive.
void set_value_digest(const value_digest* digest) noexcept;

// Adds a base without the copies of children and marked ids that an instance gets from it: a reader
// of facts adds them as facts of their own. Requires: the world is not deferred.
void add_base(world_t* world, entity_t entity, entity_t base);

// Creates the entities with exactly these ids, as make_alive() does. If an id is refused, the
// entities before it are alive.
void make_all_alive(world_t* world, const entity_t* entities, std::size_t count);
// Gives entities without ids several ids in one step. `columns` has for each id an array of values,
// which needs no alignment, or null (default values). `names` has the names of the entities, null:
// none. False, and nothing but the order of rows has changed: one of the ids, names or entities
// needs the operations for single ones, which notify and check rules.
bool fill_bulk(world_t* world, const entity_t* entities, std::size_t count, const id_t* ids,
               std::size_t id_count, const void* const* columns, const std::string_view* names);

// True if entities exist that are neither builtin nor C++ types, scopes of these or constants of
// enums.
bool has_own_entities(const world_t* world);

}  // namespace kith::detail
