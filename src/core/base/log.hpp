// Warnings for programmers: calls that are legal but hardly meant. A caller of warn() has to warn
// once per cause, not once per call.
#pragma once

#include <kith/log.hpp>

#include "base/text.hpp"

namespace kith::base {

// Passes the message to the handler of kith::set_log, or prints it to stderr if there is none.
void warn(const text& message) noexcept;

}  // namespace kith::base
