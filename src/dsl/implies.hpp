// Ids that another id implies by the relationship With.
#pragma once

#include <kith/world.hpp>

namespace kith::dsl {

// True if each entity with `holder` has `id` as well, because the element of `holder` has With of
// the element of `id`. Pairs imply pairs with the same target. Only direct implications count.
inline bool implies(const world& world, id_t holder, id_t id) {
    if (holder == id || is_pair(holder) != is_pair(id) || (holder & Override) != 0) {
        return false;
    }
    if (!is_pair(id)) {
        return world.get_alive(holder).owns(With, world.get_alive(id));
    }
    return pair_second(holder) == pair_second(id) &&
           world.get_alive(pair_first(holder)).owns(With, world.get_alive(pair_first(id)));
}

}  // namespace kith::dsl
