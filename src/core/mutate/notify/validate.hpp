// Validating hooks receive the value that an entity is about to get, before anything changes, and
// may correct it. An exception of a hook refuses the operation.
//
// Covered by tests/features/hooks/validate_test.cpp.
#pragma once

#include "mutate/apply/value_ahead.hpp"
#include "mutate/context/stage.hpp"

namespace kith::mutate {

// True if the id has a validating hook.
inline bool is_validated(const storage::id_info& id) noexcept {
    return (id.event_mask & storage::event_validate) != 0;
}

// Calls the hook of the pair (E, constant) of an enum. Returns the pair that the entity is to have,
// since the hook may choose another constant. Requires: is_validated(pair).
storage::id_info validate_constant(stage& world, entity_t entity, const storage::id_info& pair);

// Calls the hook of the id, and that of the inverse of a symmetric pair. `value` is null where the
// id has no value. Requires: is_validated(id).
void validate(stage& world, entity_t entity, const storage::id_info& id, void* value);

// Constructs the value that the entity is to get with the id (from the source, as a copy of the
// inherited value, or by default) and validates it. Returns the source that moves the value to its
// place, null if the id has no value. `values` owns the value.
const detail::value_source* validate_added(stage& world, entity_t entity,
                                           const storage::id_info& id,
                                           const detail::value_source* source,
                                           values_ahead& values);

}  // namespace kith::mutate
