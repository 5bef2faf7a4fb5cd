// Starts to count changes: see storage/change_ticks.hpp.
//
// Covered by tests/core/events/track_test.cpp.
#pragma once

#include "storage/store.hpp"

namespace kith::events {

// Tracks from now on all that has an id which the pattern stands for: rows of its tables, values,
// and what lies beside the tables. 0 stands for everything, also for entities without ids (then
// stages must run with mode_tracks_empty). Not while others read. If memory is short, nothing
// changes.
void track(storage::store& data, id_t pattern);
bool is_tracked(const storage::store& data, id_t pattern) noexcept;

}  // namespace kith::events
