// Checks that a part of a frame reads and writes what its system declares. The rules belong to the
// library that runs parts: it gives a part an access_guard (include/kith/detail/part_ops.hpp).
// Builds without KITH_ASSERTS contain no code for the checks.
//
// Covered by tests/features/systems/access_threads_test.cpp.
#pragma once

#include <kith/detail/part_ops.hpp>

#include "mutate/context/recorder.hpp"

namespace kith::mutate {

// Throws [undeclared_access] if the running part may not do it. `kind`: of detail::access_guard.
inline void check_access([[maybe_unused]] const stage& world, [[maybe_unused]] entity_t entity,
                         [[maybe_unused]] id_t id,
                         [[maybe_unused]] detail::access_guard::kind kind) {
#if defined(KITH_ASSERTS) && KITH_ASSERTS
    if (world.mode & detail::mode_recording) [[unlikely]] {
        if (const detail::access_guard* guard = static_cast<const recorder&>(world).guard) {
            guard->check(entity, id, kind);
        }
    }
#endif
}

}  // namespace kith::mutate
