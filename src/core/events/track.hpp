// Starts the tracking of changes: from then on, ticks of the last change are kept for tables,
// columns and sparse ids that a pattern matches (storage/change_ticks.hpp). Tracking never ends.
//
// Covered by tests/unit/events/track_test.cpp.
#pragma once

#include "storage/store.hpp"

namespace kith::events {

// Tracks the ids that a pattern matches: rows of their tables, values, sparse components and links.
// Pattern 0 stands for all entities, those without ids included; stages must then run with
// mode_tracks_empty. Requires: no other thread reads the world, unless the pattern is tracked
// already. Throws if memory is short; another call then completes the work.
void track(storage::store& data, id_t pattern);
// Tracks the rows of tables with the ids that a pattern matches, and no values: writing them costs
// no more than before. Requires: as track().
void track_rows(storage::store& data, id_t pattern);
// True if track() or track_rows() was called with exactly this pattern.
bool is_tracked(const storage::store& data, id_t pattern) noexcept;

}  // namespace kith::events
