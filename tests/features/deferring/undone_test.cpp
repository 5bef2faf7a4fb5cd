// Operations that fail in the middle: nothing has changed. All were found by tests/model.
#include "support/counting_resource.hpp"
#include "support/model/components.hpp"

#include <doctest/doctest.h>

namespace {

using model::Aligned;
using model::DataRelation;
using model::ExclusiveTag;
using model::MoveOnly;
using model::NoDefault;
using model::SparseTag;
using model::Text;

}  // namespace

TEST_SUITE("features.deferring.undone") {
    TEST_CASE("a clone that fails takes no id") {
        kith::world world;
        kith::entity e = world.entity(MoveOnly(1));
        CHECK_THROWS_AS(e.clone(), kith::error);
        CHECK(world.entity().id() == e.id() + 1);
    }

    TEST_CASE("a sparse value that cannot be copied leaves no half clone") {
        kith::world world;
        world.component<SparseTag>().add(kith::Sparse);
        kith::entity e = world.entity(Text(1));
        e.set_second<MoveOnly>(kith::type_id<SparseTag>(), MoveOnly(1));
        std::size_t before = world.stats().entities;
        CHECK_THROWS_AS(e.clone(), kith::error);
        CHECK(world.stats().entities == before);
        world.check();
    }

    TEST_CASE("a clone does not make a relationship exclusive that has two targets") {
        kith::world world;
        kith::entity exclusive = world.entity().add(kith::Exclusive);
        kith::entity relation = world.entity();
        kith::entity e = world.entity();
        e.add(relation, world.entity()).add(relation, world.entity());
        CHECK_THROWS_AS(exclusive.clone(true, relation), kith::error);
        CHECK_FALSE(relation.has(kith::Exclusive));
    }

    TEST_CASE("removing by a wildcard removes all or nothing") {
        kith::world world;
        kith::entity parent = world.entity();
        world.entity("name");
        kith::entity e = world.entity().child_of(parent).set_name("name");
        e.set<DataRelation>(parent, DataRelation(1));
        CHECK_THROWS_AS(e.remove(kith::Wildcard, parent), kith::error);
        CHECK(e.has<DataRelation>(parent));
        CHECK(e.parent() == parent);
    }

    TEST_CASE("clearing needs no room for the name that goes along") {
        kith::world world;
        kith::entity parent = world.entity();
        world.entity("name");
        kith::entity e = world.entity().child_of(parent).set_name("name");
        e.clear();
        CHECK_FALSE(e.parent());
        CHECK(e.name().empty());
        world.check();
    }

    TEST_CASE("bulk creation says what it cannot do before it begins") {
        kith::world world;
        world.component<SparseTag>().add(kith::Sparse);
        world.component<ExclusiveTag>().add(kith::Exclusive);
        const kith::id_t missing[] = {world.id<SparseTag>(), world.id<NoDefault>()};
        const kith::id_t twice[] = {world.pair<ExclusiveTag>(world.entity()),
                                    world.pair<ExclusiveTag>(world.entity())};
        const MoveOnly values[] = {MoveOnly(1), MoveOnly(2)};
        std::size_t before = world.stats().entities;
        auto try_all = [&] {
            CHECK_THROWS_AS(world.bulk(2, missing, 2, nullptr), kith::error);
            CHECK_THROWS_AS(world.bulk(2, twice, 2, nullptr), kith::error);
            CHECK_THROWS_AS(world.bulk(2, values), kith::error);
        };
        try_all();
        world.defer(try_all);
        CHECK(world.stats().entities == before + 1);  // MoveOnly itself
        world.check();
    }

    TEST_CASE("creation under with() leaves no entity without its sparse id") {
        kith::world world;
        world.component<SparseTag>().add(kith::Sparse);
        kith::id_t id = world.pair<SparseTag, NoDefault>();
        std::size_t before = world.stats().entities;
        CHECK_THROWS_AS(world.with(id, [&] { world.entity(); }), kith::error);
        CHECK(world.stats().entities == before);
    }

    TEST_CASE("a pair of an entity with itself tells its OnRemove hook once") {
        kith::world world;
        int removed = 0;
        world.component<DataRelation>().on_remove([&](DataRelation&) { ++removed; });
        kith::entity e = world.entity();
        e.add<DataRelation>(e);
        e.destruct();
        CHECK(removed == 1);
    }

    TEST_CASE("removing a pair of dead elements from a dead entity is an error") {
        kith::world world;
        kith::entity e = world.entity();
        e.destruct();
        CHECK_THROWS_AS(e.remove(e, e), kith::error);
    }

    TEST_CASE("a world ends with the alignments that it began with") {
        kith_test::counting_resource memory;
        kith::world world(kith::use_memory(memory, false));
        world.entity(Aligned(1), Text(1));
    }
}
