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
};

struct fixture : event_log {
    kith::entity e = world.entity("e");
    kith::entity other = world.entity("other");
};

}  // namespace

TEST_SUITE("features.observers.entity_observers") {
    TEST_CASE_FIXTURE(fixture,
                      "an entity's observer takes nothing, the entity, the payload, both") {
        e.observe<Clicked>([&] { log += "1 "; });
        e.observe<Clicked>([&](kith::entity one) { log += "2" + name_of(one) + " "; });
        e.observe<Resized>([&](Resized& size) { log += "3w" + std::to_string(size.width) + " "; });
        e.observe<Resized>([&](kith::entity one, Resized& size) {
            log += "4" + name_of(one) + std::to_string(size.width) + " ";
        });
        e.observe([&](const Resized& size) { log += "5w" + std::to_string(size.width) + " "; });
        e.observe([&](kith::entity, Resized&) { log += "6 "; });
        e.emit<Clicked>();
        CHECK(taken() == "1 2e ");
        e.emit(Resized{7});
        CHECK(taken() == "3w7 4e7 5w7 6 ");
        other.emit<Clicked>();
        other.emit(Resized{7});
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "events may be entities") {
        kith::entity event = world.entity("event");
        e.observe(event, [&] { log += "1 "; });
        e.observe(event, [&](kith::entity one) { log += "2" + name_of(one) + " "; });
        e.emit(event);
        CHECK(taken() == "1 2e ");
        e.enqueue(event);
        CHECK(taken() == "1 2e ");
    }

    TEST_CASE_FIXTURE(fixture, "enqueue waits while changes are deferred") {
        e.observe<Resized>([&](Resized& size) { log += std::to_string(size.width); });
        world.defer([&] {
            e.enqueue(Resized{3});
            const Resized kept{4};
            e.enqueue(kept);
            e.enqueue<Resized>();
            CHECK(taken() == "");
        });
        CHECK(taken() == "340");
    }

    TEST_CASE_FIXTURE(fixture, "an event with ids reaches the entity's observers once") {
        e.observe<Clicked>([&] { log += "1 "; });
        world.event<Clicked>().id<Hot>().id<Cold>().entity(e).emit();
        CHECK(taken() == "1 ");
    }

    TEST_CASE_FIXTURE(fixture, "they are called in the order in which all observers were made") {
        e.observe<Clicked>([&] { log += "1"; });
        world.observer().event<Clicked>().each([&](kith::entity) { log += "2"; });
        e.observe<Clicked>([&] { log += "3"; });
        e.emit<Clicked>();
        CHECK(taken() == "123");
    }

    TEST_CASE_FIXTURE(fixture, "they end with their entity") {
        auto owned = std::make_shared<int>(1);
        e.observe<Clicked>([owned] {});
        CHECK(world.count(kith::Observer) == 1);
        e.destruct();
        CHECK(owned.use_count() == 1);
        CHECK(world.count(kith::Observer) == 0);
        kith::entity same_index = world.entity();
        CHECK(kith::index_of(same_index) == kith::index_of(e));
        same_index.emit<Clicked>();
        CHECK_NOTHROW(world.check());
    }

    TEST_CASE_FIXTURE(fixture, "the deletion of an entity is told to its observers") {
        e.set(Position{3, 0});
        e.observe(kith::OnDelete, [&](kith::entity one) {
            log += name_of(one) + std::to_string(one.get<Position>()->x);
        });
        other.destruct();
        CHECK(taken() == "");
        e.destruct();
        CHECK(taken() == "e3");
    }

    TEST_CASE_FIXTURE(fixture,
                      "observing inside of a deferred part, or a callback, works at once") {
        world.defer([&] {
            e.observe<Clicked>([&] { log += "1 "; });
            e.emit<Clicked>();
        });
        CHECK(taken() == "1 ");
        e.observe<Resized>([&] { e.observe<Resized>([&] { log += "2 "; }); });
        e.emit<Resized>();
        CHECK(taken() == "");
        e.emit<Resized>();
        CHECK(taken() == "2 ");
    }

    TEST_CASE_FIXTURE(fixture, "many come and go without traces") {
        for (int i = 0; i < 2000; ++i) {
            kith::entity one = world.entity();
            one.observe<Clicked>([&] { log += "x"; });
            one.emit<Clicked>();
            one.destruct();
        }
        CHECK(taken().size() == 2000);
        CHECK_NOTHROW(world.check());
    }

    TEST_CASE_FIXTURE(fixture, "what cannot be observed of an entity is refused") {
        kith::entity dead = world.entity();
        dead.destruct();
        auto refused = [&](auto&& make) { return refusal(world, all_values(), make); };
        CHECK(refused([&] { e.observe(kith::OnAdd, [] {}); }) == errc::invalid_operation);
        CHECK(refused([&] { e.observe(dead, [] {}); }) == errc::invalid_entity);
        CHECK(refused([&] { dead.observe(world.entity("e"), [] {}); }) == errc::invalid_entity);
        e.observe<Resized>([](Resized&) {});
        CHECK(error_of([&] { e.emit(world.entity<Resized>()); }) == errc::invalid_operation);
    }
}
