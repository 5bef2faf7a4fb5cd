// Relationships that are declared with their properties.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

#include <utility>

using namespace kith_test;
using kith::errc;

TEST_SUITE("features.relationships.desc") {
    // spec 312
    TEST_CASE("a relationship without fields has its name and says what it is") {
        kith::world world;
        kith::entity plain = world.relation("Plain");
        CHECK(plain.name() == "Plain");
        CHECK(plain.owns(kith::Relationship));
        CHECK(plain.type().count() == 2);
    }

    // properties_test.cpp has the fields that are tags.
    // spec 312
    TEST_CASE("a field with an entity adds a pair") {
        kith::world world;
        kith::entity other = world.entity();
        const std::pair<kith::relation_desc, kith::id_t> fields[] = {
            {{.on_delete = kith::Delete}, kith::make_pair(kith::OnDelete, kith::Delete)},
            {{.on_delete_target = kith::Panic}, kith::make_pair(kith::OnDeleteTarget, kith::Panic)},
            {{.with = other}, kith::make_pair(kith::With, other)},
            {{.one_of = other}, kith::make_pair(kith::OneOf, other)},
        };
        for (const auto& [desc, pair] : fields) {
            CHECK(world.relation(desc).owns(pair));
        }
    }

    TEST_CASE("properties work as if they had been added one by one") {
        kith::world world;
        kith::entity docked =
            world.relation("DockedTo", {.exclusive = true, .on_delete_target = kith::Delete});
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        kith::entity ship = world.entity().add(docked, a).add(docked, b);
        CHECK_FALSE(ship.has(docked, a));
        CHECK(ship.target(docked) == b);
        b.destruct();
        CHECK_FALSE(ship.is_alive());
    }

    TEST_CASE("a type, a name, an entity, or nothing is declared") {
        kith::world world;
        struct Orbits {};
        kith::component<Orbits> typed = world.relation<Orbits>({.exclusive = true});
        CHECK(typed == world.component<Orbits>());
        CHECK(typed.has(kith::Exclusive));
        kith::entity named = world.relation("game::Owns", {.exclusive = true});
        CHECK(named.path() == "::game::Owns");
        CHECK(world.relation("game::Owns") == named);
        kith::entity e = world.entity();
        CHECK(world.relation(e, {.tag = true}) == e);
        CHECK(e.has(kith::Tag));
        CHECK(world.relation().is_alive());
        CHECK(world.relation<Orbits>().has(kith::Exclusive));
    }

    TEST_CASE("fields that contradict each other are an error, and nothing is made") {
        kith::world world;
        register_all(world);
        auto refused = [&](const kith::relation_desc& desc) {
            return refusal(world, [&] { world.relation("Broken", desc); });
        };
        CHECK(refused({.symmetric = true, .acyclic = true}) == errc::constraint);
        CHECK(refused({.symmetric = true, .traversable = true}) == errc::constraint);
        CHECK(refused({.symmetric = true, .transitive = true}) == errc::constraint);
        CHECK(refused({.exclusive = true, .on_delete = kith::Name}) == errc::invalid_id);
        CHECK(refused({.exclusive = true, .on_delete_target = kith::Wildcard}) == errc::invalid_id);
        CHECK(refused({.exclusive = true, .with = 1'000'000}) == errc::invalid_id);
        CHECK(refused({.exclusive = true, .one_of = kith::Wildcard}) == errc::invalid_id);
        CHECK_FALSE(world.lookup("Broken"));
        CHECK(message_of([&] {
                  world.relation<Likes>({.symmetric = true, .transitive = true});
              }).find("symmetric and transitive") != std::string::npos);
        kith::entity dead = world.entity();
        dead.destruct();
        CHECK(error_of([&] { world.relation(dead, {.tag = true}); }) == errc::invalid_entity);
    }

    TEST_CASE("if one property cannot be had, none is set") {
        kith::world world;
        register_all(world);
        kith::entity likes = world.entity("likes");
        world.entity("e").add(likes, world.entity()).add(likes, world.entity());
        auto refused = [&](const kith::relation_desc& desc) {
            return refusal(world, [&] { world.relation(likes, desc); });
        };
        CHECK(refused({.exclusive = true, .tag = true, .acyclic = true}) == errc::constraint);
        CHECK(refused({.exclusive = true, .storage = kith::storage::sparse}) == errc::constraint);
        CHECK(refused({.tag = true, .symmetric = true}) == errc::constraint);
        CHECK_FALSE(likes.has(kith::Tag));
        kith::entity acyclic = world.relation({.acyclic = true});
        CHECK(error_of([&] { world.relation(acyclic, {.tag = true, .symmetric = true}); }) ==
              errc::constraint);
        CHECK_FALSE(acyclic.has(kith::Tag));
    }

    TEST_CASE("a declaration waits while the world is deferred") {
        kith::world world;
        kith::entity relation;
        world.defer([&] {
            relation = world.relation("Late", {.exclusive = true, .tag = true});
            CHECK_FALSE(relation.has(kith::Exclusive));
        });
        CHECK(relation.has(kith::Exclusive));
        CHECK(relation.has(kith::Tag));
    }
}
