// Implements toggle.hpp.
#include "mutate/ops/toggle.hpp"

#include "mutate/apply/owned_ids.hpp"
#include "mutate/notify/notify.hpp"
#include "mutate/rules/destination.hpp"
#include "storage/find.hpp"

namespace kith::mutate {

void enable_id(stage& world, entity_t entity, id_t id, bool enabled) {
    storage::entity_record& record = get_record(world, entity);
    if (is_wildcard(id) || !storage::owns_id(world.data, record, entity, id)) {
        raise_entity_id(world, errc::missing_component, entity, id,
                        "is not there, so it cannot be enabled or disabled");
    }
    // Links have no record of their own; the list of disabled entities needs one.
    storage::id_record& id_record = world.data.ids.ensure(id);
    mark_elements_used(world.data, id);
    std::uint32_t index = index_of(entity);
    callback_scope code(world);
    // Listeners are notified before the change (events::before_toggle).
    notify(world, storage::event_toggle, id_record, entity, nullptr);
    if (enabled) {
        if (id_record.disabled) {
            id_record.disabled->remove(index);
        }
    } else if (!id_record.disabled || !id_record.disabled->has(index)) {
        storage::sparse_store& off = storage::ensure_toggles(world.data, id_record);
        off.prepare(index);
        off.commit(entity);
        record.state |= storage::record_has_disabled;
    }
    code.finish();
}

bool is_enabled(const stage& world, entity_t entity, id_t id) {
    const storage::entity_record& record = get_record(world, entity);
    if (!has_id(world, record, entity, id)) {
        return false;
    }
    if (!(record.state & storage::record_has_disabled)) {
        return true;
    }
    const storage::id_record* toggled = world.data.ids.find(id);
    return !toggled || !toggled->disabled || !toggled->disabled->has(index_of(entity));
}

}  // namespace kith::mutate
