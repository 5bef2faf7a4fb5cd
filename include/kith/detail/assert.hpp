// KITH_ASSERT checks a precondition or an invariant of the library itself. Builds with KITH_ASSERTS
// (such as the preset dev) run the checks, other builds contain no code for them. Mistakes of a
// program are not asserted but raised as kith::error.
#pragma once

namespace kith::base {
// Prints rule, condition and place to stderr and aborts. Defined in src/core/base/raise.cpp.
[[noreturn]] void assertion_failed(const char* condition, const char* sentence, const char* file,
                                   int line);
}  // namespace kith::base

// `condition` has no side effects: release builds do not evaluate it. `sentence` states the rule in
// words: "a table that is deleted has no rows".
#if defined(KITH_ASSERTS) && KITH_ASSERTS
#define KITH_ASSERT(condition, sentence) \
    ((condition) ? void(0)               \
                 : ::kith::base::assertion_failed(#condition, sentence, __FILE__, __LINE__))
#else
#define KITH_ASSERT(condition, sentence) void(0)
#endif
