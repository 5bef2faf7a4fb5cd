// Placing a command in the queue: the segment that it belongs to, the entities that it refers to,
// and the order of links. Used for commands that are queued and for recorded ones.
//
// Covered by tests/features/deferring/order_test.cpp.
#pragma once

#include "mutate/context/command.hpp"
#include "mutate/context/stage.hpp"
#include "mutate/queue/barrier.hpp"
#include "mutate/rules/destination.hpp"
#include "storage/id_record.hpp"
#include "traits/traits.hpp"

namespace kith::mutate {

// Notes the elements of the id, which queued commands might delete or change. An element whose
// meaning a queued command changes starts a new segment.
inline void note_element_references(stage& world, id_t id) {
    auto note_reference = [&](entity_t element) {
        if (element == 0 || !is_ordinary(element)) {
            return;  // commands on builtins and types are never run out of order
        }
        if (world.queue.commands.changes_semantics(element)) {
            world.queue.commands.start_segment();
        }
        world.queue.commands.note_reference(world.data.mem, element);
    };
    if (is_pair(id)) {
        note_reference(world.data.entities.alive_at(pair_first(id)));
        note_reference(world.data.entities.alive_at(pair_second(id)));
    } else {
        note_reference(id & ~id_flags_mask);
    }
}

// prepare_id(), by array access for C++ types that are known.
inline storage::id_info prepare_known(stage& world, id_t id, entity_t changed) {
    const storage::id_record* record = id < low_id_limit ? world.data.ids.find(id) : nullptr;
    return record && record->hook_type ? storage::id_info{*record} : prepare_id(world, id, changed);
}

// True for a barrier that may share a segment with earlier commands of its entity: it adds or
// removes one id other than a name, a parent, a base, a property or Prefab.
inline bool may_share_segment(command_kind kind, entity_t entity, id_t id) noexcept {
    if (entity == 0 || !(gives(kind) || kind == command_kind::remove) || id == Prefab ||
        is_wildcard(id) || traits::is_property(id)) {
        return false;
    }
    const std::uint32_t relation = is_pair(id) ? pair_first(id) : 0;
    return relation != IsA && relation != ChildOf && relation != detail::identifier_type_id;
}

// Leaves a sealed segment that the next command may not join. Called before the command is
// examined.
inline void enter_segment(stage& world, command_kind kind, entity_t entity, id_t id) noexcept {
    if (world.queue.commands.is_sealed() &&
        !(world.queue.commands.is_sealed_for(entity) && may_share_segment(kind, entity, id))) {
        world.queue.commands.start_segment();
    }
}

// Starts a segment for a barrier. Returns true if the command changes the other side of a symmetric
// pair and events of the pair have listeners.
template <class Notifies>
bool open_barrier(stage& world, command_scope scope, entity_t entity, Notifies&& notifies) {
    const bool sides_notify = scope == command_scope::sides && notifies();
    if (!world.queue.commands.is_sealed_for(entity)) {
        world.queue.commands.start_segment();
    }
    return sides_notify;
}
// Seals the segment behind a barrier, or starts the next one.
inline void close_barrier(stage& world, command_kind kind, entity_t entity, id_t id,
                          bool sides_notify) {
    if (sides_notify) {
        world.queue.commands.note_symmetric();
    }
    if (may_share_segment(kind, entity, id)) {
        world.queue.commands.seal_segment(entity);
    } else {
        world.queue.commands.start_segment();
    }
}

// Keeps the order of links before a command is queued: the pair may be a link, or imply one.
inline void order_link(stage& world, command_kind kind, entity_t entity, id_t id) noexcept {
    if (!is_pair(id) || id & Override || !gives(kind) || entity == 0) {
        return;
    }
    const storage::id_record* record =
        world.data.ids.find(world.data.entities.alive_at(pair_first(id)));
    if (record && (is_sparse(*record) || traits::implies_others(record->traits))) {
        world.queue.commands.order_link(entity);
    }
}

// Notes that a command may make its entity a prefab, with the entity's children.
inline void note_prefabs(stage& world) noexcept {
    const storage::id_record* prefab = world.data.ids.find(Prefab);
    if (prefab && prefab->event_mask != 0) {
        world.queue.commands.note_prefabs();
    }
}

// Notes properties, bases and prefabs after the command was queued.
inline void note_effects(stage& world, id_t id) noexcept {
    if (traits::is_property(id)) {
        // The meaning of ids may change when the queue runs.
        world.queue.commands.require_sequential();
    }
    if (is_pair(id) && pair_first(id) == IsA) {
        world.queue.commands.note_base();
    }
    if (is_pair(id) && pair_first(id) == ChildOf) {
        note_prefabs(world);
    }
}

// The generation of the live entity at an index.
inline std::uint16_t generation_at(const stage& world, std::uint32_t index) noexcept {
    return generation_of(world.data.entities.alive_at(index));
}

// Allocates a command with the generations of its elements.
inline command* prepare(stage& world, command_kind kind, entity_t entity, id_t id,
                        const type_info* type) {
    command* command = world.queue.commands.prepare(world.data.mem, kind, entity, id, type);
    if (is_pair(id)) {
        command->generations[0] = generation_at(world, pair_first(id));
        command->generations[1] = generation_at(world, pair_second(id));
    }
    return command;
}

// For commands that only remove: removals notify once in any case, so that nothing must be
// predicted.
inline constexpr auto never_notifies = [] { return false; };

// Queues a command without a value. `notifies`: returns whether events of the id have listeners.
// `make`: returns the command, which is allocated after its segment is decided.
template <class Notifies, class Make>
void queue_made(stage& world, command_kind kind, entity_t entity, id_t id, Notifies&& notifies,
                Make&& make) {
    enter_segment(world, kind, entity, id);
    const command_scope barrier =
        entity == 0 ? command_scope::far : find_barrier(world, kind, entity, id);
    if (id >= low_id_limit) {
        note_element_references(world, id);
    }
    bool sides_notify = false;
    if (barrier != command_scope::own) {
        sides_notify = open_barrier(world, barrier, entity, notifies);
    }
    order_link(world, kind, entity, id);
    command* queued = make();
    queued->is_barrier = barrier != command_scope::own;
    world.queue.commands.commit(queued);
    note_effects(world, id);
    if (barrier != command_scope::own) {
        close_barrier(world, kind, entity, id, sides_notify);
    }
}

// Closes the segment of a clone, after the command was queued.
void close_clone(stage& world, entity_t source);

// Queues a command with a value that `make` constructs. `scope_kind`: the kind whose scope counts.
template <class Make>
command* queue_value(stage& world, command_kind kind, command_kind scope_kind, entity_t entity,
                     const storage::id_info& id, Make&& make) {
    command_scope barrier = command_scope::own;
    bool sides_notify = false;
    if (id.id >= low_id_limit || scope_kind != command_kind::set) {
        barrier = find_barrier(world, scope_kind, entity, id.id);
    }
    if (id.id >= low_id_limit) {
        note_element_references(world, id.id);
    }
    if (barrier != command_scope::own) {
        sides_notify = open_barrier(world, barrier, entity, [&] { return notifies(world, id); });
    }
    if (id.id >= low_id_limit) {
        order_link(world, kind, entity, id.id);
    }
    command* queued = make();
    queued->is_barrier = barrier != command_scope::own;
    world.queue.commands.commit(queued);
    if (barrier != command_scope::own) {
        close_barrier(world, kind, entity, id.id, sides_notify);
    }
    return queued;
}

}  // namespace kith::mutate
