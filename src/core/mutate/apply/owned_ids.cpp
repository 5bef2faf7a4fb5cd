// Implements owned_ids.hpp.
#include "mutate/apply/owned_ids.hpp"

#include "mutate/context/stage.hpp"
#include "traits/inherit.hpp"

namespace kith::mutate {

using storage::entity_record;
using storage::id_info;
using storage::id_record;
using storage::link_store;

bool has_id(const stage& world, const entity_record& record, entity_t entity, id_t id) {
    const storage::store& data = world.data;
    if (storage::owns_id(data, record, entity, id)) {
        return true;
    }
    return traits::find_base(data, record, entity, id) != 0;
}

void drop_parent(stage& world, entity_t entity, const entity_record& record) noexcept {
    storage::link_store* parents = world.data.parents_store;
    std::uint32_t index = index_of(entity);
    if (record.state & storage::record_has_parent && parents && parents->has_any(index)) {
        parents->remove(index, parents->find(index)->target);
    }
}

void discard_sparse(stage& world, entity_t entity, const entity_record& record) noexcept {
    storage::store& data = world.data;
    std::uint32_t index = index_of(entity);
    if (!(record.state & storage::record_any_sparse)) {
        return;
    }
    // Each removal promotes another target to the first place, until none is left.
    for (const id_record* relation : data.link_ids) {
        while (relation->links != data.parents_store && relation->links->has_any(index)) {
            relation->links->remove(index, relation->links->find(index)->target);
        }
    }
    for (const id_record* sparse : data.sparse_ids) {
        sparse->sparse->remove(index);
    }
}

bool has_sparse(const storage::store& data, entity_t entity, const id_info& id) noexcept {
    if (is_pair(id.id)) {
        const link_store* links = storage::find_links(data, pair_first(id.id));
        return links && links->has(index_of(entity), pair_second(id.id));
    }
    const id_record* record = data.ids.find(id.id);
    return record && record->sparse && record->sparse->has(index_of(entity));
}

void* value_sparse(const storage::store& data, entity_t entity, const id_info& id) noexcept {
    if (!id.value_type) {
        return nullptr;
    }
    if (is_pair(id.id)) {
        return storage::find_links(data, pair_first(id.id))
            ->value(index_of(entity), pair_second(id.id));
    }
    return data.ids.find(id.id)->sparse->find(index_of(entity));
}

void clear_toggle(stage& world, entity_t entity, id_t id) noexcept {
    if (world.data.toggled_ids.empty()) {
        return;
    }
    const id_record* record = world.data.ids.find(id);
    if (record && record->disabled) {
        record->disabled->remove(index_of(entity));
    }
}

void clear_toggles(stage& world, entity_t entity) noexcept {
    for (storage::id_record* record : world.data.toggled_ids) {
        if (record) {
            record->disabled->remove(index_of(entity));
        }
    }
}

}  // namespace kith::mutate
