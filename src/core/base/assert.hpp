// Checks of internal invariants: on in dev builds, gone in release builds. What a program can get
// wrong is not checked here but raised as kith::error, see raise.hpp.
#pragma once

namespace kith::base {
[[noreturn]] void assertion_failed(const char* condition, const char* sentence, const char* file,
                                   int line);
}

#if defined(KITH_ASSERTS) && KITH_ASSERTS
#define KITH_ASSERT(condition, sentence) \
    ((condition) ? void(0)               \
                 : ::kith::base::assertion_failed(#condition, sentence, __FILE__, __LINE__))
#else
#define KITH_ASSERT(condition, sentence) void(0)
#endif
