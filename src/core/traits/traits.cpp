// The meaning of ids (traits.hpp): from properties to trait bits, from the elements of a pair to
// its value type and hooks, and the ids that a change implies or replaces.
#include "traits/traits.hpp"

#include "base/assert.hpp"
#include "storage/value_index.hpp"

#include <algorithm>

namespace kith::traits {

using storage::id_info;
using storage::id_record;

std::uint32_t trait_of(id_t id) noexcept {
    switch (id) {
        case Exclusive:
            return trait_exclusive;
        case Tag:
            return trait_tag;
        case Sparse:
            return trait_sparse;
        case Union:  // is no trait of its own
            return trait_exclusive | trait_sparse;
        case Final:
            return trait_final;
        case DontInherit:
            return trait_dont_inherit;
        case Transitive:
            return trait_transitive;
        case Reflexive:
            return trait_reflexive;
        case Acyclic:
            return trait_acyclic;
        case Traversable:
            return trait_traversable;
        case Symmetric:
            return trait_symmetric;
        case OneOf:
            return trait_one_of;
        case Transient:
            return trait_transient;
        case Relationship:
            return trait_relationship;
        case make_pair(OnDelete, Delete):
            return trait_delete_holders;
        case make_pair(OnDelete, Remove):
            return trait_remove_holders;
        case make_pair(OnDelete, Panic):
            return trait_panic_holders;
        case make_pair(OnDeleteTarget, Delete):
            return trait_delete_sources;
        case make_pair(OnDeleteTarget, Panic):
            return trait_panic_sources;
        default:
            break;
    }
    if (is_pair(id) && !(id & Override)) {
        return pair_first(id) == With ? trait_with : pair_first(id) == OneOf ? trait_one_of : 0u;
    }
    return 0;
}

std::uint32_t traits_of(const id_t* ids, std::uint32_t count) noexcept {
    std::uint32_t traits = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        traits |= trait_of(ids[i]);
    }
    return traits;
}

bool differ_in_properties(const detail::table_shape& shape,
                          const detail::table_shape& right) noexcept {
    // The position of the first property from `position` on.
    auto skip = [](const detail::table_shape& type, std::uint32_t position) {
        while (position < type.id_count && !is_property(type.ids[position])) {
            ++position;
        }
        return position;
    };
    std::uint32_t i = skip(shape, 0);
    std::uint32_t j = skip(right, 0);
    while (i < shape.id_count && j < right.id_count && shape.ids[i] == right.ids[j]) {
        i = skip(shape, i + 1);
        j = skip(right, j + 1);
    }
    return i < shape.id_count || j < right.id_count;
}

namespace {

// The record of an element of a pair as a plain id, null if it has no record. Pairs contain indices
// without generations, so the generation is looked up.
const id_record* find_element(const storage::store& data, std::uint32_t index) noexcept {
    entity_t element = data.entities.alive_at(index);
    return element ? data.ids.find(element) : nullptr;
}

// Traits come from the relation. The value type is that of the relation, else that of the target;
// a relation with the property Tag has no values. Hooks run for the value type, or for the empty
// type that is the relation.
void describe_pair(const storage::store& data, id_info& pair) noexcept {
    const id_record* relation = find_element(data, pair_first(pair.id));
    pair.traits = relation ? relation->traits : 0;
    pair.value_type = nullptr;
    bool has_values = !(pair.traits & trait_tag);
    if (has_values && relation && relation->value_type) {
        pair.value_type = relation->value_type;
    } else if (has_values && !is_wildcard(pair.id)) {
        const id_record* target = find_element(data, pair_second(pair.id));
        pair.value_type = target ? target->value_type : nullptr;
    }
    pair.hook_type = pair.value_type ? pair.value_type : relation ? relation->hook_type : nullptr;
}

// The bits of storage::event_bits for the hooks that a type has.
std::uint32_t hook_event_mask(const types::component_type* type) noexcept {
    auto bit = [&](types::hook_kind kind, std::uint32_t event_mask) {
        return type && type->hooks[kind].call ? event_mask : 0u;
    };
    return bit(types::hook_add, storage::event_add) | bit(types::hook_set, storage::event_set) |
           bit(types::hook_remove, storage::event_remove) |
           bit(types::hook_validate, storage::event_validate);
}

}  // namespace

void describe_event_mask(const storage::store& data, storage::id_info& id) noexcept {
    id.event_mask = hook_event_mask(id.hook_type) | data.subscription_counts.event_mask(id.id);
    // Adding a pair (E, constant) sets the value of the enum E: listeners of OnSet are notified by
    // it.
    if (is_enum_pair(id) && id.event_mask & storage::event_set) {
        id.event_mask |= storage::event_add;
    }
}

const std::byte* find_constant_value(const storage::store& data, id_t id) noexcept {
    const id_record* type = is_pair(id) ? find_element(data, pair_first(id)) : nullptr;
    const entity_t constant = data.entities.alive_at(pair_second(id));
    if (!type || !type->value_type || !type->value_type->info.is_enum || constant == 0) {
        return nullptr;
    }
    const storage::entity_record& record = *data.entities.find(constant);
    const storage::table& holder = data.tables.at(record.table);
    const std::int32_t position = storage::find_id(holder, type->id);
    if (position >= 0) {
        return detail::value_at(data, record, holder.slots[position]);
    }
    // The property Sparse of an enum concerns both its pairs and its component.
    return type->sparse ? static_cast<const std::byte*>(type->sparse->find(index_of(constant)))
                        : nullptr;
}

void describe(const storage::store& data, id_record& record) noexcept {
    // A mark (Override) has neither values nor traits, whatever the marked id has.
    if (record.id & Override) {
        describe_event_mask(data, record);
        return;
    }
    bool pair = is_pair(record.id);
    if (pair && !is_wildcard_element(pair_first(record.id))) {
        describe_pair(data, record);
    }
    describe_event_mask(data, record);
    std::uint32_t traits = record.traits;
    record.shape_flags =
        (pair && traits & trait_checked ? detail::shape_checked : 0u) |
        (pair && traits & trait_symmetric ? detail::shape_symmetric : 0u) |
        (is_property(record.id) ? detail::shape_has_properties : 0u) |
        (data.indexes && data.indexes->covers(record.id) ? storage::indexed_shape_flags : 0u);
    // An id has effects beyond its row if it is a property, is implied or implies others, has an
    // inverse pair, restricts its targets, or makes its target a base.
    constexpr std::uint32_t is_referenced = trait_symmetric | trait_one_of;
    bool all = is_property(record.id) || traits & (trait_with | trait_required) ||
               (pair && (traits & is_referenced || pair_first(record.id) == IsA));
    record.effects = all                                ? storage::edge_effects::all
                     : pair && traits & trait_no_cycles ? storage::edge_effects::place
                                                        : storage::edge_effects::none;
}

id_info describe_link(const storage::store& data, const id_record& relation,
                      std::uint32_t target) noexcept {
    KITH_ASSERT(is_pair(relation.id) && pair_second(relation.id) == Wildcard,
                "the record of links is (R,*)");
    id_info pair{make_pair(pair_first(relation.id), target), relation.value_type,
                 relation.hook_type, relation.traits, relation.event_mask};
    if (!pair.value_type && !(pair.traits & trait_tag)) {
        const id_record* typed = find_element(data, target);
        if (typed && typed->value_type) {
            pair.value_type = pair.hook_type = typed->value_type;
            pair.event_mask |= hook_event_mask(pair.hook_type);
        }
    }
    return pair;
}

id_info describe_id(const storage::store& data, id_t id) noexcept {
    if (const id_record* record = data.ids.find(id)) {
        return *record;
    }
    id_info described;
    described.id = id;
    if (is_pair(id) && !(id & Override)) {
        describe_pair(data, described);
        describe_event_mask(data, described);
    }
    return described;
}

namespace {

// True if the id has holders, in tables or in a sparse store. Tables without rows do not count.
bool has_rows(const storage::store& data, const id_record& record) {
    if (record.sparse && record.sparse->count() != 0) {
        return true;
    }
    for (const storage::table_entry& entry : record.tables) {
        if (data.tables.rows(entry.table).count != 0) {
            return true;
        }
    }
    return false;
}

// True if some entity has the id, or the mark that instances get a copy of it.
bool has_holders(const storage::store& data, const id_record& record) {
    if (has_rows(data, record)) {
        return true;
    }
    const id_record* mark = data.ids.find(Override | record.id);
    return mark && has_rows(data, *mark);
}

}  // namespace

bool is_in_use(const storage::store& data, std::uint32_t element) {
    const id_record* plain = data.ids.find(data.entities.alive_at(element));
    if (plain && has_holders(data, *plain)) {
        return true;
    }
    if (const id_record* relation = data.ids.find(make_pair(element, Wildcard))) {
        if (relation->links && relation->links->pair_count() != 0) {
            return true;
        }
        for (const id_record* pair : relation->pairs) {
            if (has_holders(data, *pair)) {
                return true;
            }
        }
    }
    for (const id_record* pair = data.ids.first_with_target(element); pair;
         pair = data.ids.next_with_target(*pair)) {
        if (has_holders(data, *pair)) {
            return true;
        }
    }
    for (const id_record* relation : data.link_ids) {
        if (relation->links->is_target(element)) {
            return true;
        }
    }
    return false;
}

entity_t scope_of_targets(const storage::store& data, std::uint32_t relation) noexcept {
    const detail::table_shape& type = data.tables.at(data.entities.at(relation).table);
    std::int32_t position = storage::find_id(type, make_pair(OneOf, Wildcard));
    if (position >= 0) {
        return data.entities.alive_at(pair_second(type.ids[position]));
    }
    return storage::find_id(type, OneOf) >= 0 ? data.entities.alive_at(relation) : 0;
}

}  // namespace kith::traits
