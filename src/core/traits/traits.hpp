// What ids mean: which properties a component or relationship has, which type a pair's values have,
// and which other ids change when one is added. Pure: reads storage, changes only id records' own
// description.
//
// Covered by tests/core/traits/traits_test.cpp.
#pragma once

#include "containers/small_vec.hpp"
#include "storage/store.hpp"

namespace kith::traits {

// Bits of id_info::traits.
enum trait_bits : std::uint32_t {
    trait_exclusive = 1u << 0,
    trait_tag = 1u << 1,
    trait_sparse = 1u << 2,
    // Cleanup when the id itself, or a target of the relationship, is deleted. None set: the
    // default.
    trait_delete_holders = 1u << 3,
    trait_delete_sources = 1u << 4,
    trait_panic_holders = 1u << 5,
    trait_panic_sources = 1u << 6,
    // Said explicitly: components with values panic otherwise.
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
    // Some other id brings this one along. Not a property of its own: never cleared.
    trait_required = 1u << 18,
    trait_relationship = 1u << 19,
};
// The properties that only relationships have.
inline constexpr std::uint32_t trait_relates = trait_relationship | trait_exclusive |
                                               trait_symmetric | trait_one_of | trait_reflexive |
                                               trait_transitive | trait_acyclic | trait_traversable;
// Relationships that may have no cycles.
inline constexpr std::uint32_t trait_no_cycles =
    trait_transitive | trait_acyclic | trait_traversable;
// Relationships for which it depends on other entities whether a pair may be added.
inline constexpr std::uint32_t trait_checked = trait_no_cycles | trait_one_of;

// The bits that adding `id` to a component or relationship sets, or 0.
std::uint32_t trait_of(id_t id) noexcept;
// Ids that stand for a property at all.
inline bool is_property(id_t id) noexcept {
    std::uint32_t element = is_pair(id) ? pair_first(id) : static_cast<std::uint32_t>(id);
    return ((element >= Tag && element <= Transient) || element == OnDelete ||
            element == OnDeleteTarget || element == Relationship) &&
           !(id & Override);
}
// The bits that all properties in a list of ids set.
std::uint32_t traits_of(const id_t* ids, std::uint32_t count) noexcept;

// True if one type has a property that the other lacks.
bool differ_in_properties(const detail::table_shape& shape,
                          const detail::table_shape& right) noexcept;

// Gives a record the type and traits that follow from its elements.
void describe(const storage::store& data, storage::id_record& record) noexcept;
// Of this only who wants to know about the id.
void describe_event_mask(const storage::store& data, storage::id_info& id) noexcept;
// The same for a pair that lies in the links of `relation`, a record (R,*).
storage::id_info describe_link(const storage::store& data, const storage::id_record& relation,
                               std::uint32_t target) noexcept;
// The same for any id, whether there is a record for it or not.
storage::id_info describe_id(const storage::store& data, id_t id) noexcept;

// True for an entity that is declared to be a relationship, or has a property that only those have.
// OneOf is used without a target, too.
inline bool is_relationship(const storage::store& data, entity_t id) noexcept {
    const storage::id_record* record = is_wildcard(id) || id == OneOf ? nullptr : data.ids.find(id);
    return record && (record->traits & trait_relates) != 0;
}

// A pair (E, constant) of an enum. It has no value of its own: the constant has it.
inline bool is_enum_pair(const storage::id_info& id) noexcept {
    return is_pair(id.id) && !id.value_type && id.hook_type && id.hook_type->info.is_enum;
}
// The value of the constant in such a pair; null if the id is none.
const std::byte* find_constant_value(const storage::store& data, id_t id) noexcept;

inline bool is_sparse(const storage::id_info& id) noexcept {
    return (id.traits & trait_sparse) != 0;
}

// True if the id, or a pair made with it, has rows or sparse values anywhere.
bool is_in_use(const storage::store& data, std::uint32_t element);

// Ids of `type` that adding `id` replaces: the other target of an exclusive relationship, or 0.
id_t replaced_by(const detail::table_shape& type, id_t id, std::uint32_t traits) noexcept;

using id_buffer = containers::small_vec<id_t, 64>;

// Appends the ids that must come along with `id` (With), directly or not, and are not in the list.
void collect_implied(const storage::store& data, const storage::id_info& id, id_buffer& ids);
// Calls visit(id) for the ids that `id` brings along by itself.
template <class Visit>
void each_implied(const storage::store& data, id_t id, Visit&& visit) {
    std::uint32_t element = is_pair(id) ? pair_first(id) : index_of(id);
    const detail::table_shape& type = data.tables.at(data.entities.at(element).table);
    constexpr id_t any = make_pair(With, Wildcard);
    for (std::int32_t position = storage::find_match(type, any, 0); position >= 0;
         position = storage::next_match(type, any, position)) {
        std::uint32_t other = pair_second(type.ids[position]);
        visit(is_pair(id) ? make_pair(other, pair_second(id)) : data.entities.alive_at(other));
    }
}
// The entity whose children may be targets of the relation, 0 if any entity may (OneOf).
entity_t scope_of_targets(const storage::store& data, std::uint32_t relation) noexcept;

}  // namespace kith::traits
