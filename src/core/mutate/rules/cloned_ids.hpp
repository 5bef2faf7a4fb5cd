// The ids of its source that a clone does not get.
//
// Covered by tests/features/entities/clone_test.cpp.
#pragma once

#include "traits/implications.hpp"

namespace kith::mutate {

// False for the id that makes an entity a component, and for names.
inline bool is_cloned(id_t id) noexcept {
    return id != detail::component_type_id &&
           !(is_pair(id) && pair_first(id) == detail::identifier_type_id);
}

// True for an exclusive symmetric pair, which is not copied: its partner can have one inverse only.
inline bool stays_with_partner(const storage::id_info& id) noexcept {
    return traits::has_inverse(id) && traits::has_one_target(id);
}

}  // namespace kith::mutate
