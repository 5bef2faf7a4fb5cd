// How far a deferred command reaches: whether it may be run ahead of the commands of other
// entities, together with others of its own.
//
// Covered by tests/core/mutate/deferred_order_test.cpp and deferred_relationships_test.cpp there.
#pragma once

#include "mutate/rows.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::mutate {

// Made by the program: neither a builtin nor a type.
inline bool is_ordinary(entity_t entity) noexcept {
    return index_of(entity) >= first_entity;
}

// The id of a C++ type, or a pair of it, on the entity of the type itself.
inline bool is_singleton(entity_t entity, id_t id) noexcept {
    return !is_ordinary(entity) && !(id & Override) &&
           index_of(entity) == (is_pair(id) ? pair_first(id) : index_of(id));
}

// What a change of one entity's id has to do with other entities.
enum class command_scope {
    own,    // nothing
    place,  // it matters if others refer to the entity: its name, parent, or place in a graph
    far,    // it changes others, or depends on them
    sides,  // the same, for a symmetric pair
};

// The entity has a base, or may have one when the queue is run.
inline bool may_have_base(const stage& world, entity_t entity) noexcept {
    const storage::entity_record& record = *world.data.entities.find(entity);
    return world.commands.has_bases() ||
           world.data.tables.at(record.table).flags & detail::shape_has_base;
}

// The entity gets the id, and what comes along with it.
inline bool gives(command_kind kind) noexcept {
    return kind == command_kind::add || kind == command_kind::set ||
           kind == command_kind::emplace || kind == command_kind::ensure;
}

// The command has a value for the id.
inline bool has_value(command_kind kind) noexcept {
    return kind == command_kind::set || kind == command_kind::emplace ||
           kind == command_kind::modified;
}

// Of a pair by itself; `given`: with a value.
inline command_scope scope_of_pair(const stage& world, entity_t entity, std::uint32_t relation,
                                   std::uint32_t traits, bool given) noexcept {
    if (traits & traits::trait_symmetric) {
        return command_scope::sides;
    }
    if (relation == IsA || traits & traits::trait_one_of ||
        (!given && relation != ChildOf && may_have_base(world, entity))) {
        return command_scope::far;
    }
    return traits & traits::trait_no_cycles ? command_scope::place : command_scope::own;
}

// Calls visit(id) for what comes along with a pair.
template <class Visit>
void each_implied(const stage& world, const storage::id_info& pair, Visit&& visit) {
    traits::id_buffer implied(world.data.mem, containers::purpose::commands);
    traits::collect_implied(world.data, pair, implied);
    for (id_t id : implied) {
        visit(traits::describe_id(world.data, id));
    }
}

// Of what comes along with a pair.
[[gnu::noinline]] inline command_scope scope_of_implied(const stage& world, entity_t entity,
                                                        id_t pair) {
    command_scope effect = command_scope::own;
    each_implied(world, traits::describe_id(world.data, pair), [&](const storage::id_info& id) {
        effect =
            std::max(effect, scope_of_pair(world, entity, pair_first(id.id), id.traits, false));
    });
    return effect;
}

inline command_scope scope_of(const stage& world, command_kind kind, entity_t entity, id_t id) {
    bool given = has_value(kind);
    if (id == Prefab) {
        return command_scope::far;  // children that come later become prefabs too
    }
    if (!is_pair(id)) {
        // Without a value of its own it is a copy of what is inherited.
        return !given && id != 0 && may_have_base(world, entity) ? command_scope::far
                                                                 : command_scope::own;
    }
    std::uint32_t relation = pair_first(id);
    if (relation == detail::identifier_type_id || is_wildcard_element(relation)) {
        return given ? command_scope::own : command_scope::place;
    }
    const storage::id_record* record = world.data.ids.find(world.data.entities.alive_at(relation));
    std::uint32_t traits = record ? record->traits : 0;
    const command_scope effect = scope_of_pair(world, entity, relation, traits, given);
    return traits & traits::trait_with && gives(kind)
               ? std::max(effect, scope_of_implied(world, entity, id))
               : effect;
}

// How it is a barrier: others' commands may mean something else before and after it. Else
// reach::own.
inline command_scope find_barrier(const stage& world, command_kind kind, entity_t entity, id_t id) {
    bool ends =
        kind == command_kind::destruct || kind == command_kind::clear || traits::is_property(id);
    command_scope effect = ends ? command_scope::place : scope_of(world, kind, entity, id);
    if (effect != command_scope::place) {
        return effect;
    }
    constexpr std::uint32_t is_referenced = storage::record_used_as_id | storage::record_named |
                                            storage::record_has_children |
                                            storage::record_link_target;
    const bool matters = !is_ordinary(entity) || world.commands.is_named_by_queue(entity) ||
                         get_record(world, entity).state & is_referenced;
    return matters ? effect : command_scope::own;
}

// Somebody listens to the id, or to what comes along with it.
inline bool notifies(const stage& world, const storage::id_info& id) {
    bool notifies = id.event_mask != 0;
    if (!notifies && is_pair(id.id)) {
        each_implied(world, id,
                     [&](const storage::id_info& implied) { notifies |= implied.event_mask != 0; });
    }
    return notifies;
}

}  // namespace kith::mutate
