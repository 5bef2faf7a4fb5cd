// A reference from programs to the build of the library that their macros ask for. Inlined code
// reads the library's data directly, so version, KITH_ASSERTS and KITH_NO_EXCEPTIONS of a program
// must be those of the library: others end in an undefined symbol whose name says what was asked
// for.
#pragma once

#if defined(KITH_ASSERTS) && KITH_ASSERTS
#if defined(KITH_NO_EXCEPTIONS) && KITH_NO_EXCEPTIONS
#define KITH_BUILD_TAG built_0_1_asserts_1_exceptions_0
#else
#define KITH_BUILD_TAG built_0_1_asserts_1_exceptions_1
#endif
#elif defined(KITH_NO_EXCEPTIONS) && KITH_NO_EXCEPTIONS
#define KITH_BUILD_TAG built_0_1_asserts_0_exceptions_0
#else
#define KITH_BUILD_TAG built_0_1_asserts_0_exceptions_1
#endif

namespace kith::detail {

extern const char KITH_BUILD_TAG;  // defined by the library, for its own macros

#if defined(__GNUC__)
[[gnu::used]] inline const char* const required_build = &KITH_BUILD_TAG;
#endif

}  // namespace kith::detail
