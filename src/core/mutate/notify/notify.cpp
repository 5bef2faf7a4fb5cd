// Implements notify.hpp, and add_and_notify() and assign_and_notify() of apply/fast_path.hpp.
#include "mutate/notify/notify.hpp"

#include "base/assert.hpp"
#include "events/calls.hpp"
#include "mutate/apply/fast_path.hpp"
#include "mutate/apply/rows.hpp"

#include <cstring>

namespace kith::mutate {

using storage::entity_record;
using storage::id_info;
using storage::table;

namespace {

// Calls a hook and keeps its exception. Out of line, because few ids have hooks.
[[gnu::noinline]] void run_hook(stage& world, types::hook_kind kind, const id_info& id,
                                entity_t event, entity_t entity, void* value) noexcept {
    if (world.events.tracing) [[unlikely]] {
        world.events.tracing->note(0, {&world, event, id.id, entity, value});
    }
    // The copy of the hook stays valid if the hook replaces itself.
    const detail::hook hook = id.hook_type->hooks[kind];
    KITH_ASSERT(hook.call, "the caller has found the hook");
    keep_error(world, [&] { hook.call({&world, entity, id.id, event, value}, hook.context); });
}

// A callback_scope around code that cannot throw. Inlined, because it is a part of each event.
inline void begin_notify(stage& world) noexcept {
    ++world.queue.depth;
    ++world.operation.callbacks;
    world.mode |= detail::mode_deferred;
}
inline void end_notify(stage& world) {
    --world.operation.callbacks;
    KITH_ASSERT(world.queue.depth != 0, "each end of a notification belongs to a begin");
    if (world.queue.depth == 1 && !world.operation.failed && !world.operation.batch_open &&
        world.queue.commands.empty()) [[likely]] {
        // end_defer() would have nothing to do.
        world.queue.depth = 0;
        world.mode &= ~std::uint32_t{detail::mode_deferred};
        return;
    }
    end_defer(world);
}

// The value of an event: null and 0 if the id has no value.
struct event_value {
    void* value;
    std::uint32_t size;

    event_value(const id_info& id, void* place) noexcept
        : value(id.value_type ? place : nullptr),
          size(id.value_type ? id.value_type->info.size : 0) {}
};

// Calls the hook of the id, if there is one.
inline void notify_hook(stage& world, types::hook_kind kind, const id_info& id, entity_t event,
                        entity_t entity, void* value) noexcept {
    if (id.hook_type && id.hook_type->hooks[kind].call) {
        run_hook(world, kind, id, event, entity, value);
    }
}

// Dispatches an event and keeps exceptions.
inline void notify_listeners(stage& world, entity_t event, const id_info& id, entity_t entity,
                             const event_value& value) noexcept {
    world.events.dispatch_nothrow({&world, event, id.id, entity, value.value, value.size},
                                  world.operation.failed);
}

// The event of a bit of the event mask.
entity_t event_of(storage::event_bits mask) noexcept {
    switch (mask) {
        case storage::event_add:
            return OnAdd;
        case storage::event_set:
            return OnSet;
        case storage::event_remove:
            return OnRemove;
        case storage::event_before:
            return events::before_add;
        case storage::event_after:
            return events::after_remove;
        default:
            return events::before_toggle;
    }
}

// Dispatches a transient change to the listeners that receive every step. Returns false if the
// change is not transient.
[[gnu::noinline]] bool dispatch_if_transient(stage& world, storage::event_bits mask,
                                             const id_info& id, entity_t entity,
                                             event_value value) noexcept {
    if (world.operation.net->is_reported(mask, id, entity, value.value)) {
        return false;
    }
    auto dispatch_transient = [&](entity_t event) {
        keep_error(world, [&] {
            world.events.dispatch_transient({&world, event, id.id, entity, value.value, value.size},
                                            world.operation.net->is_shared(entity, id));
        });
    };
    dispatch_transient(event_of(mask));
    if (mask == storage::event_add && is_pair(id.id)) {
        dispatch_transient(events::after_add);
    }
    if (mask == storage::event_remove && value.value) {
        dispatch_transient(UnSet);
    }
    return true;
}
inline bool is_transient(stage& world, storage::event_bits mask, const id_info& id, entity_t entity,
                         const event_value& value) noexcept {
    return world.operation.net && dispatch_if_transient(world, mask, id, entity, value);
}

// True for the pair of an enum with OnSet listeners: its constant is its value, so adding sets it.
inline bool is_set_by_adding(const id_info& id) noexcept {
    return id.event_mask & storage::event_set && traits::is_enum_pair(id);
}

// Notifies hooks, and listeners through `notify_all`, of an added id.
template <class NotifyAll>
inline void notify_added(stage& world, const id_info& id, entity_t entity, const event_value& value,
                         NotifyAll&& notify_all) noexcept {
    if (is_transient(world, storage::event_add, id, entity, value)) [[unlikely]] {
        return;
    }
    notify_hook(world, types::hook_add, id, OnAdd, entity, value.value);
    notify_all(OnAdd);
    if (is_pair(id.id)) {
        notify_all(events::after_add);
    }
    if (is_set_by_adding(id)) [[unlikely]] {
        notify_hook(world, types::hook_set, id, OnSet, entity, value.value);
        notify_all(OnSet);
    }
}

// Notifies hooks, and listeners through `notify_all`, of a set value, and marks the change for
// tracking queries.
template <class NotifyAll>
inline void send_assigned(stage& world, const id_info& id, entity_t entity,
                          const event_value& value, NotifyAll&& notify_all) noexcept {
    if (id.event_mask & storage::event_track) {
        world.data.ticks.id_changed(world.data, index_of(entity), id.id);
    }
    if (is_transient(world, storage::event_set, id, entity, value)) [[unlikely]] {
        return;
    }
    notify_hook(world, types::hook_set, id, OnSet, entity, value.value);
    notify_all(OnSet);
}

// Notifies of a removal: listeners first, then the hook.
void notify_removing(stage& world, const id_info& id, entity_t entity,
                     const event_value& value) noexcept {
    if (is_removal_notified(world, entity, id.id) ||
        is_transient(world, storage::event_remove, id, entity, value)) {
        return;
    }
    notify_listeners(world, OnRemove, id, entity, value);
    if (value.value) {
        notify_listeners(world, UnSet, id, entity, value);
    }
    notify_hook(world, types::hook_remove, id, OnRemove, entity, value.value);
}

}  // namespace

void notify(stage& world, storage::event_bits mask, const id_info& id, entity_t entity,
            void* value) noexcept {
    if (!(id.event_mask & mask)) {
        return;
    }
    const event_value event_value(id, value);
    auto notify_all = [&](entity_t event) {
        notify_listeners(world, event, id, entity, event_value);
    };
    switch (mask) {
        case storage::event_add:
            notify_added(world, id, entity, event_value, notify_all);
            break;
        case storage::event_set:
            send_assigned(world, id, entity, event_value, notify_all);
            break;
        case storage::event_remove:
            notify_removing(world, id, entity, event_value);
            break;
        default:
            // Events after a deletion are dispatched when the deletion is complete.
            if (!is_removal_notified(world, entity, id.id) &&
                !is_transient(world, mask, id, entity, event_value)) {
                notify_listeners(world, event_of(mask), id, entity, event_value);
            }
            break;
    }
}

void notify_net(stage& world, storage::event_bits mask, const id_info& id, entity_t entity,
                void* value, bool shared) noexcept {
    if (!(id.event_mask & mask)) {
        return;
    }
    const event_value event_value(id, value);
    // Listeners that received the single steps are left out.
    auto notify_others = [&](entity_t event) {
        keep_error(world, [&] {
            world.events.dispatch_net(
                {&world, event, id.id, entity, event_value.value, event_value.size}, shared);
        });
    };
    if (mask == storage::event_remove) {
        notify_others(OnRemove);
        if (event_value.value) {
            notify_others(UnSet);
        }
        notify_hook(world, types::hook_remove, id, OnRemove, entity, event_value.value);
        return;
    }
    const bool added = mask == storage::event_add;
    notify_hook(world, added ? types::hook_add : types::hook_set, id, event_of(mask), entity,
                event_value.value);
    notify_others(event_of(mask));
    if (added && is_pair(id.id)) {
        notify_others(events::after_add);
    }
    if (added && is_set_by_adding(id)) {
        notify_hook(world, types::hook_set, id, OnSet, entity, event_value.value);
        notify_others(OnSet);
    }
}

namespace {

// The flags of a row for listeners that are called inline; see events::row_call.
inline std::uint32_t row_bits(const storage::store& data, const entity_record& record,
                              std::uint32_t flags, const event_value& value) noexcept {
    const bool has_references =
        record.state & storage::record_referenced || !data.toggled_ids.empty();
    return flags | (has_references ? std::uint32_t{events::row_referenced} : 0) |
           (value.value ? 0 : std::uint32_t{events::row_without_value});
}

// Dispatches an event with the flags of the row, so that simple listeners are called directly.
inline void notify_row(stage& world, entity_t event, const id_info& id, entity_t entity,
                       const event_value& value, std::uint32_t row) noexcept {
    events::event_data data{&world, event, id.id, entity, value.value, value.size};
    data.row = row;
    world.events.dispatch_inline(data, world.operation.failed);
}

}  // namespace

void notify_assigned(stage& world, entity_t entity, const entity_record& record, const table& owner,
                     const id_info& id, void* value) {
    KITH_ASSERT(owner.number == record.table, "the value lies in the table of the entity");
    if (id.event_mask & storage::event_set) {
        begin_notify(world);
        const event_value event_value(id, value);
        send_assigned(world, id, entity, event_value, [&](entity_t event) {
            notify_row(world, event, id, entity, event_value,
                       row_bits(world.data, record, owner.flags, event_value));
        });
        end_notify(world);
    }
}

bool add_and_notify(stage& world, entity_t entity, entity_record& record,
                    const storage::edge& edge) {
    storage::store& data = world.data;
    const id_t id = edge.id;
    const std::uint16_t column = edge.column;
    const table& from = data.tables.at(record.table);
    data.mem.ensure_reserve();
    const table* to = fast::follow(data, entity, record, from, edge);
    if (!to) {
        return false;
    }
    begin_notify(world);
    world.operation.begin_step();
    void* value = nullptr;
    if (column != storage::no_column) {
        value = storage::value_in(data.tables.rows(to->number), to->columns[column], record.row);
        std::memset(value, 0, to->columns[column].size);
    }
    const std::int32_t position = id < low_id_limit
                                      ? detail::find_low(*to, static_cast<std::uint32_t>(id))
                                      : storage::find_id(*to, id);
    const id_info& added = *to->records[position];
    if (added.event_mask & storage::event_add) {
        const change_view_scope before(world, {entity, &from});
        const event_value event_value(added, value);
        notify_added(world, added, entity, event_value, [&](entity_t event) {
            const std::uint32_t flags = from.flags | to->flags;
            notify_row(world, event, added, entity, event_value,
                       row_bits(data, record, flags, event_value));
        });
    }
    end_notify(world);
    return true;
}

bool assign_and_notify(stage& world, entity_t entity, const entity_record& record, id_t id,
                       const void* bytes) {
    const own_column own = find_own_column(world.data, record, id);
    if (!own.id || own.id->event_mask & storage::event_validate) {
        return false;
    }
    note_value_written(world.data, record, id);
    copy_bytes(own.value, static_cast<const std::byte*>(bytes), own.id->value_type->info.size);
    notify_assigned(world, entity, record, own.owner, *own.id, own.value);
    return true;
}

void notify_renaming(stage& world, entity_t entity) {
    notify(world, storage::event_before, traits::describe_id(world.data, detail::name_pair), entity,
           nullptr);
}

void notify_created(stage& world, entity_t entity) {
    if (world.mode & detail::mode_entity_events) {
        callback_scope code(world);
        keep_error(world, [&] {
            world.events.dispatch({&world, events::created, entity, entity, nullptr});
        });
        code.finish();
    }
}

}  // namespace kith::mutate
