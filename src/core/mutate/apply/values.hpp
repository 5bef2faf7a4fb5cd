// Values of ids: lookup by entity and id, and sources that construct or assign a value. No function
// notifies.
//
// Covered by tests/features/entities/entity_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"
#include "traits/traits.hpp"

namespace kith::mutate {

// Throws if the id has no value, or values of another type than `type` (0: any).
void check_value_type(const stage& world, const storage::id_info& id, std::uint32_t type);

// The entity's own value, null if it lacks the id. Throws if the id has no value, or one of another
// type.
void* find_own_value(const stage& world, entity_t entity,
                     const storage::entity_record& entity_record, id_t id, std::uint32_t type);
inline void* find_own_value(const stage& world, entity_t entity, id_t id) {
    return find_own_value(world, entity, get_record(world, entity), id, 0);
}
// The value that the entity inherits, null if no base has the id. The entity may have a value of
// its own.
void* find_inherited_value(const stage& world, entity_t entity,
                           const storage::entity_record& entity_record, id_t id,
                           std::uint32_t type);
// The entity's own value, or else the inherited one, or null.
void* find_value(const stage& world, entity_t entity, const storage::entity_record& entity_record,
                 id_t id, std::uint32_t type);

// Constructs a value in raw memory at `place`.
void make_value(const type_info& info, const detail::value_source& source, void* place);
// Assigns from a source, or destroys and constructs again where the source cannot assign.
void assign_value(const type_info& info, void* value, const detail::value_source& source);

// A source that copies from `value` by the functions of its type. The context must outlive the
// source.
struct copy_context {
    const type_info* info;
    const void* value;
};
detail::value_source copying_source(copy_context& context) noexcept;
// A source that moves from `value`, which stays to be destroyed. The context must outlive the
// source.
struct move_context {
    const type_info* info;
    void* value;
};
detail::value_source moving_source(move_context& context) noexcept;

}  // namespace kith::mutate
