// Receives the events of triggers: one function for each kind of trigger, which calls the callback
// of the observer at once, or makes a notification.
//
// Covered by tests/features/observers/.
#pragma once

#include "observe/observer/trigger.hpp"

namespace kith::observe {

using trigger_handler = void (*)(events::listener& me, const events::event_data& event);

// The function that the registry calls for triggers of this kind.
trigger_handler handler_of(trigger_kind kind) noexcept;

}  // namespace kith::observe
