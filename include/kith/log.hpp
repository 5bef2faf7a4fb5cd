// Warnings about calls that are legal but hardly meant, each once. Warnings that cost time to find
// are only given by builds with internal checks.
//
// Covered by tests/unit/base/log_test.cpp.
#pragma once

namespace kith {

using log_handler = void (*)(const char* message, void* context);

// Where the warnings of all worlds go. Null: to stderr, as in the beginning. The handler may be
// called from any thread that uses a world, and must not throw.
void set_log(log_handler handler, void* context = nullptr) noexcept;

}  // namespace kith
