// Warnings: what kith has to say about things that are legal and yet hardly meant, each thing once.
// Those that cost time to find out are for builds with internal checks.
//
// Covered by tests/core/base/log_test.cpp.
#pragma once

namespace kith {

using log_handler = void (*)(const char* message, void* context);

// Where the warnings of all worlds go. Null: to stderr, as in the beginning. The handler may be
// called from any thread that uses a world, and must not throw.
void set_log(log_handler handler, void* context = nullptr) noexcept;

}  // namespace kith
