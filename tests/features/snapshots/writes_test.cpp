#include <kith/kith.hpp>
#include <kith/snapshot.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct Rare {
    int number = 0;
};
struct Ping {};

struct fixture {
    fixture() {
        register_all(world);
        world.component<Ping>();
        world.component<Rare>().add(kith::Sparse);
        base = world.prefab("base").set(Velocity{1, 1});
        a = world.entity("a").set(Position{1, 1}).set(Label{"one"}).set(Rare{1}).is_a(base);
        b = world.entity("b").set(Position{2, 2}).set<Eats>(a, Eats{3});
        world.set(Wide{5});
        cached = world.query_builder<Position>().cached().build();
        plain = world.query<Position>();
    }
    std::string dump() const {
        const Rare* rare = a.get<Rare>();
        return dump_world(world, all_values()) + std::to_string(rare ? rare->number : -1) + " " +
               std::to_string(world.get<Wide>()->number);
    }

    kith::world world;
    kith::entity base;
    kith::entity a;
    kith::entity b;
    kith::query<Position> cached;
    kith::query<Position> plain;
};

struct way {
    const char* what;
    std::function<void(fixture&)> write;
};

const std::vector<way>& all_ways() {
    static const std::vector<way> ways = {
        {"set",
         [](fixture& f) {
             f.a.set(Position{7, 7});
         }},
        {"set of a string", [](fixture& f) { f.a.set(Label{"seven"}); }},
        {"try_get_mut", [](fixture& f) { f.a.try_get_mut<Position>()->x = 7; }},
        {"try_get_mut by id",
         [](fixture& f) {
             static_cast<Position*>(f.a.try_get_mut(f.world.component<Position>()))->x = 7;
         }},
        {"modify", [](fixture& f) { f.a.modify<Position>([](Position& p) { p.x = 7; }); }},
        {"try_get_mut of a singleton", [](fixture& f) { f.world.try_get_mut<Wide>()->number = 7; }},
        {"set of a sparse value", [](fixture& f) { f.a.set(Rare{7}); }},
        {"set of a pair", [](fixture& f) { f.b.set<Eats>(f.a, Eats{7}); }},
        {"set of a singleton", [](fixture& f) { f.world.set(Wide{7}); }},
        {"set of an inherited value",
         [](fixture& f) {
             f.base.set(Velocity{7, 7});
         }},
        {"get_mut", [](fixture& f) { f.a.get_mut<Position>()->x = 7; }},
        {"get_mut of a sparse value", [](fixture& f) { f.a.get_mut<Rare>()->number = 7; }},
        {"get_mut of a singleton", [](fixture& f) { f.world.get_mut<Wide>()->number = 7; }},
        {"ref", [](fixture& f) { f.a.get_ref<Position>()->x = 7; }},
        {"each of a cached query",
         [](fixture& f) { f.cached.each([](Position& position) { position.x = 7; }); }},
        {"each of a plain query",
         [](fixture& f) { f.plain.each([](Position& position) { position.x = 7; }); }},
        {"iter with fields",
         [](fixture& f) {
             f.plain.iter([](kith::iter& it) {
                 auto positions = it.field<Position>(1);
                 for (auto row : it) {
                     positions[row].x = 7;
                 }
             });
         }},
        {"a query that is made anew",
         [](fixture& f) {
             f.world.query_builder<Position>().with<Label>().build().each(
                 [](Position& position) { position.x = 7; });
         }},
        {"world.each",
         [](fixture& f) { f.world.each([](Position& position) { position.x = 7; }); }},
        {"get with a function",
         [](fixture& f) { f.a.get([](Position& position) { position.x = 7; }); }},
        {"get of an inherited value with a function",
         [](fixture& f) { f.a.get([](Velocity& velocity) { velocity.x = 7; }); }},
        {"set with a function",
         [](fixture& f) { f.a.set([](Position& position) { position.x = 7; }); }},
        {"columns of a table",
         [](fixture& f) {
             static_cast<Position*>(f.a.table().get(f.world.id<Position>()))->x = 7;
         }},
        {"emplace", [](fixture& f) { f.a.remove<Position>().emplace<Position>(7, 7); }},
        {"a deferred set", [](fixture& f) { f.world.defer([&] {
                                                f.a.set(Position{7, 7});
                                            }); }},
        {"add and remove", [](fixture& f) { f.a.add<Hot>(); }},
        {"a new entity", [](fixture& f) { f.world.entity(); }},
        {"a new entity with a value",
         [](fixture& f) {
             f.world.entity().set(Position{7, 7});
         }},
        {"bulk",
         [](fixture& f) {
             const Position column[3] = {{7, 7}, {8, 8}, {9, 9}};
             f.world.bulk(3, column);
         }},
        {"clone", [](fixture& f) { f.a.clone(); }},
        {"an instance", [](fixture& f) { f.world.entity().is_a(f.base); }},
        {"destruct", [](fixture& f) { f.b.destruct(); }},
        {"delete and create",
         [](fixture& f) {
             f.b.destruct();
             f.world.entity();
         }},
        {"clear", [](fixture& f) { f.a.clear(); }},
        {"a pair", [](fixture& f) { f.a.add<Likes>(f.b); }},
        {"a parent", [](fixture& f) { f.b.child_of(f.a); }},
        {"a name", [](fixture& f) { f.b.set_name("c"); }},
        {"disable of an id", [](fixture& f) { f.a.disable<Position>(); }},
        {"an enum", [](fixture& f) { f.a.add(Color::Blue); }},
        {"an observer that writes on an event",
         [](fixture& f) {
             kith::entity observer = f.world.observer<Position>().event<Ping>().each(
                 [](kith::entity, Position& position) { position.x = 7; });
             f.world.event<Ping>().id<Position>().entity(f.a).emit();
             observer.destruct();
         }},
    };
    return ways;
}

}  // namespace

TEST_SUITE("features.snapshots.writes") {
    // spec 566
    TEST_CASE("each way of writing is seen by the next snapshot and by the restore of the last") {
        for (const way& each : all_ways()) {
            INFO(std::string(each.what));
            fixture f;
            // Queries and references have been used before the first snapshot.
            f.cached.each([](Position&) {});
            const std::string first_dump = f.dump();
            const kith::snapshot first = f.world.snapshot().take();
            each.write(f);
            const std::string second_dump = f.dump();
            CHECK(second_dump != first_dump);
            const kith::snapshot second = f.world.snapshot().take();
            first.restore();
            CHECK(f.dump() == first_dump);
            second.restore();
            CHECK(f.dump() == second_dump);
            f.world.check();
            first.restore();
            CHECK(f.dump() == first_dump);
            each.write(f);
            CHECK(f.dump() == second_dump);
            first.restore();
            CHECK(f.dump() == first_dump);
            f.world.check();
        }
    }

    // spec 565
    TEST_CASE("a snapshot copies what was written since the last") {
        kith::world world;
        std::vector<kith::entity> made;
        for (int i = 0; i < 2000; ++i) {
            made.push_back(world.entity().set(Position{i, i}));
        }
        for (int i = 0; i < 2000; ++i) {
            made.push_back(world.entity().set(Velocity{i, i}));
        }
        const kith::snapshot first = world.snapshot().take();
        CHECK(first.bytes() > 2 * 2000 * (sizeof(kith::entity_t) + sizeof(Position)));
        const kith::snapshot second = world.snapshot().take();
        CHECK(second.bytes_own() < 2000 * sizeof(Position));
        made[5].set(Position{9, 9});
        const kith::snapshot third = world.snapshot().take();
        CHECK(third.bytes_own() > 2000 * sizeof(Position));
        CHECK(third.bytes_own() < 2 * 2000 * sizeof(Position) + 2000 * sizeof(kith::entity_t));
        world.query<const Velocity>().each([](const Velocity&) {});
        const kith::snapshot fourth = world.snapshot().take();
        CHECK(fourth.bytes_own() < 2000 * sizeof(Position));
        second.restore();
        CHECK(made[5].get<Position>()->x == 5);
    }

    // spec 565
    TEST_CASE("a snapshot shares the columns of a written table that have their old values") {
        kith::world world;
        std::vector<kith::entity> made;
        for (int i = 0; i < 2000; ++i) {
            const std::string name = "a name that is longer than any buffer " + std::to_string(i);
            made.push_back(
                world.entity(name.c_str()).set(Position{i, i}).set(Velocity{i, i}).add<Hot>());
        }
        const kith::snapshot first = world.snapshot().take();
        made[5].set(Position{9, 9});
        const kith::snapshot second = world.snapshot().take();
        CHECK(second.bytes_own() > 2000 * sizeof(Position));
        CHECK(second.bytes_own() < 2000 * (sizeof(Position) + sizeof(Velocity)));
        made[7].set_name("other");
        const kith::snapshot third = world.snapshot().take();
        CHECK(third.bytes_own() > 2000 * sizeof(std::string));
        second.restore();
        CHECK(made[5].get<Position>()->x == 9);
        CHECK(made[7].name() == "a name that is longer than any buffer 7");
        third.restore();
        CHECK(made[7].name() == "other");
        first.restore();
        CHECK(made[5].get<Position>()->x == 5);
        CHECK(world.lookup("other") == kith::entity());
        world.check();
    }

    // spec 566
    TEST_CASE("a snapshot sees that entities moved between tables that were written before") {
        kith::world world;
        register_all(world);
        kith::entity first = world.entity().set(Position{1, 1});
        kith::entity second = world.entity().set(Position{2, 2});
        kith::entity hot = world.entity().set(Position{3, 3}).add<Hot>();
        const kith::snapshot before = world.snapshot().take();
        first.set(Position{4, 4});
        hot.set(Position{5, 5});
        first.add<Hot>();
        const std::string there = dump_world(world, all_values());
        const kith::snapshot after = world.snapshot().take();
        before.restore();
        CHECK_FALSE(first.has<Hot>());
        CHECK(second.get<Position>()->x == 2);
        after.restore();
        CHECK(dump_world(world, all_values()) == there);
        world.check();
    }

    // spec 566
    TEST_CASE("a snapshot sees that a relationship became exclusive") {
        kith::world world;
        kith::entity docked = world.entity("docked").add(kith::Sparse);
        kith::entity a = world.entity("a");
        kith::entity b = world.entity("b");
        kith::entity ship = world.entity("ship").add(docked, a);
        const kith::snapshot before = world.snapshot().take();
        docked.add(kith::Exclusive);
        const kith::snapshot after = world.snapshot().take();
        docked.set_name("other").remove(kith::Exclusive);
        ship.add(docked, b);
        after.restore();
        world.check();
        ship.add(docked, b);
        CHECK_FALSE(ship.has(docked, a));
        before.restore();
        world.check();
        ship.add(docked, b);
        CHECK(ship.has(docked, a));
    }

    // spec 566
    TEST_CASE("a snapshot sees properties that change no storage") {
        kith::world world;
        // The table of components with this property exists already.
        world.entity("other").add(kith::Final);
        kith::entity base = world.entity("base");
        const kith::snapshot before = world.snapshot().take();
        base.add(kith::Final);
        const kith::snapshot after = world.snapshot().take();
        before.restore();
        CHECK_NOTHROW(world.entity().is_a(base));
        before.restore();
        after.restore();
        CHECK(error_of([&] { world.entity().is_a(base); }) == kith::errc::constraint);
    }

#if defined(KITH_ASSERTS) && KITH_ASSERTS
    // spec 566
    TEST_CASE("a write through a pointer that was kept over a snapshot is reported") {
        kith::world world;
        kith::entity e = world.entity().set(Position{1, 1});
        Position* kept = e.get_mut<Position>();
        kith::snapshot first = world.snapshot().take();
        kept->x = 2;
        CHECK(error_of([&] { world.snapshot().take(); }) == kith::errc::invalid_operation);
        e.modified<Position>();
        CHECK_NOTHROW(world.snapshot().take());
    }
#endif
}
