// Warnings for programmers. Who warns sees to it that it happens once per cause.
#pragma once

#include <kith/log.hpp>

#include "base/text.hpp"

namespace kith::base {

void warn(const text& message) noexcept;

}  // namespace kith::base
