// Which kith this is.
#pragma once

#include <string>

namespace kith_app {

// "kith 0.1.0".
std::string version_text();
// The same with the compiler, the options of the library and the commit, one per line.
std::string verbose_version_text();

}  // namespace kith_app
