// Spans: neighbouring rows of a table whose fields continue each other, so that they are one
// result.
#pragma once

#include <kith/detail/query_layout.hpp>

namespace kith::queries {

// True if a field of the next row continues that of the `count` rows before it, the first of which
// has `first`: the same id of the same entity, and the value behind theirs, or the one of all.
inline bool continues_field(const detail::field_data& first, std::uint32_t count,
                            const detail::field_data& next) noexcept {
    const std::byte* expected =
        first.value ? first.value + std::size_t{first.stride} * count : nullptr;
    return next.id == first.id && next.source == first.source && next.flags == first.flags &&
           next.stride == first.stride && next.value == expected;
}

}  // namespace kith::queries
