// The meaning of ids. A *property* (Exclusive, Sparse, With, ...) is an id that is added to a
// component or relationship; a *trait* is the bit that its id records keep for it. This module
// derives traits, value types and hooks of ids from their elements; implications.hpp tells which
// other ids an id implies or replaces. It reads storage and writes nothing but the description of
// id records.
//
// Covered by tests/unit/traits/traits_test.cpp.
#pragma once

#include "storage/store.hpp"

namespace kith::traits {

// Bits of id_info::traits.
enum trait_bits : std::uint32_t {
    trait_exclusive = 1u << 0,
    trait_tag = 1u << 1,
    trait_sparse = 1u << 2,
    // Cleanup policies: the id itself is deleted (holders are entities that have the id), or a
    // target of the relationship is deleted (sources are entities that have the pair). Without a
    // bit the id or pair is removed, except that deleting a component with values panics.
    trait_delete_holders = 1u << 3,
    trait_delete_sources = 1u << 4,
    trait_panic_holders = 1u << 5,
    trait_panic_sources = 1u << 6,
    // (OnDelete, Remove) was added explicitly: deleting a component with values removes them.
    trait_remove_holders = 1u << 7,
    trait_final = 1u << 8,
    trait_dont_inherit = 1u << 9,
    trait_transitive = 1u << 10,
    trait_reflexive = 1u << 11,
    trait_acyclic = 1u << 12,
    trait_traversable = 1u << 13,
    trait_symmetric = 1u << 14,
    trait_with = 1u << 15,
    trait_one_of = 1u << 16,
    trait_transient = 1u << 17,
    // The id is the target of some (With, id). This is no property of its own, and is never
    // cleared.
    trait_required = 1u << 18,
    trait_relationship = 1u << 19,
};
// The traits that make an entity a relationship.
inline constexpr std::uint32_t trait_relates = trait_relationship | trait_exclusive |
                                               trait_symmetric | trait_one_of | trait_reflexive |
                                               trait_transitive | trait_acyclic | trait_traversable;
// The traits of properties that a relationship has once, and that instances do not inherit.
inline constexpr std::uint32_t trait_single = trait_exclusive | trait_dont_inherit;
// Relationships with one of these traits may have no cycles.
inline constexpr std::uint32_t trait_no_cycles =
    trait_transitive | trait_acyclic | trait_traversable;
// Relationships with one of these traits restrict their pairs: other entities decide whether a pair
// may be added.
inline constexpr std::uint32_t trait_checked = trait_no_cycles | trait_one_of;

// The bits that a component or relationship has while it has `id`; 0 if the id sets no trait.
std::uint32_t trait_of(id_t id) noexcept;
// True for ids that are properties, with or without a trait.
inline bool is_property(id_t id) noexcept {
    std::uint32_t element = is_pair(id) ? pair_first(id) : static_cast<std::uint32_t>(id);
    return ((element >= Tag && element <= Transient) || element == OnDelete ||
            element == OnDeleteTarget || element == Relationship) &&
           !(id & Override);
}
// The bits that all properties in a list of ids set.
std::uint32_t traits_of(const id_t* ids, std::uint32_t count) noexcept;

// True if the types of two tables have different properties.
bool differ_in_properties(const detail::table_shape& shape,
                          const detail::table_shape& right) noexcept;

// Writes value type, hooks, traits, event mask, table flags and edge effects of a record, as they
// follow from the elements of its id. Traits of plain ids are not derived but set by properties.
void describe(const storage::store& data, storage::id_record& record) noexcept;
// Writes the event mask only: hooks and subscribed listeners. Requires: the hook type is set.
void describe_event_mask(const storage::store& data, storage::id_info& id) noexcept;
// The description of a link, a pair that has no record: `relation` is the record (R,*) with the
// links.
storage::id_info describe_link(const storage::store& data, const storage::id_record& relation,
                               std::uint32_t target) noexcept;
// The description of any id, whether it has a record or not.
storage::id_info describe_id(const storage::store& data, id_t id) noexcept;

// True for an entity that is declared to be a relationship, or has a property that only
// relationships have. OneOf is excluded: it is also used as a tag.
inline bool is_relationship(const storage::store& data, entity_t id) noexcept {
    const storage::id_record* record = is_wildcard(id) || id == OneOf ? nullptr : data.ids.find(id);
    return record && (record->traits & trait_relates) != 0;
}

// True for a pair (E, constant) of an enum E. The pair has no value: the constant holds the value.
inline bool is_enum_pair(const storage::id_info& id) noexcept {
    return is_pair(id.id) && !id.value_type && id.hook_type && id.hook_type->info.is_enum;
}
// The value of the constant in a pair of an enum; null if the id is no such pair.
const std::byte* find_constant_value(const storage::store& data, id_t id) noexcept;

// True if values or pairs of the id lie in a sparse store or link store instead of tables.
inline bool is_sparse(const storage::id_info& id) noexcept {
    return (id.traits & trait_sparse) != 0;
}

// True if some entity has the id, or a pair that contains it, in a table, sparse store or link
// store. Linear in the number of tables and pairs of the id.
bool is_in_use(const storage::store& data, std::uint32_t element);

// OneOf: the entity whose children are the allowed targets of the relation, 0 if every entity is
// allowed.
entity_t scope_of_targets(const storage::store& data, std::uint32_t relation) noexcept;

}  // namespace kith::traits
