// Chooses the triggers of an observer: for each term and event, the internal and public events and
// the patterns of ids that can create or end a result.
//
// Covered by tests/features/observers/.
#pragma once

#include "observe/observer/observer.hpp"

namespace kith::observe {

// Adds the triggers of an observer that has none yet. Throws if none of them can cause a call.
void plan_triggers(observer& observer, const observer_setup& setup);

}  // namespace kith::observe
