// Implements defer.hpp. A command that depends on other entities is a barrier (barrier.hpp) and
// gets a segment of its own.
#include "mutate/queue/defer.hpp"

#include "base/assert.hpp"
#include "base/counters.hpp"
#include "mutate/apply/owned_ids.hpp"
#include "mutate/apply/rows.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/context/command.hpp"
#include "mutate/context/pending_index.hpp"
#include "mutate/notify/validate.hpp"
#include "mutate/queue/barrier.hpp"
#include "mutate/rules/destination.hpp"
#include "traits/implications.hpp"

#include <algorithm>

namespace kith::mutate {

using storage::id_info;
using storage::id_record;

namespace {

// Notes the elements of the id, which queued commands might delete or change. An element whose
// meaning a queued command changes starts a new segment.
void note_element_references(stage& world, id_t id) {
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

// Prepares an id, by array access for C++ types that are known.
id_info prepare_known(stage& world, id_t id) {
    const id_record* record = id < low_id_limit ? world.data.ids.find(id) : nullptr;
    return record && record->hook_type ? id_info{*record} : prepare_id(world, id);
}

// True for a barrier that may share a segment with earlier commands of its entity: it adds or
// removes one id other than a name, a parent, a base, a property or Prefab.
bool may_share_segment(command_kind kind, entity_t entity, id_t id) noexcept {
    if (entity == 0 || !(gives(kind) || kind == command_kind::remove) || id == Prefab ||
        is_wildcard(id) || traits::is_property(id)) {
        return false;
    }
    const std::uint32_t relation = is_pair(id) ? pair_first(id) : 0;
    return relation != IsA && relation != ChildOf && relation != detail::identifier_type_id;
}

// Leaves a sealed segment that the next command may not join. Called before the command is
// examined.
void enter_segment(stage& world, command_kind kind, entity_t entity, id_t id) noexcept {
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
void close_barrier(stage& world, command_kind kind, entity_t entity, id_t id, bool sides_notify) {
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
void order_link(stage& world, command_kind kind, entity_t entity, id_t id) noexcept {
    if (!is_pair(id) || id & Override || !gives(kind) || entity == 0) {
        return;
    }
    const id_record* record = world.data.ids.find(world.data.entities.alive_at(pair_first(id)));
    if (record && (is_sparse(*record) || traits::implies_others(record->traits))) {
        world.queue.commands.order_link(entity);
    }
}

// Notes that a command may make its entity a prefab, with the entity's children.
void note_prefabs(stage& world) noexcept {
    const id_record* prefab = world.data.ids.find(Prefab);
    if (prefab && prefab->event_mask != 0) {
        world.queue.commands.note_prefabs();
    }
}

// Notes properties, bases and prefabs after the command was queued.
void note_effects(stage& world, id_t id) noexcept {
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
std::uint16_t generation_at(const stage& world, std::uint32_t index) noexcept {
    return generation_of(world.data.entities.alive_at(index));
}

// Allocates a command with the generations of its elements.
command* prepare(stage& world, command_kind kind, entity_t entity, id_t id, const type_info* type) {
    command* command = world.queue.commands.prepare(world.data.mem, kind, entity, id, type);
    if (is_pair(id)) {
        command->generations[0] = generation_at(world, pair_first(id));
        command->generations[1] = generation_at(world, pair_second(id));
    }
    return command;
}

// For commands that only remove: removals notify once in any case, so that nothing must be
// predicted.
constexpr auto never_notifies = [] { return false; };

// Queues a command without a value. `notifies`: returns whether events of the id have listeners.
template <class Notifies>
void queue(stage& world, command_kind kind, entity_t entity, id_t id, Notifies&& notifies) {
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
    command* queued = prepare(world, kind, entity, id, nullptr);
    queued->is_barrier = barrier != command_scope::own;
    world.queue.commands.commit(queued);
    note_effects(world, id);
    if (barrier != command_scope::own) {
        close_barrier(world, kind, entity, id, sides_notify);
    }
}

// Throws if values of the id cannot be moved, because queued values are moved to their place.
void check_queueable(const stage& world, entity_t entity, const id_info& info) {
    if (!info.value_type->info.can_move()) [[unlikely]] {
        raise_entity_id(world, errc::invalid_type, entity, info.id,
                        "has values that cannot be moved: they cannot wait in a queue. Add the "
                        "component, and write its value when the changes were made");
    }
}

// True if a base decides whether a missing value of the id can be constructed: the copy of an
// inherited value, or the default without one, may be refused. The queued value replaces either.
bool ensure_depends_on_base(const id_info& id_info) noexcept {
    const type_info& info = id_info.value_type->info;
    return !info.can_copy() || !info.can_construct() || is_validated(id_info);
}

// Queues with more commands are searched through the index instead.
constexpr std::uint32_t most_walked = 24;

// True if a queued command will read the value of the entity before the program may write it: a
// clone of the entity, or an instance that begins with the value of its base.
bool reads_value(const command& queued, entity_t entity, id_t id) noexcept {
    if (queued.kind == command_kind::clone || queued.kind == command_kind::clone_types) {
        return queued.id == entity;
    }
    return queued.entity != entity &&
           (queued.kind == command_kind::add || queued.kind == command_kind::ensure) &&
           (queued.id == id || (is_pair(queued.id) && pair_first(queued.id) == IsA));
}

// True if the command removes the id from the entity. `replaced`: the pattern of the pairs of which
// the entity has only one (Exclusive), 0 if there is none.
bool takes_id(const command& queued, entity_t entity, id_t id, id_t replaced) noexcept {
    switch (queued.kind) {
        case command_kind::add:
        case command_kind::set:
        case command_kind::emplace:
        case command_kind::ensure:
            return replaced && matches_id(replaced, queued.id) && queued.id != id;
        case command_kind::remove:
        case command_kind::remove_all:
            return matches_id(queued.id, id);
        case command_kind::clear:
            return true;
        case command_kind::destruct:
            return is_singleton(entity, id);  // a later singleton makes the type known again
        case command_kind::delete_with:
            return is_singleton(entity, id) && matches_id(queued.id, id);
        default:
            return false;
    }
}

// Updates the state of the id by a queued command of its entity.
void apply_pending(const command& queued, entity_t entity, id_t id, id_t replaced,
                   pending_state& state) noexcept {
    if (takes_id(queued, entity, id, replaced)) {
        state = {nullptr, false, false};
    } else if (queued.id == id && queued.kind == command_kind::add) {
        state.has = true;
    } else if (queued.id == id && gives(queued.kind) &&
               !(queued.kind == command_kind::emplace && state.has)) {  // it will fail then
        KITH_ASSERT(queued.has_value, "a queued value is alive until it is run");
        state = {queued.value(), true, false};
    }
}

// The state of an id after the queued commands. `stored` is the entity's own value, null if it has
// none.
pending_state find_pending(stage& world, entity_t entity, const id_info& info, void* stored) {
    const id_t replaced = traits::replaced_pattern(info);
    pending_state state{stored, stored != nullptr, false};
    // While all commands are in one segment, the chain of the entity has all of its commands.
    const bool whole = world.queue.commands.is_one_segment();
    std::uint32_t walked = 0;
    for (command* queued = whole ? world.queue.commands.first_of(entity)
                                 : world.queue.commands.first();
         queued; queued = whole ? queued->next : queued->following) {
        KITH_COUNT(folded);
        if (++walked > most_walked) {
            state = world.queue.commands.index_pending(world.data).find(entity, info.id, stored);
            state.is_read &= !whole;
            return state;
        }
        state.is_read |= reads_value(*queued, entity, info.id);
        if (queued->entity == entity || queued->entity == 0) {
            apply_pending(*queued, entity, info.id, replaced, state);
        }
    }
    return state;
}

}  // namespace

void defer_id(stage& world, command_kind kind, entity_t entity, id_t id) {
    get_record(world, entity);
    if (kind == command_kind::add) {
        const id_info info = prepare_known(world, id);
        queue(world, kind, entity, id, [&] { return notifies(world, info); });
    } else if (kind == command_kind::modified) {
        queue(world, kind, entity, id,
              [&] { return traits::describe_id(world.data, id).event_mask != 0; });
    } else {
        queue(world, kind, entity, id, never_notifies);
    }
}

void defer_entity(stage& world, command_kind kind, entity_t entity) {
    get_record(world, entity);
    queue(world, kind, entity, 0, never_notifies);
}

void defer_properties(stage& world, entity_t entity, const id_t* ids, std::uint32_t count) {
    get_record(world, entity);
    KITH_ASSERT(count <= queued_ids::limit, "the ids fit into one command");
    if (count == 0) {
        return;
    }
    // The list is queued as plain bytes, so that it needs no type of the world.
    static constexpr type_info info = [] {
        type_info list{};
        list.size = sizeof(queued_ids);
        list.alignment = alignof(queued_ids);
        list.trivial_copy = list.trivial_move = list.trivial_destroy = true;
        return list;
    }();
    for (std::uint32_t i = 0; i < count; ++i) {
        prepare_id(world, ids[i]);
        note_element_references(world, ids[i]);
    }
    world.queue.commands.start_segment();
    command* queued = prepare(world, command_kind::add_list, entity, ids[0], &info);
    auto& list = *::new (queued->value()) queued_ids{};
    list.count = count;
    std::copy_n(ids, count, list.ids);
    for (std::uint32_t i = 0; i < count; ++i) {
        list.targets[i] = is_pair(ids[i]) ? world.data.entities.alive_at(pair_second(ids[i])) : 0;
    }
    world.queue.commands.commit(queued);
    note_effects(world, ids[0]);
}

void defer_world(stage& world, command_kind kind, id_t id) {
    queue(world, kind, 0, id, never_notifies);
}

namespace {

// True if the entity has a symmetric pair with listeners: the other side of its copy changes, too.
bool has_sides(const stage& world, entity_t entity) {
    bool found = false;
    each_owned(world.data, entity, make_pair(Wildcard, Wildcard), [&](const id_info& pair) {
        found |= traits::has_inverse(pair) && pair.event_mask != 0;
    });
    return found;
}

}  // namespace

void defer_clone(stage& world, entity_t clone, entity_t source, bool copy_values) {
    world.queue.commands.start_segment();
    queue(world, copy_values ? command_kind::clone : command_kind::clone_types, clone, source,
          never_notifies);
    note_prefabs(world);
    if (has_sides(world, source)) {
        world.queue.commands.note_symmetric();
    }
    world.queue.commands.start_segment();
    const storage::table& type = world.data.tables.at(get_record(world, source).table);
    if (type.flags & detail::shape_has_properties) {
        world.queue.commands
            .require_sequential();  // ids of the clone will mean something else than now
    }
}

void defer_value(stage& world, command_kind kind, entity_t entity, id_t id, std::uint32_t type,
                 const detail::value_source& source) {
    KITH_ASSERT(kind == command_kind::set || kind == command_kind::emplace,
                "other commands have no value of the caller");
    get_record(world, entity);
    id_info id_info = prepare_known(world, id);
    if (type != id || !id_info.value_type) {
        check_value_type(world, id_info, type);
    }
    check_queueable(world, entity, id_info);
    enter_segment(world, kind, entity, id);
    command_scope barrier = command_scope::own;
    bool sides_notify = false;
    if (id >= low_id_limit) {
        barrier = find_barrier(world, kind, entity, id);
        note_element_references(world, id);
        if (barrier != command_scope::own) {
            sides_notify =
                open_barrier(world, barrier, entity, [&] { return notifies(world, id_info); });
        }
        order_link(world, kind, entity, id);
    }
    const type_info& info = id_info.value_type->info;
    command* queued = prepare(world, kind, entity, id, &info);
    queued->is_barrier = barrier != command_scope::own;
    if (source.make) {
        // If the constructor throws, the command was never queued; its memory is reused with its
        // chunk.
        source.make(queued->value(), source.context);
    } else {
        copy_bytes(static_cast<std::byte*>(queued->value()),
                   static_cast<const std::byte*>(source.context), info.size);
    }
    world.queue.commands.commit(queued);
    if (barrier != command_scope::own) {
        close_barrier(world, kind, entity, id, sides_notify);
    }
}

void* defer_ensure(stage& world, entity_t entity, id_t id, std::uint32_t type) {
    storage::entity_record& record = get_record(world, entity);
    id_info id_info = prepare_id(world, id);
    check_value_type(world, id_info, type);
    enter_segment(world, command_kind::ensure, entity, id);
    // Earlier commands may have queued a value, or removed the id.
    pending_state pending =
        find_pending(world, entity, id_info, find_own_value(world, entity, record, id, type));
    const type_info& info = id_info.value_type->info;
    if (pending.value && !(pending.is_read && info.can_copy())) {
        note_value_written(world.data, record);  // the value may be that of the table
        return pending.value;
    }
    check_queueable(world, entity, id_info);
    if (!pending.value && info.can_copy()) {
        // The entity's own value begins as a copy of the inherited value.
        pending.value = find_inherited_value(world, entity, record, id, type);
    }
    if (!pending.value) {
        check_default_constructible(world, id_info);
    }
    // The queued value replaces an inherited one, so that the command acts as a set, unless a base
    // decides whether the value can be constructed.
    const command_scope barrier = find_barrier(
        world, ensure_depends_on_base(id_info) ? command_kind::ensure : command_kind::set, entity,
        id);
    note_element_references(world, id);
    bool sides_notify = false;
    if (barrier != command_scope::own) {
        sides_notify =
            open_barrier(world, barrier, entity, [&] { return notifies(world, id_info); });
    }
    order_link(world, command_kind::ensure, entity, id);
    command* queued = prepare(world, command_kind::ensure, entity, id, &info);
    queued->is_barrier = barrier != command_scope::own;
    if (pending.value) {
        types::copy_values(info, queued->value(), pending.value, 1);
    } else {
        types::construct_values(info, queued->value(), 1);
    }
    world.queue.commands.commit(queued);
    if (barrier != command_scope::own) {
        close_barrier(world, command_kind::ensure, entity, id, sides_notify);
    }
    return queued->value();
}

}  // namespace kith::mutate
