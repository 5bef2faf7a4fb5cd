// The one place where errors are raised.
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
// Throws std::bad_alloc, or as above.
[[noreturn]] void raise_out_of_memory();

}  // namespace kith::base
