#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct fixture {
    fixture() {
        world.component<Position>()
            .on_add([this](kith::entity, Position&) { log += "add "; })
            .on_set([this](Position& p) { log += "set" + std::to_string(p.x) + " "; })
            .on_remove([this](kith::iter& it, Position* p) {
                log += "remove" + std::to_string(p->x) + " ";
                CHECK(it.count() == 1);
                CHECK(it.event() == kith::OnRemove);
            });
    }
    std::string taken() { return std::exchange(log, {}); }

    std::string log;
    kith::world world;
};

}  // namespace

TEST_SUITE("features.hooks.hooks") {
    TEST_CASE_FIXTURE(fixture, "add comes before set, remove sees the last value") {
        kith::entity e = world.entity().set(Position{1, 0});
        CHECK(taken() == "add set1 ");
        e.set(Position{2, 0});
        CHECK(taken() == "set2 ");
        e.remove<Position>();
        CHECK(taken() == "remove2 ");
        e.remove<Position>();
        CHECK(taken() == "");
        e.add<Position>();
        CHECK(taken() == "add ");
        e.add<Position>();
        CHECK(taken() == "");
        e.destruct();
        CHECK(taken() == "remove0 ");
    }

    TEST_CASE_FIXTURE(fixture, "every way to give or take a value calls the hooks") {
        kith::entity e = world.entity(Position{1, 0});
        CHECK(taken() == "add set1 ");
        kith::entity copy = e.clone();
        CHECK(taken() == "add set1 ");
        const Position values[] = {{3, 0}, {4, 0}};
        world.bulk(2, values);
        const std::string bulk = taken();
        CHECK((bulk == "add set3 add set4 " || bulk == "add add set3 set4 "));
        world.entity().emplace<Position>(5, 0);
        CHECK(taken() == "add set5 ");
        world.entity().get_mut<Position>();
        CHECK(taken() == "add ");
        copy.clear();
        CHECK(taken() == "remove1 ");
        world.remove_all<Position>();
        CHECK(taken().size() == std::string("remove1 ").size() * 5);
    }

    TEST_CASE("hooks of what is alive run when the world ends") {
        int removed = 0;
        {
            kith::world world;
            world.component<Position>().on_remove([&](Position&) { ++removed; });
            world.entity().set(Position{1, 2});
            world.entity().set(Position{1, 2}).add<Hot>();
        }
        CHECK(removed == 2);
    }

    TEST_CASE("tags have hooks") {
        kith::world world;
        int added = 0;
        int removed = 0;
        world.component<Hot>().on_add([&](kith::entity) { ++added; }).on_remove([&](kith::entity) {
            ++removed;
        });
        world.entity().add<Hot>().add<Hot>().remove<Hot>().remove<Hot>();
        CHECK(added == 1);
        CHECK(removed == 1);
    }

    TEST_CASE_FIXTURE(fixture, "hooks run for pairs with values of the component") {
        kith::entity target = world.entity();
        kith::entity e = world.entity().set<Position>(target, Position{3, 0});
        CHECK(taken() == "add set3 ");
        target.destruct();
        CHECK(taken() == "remove3 ");
        CHECK(e.is_alive());
    }

    TEST_CASE("hooks that take the value do not run for pairs without one") {
        int called = 0;
        int told = 0;
        kith::world world;
        world.relation<Eats>({.tag = true});
        auto eats = world.component<Eats>();
        eats.on_add([&](Eats&) { ++called; });
        eats.on_set([&](kith::entity, Eats&) { ++called; });
        eats.on_remove([&](kith::iter&, Eats*) { ++called; });
        kith::entity apple = world.entity();
        kith::entity e = world.entity().add<Eats>(apple);
        world.defer([&] { e.add<Eats>(world.entity()); });
        e.clone();
        apple.destruct();
        e.destruct();
        CHECK(called == 0);
        eats.on_add([&](kith::entity) { ++told; });
        world.entity().add<Eats>(world.entity());
        CHECK(told == 1);
        world.entity().set(Eats{3});
        CHECK(called == 1);
        CHECK(told == 2);
    }

    TEST_CASE("exclusive replacement removes before it adds") {
        std::string log;
        kith::world world;
        world.component<Eats>().add(kith::Exclusive);
        world.component<Eats>().on_add([&](Eats&) { log += "add "; }).on_remove([&](Eats&) {
            log += "remove ";
        });
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        kith::entity e = world.entity().add<Eats>(a);
        e.add<Eats>(b);
        CHECK(log == "add remove add ");
    }

    TEST_CASE_FIXTURE(fixture, "changes made in a hook happen after the operation") {
        world.component<Velocity>().on_add([&](kith::entity e, Velocity& v) {
            e.add<Hot>();
            e.set(Position{9, 0});
            CHECK_FALSE(e.has<Hot>());
            v.x = 5;
        });
        kith::entity e = world.entity().add<Velocity>();
        CHECK(e.has<Hot>());
        CHECK(e.get<Velocity>()->x == 5);
        CHECK(e.get<Position>()->x == 9);
        world.check();
    }

    TEST_CASE("a hook may delete the entity it is called for") {
        kith::world world;
        world.component<Position>().on_add([](kith::entity e, Position&) { e.destruct(); });
        kith::entity e = world.entity();
        e.add<Position>();
        CHECK_FALSE(e.is_alive());
        world.component<Velocity>().on_set([](kith::entity x, Velocity&) { x.remove<Velocity>(); });
        kith::entity f = world.entity().set(Velocity{1, 2});
        CHECK_FALSE(f.has<Velocity>());
        world.check();
    }

    TEST_CASE("a remove hook may add the component again") {
        kith::world world;
        world.component<Position>().on_remove([](kith::entity e, Position&) {
            e.set(Position{8, 8});
        });
        kith::entity e = world.entity().set(Position{1, 1});
        e.remove<Position>();
        CHECK(e.get<Position>()->x == 8);
        CHECK_NOTHROW(e.destruct());
        CHECK_FALSE(e.is_alive());
        world.check();
    }

    TEST_CASE("a set hook that sets its own component ends, if it stops") {
        kith::world world;
        world.component<Position>().on_set([](kith::entity e, Position& p) {
            if (p.x < 10) {
                e.set(Position{p.x + 1, 0});
            }
        });
        CHECK(world.entity().set(Position{0, 0}).get<Position>()->x == 10);
    }

    TEST_CASE("a new hook takes the place of the old one") {
        kith::world world;
        int first = 0;
        int second = 0;
        auto component = world.component<Position>();
        component.on_add([&](Position&) { ++first; });
        component.on_add([&](Position&) { ++second; });
        world.entity().add<Position>();
        CHECK(first == 0);
        CHECK(second == 1);
    }

    TEST_CASE("a hook may replace itself while it runs") {
        kith::world world;
        std::string log;
        std::string big(100, 'x');
        world.component<Position>().on_add([&world, &log, big](Position&) {
            world.component<Position>().on_add([&log](Position&) { log += "new "; });
            log += big.substr(0, 1) + " ";
        });
        world.entity().add<Position>();
        world.entity().add<Position>();
        CHECK(log == "x new ");
    }

    TEST_CASE("a hook that throws leaves a sound world, and the error reaches the caller") {
        kith::world world;
        bool armed = true;
        world.component<Position>().on_add([&](Position&) {
            if (armed) {
                throw 1;
            }
        });
        kith::entity e = world.entity();
        CHECK_THROWS_AS(e.add<Position>(), int);
        CHECK_FALSE(world.is_deferred());
        world.check();
        armed = false;
        CHECK_NOTHROW(world.entity().add<Position>());
        world.check();
    }

    TEST_CASE("set and remove hooks that throw leave a sound world") {
        balance_check<counted<0>> balance;
        kith::world world;
        bool armed = true;
        auto component = world.component<counted<0>>();
        component.on_set([&](counted<0>&) {
            if (armed) {
                throw 1;
            }
        });
        kith::entity e = world.entity();
        CHECK_THROWS_AS(e.set(counted<0>(1)), int);
        world.check();
        armed = false;
        e.set(counted<0>(2));
        component.on_remove([&](counted<0>&) {
            if (armed) {
                throw 2;
            }
        });
        armed = true;
        CHECK_THROWS_AS(e.remove<counted<0>>(), int);
        CHECK_FALSE(e.has<counted<0>>());
        world.check();
        armed = false;
        e.set(counted<0>(3));
        armed = true;
        CHECK_THROWS_AS(e.destruct(), int);
        CHECK_FALSE(e.is_alive());
        world.check();
        CHECK_FALSE(world.is_deferred());
    }

    TEST_CASE("after a hook that throws, the others are told all the same") {
        kith::world world;
        int removed = 0;
        world.component<Position>().on_remove([](Position&) { throw 1; });
        world.component<Velocity>().on_remove([&](Velocity&) { ++removed; });
        kith::entity e = world.entity().add<Position>().add<Velocity>();
        CHECK_THROWS_AS(e.clear(), int);
        CHECK(removed == 1);
        CHECK_FALSE(e.has<Position>());
        e.add<Position>();
        CHECK_THROWS_AS(e.destruct(), int);
        CHECK_FALSE(e.is_alive());
    }

    TEST_CASE("a hook that throws in a flush does not stop the other commands") {
        kith::world world;
        world.component<Position>().on_set([](Position& p) {
            if (p.x == 1) {
                throw 1;
            }
        });
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        CHECK_THROWS(world.defer([&] {
            a.set(Position{1, 0});
            b.set(Position{2, 0});
        }));
        CHECK(b.get<Position>()->x == 2);
        CHECK_FALSE(world.is_deferred());
        world.check();
    }

    TEST_CASE("hooks keep what they captured alive as long as the world") {
        auto token = std::make_shared<int>(1);
        {
            kith::world world;
            world.component<Position>().on_add([token](Position&) {});
            CHECK(token.use_count() == 2);
        }
        CHECK(token.use_count() == 1);
    }
}
