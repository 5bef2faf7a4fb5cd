// The version of the program (version.hpp).
#include "version.hpp"

#include <kith/kith.hpp>

#ifndef KITH_APP_VERSION
#error "KITH_APP_VERSION is the version of the library"
#endif
#ifndef KITH_APP_COMMIT
#define KITH_APP_COMMIT "unknown"
#endif

namespace kith_app {

namespace {

#if defined(__clang__)
constexpr const char* compiler = "clang " __clang_version__;
#else
constexpr const char* compiler = "g++ " __VERSION__;
#endif

#if defined(KITH_ASSERTS) && KITH_ASSERTS
constexpr const char* asserts = "on";
#else
constexpr const char* asserts = "off";
#endif

}  // namespace

std::string version_text() {
    return "kith " KITH_APP_VERSION;
}

std::string verbose_version_text() {
    return version_text() + "\ncompiler: " + compiler + "\nasserts: " + asserts +
           "\nexceptions: on\ncommit: " KITH_APP_COMMIT;
}

}  // namespace kith_app
