// The ids of an entity as a list of their own, for code that changes the entity while it walks
// them.
#pragma once

#include <kith/entity.hpp>

#include <vector>

namespace kith::dsl {

inline std::vector<id_t> ids_of(const entity& entity) {
    const kith::type type = entity.type();
    return {type.begin(), type.end()};
}

}  // namespace kith::dsl
