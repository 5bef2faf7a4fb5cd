
#include <kith/kith.hpp>

#include "support/world_fixture.hpp"

#include <cstring>

using namespace kith_test;
using kith::errc;

namespace {

using fixture = world_fixture;

// Every operation that changes an entity, on one that cannot be changed.
template <class Check>
void each_change(kith::entity e, kith::entity other, Check&& check) {
    check("add", [&] { e.add<Position>(); });
    check("add tag", [&] { e.add<Hot>(); });
    check("add pair", [&] { e.add<Likes>(other); });
    check("add enum", [&] { e.add(Color::Red); });
    check("remove", [&] { e.remove<Position>(); });
    check("set", [&] { e.set(Position{1, 2}); });
    check("set string", [&] { e.set(Label{"text"}); });
    check("set pair", [&] { e.set<Eats>(other, Eats{1}); });
    check("set callback", [&] { e.set([](Position&) {}); });
    check("emplace", [&] { e.emplace<Needy>(1); });
    check("get_mut", [&] { e.get_mut<Position>(); });
    check("modified", [&] { e.modified<Position>(); });
    check("clear", [&] { e.clear(); });
    check("set_name", [&] { e.set_name("name"); });
    check("set_alias", [&] { e.set_alias("alias"); });
    check("disable", [&] { e.disable(); });
    check("disable component", [&] { e.disable<Position>(); });
    check("child_of", [&] { e.child_of(other); });
    check("clone", [&] { e.clone(); });
    check("scope", [&] { e.scope([] {}); });
}

}  // namespace

TEST_SUITE("features.world.errors") {
    TEST_CASE_FIXTURE(fixture, "changing a dead entity is an error and changes nothing") {
        kith::entity other = world.entity();
        kith::entity dead = world.entity().set(Position{1, 2});
        dead.destruct();
        each_change(dead, other, [&](const char* what, auto&& change) {
            CAPTURE(what);
            CHECK(refused(change) == errc::invalid_entity);
        });
    }

    TEST_CASE_FIXTURE(fixture, "changing an entity whose index lives again is an error") {
        kith::entity other = world.entity();
        kith::entity dead = world.entity().set(Position{1, 2});
        dead.destruct();
        kith::entity young = world.entity().set(Position{3, 4});
        REQUIRE(kith::index_of(young) == kith::index_of(dead));
        each_change(dead, other, [&](const char* what, auto&& change) {
            CAPTURE(what);
            CHECK(refused(change) == errc::invalid_entity);
        });
        CHECK(refused([&] { dead.destruct(); }).value_or(errc::invalid_entity) ==
              errc::invalid_entity);
        CHECK(young.is_alive());
    }

    TEST_CASE_FIXTURE(fixture, "changing an id that was never issued is an error") {
        kith::entity other = world.entity();
        each_change(world.entity(kith::entity_t{123456}), other,
                    [&](const char* what, auto&& change) {
                        CAPTURE(what);
                        CHECK(refused(change) == errc::invalid_entity);
                    });
    }

    TEST_CASE_FIXTURE(fixture, "changing the null entity is an error") {
        kith::entity other = world.entity();
        each_change(kith::entity::null(world), other, [&](const char* what, auto&& change) {
            CAPTURE(what);
            if (std::strcmp(what, "scope") == 0) {
                return;  // the root
            }
            CHECK(refused(change) == errc::invalid_entity);
        });
    }

    TEST_CASE_FIXTURE(fixture, "a handle of another world names nothing here unless the id does") {
        kith::world bigger;
        for (int i = 0; i < 100; ++i) {
            bigger.entity();
        }
        const kith::entity_t foreign = bigger.entity().id();
        CHECK(refused([&] { world.entity(foreign).add<Position>(); }) == errc::invalid_entity);
        kith::entity e = world.entity();
        CHECK(refused([&] { e.add(foreign); }) == errc::invalid_id);
        CHECK(refused([&] { e.add<Likes>(foreign); }).has_value());
        CHECK(refused([&] { e.child_of(foreign); }).has_value());
    }

    TEST_CASE_FIXTURE(fixture, "a pair is no entity") {
        kith::entity other = world.entity();
        kith::entity pair = world.entity(kith::make_pair(other, other));
        CHECK(refused([&] { pair.add<Position>(); }) == errc::invalid_entity);
        CHECK(refused([&] { pair.destruct(); }).has_value());
        CHECK_FALSE(pair.is_alive());
    }

    TEST_CASE_FIXTURE(fixture, "reading a dead entity is an error") {
        kith::entity dead = world.entity().set(Position{1, 2});
        dead.destruct();
        CHECK(refused([&] { dead.get<Position>(); }) == errc::invalid_entity);
        CHECK(refused([&] { dead.has<Position>(); }) == errc::invalid_entity);
        CHECK(refused([&] { dead.type(); }) == errc::invalid_entity);
        CHECK(refused([&] { dead.table(); }) == errc::invalid_entity);
        CHECK(refused([&] { dead.parent(); }) == errc::invalid_entity);
        CHECK(refused([&] { dead.target<Likes>(); }) == errc::invalid_entity);
        CHECK(refused([&] { dead.enabled<Position>(); }) == errc::invalid_entity);
        CHECK(refused([&] { dead.get([](const Position&) {}); }) == errc::invalid_entity);
    }

    TEST_CASE_FIXTURE(fixture, "wildcards cannot be added") {
        kith::entity e = world.entity();
        kith::entity other = world.entity();
        CHECK(refused([&] { e.add(kith::Wildcard); }) == errc::invalid_id);
        CHECK(refused([&] { e.add(kith::Any); }) == errc::invalid_id);
        CHECK(refused([&] { e.add<Likes>(kith::Wildcard); }) == errc::invalid_id);
        CHECK(refused([&] { e.add(kith::Wildcard, other); }) == errc::invalid_id);
        CHECK(refused([&] { e.add(kith::Any, kith::Any); }) == errc::invalid_id);
        CHECK(refused([&] { e.set<Eats>(kith::Wildcard, Eats{1}); }) == errc::invalid_id);
    }

    TEST_CASE_FIXTURE(fixture, "null and malformed ids cannot be added") {
        kith::entity e = world.entity();
        kith::entity other = world.entity();
        CHECK(refused([&] { e.add(kith::id_t{0}); }) == errc::invalid_id);
        CHECK(refused([&] { e.add(other, 0); }) == errc::invalid_id);
        CHECK(refused([&] { e.add(0, other); }) == errc::invalid_id);
        CHECK(refused([&] { e.add(kith::make_pair(other, 0)); }) == errc::invalid_id);
        CHECK(refused([&] { e.add(kith::Pair); }) == errc::invalid_id);
        CHECK(refused([&] { e.add(kith::make_pair(other, other), other); }) == errc::invalid_id);
    }

    TEST_CASE_FIXTURE(fixture, "dead elements cannot be added") {
        kith::entity e = world.entity();
        kith::entity other = world.entity();
        kith::entity dead = world.entity();
        dead.destruct();
        CHECK(refused([&] { e.add(dead); }) == errc::invalid_id);
        CHECK(refused([&] { e.add(other, dead); }) == errc::invalid_id);
        CHECK(refused([&] { e.add(dead, other); }) == errc::invalid_id);
        CHECK(refused([&] { e.add<Likes>(dead); }) == errc::invalid_id);
        kith::entity young = world.entity();
        REQUIRE(kith::index_of(young) == kith::index_of(dead));
        CHECK(refused([&] { e.add(dead); }) == errc::invalid_id);
        CHECK(refused([&] { e.add(other, dead); }) == errc::invalid_id);
    }

    TEST_CASE_FIXTURE(fixture, "values of tags cannot be read or written by id") {
        kith::entity tag = world.entity();
        kith::entity e = world.entity().add(tag);
        const int value = 1;
        CHECK(refused([&] { e.get_mut(tag.id()); }) == errc::wrong_type);
        CHECK(refused([&] { e.set_ptr(tag, 4, &value); }) == errc::wrong_type);
        CHECK(refused([&] { e.get_mut(world.component<Hot>().id()); }) == errc::wrong_type);
    }

    TEST_CASE_FIXTURE(fixture, "a pair whose value has another type cannot be read as this one") {
        kith::entity target = world.entity();
        kith::entity e = world.entity().set<Eats>(target, Eats{3});
        // (Eats, Position) has values of Eats
        CHECK(refused([&] { e.set_second<Position>(world.component<Eats>(), Position{}); }) ==
              errc::wrong_type);
        e.add<Eats, Position>();
        CHECK(refused([&] { e.get_second<Position>(world.component<Eats>()); }) ==
              errc::wrong_type);
    }

    TEST_CASE_FIXTURE(fixture, "adding a type without default constructor is an error") {
        kith::entity e = world.entity().set(Position{1, 2});
        kith::entity other = world.entity();
        CHECK(refused([&] { e.add<Needy>(); }) == errc::not_constructible);
        CHECK(refused([&] { e.get_mut<Needy>(); }) == errc::not_constructible);
        CHECK(refused([&] { e.add<Needy>(other); }) == errc::not_constructible);
        e.set(Needy(4));
        CHECK_NOTHROW(e.add<Needy>());
        CHECK(e.get<Needy>()->number() == 4);
    }

    TEST_CASE_FIXTURE(fixture, "copying what cannot be copied is an error") {
        kith::entity e = world.entity().set(Owner{std::make_unique<int>(3)});
        CHECK(refused([&] { e.clone(); }) == errc::not_copyable);
        const Owner value{};
        CHECK(refused([&] { e.set_ptr(world.component<Owner>(), &value); }) == errc::not_copyable);
        CHECK(*e.get<Owner>()->number == 3);
    }

    TEST_CASE_FIXTURE(fixture, "modified of what is not there is an error") {
        kith::entity e = world.entity();
        CHECK(refused([&] { e.modified<Position>(); }).has_value());
    }

    TEST_CASE_FIXTURE(fixture, "deleting a component in use is an error") {
        kith::entity e = world.entity().set(Position{1, 2});
        CHECK(refused([&] { world.component<Position>().destruct(); }) == errc::in_use);
        CHECK(e.get<Position>()->x == 1);
    }

    TEST_CASE_FIXTURE(fixture, "messages name the entity and the id") {
        kith::entity e = world.entity("Bob").set(Needy(1));
        CHECK(message_of([&] { e.emplace<Needy>(2); }).find("Bob") != std::string::npos);
        CHECK(message_of([&] { e.emplace<Needy>(2); }).find("Needy") != std::string::npos);
        world.each([&](kith::entity found, Needy&) {
            const std::string message = message_of([&] { found.add<Hot>(); });
            CHECK(message.find("Bob") != std::string::npos);
            CHECK(message.find("Hot") != std::string::npos);
            CHECK(message.find("defer") != std::string::npos);
        });
    }

    TEST_CASE("an error keeps code and message through copies") {
        kith::error first(errc::cycle, "round and round");
        kith::error second(first);
        kith::error third(errc::limit, "x");
        third = second;
        CHECK(third.code() == errc::cycle);
        CHECK(std::string(third.what()) == "round and round");
        CHECK(std::string(kith::to_string(errc::name_taken)) == "name_taken");
    }

    TEST_CASE("a handle without a world reports an error instead of crashing") {
        kith::entity e(kith::entity_t{5000});
        CHECK(error_of([&] { e.add<Hot>(); }) == errc::invalid_entity);
        CHECK(error_of([&] { kith::entity().add<Hot>(); }) == errc::invalid_entity);
        CHECK(error_of([&] { kith::entity().has<Hot>(); }) == errc::invalid_entity);
        CHECK(error_of([&] { kith::entity().get<Position>(); }) == errc::invalid_entity);
        CHECK(error_of([&] { kith::entity().set(Position{}); }) == errc::invalid_entity);
        CHECK(error_of([&] { kith::entity().destruct(); }) == errc::invalid_entity);
        CHECK(error_of([&] { kith::entity().type(); }) == errc::invalid_entity);
    }
}
