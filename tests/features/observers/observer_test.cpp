#include <kith/kith.hpp>

#include "support/event_log.hpp"

using namespace kith_test;

namespace {

struct fixture : event_log {
    kith::entity e = world.entity("e");
};

}  // namespace

TEST_SUITE("features.observers.observer") {
    TEST_CASE_FIXTURE(fixture, "OnAdd, OnSet, OnRemove and UnSet are told when they happen") {
        world.observer<Position>()
            .event(kith::OnAdd)
            .event(kith::OnSet)
            .event(kith::OnRemove)
            .event(kith::UnSet)
            .each([&](kith::iter& it, std::size_t, Position& p) {
                log += name_of(it.event()) + std::to_string(p.x) + " ";
            });
        e.add<Position>();
        CHECK(taken() == "OnAdd0 ");
        e.set(Position{1, 0});
        CHECK(taken() == "OnSet1 ");
        e.get_mut<Position>()->x = 2;
        CHECK(taken() == "");
        e.modified<Position>();
        CHECK(taken() == "OnSet2 ");
        e.remove<Position>();
        CHECK(taken() == "OnRemove2 UnSet2 ");
        e.set(Position{3, 0});
        CHECK(taken() == "OnAdd3 OnSet3 ");
        e.destruct();
        CHECK(taken() == "OnRemove3 UnSet3 ");
    }

    TEST_CASE_FIXTURE(fixture, "every form of callback is called") {
        int calls = 0;
        auto build = [&] { return world.observer<Position>().event(kith::OnSet); };
        build().each([&](Position& p) { calls += p.x; });
        build().each([&](kith::entity one, const Position& p) { calls += one == e ? p.x : 100; });
        build().each([&](kith::iter& it, std::size_t row, Position&) {
            calls += it.entity(row) == e ? 1 : 100;
        });
        build().each([&] { ++calls; });
        build().each([&](kith::entity) { ++calls; });
        build().iter(
            [&](kith::iter& it, Position* p) { calls += p[0].x * static_cast<int>(it.count()); });
        build().iter([&](kith::iter& it) { calls += it.field<Position>(1)->x; });
        build().run([&](kith::iter& it) { calls += static_cast<int>(it.count()); });
        e.set(Position{1, 0});
        CHECK(calls == 8);
    }

    TEST_CASE_FIXTURE(fixture, "there are no groups: the group is 0") {
        world.observer<Position>().event(kith::OnSet).iter([&](kith::iter& it) {
            log += std::to_string(it.group_id());
        });
        e.set(Position{1, 0});
        CHECK(taken() == "0");
    }

    TEST_CASE_FIXTURE(fixture, "the table and the row of the entity can be asked for") {
        int calls = 0;
        world.observer<Position>().event(kith::OnSet).ctx(&calls).iter([&](kith::iter& it) {
            CHECK(it.table() == e.table());
            CHECK(it.range().get<Position>()->x == 7);
            CHECK(it.is_self(1));
            CHECK(!it.src(1));
            CHECK(it.id(1) == world.id<Position>());
            ++*it.ctx<int>();
        });
        e.set(Position{7, 0});
        CHECK(calls == 1);
    }

    TEST_CASE_FIXTURE(fixture, "pairs and wildcards are told with the id that came") {
        kith::entity apple = world.entity("apple");
        kith::entity pear = world.entity("pear");
        world.observer().event(kith::OnAdd).with<Likes>(kith::Wildcard).each(note());
        e.add<Likes>(apple);
        CHECK(taken() == "OnAdd (Likes,apple) e; ");
        e.add<Likes>(apple);
        CHECK(taken() == "");
        e.add<Likes>(pear);
        CHECK(taken() == "OnAdd (Likes,pear) e; ");
        e.add<Hot>();
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "observers are called in the order in which they were made") {
        auto append = [&](const char* text) { return [this, text](kith::entity) { log += text; }; };
        kith::entity apple = world.entity("apple");
        world.observer().event(kith::OnAdd).with<Likes>(kith::Wildcard).each(append("1"));
        world.observer().event(kith::OnAdd).with<Likes>(apple).each(append("2"));
        world.observer().event(kith::OnAdd).with(kith::Wildcard, apple).each(append("3"));
        world.observer().event(kith::OnAdd).with(kith::Wildcard, kith::Wildcard).each(append("4"));
        world.observer().event(kith::OnAdd).with<Likes>(apple).each(append("5"));
        e.add<Likes>(apple);
        CHECK(taken() == "12345");
    }

    TEST_CASE_FIXTURE(fixture, "prefabs and disabled entities are left out unless they are named") {
        world.observer().event(kith::OnAdd).with<Hot>().each(note());
        world.prefab("p").add<Hot>();
        world.entity("d").disable().add<Hot>();
        CHECK(taken() == "");
        world.observer().event(kith::OnAdd).with<Cold>().with(kith::Prefab).each(note());
        world.prefab("q").add<Cold>();
        CHECK(taken() == "OnAdd Cold q; ");
    }

    TEST_CASE_FIXTURE(fixture, "an exclusive pair goes before the one that replaces it comes") {
        world.component<Likes>().add(kith::Exclusive);
        world.observer()
            .event(kith::OnAdd)
            .event(kith::OnRemove)
            .with<Likes>(kith::Wildcard)
            .each(note());
        kith::entity apple = world.entity("apple");
        kith::entity pear = world.entity("pear");
        e.add<Likes>(apple);
        taken();
        e.add<Likes>(pear);
        CHECK(taken() == "OnRemove (Likes,apple) e; OnAdd (Likes,pear) e; ");
    }

    TEST_CASE_FIXTURE(fixture, "deferred changes are told once, as what they come to") {
        world.observer<Position>()
            .event(kith::OnAdd)
            .event(kith::OnSet)
            .event(kith::OnRemove)
            .each([&](kith::iter& it, std::size_t, Position& p) {
                log += name_of(it.event()) + std::to_string(p.x) + " ";
            });
        world.defer([&] {
            e.set(Position{1, 0}).remove<Position>().set(Position{2, 0}).set(Position{3, 0});
            CHECK(taken() == "");
        });
        CHECK(taken() == "OnAdd3 OnSet3 ");
        world.defer([&] { e.remove<Position>().add<Position>().remove<Position>(); });
        CHECK(taken() == "OnRemove3 ");
        world.defer([&] { e.add<Position>().remove<Position>(); });
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "changes that an observer makes happen after the operation") {
        world.observer<Position>().event(kith::OnAdd).each([&](kith::entity one, Position&) {
            one.add<Hot>();
            CHECK(!one.has<Hot>());
            one.remove<Position>();
            CHECK(one.has<Position>());
        });
        e.add<Position>();
        CHECK(e.has<Hot>());
        CHECK(!e.has<Position>());
    }
}
