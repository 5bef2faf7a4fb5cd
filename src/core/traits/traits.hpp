// What ids mean: which properties a component or relationship has, which type a pair's values have,
// and which other ids change when one is added. Pure: reads storage, changes only id records' own
// description.
//
// Covered by tests/core/traits/traits_test.cpp.
#pragma once

#include "storage/store.hpp"

namespace kith::traits {

// Bits of id_record::traits.
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
};

// The bit that adding `id` to a component or relationship sets, or 0.
std::uint32_t trait_of(id_t id) noexcept;
// Ids that stand for a property at all, also those that only later parts of kith act on.
inline bool is_property(id_t id) noexcept {
    std::uint32_t element = is_pair(id) ? pair_first(id) : static_cast<std::uint32_t>(id);
    return (element >= Tag && element <= Transient) || element == OnDelete ||
           element == OnDeleteTarget;
}
// Bits that adding `id` clears: cleanup actions of one condition exclude each other.
std::uint32_t traits_replaced_by(id_t id) noexcept;

// Gives a record the type and traits that follow from its elements.
void describe(const storage::store& data, storage::id_record& record) noexcept;

// True if the id, or a pair made with it, has rows or sparse values anywhere.
bool is_in_use(const storage::store& data, std::uint32_t element);

// Ids of `type` that adding `id` replaces: the other target of an exclusive relationship, or 0.
id_t replaced_by(const detail::table_shape& type, id_t id, std::uint32_t traits) noexcept;

}  // namespace kith::traits
