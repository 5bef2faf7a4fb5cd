// Implements set_value.hpp.
#include "mutate/ops/set_value.hpp"

#include "mutate/apply/fast_path.hpp"
#include "mutate/apply/rows.hpp"
#include "mutate/apply/value_ahead.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/commit/first_row.hpp"
#include "mutate/commit/inverses.hpp"
#include "mutate/notify/notify.hpp"
#include "mutate/notify/validate.hpp"
#include "mutate/ops/add_remove.hpp"
#include "mutate/rules/destination.hpp"

namespace kith::mutate {

using storage::entity_record;
using storage::id_info;

namespace {

// Throws for a wildcard, which stands for no single value.
void check_exact(const stage& world, id_t id) {
    if (is_wildcard(id)) {
        raise_id(world, errc::invalid_id, id, "is a wildcard: it can be asked for, not written");
    }
}

}  // namespace

// A missing id is added, which may run hooks.
void* ensure_value(stage& world, entity_t entity, id_t id, std::uint32_t type) {
    entity_record& record = get_record(world, entity);
    check_exact(world, id);
    if (void* value = find_own_value(world, entity, record, id, type)) {
        note_value_written(world.data, record, id);
        return value;
    }
    check_value_type(world, prepare_id(world, id, entity), type);
    add_id(world, entity, id, true);
    // A hook with suspended deferring may have removed the id again.
    entity_record* record_after = world.data.entities.find(entity);
    void* value = record_after ? find_own_value(world, entity, *record_after, id, type) : nullptr;
    if (!value) {
        raise_entity_id(world, errc::missing_component, entity, id, "was removed again by a hook");
    }
    return value;
}

namespace {

// Adds an id with a given value and notifies.
void add_with_value(stage& world, entity_t entity, entity_record& record, const id_info& added,
                    const detail::value_source& source) {
    check_range(world, entity, added.id);
    ensure_row(world, entity, record);
    callback_scope code(world);
    add_with_others(world, entity, added, &source);
    if (void* value = find_own_value(world, entity, record, added.id, 0)) {
        dispatch_set(world, entity, added, value);
    }
    code.finish();
}

}  // namespace

// Tries the fast paths, then assigns an existing value, then adds the id.
void set_value(stage& world, entity_t entity, id_t id, std::uint32_t type,
               const detail::value_source& source) {
    entity_record& record = get_record(world, entity);
    // For a plain component the id is the type, so only pairs can have another type.
    bool bytes = !source.make && !is_pair(id);
    if (bytes && (type == 0 || id == type) &&
        (try_assign_bytes(world, record, id, source.context) ||
         assign_and_notify(world, entity, record, id, source.context) ||
         try_set_bytes(world, entity, record, id, source.context))) {
        return;
    }
    check_exact(world, id);
    if (void* value = find_own_value(world, entity, record, id, type)) {
        note_value_written(world.data, record, id);
        id_info info = traits::describe_id(world.data, id);
        constexpr std::uint32_t observed_events = storage::event_set | storage::event_validate;
        if (bytes && !(info.event_mask & observed_events)) {
            copy_bytes(static_cast<std::byte*>(value),
                       static_cast<const std::byte*>(source.context), info.value_type->info.size);
            return;
        }
        if (info.event_mask & storage::event_set) {
            world.data.mem.ensure_reserve();
        }
        callback_scope code(world);
        values_ahead values(world.data.mem);
        const detail::value_source& valid =
            is_validated(info) ? *validate_added(world, entity, info, &source, values) : source;
        assign_value(info.value_type->info, value, valid);
        dispatch_set(world, entity, info, value);
        code.finish();
        return;
    }
    const std::uint32_t places_taken = world.data.replaced.size();
    id_info added = prepare_id(world, id, entity);
    check_value_type(world, added, type);
    if (places_taken != world.data.replaced.size()) {
        // A C++ type has taken the place of an id that the entity may have.
        set_value(world, entity, id, type, source);
        return;
    }
    add_with_value(world, entity, record, added, source);
}

void emplace_value(stage& world, entity_t entity, id_t id, std::uint32_t type,
                   const detail::value_source& source) {
    entity_record& record = get_record(world, entity);
    check_exact(world, id);
    // A C++ type may take the place of an id that the entity has.
    id_info added = prepare_id(world, id, entity);
    if (find_own_value(world, entity, record, id, type)) {
        raise_entity_id(world, errc::already_exists, entity, id, "is there already; use set");
    }
    check_value_type(world, added, type);
    add_with_value(world, entity, record, added, source);
}

// A component in the entity's table is notified of without a description of its id.
void notify_set(stage& world, entity_t entity, id_t id) {
    entity_record& record = get_record(world, entity);
    const own_column own = find_own_column(world.data, record, id);
    note_value_written(world.data, record, id);
    if (own.id && !is_validated(*own.id)) {
        notify_assigned(world, entity, record, own.owner, *own.id, own.value);
        return;
    }
    void* value = find_own_value(world, entity, record, id, 0);
    if (!value) {
        raise_entity_id(world, errc::missing_component, entity, id,
                        "is not there, so it was not modified");
    }
    callback_scope code(world);
    const id_info info = traits::describe_id(world.data, id);
    if (is_validated(info)) {
        validate(world, entity, info, value);
    }
    dispatch_set(world, entity, info, value);
    code.finish();
}

}  // namespace kith::mutate
