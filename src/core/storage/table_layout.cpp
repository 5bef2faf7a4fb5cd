// The layout of tables (table_layout.hpp).
#include "storage/table_layout.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace kith::storage {

namespace {

// The map of tables without hashed ids: each search ends at its first entry.
const std::uint8_t empty_map[2] = {};

// The array at an address inside of the block; moves the address behind it.
template <class T>
T* take(std::byte*& address, std::size_t count) noexcept {
    T* result = reinterpret_cast<T*>(address);
    address += count * sizeof(T);
    return result;
}

// Positions of ids below low_id_limit, which are found by array access.
void fill_low(table& owner) noexcept {
    auto* low = const_cast<std::uint8_t*>(owner.low());
    std::memset(low, 0, owner.low_count);
    for (std::uint32_t i = 0; i < owner.id_count && owner.ids[i] < low_id_limit; ++i) {
        low[owner.ids[i]] = static_cast<std::uint8_t>(i + 1);
    }
}

template <class Position>
void put_key(Position* map, std::uint32_t mask, id_t key, std::uint32_t position) noexcept {
    std::uint32_t index = detail::shape_hash(key);
    while (map[index & mask] != 0) {
        ++index;
    }
    map[index & mask] = static_cast<Position>(position + 1);
}

// Fills the hash of positions. The keys (R,*) are inserted first, so that the first entry of R in
// the probe sequence of (R,*) is R's first pair.
template <class Position>
void fill_map(const table& owner, Position* map) noexcept {
    for (std::uint32_t i = 0; i < owner.id_count; ++i) {
        id_t id = owner.ids[i];
        if (is_pair(id) && !(id & Override) &&
            (i == 0 || !is_pair(owner.ids[i - 1]) ||
             pair_first(owner.ids[i - 1]) != pair_first(id))) {
            put_key(map, owner.map_mask, make_pair(pair_first(id), Wildcard), i);
        }
    }
    for (std::uint32_t i = 0; i < owner.id_count; ++i) {
        if (owner.ids[i] >= low_id_limit) {
            put_key(map, owner.map_mask, owner.ids[i], i);
        }
    }
}

// Fills the lists of pairs by target, from the last id on, so that lists are sorted by position.
void fill_targets(const table& owner, std::uint16_t* lists) noexcept {
    const std::uint32_t list_count = owner.target_lists();
    std::uint16_t* next = lists + list_count;
    std::memset(lists, 0, (list_count + owner.id_count) * sizeof(std::uint16_t));
    for (std::uint32_t i = owner.id_count; i-- > 0;) {
        if (is_pair(owner.ids[i])) {
            std::uint16_t& first =
                lists[detail::shape_hash(pair_second(owner.ids[i])) & (list_count - 1)];
            next[i] = first;
            first = static_cast<std::uint16_t>(i + 1);
        }
    }
}

// Sorts the columns and gives them offsets. The array of entity ids is placed in front of the first
// column that needs no stronger alignment, so that each array is aligned without padding.
void fill_columns(table& owner, std::uint16_t* order, detail::column* columns,
                  detail::column* slots) noexcept {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < owner.id_count; ++i) {
        slots[i] = {0, 0};
        if (owner.records[i]->value_type) {
            order[count++] = static_cast<std::uint16_t>(i);
        }
    }
    std::sort(order, order + count, [&](std::uint16_t a, std::uint16_t b) {
        return comes_before(*owner.records[a], *owner.records[b]);
    });
    std::uint32_t offset = 0;
    bool entities_placed = false;
    auto place_entities = [&] {
        owner.entities_offset = offset;
        offset += static_cast<std::uint32_t>(sizeof(entity_t));
        entities_placed = true;
    };
    for (std::uint32_t i = 0; i < count; ++i) {
        const type_info& info = owner.records[order[i]]->value_type->info;
        if (!entities_placed && info.alignment <= alignof(entity_t)) {
            place_entities();
        }
        columns[i] = {offset, info.size};
        slots[order[i]] = columns[i];
        offset += info.size;
    }
    if (!entities_placed) {
        place_entities();
    }
    owner.row_bytes = offset;
}

// Flags of a table whose values can be moved or destroyed as bytes.
std::uint32_t lifecycle_flags(const table& owner) noexcept {
    std::uint32_t flags = detail::shape_trivial_move | detail::shape_trivial_destroy;
    for (std::uint32_t i = 0; i < owner.column_count; ++i) {
        const type_info& info = owner.column_type(i);
        if (!info.trivial_move) {
            flags &= ~std::uint32_t{detail::shape_trivial_move};
        }
        if (!info.trivial_destroy) {
            flags &= ~std::uint32_t{detail::shape_trivial_destroy};
        }
    }
    return flags;
}

}  // namespace

table_plan plan_table(const id_t* ids, std::uint32_t count, id_record* const* records) noexcept {
    table_plan plan{};
    std::uint32_t keys = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        plan.column_count += records[i]->value_type != nullptr;
        if (ids[i] < low_id_limit) {
            plan.low_count = static_cast<std::uint32_t>(ids[i]) + 1;
        } else {
            keys += is_pair(ids[i]) ? 2 : 1;
        }
    }
    plan.wide = count > 254;  // entries of the map are positions plus one
    // At most half of the map is used, so that probe sequences are short and end.
    while (plan.map_size < keys * 2) {
        plan.map_size = plan.map_size == 0 ? 4 : plan.map_size * 2;
    }
    std::size_t low = (std::size_t{plan.low_count} + 7) / 8 * 8;
    plan.bytes = detail::table_shape::low_offset + low +
                 count * (sizeof(id_t) + sizeof(detail::column) + sizeof(id_record*)) +
                 plan.column_count * sizeof(detail::column) + count * sizeof(std::uint32_t) +
                 plan.column_count * sizeof(std::uint16_t) + plan.map_size * (plan.wide ? 2u : 1u);
    if (const std::uint32_t lists = table::target_list_count(count)) {
        plan.bytes += (lists + count) * sizeof(std::uint16_t);
    }
    return plan;
}

table& build_table(void* block, const table_plan& plan, const id_t* ids, std::uint32_t count,
                   id_record* const* records) noexcept {
    table& owner = *::new (block) table{};
    owner.low_count = static_cast<std::uint16_t>(plan.low_count);
    owner.id_count = static_cast<std::uint16_t>(count);
    owner.column_count = static_cast<std::uint16_t>(plan.column_count);
    owner.bytes = static_cast<std::uint32_t>(plan.bytes);

    // Each part is aligned: the sizes of the parts before it are multiples of its alignment.
    std::byte* next = static_cast<std::byte*>(block) + detail::table_shape::low_offset;
    next += (std::size_t{plan.low_count} + 7) / 8 * 8;
    id_t* own_ids = take<id_t>(next, count);
    auto* slots = take<detail::column>(next, count);
    owner.records = take<id_record*>(next, count);
    auto* columns = take<detail::column>(next, plan.column_count);
    owner.entry_positions = take<std::uint32_t>(next, count);
    auto* order = take<std::uint16_t>(next, plan.column_count);
    const std::uint32_t lists = table::target_list_count(count);
    auto* by_target = take<std::uint16_t>(next, lists != 0 ? lists + count : 0);
    if (count != 0) {
        std::memcpy(own_ids, ids, count * sizeof(id_t));
        std::memcpy(owner.records, records, count * sizeof(id_record*));
    }
    owner.ids = own_ids;
    owner.slots = slots;
    owner.columns = columns;
    owner.column_ids = order;

    fill_low(owner);
    fill_columns(owner, order, columns, slots);
    if (lists != 0) {
        owner.by_target = by_target;
        fill_targets(owner, by_target);
    }
    owner.map = empty_map;
    if (plan.wide) {
        owner.flags |= detail::shape_wide;
    }
    if (plan.map_size != 0) {
        owner.map = reinterpret_cast<const std::uint8_t*>(next);
        owner.map_mask = static_cast<std::uint16_t>(plan.map_size - 1);
        std::memset(next, 0, plan.map_size * (plan.wide ? 2u : 1u));
        if (plan.wide) {
            fill_map(owner, reinterpret_cast<std::uint16_t*>(next));
        } else {
            fill_map(owner, reinterpret_cast<std::uint8_t*>(next));
        }
        next += plan.map_size * (plan.wide ? 2u : 1u);
    }
    KITH_ASSERT(next == static_cast<std::byte*>(block) + plan.bytes,
                "a table fills its memory exactly");
    for (std::uint32_t i = 0; i < count; ++i) {
        owner.flags |= ids[i] == Prefab ? detail::shape_has_prefab : 0u;
        owner.flags |= ids[i] == Kith ? detail::shape_builtin : 0u;
        owner.flags |= ids[i] == Disabled ? detail::shape_has_disabled : 0u;
        if (ids[i] & Override) {
            owner.flags |= detail::shape_has_marks;
        } else if (is_pair(ids[i])) {
            owner.flags |= pair_first(ids[i]) == ChildOf ? detail::shape_has_parent : 0u;
            owner.flags |= pair_first(ids[i]) == IsA ? detail::shape_has_base : 0u;
        }
    }
    refresh_flags(owner);
    return owner;
}

void refresh_flags(table& owner, std::uint32_t dropped) noexcept {
    constexpr std::uint32_t refreshed =
        detail::shape_notify_set | detail::shape_on_add | detail::shape_on_remove |
        detail::shape_checked | detail::shape_symmetric | detail::shape_validated |
        detail::shape_trivial_move | detail::shape_trivial_destroy | detail::shape_indexed;
    std::uint32_t flags = owner.flags & ~(refreshed | dropped);
    flags |= lifecycle_flags(owner);
    if (flags & detail::shape_unwritten) {
        flags |= detail::shape_notify_set;
    }
    for (std::uint32_t i = 0; i < owner.id_count; ++i) {
        flags |= owner.records[i]->shape_flags;
        const std::uint32_t event_mask = owner.records[i]->event_mask;
        flags |= event_mask & (event_set | event_validate) ? detail::shape_notify_set : 0u;
        flags |= event_mask & event_track ? detail::shape_tracked : 0u;
        flags |= event_mask & event_validate ? detail::shape_validated : 0u;
        flags |= event_mask & (event_add | event_before) ? detail::shape_on_add : 0u;
        flags |= event_mask & (event_remove | event_after) ? detail::shape_on_remove : 0u;
    }
    store_flags(owner, flags);
}

}  // namespace kith::storage
