// Properties of components and relationships: adding `Exclusive`, `Sparse`, `Tag` or a cleanup
// policy to an entity changes what its ids mean. What exists already must agree, or the change is
// refused.
#include "mutate/transition.hpp"
#include "traits/traits.hpp"

namespace kith::mutate {

using storage::id_record;
using storage::table;

namespace {

// A table with two pairs of the relation and a row, or null.
const table* find_two_targets(const storage::store& data, std::uint32_t relation) {
    const id_record* any = data.ids.find(make_pair(relation, Wildcard));
    for (std::uint32_t i = 0; any && i < any->pairs.size(); ++i) {
        for (const storage::table_entry& entry : any->pairs[i]->tables) {
            const table& found = data.tables.at(entry.table);
            bool second = entry.position > 0 && matches_id(any->id, found.ids[entry.position - 1]);
            if (second && data.tables.rows(found.number).count != 0) {
                return &found;
            }
        }
    }
    return nullptr;
}

bool has_pair_values(const storage::store& data, std::uint32_t relation) {
    const id_record* any = data.ids.find(make_pair(relation, Wildcard));
    for (std::uint32_t i = 0; any && i < any->pairs.size(); ++i) {
        const id_record& pair = *any->pairs[i];
        for (const storage::table_entry& entry : pair.tables) {
            if (pair.value_type && data.tables.rows(entry.table).count != 0) {
                return true;
            }
        }
    }
    return false;
}

// Deletes the tables (all empty) of ids whose storage is about to change.
void drop_empty_tables(stage& owner, id_record& record) noexcept {
    while (!record.tables.empty()) {
        owner.data.tables.remove(owner.data.tables.at(record.tables.back().table));
    }
}

}  // namespace

void check_property(stage& owner, entity_t entity, id_t id, bool added) {
    storage::store& data = owner.data;
    data.ids.ensure(entity);
    std::uint32_t element = index_of(entity);
    switch (traits::trait_of(id)) {
        case traits::trait_sparse:
            if (traits::is_in_use(data, element)) {
                raise_id(owner, errc::in_use, entity,
                         "is in use: its storage can only be chosen before");
            }
            break;
        case traits::trait_tag:
            if (added ? has_pair_values(data, element) : traits::is_in_use(data, element)) {
                raise_id(owner, errc::in_use, entity,
                         "is in use in pairs: whether they have values can only be chosen before");
            }
            break;
        case traits::trait_exclusive:
            if (const table* offender = added ? find_two_targets(data, element) : nullptr) {
                raise_entity_id(
                    owner, errc::constraint,
                    storage::entities_of(*offender, data.tables.rows(offender->number))[0], entity,
                    "the entity has two targets of it, so it cannot become exclusive");
            }
            break;
        default:
            break;
    }
}

void apply_property(stage& owner, entity_t entity, id_t id, bool added) noexcept {
    std::uint32_t bit = traits::trait_of(id);
    std::uint32_t replaced = traits::traits_replaced_by(id);
    if (bit == 0 && replaced == 0) {
        return;
    }
    id_record& own = *owner.data.ids.find(entity);
    // So that the record goes when the entity does.
    owner.data.entities.at(index_of(entity)).state |= storage::record_used_as_id;
    own.traits = (own.traits & ~replaced & ~bit) | (added ? bit : 0);
    redescribe(owner, index_of(entity));
}

void redescribe(stage& owner, std::uint32_t element) noexcept {
    storage::store& data = owner.data;
    auto describe_again = [&](id_record& record) {
        const types::component_type* before = record.value_type;
        std::uint32_t traits_before = record.traits;
        if (is_pair(record.id)) {
            traits::describe(data, record);
        }
        if (before != record.value_type || (traits_before ^ record.traits) & traits::trait_sparse) {
            drop_empty_tables(owner, record);
        }
    };
    if (id_record* any = data.ids.find(make_pair(element, Wildcard))) {
        for (id_record* pair : any->pairs) {
            describe_again(*pair);
        }
    }
    for (id_record* pair = data.ids.first_with_target(element); pair;
         pair = data.ids.next_with_target(*pair)) {
        describe_again(*pair);
    }
    if (id_record* own = data.ids.find(data.entities.alive_at(element))) {
        if (own->traits & traits::trait_sparse) {
            drop_empty_tables(owner, *own);
        } else if (own->sparse) {
            storage::release_sparse(data, *own);
        }
    }
    data.tables.drop_edges();
}

void check_removable(stage& owner, entity_t entity, id_t id) {
    if (id == detail::component_type_id) {
        raise_entity_id(owner, errc::in_use, entity, id,
                        "makes the entity a component: it cannot be removed");
    }
    if (traits::is_property(id)) {
        check_property(owner, entity, id, false);
    }
}

}  // namespace kith::mutate
