// The symbol by which programs find out at link time that the library was built with their macros.
#include <kith/detail/build_tag.hpp>

namespace kith::detail {

const char KITH_BUILD_TAG = 1;

}  // namespace kith::detail
