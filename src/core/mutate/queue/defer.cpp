// Implements defer.hpp. A command that depends on other entities is a barrier (barrier.hpp) and
// gets a segment of its own.
#include "mutate/queue/defer.hpp"

#include "base/assert.hpp"
#include "mutate/apply/owned_ids.hpp"
#include "mutate/apply/rows.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/context/command.hpp"
#include "mutate/notify/validate.hpp"
#include "mutate/queue/pending_value.hpp"
#include "mutate/queue/record.hpp"
#include "mutate/queue/segments.hpp"
#include "mutate/rules/destination.hpp"

#include <algorithm>

namespace kith::mutate {

using storage::id_info;

namespace {

// Queues a new command without a value.
template <class Notifies>
void queue(stage& world, command_kind kind, entity_t entity, id_t id, Notifies&& notifies) {
    queue_made(world, kind, entity, id, notifies,
               [&] { return prepare(world, kind, entity, id, nullptr); });
}

}  // namespace

void defer_id(stage& world, command_kind kind, entity_t entity, id_t id) {
    if (is_recorded(world)) [[unlikely]] {
        record_id(world, kind, entity, id);
        return;
    }
    get_record(world, entity);
    if (kind == command_kind::add) {
        const id_info info = prepare_known(world, id, entity);
        queue(world, kind, entity, id, [&] { return notifies(world, info); });
    } else if (kind == command_kind::modified) {
        queue(world, kind, entity, id,
              [&] { return traits::describe_id(world.data, id).event_mask != 0; });
    } else {
        queue(world, kind, entity, id, never_notifies);
    }
}

void defer_entity(stage& world, command_kind kind, entity_t entity) {
    if (is_recorded(world)) [[unlikely]] {
        record_id(world, kind, entity, 0);
        return;
    }
    get_record(world, entity);
    queue(world, kind, entity, 0, never_notifies);
}

void defer_properties(stage& world, entity_t entity, const id_t* ids, std::uint32_t count) {
    if (is_recorded(world)) [[unlikely]] {
        record_properties(world, entity, ids, count);
        return;
    }
    get_record(world, entity);
    KITH_ASSERT(count <= queued_ids::limit, "the ids fit into one command");
    if (count == 0) {
        return;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        prepare_id(world, ids[i], entity);
        note_element_references(world, ids[i]);
    }
    world.queue.commands.start_segment();
    command* queued = prepare(world, command_kind::add_list, entity, ids[0], &queued_ids_type);
    fill_queued_ids(world, *queued, ids, count);
    world.queue.commands.commit(queued);
    note_effects(world, ids[0]);
}

void defer_world(stage& world, command_kind kind, id_t id) {
    if (is_recorded(world)) [[unlikely]] {
        record_id(world, kind, 0, id);
        return;
    }
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

void close_clone(stage& world, entity_t source) {
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

void defer_clone(stage& world, entity_t clone, entity_t source, bool copy_values) {
    const command_kind kind = copy_values ? command_kind::clone : command_kind::clone_types;
    if (is_recorded(world)) [[unlikely]] {
        record_id(world, kind, clone, source);
        return;
    }
    world.queue.commands.start_segment();
    queue(world, kind, clone, source, never_notifies);
    close_clone(world, source);
}

void defer_value(stage& world, command_kind kind, entity_t entity, id_t id, std::uint32_t type,
                 const detail::value_source& source) {
    if (is_recorded(world)) [[unlikely]] {
        record_value(world, kind, entity, id, type, source);
        return;
    }
    KITH_ASSERT(kind == command_kind::set || kind == command_kind::emplace,
                "other commands have no value of the caller");
    get_record(world, entity);
    id_info id_info = prepare_known(world, id, entity);
    if (type != id || !id_info.value_type) {
        check_value_type(world, id_info, type);
    }
    check_queueable(world, entity, id, id_info.value_type->info);
    enter_segment(world, kind, entity, id);
    queue_value(world, kind, command_kind::set, entity, id_info, [&] {
        const type_info& info = id_info.value_type->info;
        command* queued = prepare(world, kind, entity, id, &info);
        // If the constructor throws, the command was never queued; its memory is reused with its
        // chunk.
        construct_value(*queued, source);
        return queued;
    });
}

bool try_defer_bytes(stage& world, entity_t entity, id_t id, const void* bytes) noexcept {
    const storage::id_record* record = id < low_id_limit ? world.data.ids.find(id) : nullptr;
    if (!record || !record->value_type || is_recorded(world) || !world.data.entities.find(entity))
        [[unlikely]] {
        return false;
    }
    const type_info& info = record->value_type->info;
    void* value = info.trivial_move
                      ? world.queue.commands.try_append(command_kind::set, entity, id, info)
                      : nullptr;
    if (!value) [[unlikely]] {
        return false;
    }
    copy_bytes(static_cast<std::byte*>(value), static_cast<const std::byte*>(bytes), info.size);
    return true;
}

void* defer_ensure(stage& world, entity_t entity, id_t id, std::uint32_t type) {
    if (is_recorded(world)) [[unlikely]] {
        return record_ensure(world, entity, id, type);
    }
    storage::entity_record& record = get_record(world, entity);
    id_info id_info = prepare_id(world, id, entity);
    check_value_type(world, id_info, type);
    enter_segment(world, command_kind::ensure, entity, id);
    // Earlier commands may have queued a value, or removed the id.
    command_buffer& waiting = world.queue.commands;
    const bool whole = waiting.is_one_segment();
    void* stored = find_own_value(world, entity, record, id, type);
    pending_state pending = find_pending(
        whole ? waiting.first_of(entity) : waiting.first(), whole, entity, id_info, stored,
        [&] { return waiting.index_pending(world.data).find(entity, id, stored); });
    const type_info& info = id_info.value_type->info;
    if (pending.value && !(pending.is_read && info.can_copy())) {
        note_value_written(world.data, record, id);  // the value may be that of the table
        return pending.value;
    }
    check_queueable(world, entity, id, info);
    if (!pending.value && info.can_copy()) {
        // The entity's own value begins as a copy of the inherited value.
        pending.value = find_inherited_value(world, entity, record, id, type);
    }
    if (!pending.value) {
        check_default_constructible(world, id_info);
    }
    const command* queued = queue_value(
        world, command_kind::ensure, scope_kind_of_ensure(id_info), entity, id_info, [&] {
            command* made = prepare(world, command_kind::ensure, entity, id, &info);
            construct_ensured(*made, pending.value);
            return made;
        });
    return queued->value();
}

}  // namespace kith::mutate
