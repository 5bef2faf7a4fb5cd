// Validating hooks are called with the value that an entity is to get, before anything changes. An
// exception of a hook refuses the operation.
//
// Covered by tests/features/hooks/validate_test.cpp.
#pragma once

#include "mutate/value_ahead.hpp"

namespace kith::mutate {

inline bool is_validated(const storage::id_info& id) noexcept {
    return (id.event_mask & storage::event_validate) != 0;
}

// Calls the hook of the pair (E, constant) of an enum. Returns the pair that the entity is to have:
// the hook may choose another constant.
storage::id_info validate_constant(stage& world, entity_t entity, const storage::id_info& pair);

// Calls the hook of the id, for both sides of a symmetric pair. `value` is null where the id has
// none.
void validate(stage& world, entity_t entity, const storage::id_info& id, void* value);

// Makes the value that the entity is to get with the id, from the source, as a copy of what it
// inherits, or by default, and validates it. Returns the source that moves it to its place; null if
// the id has no value.
const detail::value_source* validate_added(stage& world, entity_t entity,
                                           const storage::id_info& id,
                                           const detail::value_source* source,
                                           values_ahead& values);

}  // namespace kith::mutate
