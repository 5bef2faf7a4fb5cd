// Raising errors about values and types.
#pragma once

#include <kith/error.hpp>

#include <string>

namespace kith::values {

// Throws kith::error, or calls the handler of a build without exceptions.
[[noreturn]] inline void raise(errc code, const std::string& message) {
    detail::raise_error(code, message.c_str());
}

}  // namespace kith::values
