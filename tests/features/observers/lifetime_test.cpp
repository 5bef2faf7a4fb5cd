#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/event_log.hpp"

#include <memory>
#include <stdexcept>

using namespace kith_test;
using kith::errc;

namespace {

struct fixture : event_log {
    auto build(const char* name = nullptr) {
        return world.observer(name).event(kith::OnAdd).with<Hot>();
    }
    void touch() { e.add<Hot>().remove<Hot>(); }

    kith::entity e = world.entity("e");
};

}  // namespace

TEST_SUITE("features.observers.lifetime") {
    TEST_CASE_FIXTURE(fixture, "an observer is an entity with the tag, and may have a name") {
        kith::observer made = build("game::watch").each(note());
        CHECK(made.has(kith::Observer));
        CHECK(made.path() == "::game::watch");
        CHECK(world.observer(world.lookup("game::watch")) == made);
        CHECK(world.count(kith::Observer) == 1);
        CHECK(build().each(note()).name() == "");
    }

    TEST_CASE_FIXTURE(fixture, "its query can be asked") {
        kith::observer made = build().without<Cold>().each(note());
        e.add<Hot>();
        world.entity("f").add<Hot>().add<Cold>();
        CHECK(made.query().count() == 1);
        CHECK(made.query().first() == e);
        kith::filter<> kept = world.observer(made).query();
        made.destruct();
        CHECK(kept.count() == 1);
    }

    TEST_CASE_FIXTURE(fixture, "an observer in a scope is a child of it") {
        kith::entity scope = world.entity("scope");
        kith::observer made;
        world.scope(scope, [&] { made = build().each(note()); });
        CHECK(made.parent() == scope);
        scope.destruct();
        touch();
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "destruct ends it, and frees what it owns") {
        auto owned = std::make_shared<int>(1);
        kith::observer made = build().each([owned](kith::entity) {});
        CHECK(owned.use_count() == 2);
        made.destruct();
        CHECK(owned.use_count() == 1);
        touch();
        CHECK_NOTHROW(world.check());
    }

    TEST_CASE_FIXTURE(fixture, "losing the tag ends it, too") {
        auto owned = std::make_shared<int>(1);
        kith::observer made = build().each([owned](kith::entity) {});
        made.remove(kith::Observer);
        CHECK(owned.use_count() == 1);
        CHECK(made.is_alive());
    }

    TEST_CASE_FIXTURE(fixture, "it may end itself while it is called") {
        auto owned = std::make_shared<int>(0);
        kith::observer made;
        made = build().each([&made, owned](kith::entity) {
            made.destruct();
            ++*owned;
        });
        touch();
        touch();
        CHECK(*owned == 1);
        CHECK(owned.use_count() == 1);
    }

    TEST_CASE_FIXTURE(fixture, "it may end itself at once, with deferring suspended") {
        auto owned = std::make_shared<int>(0);
        kith::observer made;
        made = build().each([&made, owned](kith::entity one) {
            kith::world inner = one.world();
            inner.defer_suspend();
            made.destruct();
            inner.defer_resume();
            ++*owned;
        });
        touch();
        touch();
        CHECK(*owned == 1);
        CHECK(owned.use_count() == 1);
    }

    TEST_CASE_FIXTURE(fixture, "those behind one that ends them are not called") {
        kith::observer second;
        build().each([&](kith::entity one) {
            kith::world inner = one.world();
            inner.defer_suspend();
            second.destruct();
            inner.defer_resume();
        });
        second = build().each(note());
        build().each(note("third "));
        e.add<Hot>();
        CHECK(taken() == "third OnAdd Hot e; ");
    }

    TEST_CASE_FIXTURE(fixture, "those that are made in a callback hear of the next event") {
        build().each([&](kith::entity) {
            if (world.count(kith::Observer) == 1) {
                build().each(note("new "));
            }
        });
        touch();
        CHECK(taken() == "");
        touch();
        CHECK(taken() == "new OnAdd Hot e; ");
    }

    TEST_CASE_FIXTURE(fixture, "a disabled observer sleeps, and keeps its place") {
        kith::observer first = build().each(note("1 "));
        build().each(note("2 "));
        first.disable();
        touch();
        CHECK(taken() == "2 OnAdd Hot e; ");
        first.enable();
        touch();
        CHECK(taken() == "1 OnAdd Hot e; 2 OnAdd Hot e; ");
    }

    TEST_CASE_FIXTURE(fixture, "existing matches are told when that is asked for") {
        e.add<Hot>().set(Position{1, 0});
        world.entity("f").add<Hot>();
        build().yield_existing().each(note());
        const std::string existing = taken();  // of two tables, in any order
        CHECK(
            (existing == "OnAdd Hot f; OnAdd Hot e; " || existing == "OnAdd Hot e; OnAdd Hot f; "));
        world.observer<Position>()
            .event(kith::OnSet)
            .yield_existing()
            .each([&](kith::iter& it, std::size_t, Position& p) {
                log += name_of(it.event()) + std::to_string(p.x);
                it.entity(0).remove<Position>();
                CHECK(e.has<Position>());
            });
        CHECK(taken() == "OnSet1");
        CHECK(!e.has<Position>());
        build().yield_existing(false).each(note());
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "existing matches are told for each event that tells of them") {
        e.add<Hot>().set(Position{1, 0});
        auto building = world.observer<Position>();
        building.event(kith::OnAdd).event(kith::OnSet).event(kith::OnRemove).yield_existing();
        building.each(note());
        CHECK(taken() == "OnAdd Position e; OnSet Position e; ");
        world.observer()
            .event(kith::OnSet)
            .event(kith::OnAdd)
            .with<Hot>()
            .yield_existing()
            .each(note());
        CHECK(taken() == "OnAdd Hot e; ");
    }

    TEST_CASE_FIXTURE(fixture, "a component that it asks for may go: then it is told nothing") {
        kith::entity likes = world.entity("likes");
        kith::entity apple = world.entity("apple");
        kith::observer made = world.observer()
                                  .event(kith::OnAdd)
                                  .event(kith::OnRemove)
                                  .with(likes, apple)
                                  .each(note());
        e.add(likes, apple);
        taken();
        apple.destruct();
        CHECK(taken() == "OnRemove (likes,apple) e; ");
        kith::entity same_index = world.entity("same");
        CHECK(kith::index_of(same_index) == kith::index_of(apple));
        e.add(likes, same_index);
        CHECK(taken() == "");
        CHECK(made.is_alive());
    }

    TEST_CASE_FIXTURE(fixture, "an event that is deleted is told no more") {
        kith::entity event = world.entity("event");
        kith::observer made = world.observer().event(event).with<Hot>().each(note());
        event.destruct();
        CHECK(made.is_alive());
        kith::entity same_index = world.entity("same");
        e.add<Hot>();
        world.event(same_index).id<Hot>().entity(e).emit();
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "an error of a callback reaches the caller of the operation") {
        build().each([](kith::entity) { throw std::runtime_error("no"); });
        build().each(note());
        CHECK_THROWS_AS(e.add<Hot>(), std::runtime_error);
        CHECK(e.has<Hot>());
        CHECK(taken() == "OnAdd Hot e; ");  // the others are told all the same
        CHECK_NOTHROW(world.check());
        e.remove<Hot>();
        CHECK_THROWS_AS(world.defer([&] { e.add<Hot>(); }), std::runtime_error);
        CHECK_NOTHROW(world.check());
    }

    TEST_CASE_FIXTURE(fixture, "entities that are made stay, though callbacks fail") {
        Position values[3] = {{1, 0}, {2, 0}, {3, 0}};
        e.set(Position{4, 0});
        bool watched = false;
        SUBCASE("one that throws") {
            world.observer<Position>().event(kith::OnAdd).each([](Position&) {
                throw std::runtime_error("no");
            });
        }
        SUBCASE("one that throws, in a world that is watched") {
            watched = true;
            world.observer<Position>().event(kith::OnAdd).each([](Position&) {
                throw std::runtime_error("no");
            });
        }
        SUBCASE("one whose command fails") {
            kith::entity child = world.entity().child_of(e);
            world.observer<Position>().event(kith::OnAdd).each([this, child](Position&) {
                e.child_of(child);
            });
        }
        auto any = world.query_builder().without<Hot>().build();
        auto watch = watched ? any.monitor([](kith::iter&) {}) : kith::monitor();
        world.observer<Position>()
            .event(kith::OnAdd)
            .event(kith::OnRemove)
            .each([this](kith::iter& it, std::size_t, Position& p) {
                log += (it.event() == kith::OnAdd ? "+" : "-") + std::to_string(int(p.x)) + " ";
            });
        CHECK_THROWS(e.clone());
        CHECK(taken() == "+4 ");
        CHECK(world.count<Position>() == 2);
        CHECK_THROWS(world.bulk(3, values));
        CHECK(taken() == "+1 +2 +3 ");
        CHECK(world.count<Position>() == 5);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "entities that are made stay, though monitors fail") {
        Position values[3] = {{1, 0}, {2, 0}, {3, 0}};
        e.set(Position{4, 0});
        auto watch = world.query_builder<Position>().build().monitor([this](kith::iter& it) {
            log += (it.event() == kith::OnAdd ? "+" : "-") + std::to_string(it.count()) + " ";
            throw std::runtime_error("no");
        });
        CHECK_THROWS(e.clone());
        CHECK(taken() == "+1 ");
        CHECK_THROWS(world.bulk(3, values));
        CHECK(taken() == "+3 ");
        CHECK(world.count<Position>() == 5);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "all holders lose an id, though callbacks fail") {
        e.add<Hot>();
        world.entity("f").add<Hot>();
        world.entity("g").add<Hot>();
        world.observer().event(kith::OnRemove).with<Hot>().each([](kith::entity) {
            throw std::runtime_error("no");
        });
        world.observer().event(kith::OnRemove).with<Hot>().each(note());
        CHECK_THROWS_AS(world.remove_all<Hot>(), std::runtime_error);
        CHECK(taken() == "OnRemove Hot e; OnRemove Hot f; OnRemove Hot g; ");
        CHECK(world.count<Hot>() == 0);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an id that one holder must keep is taken from nobody") {
        world.component<Likes>().add(kith::With, world.component<Hot>());
        e.add<Hot>();
        world.entity("f").add<Likes>();
        world.observer().event(kith::OnRemove).with<Hot>().each(note());
        CHECK(error_of([&] { world.remove_all<Hot>(); }) == errc::constraint);
        CHECK(taken() == "");
        CHECK(world.count<Hot>() == 2);
    }

    TEST_CASE_FIXTURE(fixture,
                      "an observer that fails while an entity ends changes nothing of that") {
        world.component<Likes>().add(kith::Symmetric);
        kith::entity f = world.entity("f").add<Likes>(e);
        world.entity().add<Hot>();
        f.add<Eats>(e);
        world.observer().event(kith::OnRemove).with<Likes>(kith::Wildcard).each(note());
        world.observer().event(kith::OnRemove).with<Eats>(kith::Wildcard).each([&](kith::entity) {
            CHECK_THROWS_AS(build().yield_existing().each([](kith::entity) { throw 1; }), int);
        });
        e.destruct();
        CHECK(taken() == "OnRemove (Likes,f) e; OnRemove (Likes,e) f; ");
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an error while existing matches are told leaves no observer") {
        e.add<Hot>();
        CHECK_THROWS_AS(build("named").yield_existing().each(
                            [](kith::entity) { throw std::runtime_error("no"); }),
                        std::runtime_error);
        CHECK(world.count(kith::Observer) == 0);
        CHECK(!world.lookup("named"));
        CHECK_NOTHROW(world.check());
    }

    TEST_CASE_FIXTURE(fixture, "what cannot be observed is refused, and nothing is left") {
        build("taken").each(note());
        kith::entity dead = world.entity();
        dead.destruct();
        auto refused = [&](auto&& make) { return refusal(world, all_values(), make); };
        auto each = note();
        CHECK(refused([&] { world.observer().with<Hot>().each(each); }) == errc::invalid_operation);
        CHECK(refused([&] { world.observer().event(kith::OnAdd).each(each); }) ==
              errc::invalid_operation);
        CHECK(refused([&] { world.observer().event(dead).with<Hot>().each(each); }) ==
              errc::invalid_entity);
        CHECK(refused([&] { world.observer().event(0).with<Hot>().each(each); }) ==
              errc::invalid_entity);
        CHECK(refused([&] {
                  world.observer().event(kith::OnAdd).with<Hot>().optional().each(each);
              }) == errc::invalid_operation);
        CHECK(refused([&] { build().event(kith::OnAdd).each(each); }) == errc::invalid_operation);
        CHECK(refused([&] { build().event(kith::Monitor).each(each); }) == errc::invalid_operation);
        for (kith::entity_t wildcard : {kith::Wildcard, kith::Any}) {
            CHECK(refused([&] { world.observer().event(wildcard).with<Hot>().each(each); }) ==
                  errc::invalid_operation);
        }
        CHECK(refused([&] { build("taken").each(each); }) == errc::already_exists);
        CHECK(refused([&] { build("new").with(dead).each(each); }) != std::nullopt);
        CHECK(refused([&] {
                  world.observer().event(kith::OnRemove).with<Hot>().yield_existing().each(each);
              }) == errc::invalid_operation);
        CHECK(refused([&] { world.observer(e).query(); }) == errc::invalid_operation);
        CHECK(refused([&] {
                  auto many = build();
                  for (int i = 0; i < 16; ++i) {
                      many.event(kith::OnSet);
                  }
              }) == errc::limit);
    }

    TEST_CASE("a world ends its observers when nothing is left to tell") {
        std::string log;
        auto owned = std::make_shared<int>(1);
        {
            kith::world world;
            world.observer<Position>()
                .event(kith::OnRemove)
                .each([&log, owned](kith::entity, Position& p) { log += std::to_string(p.x); });
            kith::entity parent = world.entity().set(Position{2, 0});
            world.entity().set(Position{1, 0}).child_of(parent);
            world.entity().set(Position{3, 0});
        }
        CHECK(log.size() == 3);
        CHECK(log.find('1') < log.find('2'));
        CHECK(owned.use_count() == 1);
    }

    TEST_CASE_FIXTURE(fixture, "all values are set, though callbacks fail") {
        auto fail = [](kith::entity) { throw std::runtime_error("no"); };
        SUBCASE("when one is added") {
            world.observer().event(kith::OnAdd).with<Position>().each(fail);
        }
        SUBCASE("when one is set") {
            world.observer().event(kith::OnSet).with<Position>().each(fail);
        }
        world.observer().event(kith::OnSet).with<Position>().each(note());
        world.observer().event(kith::OnSet).with<Velocity>().each(note());
        CHECK_THROWS_AS(e.set([](Position& p, Velocity& v) {
            p = {1, 0};
            v = {2, 0};
        }),
                        std::runtime_error);
        CHECK(e.get<Position>()->x == 1);
        CHECK(e.get<Velocity>()->x == 2);
        CHECK(taken() == "OnSet Position e; OnSet Velocity e; ");
    }
}
