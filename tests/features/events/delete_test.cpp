#include <kith/kith.hpp>

#include "support/event_log.hpp"

using namespace kith_test;

namespace {

struct fixture : event_log {
    kith::entity parent = world.entity("parent");
    kith::entity child = world.entity("child").child_of(parent);
};

}  // namespace

TEST_SUITE("features.events.delete") {
    TEST_CASE_FIXTURE(fixture, "OnDelete is told of entities with the id, before anything goes") {
        parent.set(Position{1, 0});
        child.set(Position{2, 0});
        world.observer<Position>().event(kith::OnDelete).each([&](kith::entity one, Position& p) {
            log += name_of(one) + std::to_string(p.x) + " ";
            CHECK(child.is_alive());
        });
        world.observer<Position>().event(kith::OnRemove).each([&](kith::entity one, Position&) {
            log += "removed " + name_of(one) + " ";
        });
        world.entity("plain").destruct();
        child.remove<Position>().set(Position{3, 0});
        CHECK(taken() == "removed child ");
        parent.destruct();
        CHECK(taken() == "child3 parent1 removed child removed parent ");
    }

    TEST_CASE_FIXTURE(fixture, "OnDelete is told of instances when they go, not when a base does") {
        world.observer().event(kith::OnDelete).with<Hot>().each(note());
        kith::entity base = world.entity("base").add<Hot>();
        kith::entity one = world.entity("one").is_a(base);
        world.entity("two").is_a(base);
        one.destruct();
        CHECK(taken() == "OnDelete Hot one; ");
        base.destruct();
        CHECK(taken() == "OnDelete Hot base; ");
    }

    TEST_CASE_FIXTURE(fixture, "several terms are told once for a deletion") {
        world.observer().event(kith::OnDelete).with<Hot>().with<Cold>().each(note());
        parent.add<Hot>().add<Cold>();
        child.add<Hot>();
        parent.destruct();
        CHECK(taken() == "OnDelete Hot parent; ");
    }

    TEST_CASE_FIXTURE(fixture, "an entity alone in the world is told of, too") {
        world.observer().event(kith::OnDelete).with<Hot>().each(note());
        world.entity("alone").add<Hot>().destruct();
        CHECK(taken() == "OnDelete Hot alone; ");
    }

    TEST_CASE_FIXTURE(fixture, "OnDeleteTarget is told of each holder before the cleanup acts") {
        kith::entity apple = world.entity("apple");
        kith::entity one = world.entity("one").add<Likes>(apple);
        kith::entity two = world.entity("two").add<Likes>(apple).add<Hot>();
        world.observer()
            .event(kith::OnDeleteTarget)
            .event(kith::OnRemove)
            .with<Likes>(kith::Wildcard)
            .each(note());
        apple.destruct();
        CHECK(taken() ==
              "OnDeleteTarget (Likes,apple) one; OnDeleteTarget (Likes,apple) two; "
              "OnRemove (Likes,apple) one; OnRemove (Likes,apple) two; ");
        CHECK(one.is_alive());
        CHECK(two.is_alive());
    }

    TEST_CASE_FIXTURE(fixture, "children are told that their parent goes") {
        world.observer()
            .event(kith::OnDeleteTarget)
            .with(kith::ChildOf, kith::Wildcard)
            .each(note());
        parent.destruct();
        CHECK(taken() == "OnDeleteTarget (ChildOf,parent) child; ");
    }

    TEST_CASE_FIXTURE(fixture, "a change that a callback makes comes after the deletion") {
        world.observer().event(kith::OnDelete).with<Hot>().each([&](kith::entity one) {
            one.remove<Hot>();
            world.entity("grave").add<Cold>();
        });
        parent.add<Hot>();
        parent.destruct();
        CHECK(world.lookup("grave").has<Cold>());
        CHECK_NOTHROW(world.check());
    }

    TEST_CASE("the end of the world is told to observers of OnDelete") {
        std::string log;
        {
            kith::world world;
            world.entity("one").add<Hot>();
            kith::entity two = world.entity("two");
            world.observer().event(kith::OnDelete).with<Hot>().each([&](kith::entity one) {
                log += one.name().c_str();
            });
            two.observe(kith::OnDelete, [&](kith::entity one) { log += one.name().c_str(); });
        }
        CHECK(log == "onetwo");
    }
}
