// Implements prefabs.hpp.
#include "mutate/rules/prefabs.hpp"

#include "mutate/context/stage.hpp"
#include "storage/graph.hpp"
#include "traits/implications.hpp"
#include "traits/inherit.hpp"

#include <algorithm>

namespace kith::mutate {

using storage::entity_record;
using storage::table;

bool is_prefab(const storage::store& data, entity_t entity) noexcept {
    const entity_record* record = data.entities.find(entity);
    return record && data.tables.at(record->table).flags & detail::shape_has_prefab;
}

namespace {

const table& type_of(const storage::store& data, entity_t entity) noexcept {
    return data.tables.at(data.entities.find(entity)->table);
}

// True if `root` is an ancestor of the entity.
bool is_below(const storage::store& data, entity_t entity, entity_t root) noexcept {
    entity_t position = storage::parent_of(data, entity);
    while (position && position != root) {
        position = storage::parent_of(data, position);
    }
    return position != 0;
}

}  // namespace

bool is_slot(const storage::store& data, entity_t entity) noexcept {
    const entity_record* record = data.entities.find(entity);
    return record && storage::owns_id(data, *record, entity, make_pair(SlotOf, Wildcard));
}

bool has_single_targets(const storage::store& data, entity_t slot) {
    return storage::each_pair(data, index_of(slot), [&](entity_t source, std::uint32_t) {
        std::uint32_t count = 0;
        storage::each_target(data, source, index_of(slot),
                             [&](std::uint32_t) { return ++count < 2; });
        return count < 2;
    });
}

bool fills_own_slot(const storage::store& data, entity_t root, entity_t holder, entity_t slot) {
    const entity_record* record = data.entities.find(slot);
    return record && storage::owns_id(data, *record, slot, make_pair(SlotOf, holder)) &&
           is_below(data, slot, root) && has_single_targets(data, slot);
}

bool fills_slot(const storage::store& data, entity_t base, entity_t slot) {
    if (!is_prefab(data, base) || !is_slot(data, slot)) {
        return false;
    }
    // Slots of the base's own bases are filled by the same parts as in the base.
    bool inherits = !storage::each_target(data, base, index_of(slot), [&](std::uint32_t filled) {
        return !is_below(data, data.entities.alive_at(filled), base);
    });
    return inherits ? has_single_targets(data, slot) : fills_own_slot(data, base, base, slot);
}

void collect_marked(const stage& world, entity_t base, id_buffer& marked) {
    const storage::store& data = world.data;
    auto collect = [&](const table& type) {
        for (std::uint32_t i = 0; i < type.id_count && type.flags & detail::shape_has_marks; ++i) {
            id_t id = type.ids[i] & ~Override;
            if (type.ids[i] & Override &&
                std::find(marked.begin(), marked.end(), id) == marked.end()) {
                marked.push(id);
            }
        }
    };
    collect(type_of(data, base));
    traits::base_walk bases(data, type_of(data, base));
    while (entity_t next = bases.next()) {
        collect(type_of(data, next));
    }
}

}  // namespace kith::mutate
