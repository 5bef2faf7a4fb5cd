#include <kith/kith.hpp>

#include "support/world_fixture.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct fixture : world_fixture {
    kith::entity e = world.entity("e");
    kith::entity other = world.entity("other");
};

}  // namespace

TEST_SUITE("features.deferring.deferral") {
    // spec 178
    TEST_CASE_FIXTURE(fixture, "changes wait for the end of deferring") {
        world.defer([&] {
            e.add<Hot>().set(Position{1, 2}).add<Likes>(other);
            other.destruct();
            CHECK_FALSE(e.has<Hot>());
            CHECK(e.get<Position>() == nullptr);
            CHECK(other.is_alive());
        });
        CHECK(e.has<Hot>());
        CHECK(e.get<Position>()->y == 2);
        CHECK_FALSE(other.is_alive());
        CHECK_FALSE(e.has<Likes>(kith::Wildcard));
        world.check();
    }

    // spec 178
    TEST_CASE_FIXTURE(fixture, "only the outermost end runs the commands") {
        CHECK(world.defer_begin());
        CHECK_FALSE(world.defer_begin());
        e.add<Hot>();
        CHECK_FALSE(world.defer_end());
        CHECK(world.is_deferred());
        CHECK_FALSE(e.has<Hot>());
        CHECK(world.defer_end());
        CHECK_FALSE(world.is_deferred());
        CHECK(e.has<Hot>());
    }

    TEST_CASE_FIXTURE(fixture, "an end without a begin is an error") {
        CHECK(refusal(world, [&] { world.defer_end(); }) == errc::invalid_operation);
        CHECK_FALSE(world.is_deferred());
    }

    TEST_CASE_FIXTURE(fixture, "suspended deferring runs operations at once, and resumes") {
        world.defer_begin();
        e.add<Hot>();
        world.defer_suspend();
        CHECK_FALSE(world.is_deferred());
        e.add<Cold>();
        CHECK(e.has<Cold>());
        CHECK_FALSE(e.has<Hot>());
        world.defer_resume();
        CHECK(world.is_deferred());
        e.remove<Cold>();
        CHECK(e.has<Cold>());
        world.defer_end();
        CHECK(e.has<Hot>());
        CHECK_FALSE(e.has<Cold>());
    }

    TEST_CASE_FIXTURE(fixture, "suspend and resume out of turn are errors") {
        CHECK(refusal(world, [&] { world.defer_suspend(); }) == errc::invalid_operation);
        CHECK(refusal(world, [&] { world.defer_resume(); }) == errc::invalid_operation);
    }

    TEST_CASE_FIXTURE(fixture, "the state after the flush is that of the calls in order") {
        world.defer([&] {
            e.set(Position{1, 1});
            e.remove<Position>();
            e.add<Hot>();
            e.set(Velocity{1, 1});
            e.remove<Hot>();
            e.set(Velocity{2, 2});
            e.add<Hot>();
            other.set(Position{1, 1});
            other.clear();
            other.add<Cold>();
        });
        CHECK_FALSE(e.has<Position>());
        CHECK(e.has<Hot>());
        CHECK(e.get<Velocity>()->x == 2);
        CHECK(other.type().count() == 1);
        CHECK(other.has<Cold>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "remove and add again gives a fresh value") {
        e.set(Wide{42});
        world.defer([&] {
            e.remove<Wide>();
            e.add<Wide>();
        });
        CHECK(e.get<Wide>()->number == 7);
    }

    TEST_CASE_FIXTURE(fixture, "hooks run once per net change, with the last value") {
        std::string log;
        world.component<Position>()
            .on_add([&](Position&) { log += "add "; })
            .on_set([&](Position& p) { log += "set" + std::to_string(p.x) + " "; })
            .on_remove([&](Position&) { log += "remove "; });
        world.defer([&] {
            e.set(Position{1, 0});
            e.set(Position{2, 0});
            e.set(Position{3, 0});
        });
        CHECK(log == "add set3 ");
        log.clear();
        world.defer([&] {
            e.remove<Position>();
            e.set(Position{4, 0});
            e.remove<Position>();
        });
        CHECK(log == "remove ");
        log.clear();
        world.defer([&] {
            e.set(Position{5, 0});
            e.remove<Position>();
        });
        CHECK(log == "");
        CHECK_FALSE(e.has<Position>());
    }

    TEST_CASE_FIXTURE(fixture,
                      "new entities are alive at once and get their components at the end") {
        kith::entity made;
        world.defer([&] {
            made = world.entity().set(Position{1, 2}).child_of(e);
            CHECK(made.is_alive());
            CHECK_FALSE(made.has<Position>());
        });
        CHECK(made.get<Position>()->y == 2);
        CHECK(made.parent() == e);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture,
                      "get_mut while deferred gives a value that the flush puts in place") {
        e.set(Position{1, 1});
        world.defer([&] {
            e.get_mut<Position>()->x = 5;
            other.get_mut<Position>()->x = 6;
            other.modified<Position>();
        });
        CHECK(e.get<Position>()->x == 5);
        CHECK(e.get<Position>()->y == 1);
        CHECK(other.get<Position>()->x == 6);
    }

    TEST_CASE_FIXTURE(fixture, "commands on an entity that died in between are skipped") {
        balance_check<counted<0>> balance;
        world.defer([&] {
            e.set(counted<0>(1));
            e.destruct();
            CHECK_NOTHROW(e.set(counted<0>(2)));
            e.add<Hot>();
            other.add<Hot>();
        });
        CHECK_FALSE(e.is_alive());
        CHECK(other.has<Hot>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a target that dies in the queue takes its pairs along") {
        kith::entity target = world.entity();
        world.defer([&] {
            e.add<Likes>(target);
            target.destruct();
            other.add<Hot>();
        });
        CHECK_FALSE(e.has<Likes>(kith::Wildcard));
        CHECK(other.has<Hot>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a child added to a parent that dies in the queue dies too") {
        kith::entity child = world.entity();
        world.defer([&] {
            child.child_of(e);
            e.destruct();
        });
        CHECK_FALSE(e.is_alive());
        CHECK_FALSE(child.is_alive());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture,
                      "a failing command is skipped, the others run, the first error is raised") {
        e.set(Needy(1));
        std::string message;
        try {
            world.defer([&] {
                e.emplace<Needy>(2);
                e.add<Hot>();
                other.add<Needy>();
                other.add<Cold>();
            });
            FAIL("an error was expected");
        } catch (const kith::error& error) {
            CHECK(error.code() == errc::already_exists);
            message = error.what();
        }
        CHECK(message.find("2") != std::string::npos);
        CHECK(e.has<Hot>());
        CHECK(other.has<Cold>());
        CHECK_FALSE(other.has<Needy>());
        CHECK(e.get<Needy>()->number() == 1);
        CHECK_FALSE(world.is_deferred());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture,
                      "an exception in the callback ends deferring, commands before it run") {
        CHECK_THROWS_AS(world.defer([&] {
            e.add<Hot>();
            throw 1;
        }),
                        int);
        CHECK_FALSE(world.is_deferred());
        CHECK(e.has<Hot>());
        CHECK_NOTHROW(e.add<Cold>());
        CHECK(e.has<Cold>());
    }

    TEST_CASE_FIXTURE(fixture, "values are moved into the queue and out of it, never copied") {
        balance_check<counted<0>> balance;
        kith::world own;
        kith::entity x = own.entity();
        own.defer([&] {
            x.set(counted<0>(1));
            own.entity().set(counted<0>(2));
            own.entity(counted<0>(3));
        });
        CHECK(counted<0>::counts.copied == 0);
        CHECK(counted<0>::counts.copy_assigned == 0);
        CHECK(counted<0>::counts.alive() == 3);
        own.check();
    }

    TEST_CASE_FIXTURE(fixture, "move-only and over-aligned values go through the queue") {
        world.defer([&] {
            e.set(Owner{std::make_unique<int>(5)});
            e.set(Wide{9});
            other.emplace<Needy>(3);
            other.set<Eats>(e, Eats{4});
        });
        CHECK(*e.get<Owner>()->number == 5);
        CHECK(e.get<Wide>()->number == 9);
        CHECK(reinterpret_cast<std::uintptr_t>(e.get<Wide>()) % 64 == 0);
        CHECK(other.get<Needy>()->number() == 3);
        CHECK(other.get<Eats>(e)->amount == 4);
    }

    TEST_CASE("commands left in the queue are dropped with the world, their values too") {
        balance_check<counted<0>> balance;
        kith::world world;
        kith::entity e = world.entity();
        world.defer_begin();
        e.set(counted<0>(1));
        world.entity().set(counted<0>(2));
    }

    TEST_CASE_FIXTURE(fixture, "world-wide operations are deferred in order") {
        e.add<Hot>();
        world.defer([&] {
            other.add<Hot>();
            world.remove_all<Hot>();
            CHECK(e.has<Hot>());
            other.add<Cold>();
            world.delete_with<Cold>();
        });
        CHECK_FALSE(e.has<Hot>());
        CHECK_FALSE(other.is_alive());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "commands made by hooks of the flush run in the same flush") {
        world.component<Position>().on_set([&](kith::entity x, Position& p) {
            if (p.x < 5) {
                x.world().entity().set(Position{p.x + 1, 0});
            }
        });
        world.defer([&] { e.set(Position{0, 0}); });
        CHECK(world.count<Position>() == 6);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "toggles, clones and bulk creation while deferred") {
        e.set(Position{1, 2});
        kith::entity copy;
        kith::entity_t first = 0;
        const Position values[] = {{1, 1}, {2, 2}};
        world.defer([&] {
            e.disable<Position>();
            CHECK(e.enabled<Position>());
            copy = e.clone();
            first = world.bulk(2, values)[0];
        });
        CHECK_FALSE(e.enabled<Position>());
        CHECK(copy.get<Position>()->x == 1);
        CHECK(world.entity(first).get<Position>()->x == 1);
        CHECK(world.count<Position>() == 4);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a flush of a hundred thousand commands ends") {
        world.defer([&] {
            for (int i = 0; i < 100000; ++i) {
                e.set(Position{i, 0});
                world.entity().set(Velocity{i, 0});
            }
        });
        CHECK(e.get<Position>()->x == 99999);
        CHECK(world.count<Velocity>() == 100000);
    }

    // The world itself, a stage of a read-only part, and what comes of both.
    TEST_CASE("a queued name leaves a parent that is removed, and no other one") {
        for (const bool in_stage : {false, true}) {
            kith::world world;
            kith::entity parent = world.entity("Parent");
            kith::entity other = world.entity("Other");
            world.set_stage_count(2);
            in_stage ? static_cast<void>(world.readonly_begin())
                     : static_cast<void>(world.defer_begin());
            kith::world queue = in_stage ? world.get_stage(1) : world;
            kith::entity stays = queue.entity().child_of(parent).set_name("Stays");
            stays.remove(kith::ChildOf, other);
            CHECK(queue.lookup("Parent::Stays") == stays);
            kith::entity leaves = queue.entity().child_of(parent).set_name("Leaves");
            leaves.remove(kith::ChildOf, parent);
            CHECK(queue.lookup("Leaves") == leaves);
            CHECK_FALSE(queue.lookup("Parent::Leaves"));
            in_stage ? static_cast<void>(world.readonly_end())
                     : static_cast<void>(world.defer_end());
            CHECK(world.lookup("Parent::Stays") == stays);
            CHECK(world.lookup("Leaves") == leaves);
            CHECK_FALSE(world.lookup("Parent::Leaves"));
        }
    }

    TEST_CASE("a queued name moves with its entity to the parent that is queued next") {
        kith::world world;
        kith::entity first = world.entity("first");
        kith::entity second = world.entity("second");
        kith::entity a, b;
        world.defer([&] {
            a = world.entity("child").child_of(first);
            CHECK(world.lookup("first::child") == a);
            CHECK_FALSE(world.lookup("child"));
            b = world.entity("child").child_of(second);
        });
        CHECK(a != b);
        CHECK(a.path() == "::first::child");
        CHECK(b.path() == "::second::child");
        world.check();
    }
}
