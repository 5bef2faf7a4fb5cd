#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/event_log.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct Ping {};
struct Pong {};

struct fixture : event_log {
    kith::entity e = world.entity("e");
};

}  // namespace

TEST_SUITE("features.observers.endless_recursion") {
    TEST_CASE_FIXTURE(fixture,
                      "changes that lead to changes without end are an error that names them") {
        world.observer<Position>("grow").event(kith::OnSet).each([](kith::entity one, Position& p) {
            one.set(Position{p.x + 1, 0});
        });
        const std::string message = message_of([&] { e.set(Position{1, 0}); });
        CHECK(message.find("1000") != std::string::npos);
        CHECK(message.find("observer grow (OnSet ") != std::string::npos);
        CHECK(message.find("Position of e)") != std::string::npos);
        CHECK_NOTHROW(world.check());
        CHECK(error_of([&] { e.set(Position{1, 0}); }) == errc::limit);
        world.lookup("grow").disable();
        CHECK_NOTHROW(e.set(Position{5, 0}));
        CHECK(e.get<Position>()->x == 5);
    }

    TEST_CASE_FIXTURE(fixture, "two observers that wake each other are both named") {
        world.observer("there").event(kith::OnAdd).with<Hot>().each([](kith::entity one) {
            one.remove<Hot>();
        });
        world.observer("back").event(kith::OnRemove).with<Hot>().each([](kith::entity one) {
            one.add<Hot>();
        });
        const std::string message = message_of([&] { e.add<Hot>(); });
        CHECK(message.find("observer there") != std::string::npos);
        CHECK(message.find("observer back") != std::string::npos);
        CHECK_NOTHROW(world.check());
    }

    TEST_CASE_FIXTURE(fixture, "a chain that makes entities without end leaves a sound world") {
        world.observer("more").event(kith::OnAdd).with<Hot>().each([&](kith::entity) {
            world.entity().add<Hot>();
        });
        CHECK(error_of([&] { e.add<Hot>(); }) == errc::limit);
        CHECK_NOTHROW(world.check());
        CHECK(world.count<Hot>() == 1001);
    }

    TEST_CASE_FIXTURE(fixture, "hooks that never end are found as well") {
        world.component<Position>().on_set([](kith::entity one, Position& p) {
            one.set(Position{p.x + 1, 0});
        });
        const std::string message = message_of([&] { e.set(Position{1, 0}); });
        CHECK(message.find("a hook (OnSet ") != std::string::npos);
    }

    TEST_CASE_FIXTURE(fixture, "events inside of events have a limit") {
        world.observer("ping").event<Ping>().each([](kith::entity one) { one.emit<Pong>(); });
        world.observer("pong").event<Pong>().each([](kith::entity one) { one.emit<Ping>(); });
        const std::string message = message_of([&] { e.emit<Ping>(); });
        CHECK(message.find("64") != std::string::npos);
        CHECK(message.find("observer ping") != std::string::npos);
        CHECK(message.find("observer pong") != std::string::npos);
        CHECK_NOTHROW(world.check());
        CHECK(error_of([&] { e.emit<Ping>(); }) == errc::limit);
    }

    TEST_CASE_FIXTURE(fixture, "events that are enqueued without end have a limit") {
        world.observer("ping").event<Ping>().each([](kith::entity one) { one.enqueue<Ping>(); });
        CHECK(error_of([&] { e.emit<Ping>(); }) == errc::limit);
        CHECK_NOTHROW(world.check());
    }

    TEST_CASE_FIXTURE(fixture, "observers of what is there that make each other have a limit") {
        world.entity().add<Hot>();
        e.add<Hot>();
        int made = 0;
        std::function<void()> make = [&] {
            const std::string name = "maker" + std::to_string(made++);
            world.observer(name.c_str())
                .event(kith::OnAdd)
                .with<Hot>()
                .yield_existing()
                .each([&](kith::entity) { make(); });
        };
        const std::string message = message_of([&] { make(); });
        CHECK(made == 65);
        CHECK(message.find("64") != std::string::npos);
        CHECK(message.find("observer maker62 (OnAdd)") != std::string::npos);
        CHECK_NOTHROW(world.check());
        CHECK_FALSE(world.lookup("maker0"));
    }

    TEST_CASE_FIXTURE(fixture, "monitors of what is there that make each other have a limit") {
        e.add<Hot>();
        auto hot = world.query_builder().with<Hot>().build();
        std::vector<kith::monitor> made;
        std::function<void()> make = [&] {
            made.push_back(hot.monitor([&](kith::iter&) { make(); }, kith::yield_existing));
        };
        const std::string message = message_of([&] { make(); });
        CHECK(message.find("a monitor (OnAdd of e)") != std::string::npos);
        CHECK_NOTHROW(world.check());
    }

    TEST_CASE_FIXTURE(fixture, "a chain that ends in time is none") {
        world.observer<Position>().event(kith::OnSet).each([](kith::entity one, Position& p) {
            if (p.x < 900) {
                one.set(Position{p.x + 1, 0});
            }
        });
        e.set(Position{1, 0});
        CHECK(e.get<Position>()->x == 900);
    }

    TEST_CASE_FIXTURE(fixture, "monitors that never end are named") {
        auto hot = world.query_builder().with<Hot>().build();
        auto watch = hot.monitor([](kith::iter& it) {
            if (it.event() == kith::OnAdd) {
                it.entity(0).remove<Hot>();
            } else {
                it.entity(0).add<Hot>();
            }
        });
        const std::string message = message_of([&] { e.add<Hot>(); });
        CHECK(message.find("a monitor (OnRemove of e) -> a monitor (OnAdd of e)") !=
              std::string::npos);
        CHECK(message.find("a hook") == std::string::npos);
        CHECK_NOTHROW(world.check());
    }

    TEST_CASE_FIXTURE(fixture, "observers that monitor, and never end, are named") {
        world.observer("there")
            .event(kith::Monitor)
            .with<Hot>()
            .each([](kith::iter& it, std::size_t row) {
                if (it.event() == kith::OnAdd) {
                    it.entity(row).remove<Hot>();
                } else {
                    it.entity(row).add<Hot>();
                }
            });
        const std::string message = message_of([&] { e.add<Hot>(); });
        CHECK(message.find("observer there (OnRemove of e) -> observer there (OnAdd of e)") !=
              std::string::npos);
        CHECK(message.find("a monitor") == std::string::npos);
    }
}
