// Access that parts of systems do not declare: an error in builds with checks, for any number of
// threads.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

#if defined(KITH_ASSERTS) && KITH_ASSERTS

namespace {

struct Value {
    int number = 0;
};
struct Health {
    int number = 1;
};
struct Tag {};
struct Likes {};

struct fixture {
    kith::world world;
    kith::entity ship = world.entity("Ship").set(Health{3}).add<Tag>();

    fixture() {
        for (int i = 0; i < 6; ++i) {
            world.entity().set(Value{i});
        }
    }
    // The error of a frame; "" if there is none. The code must be undeclared_access.
    std::string progress() {
        try {
            world.progress(1);
        } catch (const kith::error& failed) {
            CHECK(failed.code() == kith::errc::undeclared_access);
            return failed.what();
        }
        return {};
    }
    bool names(const std::string& message, const std::vector<std::string>& words) {
        for (const std::string& word : words) {
            if (message.find(word) == std::string::npos) {
                MESSAGE(message);
                return false;
            }
        }
        return true;
    }
};

}  // namespace

TEST_SUITE("features.systems.access_threads") {
    // spec 356
    TEST_CASE_FIXTURE(fixture, "reading a value that the system does not declare is an error") {
        world.system<Value>("Move").parallel().each(
            [&](Value& v) { v.number = ship.get<Health>()->number; });
        for (const int threads : {1, 2}) {
            world.set_threads(threads);
            CHECK(names(progress(), {"Move", "Health", "Ship", ".read<"}));
        }
    }
    // spec 356
    TEST_CASE_FIXTURE(fixture, "a declared read, a term and the own rows are no errors") {
        world.set_threads(2);
        world.system<Value>("Declared").read<Health>().parallel().each([&](Value& v) {
            v.number = ship.get<Health>()->number;
        });
        world.system<Value, const Health>("Term").arg(2).src(ship).multi_threaded().each(
            [&](Value& v, const Health&) { v.number += ship.get<Health>()->number; });
        world.system<Value>("Own").multi_threaded().part_rows(2).each([](kith::entity e, Value&) {
            e.get_mut<Value>()->number += e.get<Value>()->number;
            CHECK(e.has<Value>());
        });
        CHECK(progress() == "");
    }
    // spec 356
    TEST_CASE_FIXTURE(fixture, "testing and following an id that is not declared are errors") {
        kith::system tests = world.system<Value>("Tests").parallel().each(
            [&](Value&) { static_cast<void>(ship.has<Tag>()); });
        CHECK(names(progress(), {"Tests", "Tag", "Ship"}));
        tests.destruct();
        world.system<Value>("Follows").parallel().each(
            [&](Value&) { static_cast<void>(ship.target<Likes>()); });
        CHECK(names(progress(), {"Follows", "Likes", "Ship"}));
    }
    // spec 356
    TEST_CASE_FIXTURE(fixture, "reading other rows of a value that the parts write is an error") {
        const kith::entity first = world.entity("First").set(Value{0});
        world.system<Value>("Split").multi_threaded().part_rows(2).each(
            [&](Value& v) { v.number = first.get<Value>()->number; });
        CHECK(names(progress(), {"Split", "Value", "First"}));
    }
    // spec 356
    TEST_CASE_FIXTURE(fixture, "writing rows other than the own needs modify()") {
        const kith::entity other = world.entity("Other").set(Health{0});
        world.system<Value>("Writes").read<Health>().parallel().each(
            [&](Value&) { other.mut(world).get_mut<Health>()->number = 1; });
        CHECK(names(progress(), {"Writes", "Health", "Other", ".modify<"}));
        world.system<Value>("Writes").modify<Health>().parallel().each(
            [&](Value&) { other.mut(world).get_mut<Health>()->number = 1; });
        CHECK(progress() == "");
    }
    // spec 356
    TEST_CASE_FIXTURE(fixture, "queries inside of parts are checked by their terms") {
        kith::query<const Health> reads = world.query<const Health>();
        world.system<Value>("Asks").parallel().each(
            [&](Value&) { reads.each([](const Health&) {}); });
        CHECK(names(progress(), {"Asks", "Health"}));
        world.system<Value>("Asks").read<Health>().parallel().each(
            [&](Value&) { reads.each([](const Health&) {}); });
        CHECK(progress() == "");
    }
    // spec 356
    TEST_CASE_FIXTURE(fixture, "commands need no declaration, and alone systems are not checked") {
        world.system<Value>("Alone").each([&](Value&) { static_cast<void>(ship.get<Health>()); });
        world.system<Value>("Queues").parallel().each([&](kith::entity e, Value&) {
            e.set(Health{2});
            e.world().entity().add<Tag>();
        });
        CHECK(progress() == "");
    }
    // spec 356
    TEST_CASE_FIXTURE(fixture, "check_access(false) turns the checks off") {
        world.check_access(false);
        world.system<Value>().parallel().each(
            [&](Value&) { static_cast<void>(ship.get<Health>()); });
        CHECK(progress() == "");
    }
}

#endif
