// Searches for ids and patterns in the type of a table (declared in table.hpp).
#include "storage/table.hpp"

#include "base/counters.hpp"

namespace kith::storage {

namespace {

// find_id() for tables with more ids than an 8-bit map can number.
std::int32_t find_wide(const detail::table_shape& shape, id_t id) noexcept {
    bool any_target = is_pair(id) && pair_second(id) == Wildcard;
    const auto* map = reinterpret_cast<const std::uint16_t*>(shape.map);
    for (std::uint32_t index = detail::shape_hash(id);; ++index) {
        std::uint32_t position = map[index & shape.map_mask];
        if (position == 0) {
            return -1;
        }
        id_t candidate = shape.ids[position - 1];
        if (candidate == id || (any_target && (candidate >> 32) == (id >> 32))) {
            return static_cast<std::int32_t>(position) - 1;
        }
    }
}

// find_match() for a pattern (*,T) and a table with lists of pairs by target. A search that
// continues behind a match starts at that match in its list, so visiting all matches is linear in
// the list.
std::int32_t find_by_target(const table& owner, id_t pattern, std::int32_t from) noexcept {
    const std::uint32_t target = pair_second(pattern);
    const std::uint16_t* next = owner.next_by_target();
    const bool goes_on =
        from > 0 && is_pair(owner.ids[from - 1]) && pair_second(owner.ids[from - 1]) == target;
    std::uint32_t index =
        goes_on ? next[from - 1]
                : owner.by_target[detail::shape_hash(target) & (owner.target_lists() - 1)];
    for (; index != 0; index = next[index - 1]) {
        KITH_COUNT(visits);
        const auto position = static_cast<std::int32_t>(index) - 1;
        if (position >= from && matches_id(pattern, owner.ids[position])) {
            return position;
        }
    }
    return -1;
}

}  // namespace

std::int32_t find_id(const detail::table_shape& shape, id_t id) noexcept {
    if (id < low_id_limit) {
        return detail::find_low(shape, static_cast<std::uint32_t>(id));
    }
    return shape.flags & detail::shape_wide ? find_wide(shape, id) : detail::find_hashed(shape, id);
}

std::int32_t find_match(const detail::table_shape& shape, id_t pattern,
                        std::int32_t from) noexcept {
    if (!is_wildcard(pattern)) {
        std::int32_t position = find_id(shape, pattern);
        return position >= from ? position : -1;
    }
    bool any_target = is_pair(pattern) && !is_wildcard_element(pair_first(pattern));
    if (const auto& owner = static_cast<const table&>(shape);
        owner.by_target && is_pair(pattern) && !is_wildcard_element(pair_second(pattern))) {
        return find_by_target(owner, pattern, from);
    }
    std::int32_t start = from;
    if (any_target) {
        // Pairs of one relation are neighbours.
        std::int32_t first = find_id(shape, make_pair(pair_first(pattern), Wildcard));
        if (first < 0) {
            return -1;
        }
        start = first > from ? first : from;
    }
    for (std::int32_t position = start; position < shape.id_count; ++position) {
        KITH_COUNT(visits);
        if (matches_id(pattern, shape.ids[position])) {
            return position;
        }
        if (any_target) {
            return -1;
        }
    }
    return -1;
}

}  // namespace kith::storage
