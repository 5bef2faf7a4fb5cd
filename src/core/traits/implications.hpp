// Implications: the further changes that follow from adding or removing one id, by the properties
// of its relationship.
//
//   With        an id implies others: who gains the id gains them
//   Exclusive   a pair replaces the pairs with other targets
//   Symmetric   a pair has an inverse: its target gains and loses it together with the source
//
// The functions name one consequence each and change nothing; mutate/rules/change_set.hpp closes a
// change under all of them.
//
// Covered by tests/unit/traits/implications_test.cpp.
#pragma once

#include "containers/small_vec.hpp"
#include "traits/traits.hpp"

namespace kith::traits {

// A list of ids that needs memory only if it is long.
using id_buffer = containers::small_vec<id_t, 64>;

// -- With

// The traits of ids that take part in With: adding or removing such an id may change or require
// further ids.
inline constexpr std::uint32_t trait_joined = trait_with | trait_required;

// The traits of pairs whose changes depend on other entities, or change these.
inline constexpr std::uint32_t trait_reaching = trait_symmetric | trait_one_of;

constexpr bool implies_others(std::uint32_t traits) noexcept {
    return (traits & trait_with) != 0;
}
// True if another id may imply the id, so that it cannot be removed alone.
constexpr bool may_be_required(std::uint32_t traits) noexcept {
    return (traits & trait_required) != 0;
}
// Calls visit(id) for the ids that `id` implies directly. A pair (R, T) implies (W, T) for (With,
// W).
template <class Visit>
void each_implied(const storage::store& data, const storage::id_info& id, Visit&& visit) {
    if (!implies_others(id.traits)) {
        return;
    }
    const bool pair = is_pair(id.id);
    const detail::table_shape& type =
        data.tables.at(data.entities.at(pair ? pair_first(id.id) : index_of(id.id)).table);
    constexpr id_t any = make_pair(With, Wildcard);
    for (std::int32_t position = storage::find_match(type, any, 0); position >= 0;
         position = storage::next_match(type, any, position)) {
        const std::uint32_t other = pair_second(type.ids[position]);
        visit(pair ? make_pair(other, pair_second(id.id)) : data.entities.alive_at(other));
    }
}
// Appends the ids that `id` implies, directly or indirectly, unless the list contains them.
void collect_implied(const storage::store& data, const storage::id_info& id, id_buffer& ids);

// -- Exclusive

constexpr bool is_exclusive(std::uint32_t traits) noexcept {
    return (traits & trait_exclusive) != 0;
}
// True for a pair of which an entity has at most one target. Marks of overrides are no pairs.
inline bool has_one_target(const storage::id_info& id) noexcept {
    return is_exclusive(id.traits) && is_pair(id.id) && !(id.id & Override);
}
// True if an entity has at most one target of the relationship.
inline bool has_one_target(const storage::store& data, std::uint32_t relation) noexcept {
    return is_exclusive(describe_id(data, make_pair(relation, Wildcard)).traits);
}
// The pattern of the pairs that adding the id replaces, itself included; 0 if it replaces none.
inline id_t replaced_pattern(const storage::id_info& id) noexcept {
    return has_one_target(id) ? make_pair(pair_first(id.id), Wildcard) : 0;
}
// The pair of a table's type that adding the id replaces, 0 if there is none.
id_t find_replaced(const detail::table_shape& type, const storage::id_info& id) noexcept;

// -- Symmetric

constexpr bool is_symmetric(std::uint32_t traits) noexcept {
    return (traits & trait_symmetric) != 0;
}
// True for a pair that has an inverse.
inline bool has_inverse(const storage::id_info& id) noexcept {
    return is_symmetric(id.traits) && is_pair(id.id) && !(id.id & Override);
}
// The entity that has the inverse of the pair, which is its target; 0 for ids without an inverse.
inline entity_t inverse_holder(const storage::store& data, const storage::id_info& id) noexcept {
    return has_inverse(id) ? data.entities.alive_at(pair_second(id.id)) : 0;
}
// The inverse of a pair that `source` has.
inline id_t inverse_of(entity_t source, id_t pair) noexcept {
    return make_pair(pair_first(pair), source);
}

}  // namespace kith::traits
