// Reading and writing component values by id. Must not be called while deferred, find_value aside.
//
// Covered by tests/core/api/entity_test.cpp.
#pragma once

#include "mutate/stage.hpp"

namespace kith::mutate {

// Throws if values of the id are not of the type that the caller expects (0: any).
void check_value_type(const stage& world, const storage::id_info& id, std::uint32_t type);

// The entity's own value, or null if it lacks the id. Throws for ids that carry no value.
void* find_own_value(const stage& world, entity_t entity,
                     const storage::entity_record& entity_record, id_t id, std::uint32_t type);
inline void* find_own_value(const stage& world, entity_t entity, id_t id) {
    return find_own_value(world, entity, get_record(world, entity), id, 0);
}
// The value that it inherits, or null, whether it has one itself or not.
void* find_inherited_value(const stage& world, entity_t entity,
                           const storage::entity_record& entity_record, id_t id,
                           std::uint32_t type);
// The first of both that there is.
void* find_value(const stage& world, entity_t entity, const storage::entity_record& entity_record,
                 id_t id, std::uint32_t type);

void* ensure_value(stage& world, entity_t entity, id_t id, std::uint32_t type);
void set_value(stage& world, entity_t entity, id_t id, std::uint32_t type,
               const detail::value_source& source);
void emplace_value(stage& world, entity_t entity, id_t id, std::uint32_t type,
                   const detail::value_source& source);
// Notifies that a value of the entity was set, on the other side of a symmetric pair as well.
void dispatch_set(stage& world, entity_t entity, const storage::id_info& id, void* value);
// Tells that a value has changed. Throws if the entity lacks the id.
void notify_set(stage& world, entity_t entity, id_t id);

// Assigns from a source, or destroys and constructs anew where the source cannot assign.
void assign_value(const type_info& info, void* value, const detail::value_source& source);

// The source that copies from `value` by the functions of its type.
struct copy_context {
    const type_info* info;
    const void* value;
};
detail::value_source copying_source(copy_context& context) noexcept;
// The source that moves from `value`, which stays to be destroyed.
struct move_context {
    const type_info* info;
    void* value;
};
detail::value_source moving_source(move_context& context) noexcept;

}  // namespace kith::mutate
