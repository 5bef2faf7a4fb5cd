// Fixtures that most tests of features begin with.
#pragma once

#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/relations.hpp"
#include "support/types.hpp"

#include <optional>

namespace kith_test {

// A world in which the types of types.hpp are registered.
struct world_fixture {
    world_fixture() { register_all(world); }

    // The error of a change that is refused and must leave the world as it was.
    template <class Func>
    std::optional<kith::errc> refused(Func&& func) {
        return refusal(world, all_values(), func);
    }

    kith::world world;
};

// A world for tests that run once for each storage of relationships.
struct storage_fixture : world_fixture {
    bool sparse = for_both_storages();
};

// Two relationships, one with values, and entities for them.
struct friends_fixture : storage_fixture {
    kith::entity likes = make_relation(world, sparse, "likes");
    kith::entity eats = make_relation<Eats>(world, sparse);
    kith::entity alice = world.entity("Alice");
    kith::entity bob = world.entity("Bob");
};

}  // namespace kith_test
