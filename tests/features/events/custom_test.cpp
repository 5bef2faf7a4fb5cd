#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/event_log.hpp"

#include <memory>

using namespace kith_test;
using kith::errc;

namespace {

struct Clicked {};
struct Resized {
    int width = 0;
    int height = 0;
};
struct Parcel {
    std::unique_ptr<int> content;
};

struct fixture : event_log {
    kith::entity e = world.entity("e");
    kith::entity other = world.entity("other");
};

}  // namespace

TEST_SUITE("features.events.custom") {
    TEST_CASE_FIXTURE(fixture, "event and id must both be those that an observer asks for") {
        world.observer<Position>().event<Clicked>().each(note());
        e.set(Position{1, 0}).set(Velocity{1, 0});
        world.event<Clicked>().id<Position>().entity(e).emit();
        CHECK(taken() == "Clicked Position e; ");
        world.event<Clicked>().id<Velocity>().entity(e).emit();
        world.event<Resized>().id<Position>().entity(e).emit();
        world.event<Clicked>().entity(e).emit();
        CHECK(taken() == "");
        world.event<Clicked>().id<Velocity>().id<Position>().entity(e).emit();
        CHECK(taken() == "Clicked Position e; ");
    }

    TEST_CASE_FIXTURE(fixture, "an entity that does not match is not told of") {
        world.observer<Position>().with<Hot>().event<Clicked>().each(note());
        world.event<Clicked>().id<Position>().entity(e).emit();
        e.set(Position{1, 0});
        world.event<Clicked>().id<Position>().entity(e).emit();
        CHECK(taken() == "");
        e.add<Hot>();
        world.event<Clicked>().id<Position>().entity(e).emit();
        CHECK(taken() == "Clicked Position e; ");
    }

    TEST_CASE_FIXTURE(fixture, "an event without ids is about anything that the entity has") {
        world.observer().with(kith::Any).with<Hot>().event<Clicked>().each(note("hot "));
        world.observer().with(kith::Any).without<Hot>().event<Clicked>().each(note("cold "));
        e.set(Position{1, 0});
        world.event<Clicked>().entity(e).emit();
        CHECK(taken() == "cold Clicked #0 e; ");
        e.add<Hot>();
        world.event<Clicked>().entity(e).emit();
        CHECK(taken() == "hot Clicked #0 e; ");
        e.emit(Clicked{});
        CHECK(taken() == "hot Clicked #0 e; ");
        world.defer([&] { e.enqueue(Clicked{}); });
        CHECK(taken() == "hot Clicked #0 e; ");
        world.emit(Clicked{});
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "an event without ids is told once for several terms of any id") {
        world.observer().with(kith::Any).with(kith::Any).with<Hot>().event<Clicked>().each(note());
        e.add<Hot>();
        world.event<Clicked>().entity(e).emit();
        CHECK(taken() == "Clicked #0 e; ");
    }

    TEST_CASE_FIXTURE(fixture, "an event without ids concerns the source that a term names") {
        world.observer().with(kith::Any).src(other).event<Clicked>().each(note("other "));
        e.add<Hot>();
        other.add<Hot>();
        world.event<Clicked>().entity(e).emit();
        CHECK(taken() == "");
        world.event<Clicked>().entity(other).emit();
        CHECK(taken() != "");
    }

    TEST_CASE_FIXTURE(fixture, "events are entities or types, ids are of any form") {
        kith::entity event = world.entity("event");
        kith::entity apple = world.entity("apple");
        world.observer().event(event).with<Likes>(kith::Wildcard).with<Hot>().each(note());
        e.add<Likes>(apple).add<Hot>();
        world.event(event).id<Likes>(apple).entity(e).emit();
        world.event(event).id(world.pair<Likes>(apple)).entity(e).emit();
        world.event(event).id(world.entity<Likes>(), apple).entity(e).emit();
        CHECK(taken() == "event (Likes,apple) e; event (Likes,apple) e; event (Likes,apple) e; ");
    }

    TEST_CASE_FIXTURE(fixture,
                      "an observer without terms, or of anything, hears all of its event") {
        world.observer().event<Clicked>().each(note("none "));
        world.observer().event<Clicked>().with(kith::Any).each(note("any "));
        e.add<Hot>();
        world.event<Clicked>().entity(e).emit();
        CHECK(taken() == "none Clicked #0 e; any Clicked #0 e; ");
        world.event<Clicked>().id<Hot>().entity(e).emit();
        CHECK(taken() == "none Clicked Hot e; any Clicked Hot e; ");
    }

    TEST_CASE_FIXTURE(fixture, "a payload reaches the observers, and is theirs to read and write") {
        world.observer<Position>().event<Resized>().each(
            [&](kith::iter& it, std::size_t, Position& p) {
                p.x = it.param<Resized>()->width;
                it.param<Resized>()->height = 7;
            });
        e.set(Position{});
        Resized size{3, 4};
        world.event<Resized>().id<Position>().entity(e).ctx(&size).emit();
        CHECK(e.get<Position>()->x == 3);
        CHECK(size.height == 7);
        world.event<Resized>().id<Position>().entity(e).ctx(Resized{5, 0}).emit();
        CHECK(e.get<Position>()->x == 5);
        world.event(world.id<Resized>()).id<Position>().entity(e).ctx(&size).emit();
        CHECK(e.get<Position>()->x == 3);
    }

    TEST_CASE_FIXTURE(fixture, "a payload of another type is refused, and none is null") {
        std::string message;
        bool none = false;
        world.observer().event<Resized>().each([&](kith::iter& it, std::size_t) {
            none = it.param<Resized>() == nullptr;
            message = message_of([&] { it.param<Position>(); });
        });
        world.event<Resized>().entity(e).emit();
        CHECK(none);
        CHECK(message == "");
        world.event<Resized>().entity(e).ctx(Resized{}).emit();
        CHECK(!none);
        CHECK(message.find("Resized, not ") != std::string::npos);
        CHECK(message.find("Position") != std::string::npos);
    }

    TEST_CASE_FIXTURE(fixture, "rows of a table are told one by one") {
        world.observer<Position>().event<Clicked>().each(note());
        e.set(Position{});
        other.set(Position{});
        world.entity("g").set(Position{});
        world.event<Clicked>().id<Position>().table(e.table()).emit();
        CHECK(taken() == "Clicked Position e; Clicked Position other; Clicked Position g; ");
        world.event<Clicked>().id<Position>().table(e.table(), 1).emit();
        CHECK(taken() == "Clicked Position other; Clicked Position g; ");
        world.event<Clicked>().id<Position>().table(e.table(), 0, 2).emit();
        CHECK(taken() == "Clicked Position e; Clicked Position other; ");
        world.event<Clicked>().id<Position>().table(other.range()).emit();
        CHECK(taken() == "Clicked Position other; ");
    }

    TEST_CASE_FIXTURE(fixture, "emit tells at once, also while deferred; enqueue waits") {
        world.observer<Position>().event<Clicked>().each(note());
        e.set(Position{});
        world.defer([&] {
            world.event<Clicked>().id<Position>().entity(e).emit();
            CHECK(taken() == "Clicked Position e; ");
            world.event<Clicked>().id<Position>().entity(e).enqueue();
            CHECK(taken() == "");
        });
        CHECK(taken() == "Clicked Position e; ");
        world.event<Clicked>().id<Position>().entity(e).enqueue();
        CHECK(taken() == "Clicked Position e; ");
    }

    TEST_CASE_FIXTURE(fixture, "what is enqueued comes in the order of the other changes") {
        world.observer<Position>()
            .event<Clicked>()
            .event(kith::OnSet)
            .each([&](kith::iter& it, std::size_t, Position& p) {
                log += name_of(it.event()) + std::to_string(p.x) + " ";
            });
        world.defer([&] {
            e.set(Position{1, 0});
            world.event<Clicked>().id<Position>().entity(e).enqueue();
            e.set(Position{2, 0});
        });
        CHECK(taken() == "OnSet1 Clicked1 OnSet2 ");
    }

    TEST_CASE_FIXTURE(fixture, "a payload that waits is moved or copied, and ends with the queue") {
        std::weak_ptr<int> watched;
        world.observer().event<std::shared_ptr<int>>().each([&](kith::iter& it, std::size_t) {
            log += std::to_string(**it.param<std::shared_ptr<int>>());
        });
        world.observer().event<Parcel>().each([&](kith::iter& it, std::size_t) {
            log += std::to_string(*it.param<Parcel>()->content);
        });
        world.defer([&] {
            auto shared = std::make_shared<int>(1);
            watched = shared;
            e.enqueue(shared);
            e.enqueue(Parcel{std::make_unique<int>(2)});
            world.event<Parcel>().entity(e).ctx(Parcel{std::make_unique<int>(3)}).enqueue();
        });
        CHECK(taken() == "123");
        CHECK(watched.expired());
    }

    TEST_CASE_FIXTURE(fixture, "a payload of a world that ends first is not lost") {
        std::weak_ptr<int> watched;
        {
            kith::world ending;
            ending.defer_begin();
            auto shared = std::make_shared<int>(1);
            watched = shared;
            ending.entity().enqueue(shared);
        }
        CHECK(watched.expired());
    }

    TEST_CASE_FIXTURE(fixture, "what is enqueued for an entity that dies is dropped") {
        world.observer().event<Clicked>().each(note());
        world.defer([&] {
            other.destruct();
            world.event<Clicked>().entity(other).enqueue();
            world.event<Clicked>().entity(e).enqueue();
        });
        CHECK(taken() == "Clicked #0 e; ");
    }

    TEST_CASE_FIXTURE(fixture, "changes that observers of an event make wait until it is told") {
        world.observer<Position>().event<Clicked>().each([&](kith::entity one, Position&) {
            one.destruct();
            CHECK(one.is_alive());
        });
        e.set(Position{});
        world.event<Clicked>().id<Position>().entity(e).emit();
        CHECK(!e.is_alive());
    }

    TEST_CASE_FIXTURE(fixture, "an event can be emitted while its entities are iterated") {
        world.observer<Position>().event<Clicked>().each(note());
        e.set(Position{});
        world.query<Position>().each([&](kith::entity one, Position&) {
            world.event<Clicked>().id<Position>().entity(one).emit();
        });
        CHECK(taken() == "Clicked Position e; ");
    }

    TEST_CASE_FIXTURE(fixture, "mistakes in what is emitted are errors") {
        world.component<Clicked>();
        kith::entity dead = world.entity();
        dead.destruct();
        auto refused = [&](auto&& emit) { return refusal(world, all_values(), emit); };
        CHECK(refused([&] { world.event<Clicked>().entity(dead).emit(); }) == errc::invalid_entity);
        CHECK(refused([&] { world.event(dead).entity(e).emit(); }) == errc::invalid_entity);
        CHECK(refused([&] { world.event(0).entity(e).emit(); }) == errc::invalid_entity);
        CHECK(refused([&] { world.event<Clicked>().id(dead).entity(e).emit(); }) ==
              errc::invalid_id);
        CHECK(refused([&] { world.event<Clicked>().id<Likes>(kith::Wildcard).entity(e).emit(); }) ==
              errc::invalid_id);
        CHECK(refused([&] { world.event(kith::OnAdd).id<Hot>().entity(e).emit(); }) ==
              errc::invalid_operation);
        CHECK(refused([&] { world.event<Clicked>().table(e.table(), 5).emit(); }) ==
              errc::invalid_operation);
        CHECK(refused([&] { world.event<Clicked>().table(e.table(), -1).emit(); }) ==
              errc::invalid_operation);
        CHECK(refused([&] { world.event<Clicked>().table(kith::table()).emit(); }) ==
              errc::invalid_operation);
        int none = 0;
        CHECK(refused([&] {
                  world.event<Clicked>().table(reinterpret_cast<kith::table_t*>(&none)).emit();
              }) == errc::invalid_operation);
        CHECK(refused([&] {
                  auto event = world.event<Clicked>();
                  for (int i = 0; i < 17; ++i) {
                      event.id<Hot>();
                  }
              }) == errc::limit);
    }

    TEST_CASE_FIXTURE(fixture, "an event about several ids calls an observer of them once") {
        kith::entity event = world.entity();
        int calls = 0;
        world.observer().with<Hot>().with<Cold>().event(event).each([&] { ++calls; });
        e.add<Hot>().add<Cold>();
        world.event(event).id<Hot>().id<Cold>().entity(e).emit();
        CHECK(calls == 1);
        world.event(event).id<Hot>().id<Cold>().entity(e).emit();
        CHECK(calls == 2);
    }

    TEST_CASE_FIXTURE(fixture, "an event may be about what its entity inherits") {
        kith::entity event = world.entity();
        kith::entity base = world.prefab().add<Hot>();
        e.is_a(base);
        int calls = 0;
        world.observer().with<Hot>().event(event).each([&] { ++calls; });
        world.event(event).id<Hot>().entity(e).emit();
        CHECK(calls == 1);
    }
}
