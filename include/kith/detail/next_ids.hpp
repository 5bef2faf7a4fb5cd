// The ids that new entities will get, for operations that are undone: entities that were created in
// between and are deleted again leave no trace in later ids. Implemented in
// src/core/api/next_ids.cpp.
#pragma once

#include <kith/fwd.hpp>
#include <kith/id.hpp>

#include <vector>

namespace kith::detail {

struct next_ids {
    std::vector<entity_t> free;  // ids of free indices, the next one first
    std::uint32_t fresh = 0;     // the next index that was never issued
};
// Linear in the number of free indices.
next_ids save_next_ids(const world_t* world);
// New entities get the saved ids again, generations included. Ids of entities that were created in
// between and live stay theirs.
void restore_next_ids(world_t* world, const next_ids& saved) noexcept;

}  // namespace kith::detail
