// The only functions that raise errors. They throw, or call the error handler in builds without
// exceptions, so no other code has to distinguish the two kinds of builds.
#pragma once

#include <kith/error.hpp>

#include "base/text.hpp"

namespace kith::base {

// Throws kith::error; without exceptions, calls the error handler, and ends the program if it
// returns.
[[noreturn]] void raise(errc code, const char* message);
[[noreturn]] inline void raise(errc code, const text& message) {
    raise(code, message.c_str());
}
// Throws std::bad_alloc; without exceptions, calls the error handler with errc::limit.
[[noreturn]] void raise_out_of_memory();

}  // namespace kith::base
