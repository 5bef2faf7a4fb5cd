// Paths to values inside of queries: `Health.points` is the component Health and its member points,
// unless an entity with that path is a component itself.
#pragma once

#include <kith/description.hpp>

#include "identifier.hpp"

namespace kith::dsl {

// The component that the longest possible part of a path names, and the members behind it.
struct value_path {
    entity_t component = 0;  // 0: no part of the path names a described component
    std::string path;
    bool is_whole = false;  // values of the component can be compared without members

    // True if the path is a value that can be compared.
    bool is_value() const noexcept { return component != 0 && (!path.empty() || is_whole); }
};
value_path find_value_path(const world& world, std::string_view token);

}  // namespace kith::dsl
