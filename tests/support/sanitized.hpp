// Whether a sanitizer looks at every access: then programs take ten times as long.
#pragma once

namespace kith_test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool is_sanitized = true;
#elif defined(__has_feature)
inline constexpr bool is_sanitized = __has_feature(address_sanitizer);
#else
inline constexpr bool is_sanitized = false;
#endif

}  // namespace kith_test
