// What errors say: the call, the argument, and how to do it right.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct Position {
    float x = 0;
};
struct Hp {
    int value = 0;
};
struct Tag {};
struct Likes {};

struct fixture {
    kith::world world;
    kith::entity e = world.entity("Bob").add<Tag>();
    kith::entity null{world, kith::entity_t{0}};
};

// True if what `func` fails with has all of these words.
template <class Func, class... Words>
bool tells(Func&& func, const Words&... words) {
    const std::string message = message_of(func);
    CAPTURE(message);
    const bool has_all = ((message.find(words) != std::string::npos) && ...);
    CHECK(has_all);
    return has_all;
}

std::string& warnings() {
    static std::string all;
    return all;
}

}  // namespace

TEST_SUITE("features.idioms.messages") {
    TEST_CASE_FIXTURE(fixture, "a handle without a world names the call") {
        tells([&] { kith::entity().add<Tag>(); }, "add", "without a world");
        tells([&] { kith::entity().set(Position{}); }, "set", "without a world");
    }

    TEST_CASE_FIXTURE(fixture, "an unknown type in a text says how types become known") {
        tells([&] { world.query("Acceleration"); }, "Acceleration", "world.component<T>()");
        tells([&] { world.query_builder().with("Acceleration").build(); }, "Acceleration",
              "world.component<T>()");
    }

    TEST_CASE_FIXTURE(fixture, "'=' and curly quotes have hints of their own") {
        tells([&] { world.query("Tag, $this = Bob"); }, "'=='");
        tells([&] { world.query("Tag(“Bob”)"); }, "straight");
        tells([&] { world.query("Tag(‘Bob’)"); }, "straight");
        CHECK(world.query("Tag(\"Bob\")").is_true());
        kith::entity curly = world.entity("Bob’s").add<Tag>();
        CHECK(world.query("Tag(\"Bob’s\")").is_true());
        CHECK(world.query(world.query_builder().with(curly.id()).build().str()).count() == 0);
    }

    TEST_CASE_FIXTURE(fixture, "a lock names no entity #0") {
        world.entity().add<Tag>();
        e.remove<Tag>();
        world.each<Tag>([&](kith::entity) {
            for (const std::string& message :
                 {message_of([&] { world.with<Tag>([&] { world.entity(); }); }),
                  message_of([&] { world.bulk<Tag>(2, nullptr); })}) {
                CAPTURE(message);
                CHECK(message.find("#0") == std::string::npos);
                CHECK(message.find("iterated") != std::string::npos);
            }
        });
    }

    // Only builds with internal checks warn.
    TEST_CASE_FIXTURE(fixture, "two components as if they were a pair are warned of, once") {
#if defined(KITH_ASSERTS) && KITH_ASSERTS
        warnings().clear();
        kith::set_log([](const char* message, void*) { warnings() += message; });
        e.add<Position, Hp>();
        CHECK(warnings().find("has_all<") != std::string::npos);
        warnings().clear();
        e.add<Position, Hp>();
        CHECK(e.has<Position, Hp>());
        CHECK(warnings().empty());
        e.add<Likes, Hp>();
        CHECK(warnings().find("has_all<") == std::string::npos);
        world.relation<Hp>();
        e.add<Hp, Position>();
        CHECK(warnings().find("has_all<") == std::string::npos);
        kith::set_log(nullptr);
#endif
    }
}
