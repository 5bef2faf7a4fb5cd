#include "traits/traits.hpp"

namespace kith::traits {

using storage::id_record;

std::uint32_t trait_of(id_t id) noexcept {
    switch (id) {
        case Exclusive:
            return trait_exclusive;
        case Tag:
            return trait_tag;
        case Sparse:
            return trait_sparse;
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
            return 0;
    }
}

std::uint32_t traits_replaced_by(id_t id) noexcept {
    if (is_pair(id) && pair_first(id) == OnDelete) {
        return trait_delete_holders | trait_panic_holders | trait_remove_holders;
    }
    if (is_pair(id) && pair_first(id) == OnDeleteTarget) {
        return trait_delete_sources | trait_panic_sources;
    }
    return 0;
}

void describe(const storage::store& data, id_record& record) noexcept {
    if (!is_pair(record.id) || is_wildcard(record.id)) {
        return;
    }
    // Plain ids have the generation that pairs lack.
    auto find_element = [&](std::uint32_t index) -> const id_record* {
        entity_t element = data.entities.alive_at(index);
        return element ? data.ids.find(element) : nullptr;
    };
    const id_record* relation = find_element(pair_first(record.id));
    const id_record* target = find_element(pair_second(record.id));
    record.traits = relation ? relation->traits : 0;
    record.value_type = nullptr;
    if (!(record.traits & trait_tag)) {
        if (relation && relation->value_type) {
            record.value_type = relation->value_type;
        } else if (target) {
            record.value_type = target->value_type;
        }
    }
    record.hook_type = record.value_type ? record.value_type
                       : relation        ? relation->hook_type
                                         : nullptr;
}

namespace {

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

}  // namespace

bool is_in_use(const storage::store& data, std::uint32_t element) {
    const id_record* plain = data.ids.find(data.entities.alive_at(element));
    if (plain && has_rows(data, *plain)) {
        return true;
    }
    if (const id_record* relation = data.ids.find(make_pair(element, Wildcard))) {
        for (const id_record* pair : relation->pairs) {
            if (has_rows(data, *pair)) {
                return true;
            }
        }
    }
    for (const id_record* pair = data.ids.first_with_target(element); pair;
         pair = data.ids.next_with_target(*pair)) {
        if (has_rows(data, *pair)) {
            return true;
        }
    }
    return false;
}

id_t replaced_by(const detail::table_shape& type, id_t id, std::uint32_t traits) noexcept {
    if (!(traits & trait_exclusive) || !is_pair(id)) {
        return 0;
    }
    std::int32_t position = storage::find_id(type, make_pair(pair_first(id), Wildcard));
    return position >= 0 && type.ids[position] != id ? type.ids[position] : 0;
}

}  // namespace kith::traits
