// Ids that an entity owns, declared in owned_ids.hpp.
#include "query/exec/owned_ids.hpp"

#include "traits/traits.hpp"

namespace kith::queries {

using storage::id_record;

namespace {

enum : std::uint32_t { in_table, in_sparse, in_links, at_end };

bool is_offered(visibility which, std::uint32_t traits) noexcept {
    return which == visibility::own || !(traits & traits::trait_dont_inherit);
}

bool next_in_table(const storage::store& data, const location& where, id_t pattern,
                   visibility which, owned_id_position& position, owned_id& owned) noexcept {
    const storage::table& type = *where.table;
    for (;;) {
        std::int32_t index =
            storage::find_match(type, pattern, static_cast<std::int32_t>(position.at));
        if (index < 0) {
            return false;
        }
        position.at = static_cast<std::uint32_t>(index) + 1;
        if (is_offered(which, type.records[index]->traits)) {
            const detail::column slot = type.slots[index];
            owned = {type.ids[index],
                     slot.size ? storage::value_in(data.tables.rows(type.number), slot, where.row)
                               : nullptr,
                     slot.size};
            return true;
        }
    }
}

std::uint32_t value_size(const id_record& record) noexcept {
    return record.value_type ? static_cast<std::uint32_t>(record.value_type->info.size) : 0;
}

bool take_sparse(const id_record& record, std::uint32_t index, visibility which,
                 owned_id& owned) noexcept {
    if (!record.sparse || !record.sparse->has(index) || !is_offered(which, record.traits)) {
        return false;
    }
    owned = {record.id, static_cast<std::byte*>(record.sparse->find(index)), value_size(record)};
    return true;
}

bool next_in_sparse(const storage::store& data, const location& where, id_t pattern,
                    visibility which, owned_id_position& position, owned_id& owned) noexcept {
    if (!(where.record->state & storage::record_any_sparse)) {
        return false;
    }
    std::uint32_t index = index_of(where.entity);
    if (!is_wildcard(pattern)) {
        const id_record* exact = position.at++ == 0 ? data.ids.find(pattern) : nullptr;
        return exact && take_sparse(*exact, index, which, owned);
    }
    while (position.at < data.sparse_ids.size()) {
        if (take_sparse(*data.sparse_ids[position.at++], index, which, owned)) {
            return true;
        }
    }
    return false;
}

// The links of one relationship, from position.at on.
bool next_link(const storage::store& data, const id_record& relation, const location& where,
               id_t pattern, owned_id_position& position, owned_id& owned) noexcept {
    if (!(where.record->state & storage::source_flag(relation))) {
        return false;
    }
    const storage::link_store& links = *relation.links;
    std::uint32_t index = index_of(where.entity);
    std::uint32_t target = pair_second(pattern);
    if (!is_wildcard_element(target)) {
        if (position.at++ != 0 || !links.has(index, target)) {
            return false;
        }
    } else if (position.at < links.target_count(index)) {
        target = links.target_at(index, position.at++);
    } else {
        return false;
    }
    void* value = links.has_values() ? links.value(index, target) : nullptr;
    id_t pair = make_pair(pair_first(relation.id), target);
    std::uint32_t size = 0;
    if (value) {
        const types::component_type* type =
            traits::describe_link(data, relation, target).value_type;
        size = type ? static_cast<std::uint32_t>(type->info.size) : 0;
    }
    owned = {pair, static_cast<std::byte*>(value), size};
    return true;
}

bool next_in_links(const storage::store& data, const location& where, id_t pattern,
                   visibility which, owned_id_position& position, owned_id& owned) noexcept {
    if (!(where.record->state & (storage::record_any_sparse | storage::record_has_parent))) {
        return false;
    }
    if (!is_wildcard_element(pair_first(pattern))) {
        const id_record* relation = data.ids.find(make_pair(pair_first(pattern), Wildcard));
        return relation && relation->links && is_offered(which, relation->traits) &&
               next_link(data, *relation, where, pattern, position, owned);
    }
    for (; position.link < data.link_ids.size(); ++position.link, position.at = 0) {
        const id_record& relation = *data.link_ids[position.link];
        if (is_offered(which, relation.traits) &&
            next_link(data, relation, where, pattern, position, owned)) {
            return true;
        }
    }
    return false;
}

}  // namespace

bool next_owned_id(const storage::store& data, const location& where, id_t pattern,
                   visibility which, owned_id_position& position, owned_id& owned) noexcept {
    if (position.stage == in_table) {
        if (next_in_table(data, where, pattern, which, position, owned)) {
            return true;
        }
        position = {where.record ? (is_pair(pattern) ? in_links : in_sparse) : at_end, 0, 0};
    }
    if (position.stage == in_sparse &&
        next_in_sparse(data, where, pattern, which, position, owned)) {
        return true;
    }
    if (position.stage == in_links && next_in_links(data, where, pattern, which, position, owned)) {
        return true;
    }
    position.stage = at_end;
    return false;
}

}  // namespace kith::queries
