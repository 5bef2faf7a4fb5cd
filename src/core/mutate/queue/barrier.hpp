// Barriers: whether a deferred command affects only its own entity. Such a command may run ahead of
// the commands of other entities, together with others of its own entity; a barrier may not.
//
// Covered by tests/features/deferring/order_test.cpp and
// tests/features/deferring/relationships_test.cpp there.
#pragma once

#include "mutate/context/command.hpp"
#include "mutate/context/stage.hpp"
#include "traits/implications.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::mutate {

// True for entities that the program created: neither builtins nor C++ types.
inline bool is_ordinary(entity_t entity) noexcept {
    return index_of(entity) >= first_entity;
}

// True for the id of a C++ type, or a pair of it, on the entity of the type itself.
inline bool is_singleton(entity_t entity, id_t id) noexcept {
    return !is_ordinary(entity) && !(id & Override) &&
           index_of(entity) == (is_pair(id) ? pair_first(id) : index_of(id));
}

// The entities that a change of one id concerns, from narrow to wide.
enum class command_scope {
    own,    // its own entity only
    place,  // also referrers of the entity: its name, parent, or place in a graph
    far,    // other entities, which it changes or depends on
    sides,  // both sides of a symmetric pair
};

// True if the entity has a base now, or may have one when the queue runs.
inline bool may_have_base(const stage& world, entity_t entity) noexcept {
    const storage::entity_record& record = *world.data.entities.find(entity);
    return world.queue.commands.has_bases() ||
           world.data.tables.at(record.table).flags & detail::shape_has_base;
}

// True if the command adds its id, with the ids that it implies.
inline bool gives(command_kind kind) noexcept {
    return kind == command_kind::add || kind == command_kind::set ||
           kind == command_kind::emplace || kind == command_kind::ensure;
}

// True if the command carries a value for its id.
inline bool has_value(command_kind kind) noexcept {
    return kind == command_kind::set || kind == command_kind::emplace ||
           kind == command_kind::modified;
}

// The scope of a change of one pair. `with_value`: the command carries a value.
inline command_scope scope_of_pair(const stage& world, entity_t entity, std::uint32_t relation,
                                   std::uint32_t traits, bool with_value) noexcept {
    if (traits::is_symmetric(traits)) {
        return command_scope::sides;
    }
    if (relation == IsA || traits & traits::trait_one_of ||
        (!with_value && relation != ChildOf && may_have_base(world, entity))) {
        return command_scope::far;
    }
    return traits & traits::trait_no_cycles ? command_scope::place : command_scope::own;
}

// Calls visit(id_info) for each id that the pair implies (With).
template <class Visit>
void each_implied(const stage& world, const storage::id_info& pair, Visit&& visit) {
    traits::id_buffer implied(world.data.mem, containers::purpose::commands);
    traits::collect_implied(world.data, pair, implied);
    for (id_t id : implied) {
        visit(traits::describe_id(world.data, id));
    }
}

// The widest scope of the ids that a pair implies.
[[gnu::noinline]] inline command_scope scope_of_implied(const stage& world, entity_t entity,
                                                        id_t pair) {
    command_scope scope = command_scope::own;
    each_implied(world, traits::describe_id(world.data, pair), [&](const storage::id_info& id) {
        scope = std::max(scope, scope_of_pair(world, entity, pair_first(id.id), id.traits, false));
    });
    return scope;
}

// The scope of a command by itself, whoever refers to its entity.
inline command_scope scope_of(const stage& world, command_kind kind, entity_t entity, id_t id) {
    bool with_value = has_value(kind);
    if (id == Prefab) {
        return command_scope::far;  // later children become prefabs
    }
    if (!is_pair(id)) {
        // Without a given value, the entity gets a copy of the inherited value.
        return !with_value && id != 0 && may_have_base(world, entity) ? command_scope::far
                                                                      : command_scope::own;
    }
    std::uint32_t relation = pair_first(id);
    if (relation == detail::identifier_type_id || is_wildcard_element(relation)) {
        return with_value ? command_scope::own : command_scope::place;
    }
    const storage::id_record* record = world.data.ids.find(world.data.entities.alive_at(relation));
    std::uint32_t traits = record ? record->traits : 0;
    const command_scope scope = scope_of_pair(world, entity, relation, traits, with_value);
    return traits::implies_others(traits) && gives(kind)
               ? std::max(scope, scope_of_implied(world, entity, id))
               : scope;
}

// The scope of a command as a barrier: command_scope::own if the commands of other entities mean
// the same before and after it. A command of scope `place` is a barrier only if others refer to the
// entity.
inline command_scope find_barrier(const stage& world, command_kind kind, entity_t entity, id_t id) {
    bool ends =
        kind == command_kind::destruct || kind == command_kind::clear || traits::is_property(id);
    command_scope scope = ends ? command_scope::place : scope_of(world, kind, entity, id);
    if (scope != command_scope::place) {
        return scope;
    }
    constexpr std::uint32_t reference_flags = storage::record_used_as_id | storage::record_named |
                                              storage::record_has_children |
                                              storage::record_link_target;
    const bool has_referrers = !is_ordinary(entity) ||
                               world.queue.commands.is_named_by_queue(entity) ||
                               get_record(world, entity).state & reference_flags;
    return has_referrers ? scope : command_scope::own;
}

// True if listeners or hooks are subscribed to the id, or to an id that it implies.
inline bool notifies(const stage& world, const storage::id_info& id) {
    bool has_listeners = id.event_mask != 0;
    if (!has_listeners && is_pair(id.id)) {
        each_implied(world, id, [&](const storage::id_info& implied) {
            has_listeners |= implied.event_mask != 0;
        });
    }
    return has_listeners;
}

}  // namespace kith::mutate
