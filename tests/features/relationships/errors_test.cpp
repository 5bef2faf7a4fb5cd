// What cannot be done with relationships: each is an error, and the world is as it was before.
#include "support/errors.hpp"

#include <kith/kith.hpp>

#include "support/relations.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct fixture {
    fixture() {
        register_all(world);
        dead.destruct();
    }

    template <class Func>
    std::optional<errc> refused(Func&& func) {
        return refusal(world, all_values(), func);
    }

    kith::world world;
    bool sparse = for_both_storages();
    kith::entity rel = make_relation(world, sparse, "rel");
    kith::entity eats = make_relation<Eats>(world, sparse);
    kith::entity a = world.entity("a").add(rel, rel).set<Eats>(rel, Eats{1});
    kith::entity b = world.entity("b");
    kith::entity dead = world.entity();
};

}  // namespace

TEST_SUITE("features.relationships.errors") {
    TEST_CASE_FIXTURE(fixture, "dead elements are refused by every operation that adds") {
        auto check = [&](const std::string& what, auto&& change) {
            CAPTURE(what);
            CHECK(refused(change) == errc::invalid_id);
        };
        check("add", [&] { a.add(rel, dead); });
        check("add to dead relation", [&] { a.add(dead, b); });
        check("set", [&] { a.set<Eats>(dead, Eats{1}); });
        check("set_second", [&] { a.set_second<Position>(dead, Position{1, 1}); });
        check("get_mut", [&] { a.get_mut<Eats>(dead); });
        check("emplace", [&] { a.emplace_first<Eats>(dead, 1); });
        check("child_of", [&] { a.child_of(dead); });
        check("is_a", [&] { a.is_a(dead); });
        check("depends_on", [&] { a.depends_on(dead); });
        check("slot_of", [&] { a.slot_of(dead); });
        check("with", [&] { world.with(rel, dead, [&] { world.entity(); }); });
        check("property", [&] { rel.add(kith::With, dead); });
        check("one of", [&] { rel.add(kith::OneOf, dead); });
        check("override", [&] { a.override(rel, dead); });
    }

    TEST_CASE_FIXTURE(fixture, "elements whose index lives again are not mistaken for the living") {
        kith::entity young = world.entity();
        REQUIRE(kith::index_of(young) == kith::index_of(dead));
        CHECK(refused([&] { a.add(rel, dead); }) == errc::invalid_id);
        CHECK(refused([&] { a.is_a(dead); }) == errc::invalid_id);
        CHECK(refused([&] { a.child_of(dead); }) == errc::invalid_id);
        a.add(rel, young);
        CHECK_FALSE(a.has(rel, dead));
        a.remove(rel, dead);
        CHECK(a.has(rel, young));
        CHECK(a.get<Eats>(dead) == nullptr);
    }

    TEST_CASE_FIXTURE(fixture, "entities of another world are refused") {
        kith::world other;
        kith::entity foreign = other.entity("foreign");
        CHECK(refused([&] { a.add(rel, foreign); }).has_value());
        CHECK(refused([&] { a.add(foreign, b); }).has_value());
        CHECK(refused([&] { a.set<Eats>(foreign, Eats{1}); }).has_value());
        CHECK(refused([&] { a.has(rel, foreign); }).has_value());
        CHECK(refused([&] { a.remove(foreign, b); }).has_value());
        CHECK(refused([&] { a.get<Eats>(foreign); }).has_value());
        CHECK(refused([&] { a.child_of(foreign); }).has_value());
        CHECK(refused([&] { a.is_a(foreign); }).has_value());
        CHECK(refused([&] { a.depends_on(foreign); }).has_value());
        CHECK(refused([&] { a.slot_of(foreign); }).has_value());
        CHECK(refused([&] { a.override(foreign); }).has_value());
        CHECK(refused([&] { a.target_for(kith::ChildOf, foreign); }).has_value());
        CHECK(refused([&] { a.each_source(foreign, [](kith::entity) {}); }).has_value());
    }

    TEST_CASE_FIXTURE(fixture, "wildcards are for asking, not for adding") {
        for (kith::entity_t wildcard : {kith::Wildcard, kith::Any}) {
            CHECK(refused([&] { a.add(rel, wildcard); }) == errc::invalid_id);
            CHECK(refused([&] { a.add(wildcard, b); }) == errc::invalid_id);
            CHECK(refused([&] { a.add(wildcard, wildcard); }) == errc::invalid_id);
            CHECK(refused([&] { a.set<Eats>(wildcard, Eats{1}); }) == errc::invalid_id);
            CHECK(refused([&] { a.get_mut<Eats>(wildcard); }) == errc::invalid_id);
            CHECK(refused([&] { a.emplace_first<Eats>(wildcard, 1); }) == errc::invalid_id);
            CHECK(refused([&] { a.child_of(wildcard); }) == errc::invalid_id);
            CHECK(refused([&] { a.is_a(wildcard); }) == errc::invalid_id);
            CHECK(refused([&] { a.override(rel, wildcard); }) == errc::invalid_id);
            const kith::id_t ids[] = {kith::make_pair(rel, wildcard)};
            const void* none[] = {nullptr};
            CHECK(refused([&] { world.bulk(1, ids, 1, none); }) == errc::invalid_id);
            CHECK(refused([&] { rel.add(kith::OneOf, wildcard); }) == errc::invalid_id);
            CHECK(refused([&] { rel.add(kith::With, wildcard); }) == errc::invalid_id);
        }
    }

    TEST_CASE_FIXTURE(fixture, "what is no pair cannot be used as one") {
        CHECK(refused([&] { world.id(a).pair(); }).has_value());
        CHECK(refused([&] { a.add(world.pair(rel, b), b); }) == errc::invalid_id);
        CHECK(refused([&] { a.add(b, world.pair(rel, b)); }) == errc::invalid_id);
        CHECK(refused([&] { a.add(rel, 0); }) == errc::invalid_id);
        CHECK(refused([&] { a.add(0, rel); }) == errc::invalid_id);
        CHECK_FALSE(world.id(a).first());
        CHECK_FALSE(world.id(a).second());
    }

    TEST_CASE_FIXTURE(fixture, "two targets of an exclusive relationship in one bulk call") {
        rel.remove(kith::Exclusive);
        world.remove_all(rel, kith::Wildcard);
        rel.add(kith::Exclusive);
        const kith::id_t ids[] = {world.component<Position>(), world.pair(rel, a),
                                  world.pair(rel, b)};
        const Position values[] = {{1, 1}, {2, 2}};
        const void* columns[] = {values, nullptr, nullptr};
        CHECK(refused([&] { world.bulk(2, ids, 3, columns); }) == errc::constraint);
        const kith::id_t parents[] = {kith::make_pair(kith::ChildOf, a),
                                      kith::make_pair(kith::ChildOf, b)};
        CHECK(refused([&] { world.bulk(2, parents, 2, columns + 1); }) == errc::constraint);
        const kith::id_t twice[] = {world.pair(rel, a), world.pair(rel, a)};
        error_of([&] { world.bulk(1, twice, 2, columns + 1); });
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "builtin entities are not deleted") {
        for (kith::entity_t id = 1; id < kith::detail::builtin_end; ++id) {
            const bool builtin =
                id >= kith::first_builtin || id <= kith::detail::identifier_type_id;
            if (builtin && world.is_alive(id)) {
                const std::string name = world.entity(id).name().c_str();
                CAPTURE(name);
                CHECK(error_of([&] { world.entity(id).destruct(); }) == errc::in_use);
            }
        }
        CHECK(refused([&] { world.entity(kith::ChildOf).destruct(); }) == errc::in_use);
        CHECK(refused([&] { world.entity(kith::IsA).destruct(); }) == errc::in_use);
        CHECK(refused([&] { world.entity(kith::Wildcard).destruct(); }) == errc::in_use);
        CHECK(refused([&] { world.entity(kith::Kith).destruct(); }) == errc::in_use);
        CHECK(refused([&] { world.delete_with(kith::Exclusive); }) == errc::in_use);
        CHECK(error_of([&] { world.defer([&] { world.entity(kith::Name).destruct(); }); }) ==
              errc::in_use);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a relationship in use under Panic is not deleted") {
        rel.add(kith::OnDelete, kith::Panic);
        CHECK(refused([&] { rel.destruct(); }) == errc::in_use);
        CHECK(refused([&] { eats.destruct(); }) == errc::in_use);
        CHECK(contains(message_of([&] { rel.destruct(); }), "rel"));
        a.destruct();
        CHECK_NOTHROW(rel.destruct());
        CHECK_NOTHROW(eats.destruct());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "self-pairs of relationships without cycles") {
        CHECK(refused([&] { a.child_of(a); }) == errc::cycle);
        CHECK(refused([&] { a.is_a(a); }) == errc::cycle);
        CHECK(refused([&] { a.depends_on(a); }) == errc::cycle);
        kith::entity acyclic = make_relation(world, sparse).add(kith::Acyclic);
        CHECK(refused([&] { a.add(acyclic, a); }) == errc::cycle);
        CHECK(refused([&] { acyclic.add(acyclic, acyclic); }) == errc::cycle);
        CHECK_NOTHROW(a.add(rel, a));
    }

    TEST_CASE_FIXTURE(fixture, "policies that are none") {
        CHECK(refused([&] { rel.add(kith::OnDelete, b); }).has_value());
        CHECK(refused([&] { rel.add(kith::OnDeleteTarget, kith::ChildOf); }).has_value());
    }

    TEST_CASE_FIXTURE(fixture, "values of the wrong type, or none") {
        CHECK(a.get_second<Position>(eats) == nullptr);
        a.add<Eats, Position>();
        CHECK(refused([&] { a.get_second<Position>(eats); }) == errc::wrong_type);
        CHECK(refused([&] { a.set_second<Position>(eats, Position{}); }) == errc::wrong_type);
        CHECK(refused([&] { a.get_mut(rel, rel); }) == errc::wrong_type);
        CHECK(refused([&] { a.add<Needy>(b); }) == errc::not_constructible);
        CHECK(refused([&] { a.emplace_first<Eats>(rel, 5); }) == errc::already_exists);
        CHECK(refused([&] { a.modified(eats, b); }).has_value());
        CHECK(refused([&] { a.disable(rel, b); }).has_value());
    }

    TEST_CASE_FIXTURE(fixture, "every refusal is the same in a queue, and the rest is done") {
        const std::string before = dump_entity(a, all_values());
        CHECK(error_of([&] {
                  world.defer([&] {
                      error_of([&] { a.add(rel, dead); });
                      error_of([&] { a.add(rel, kith::Wildcard); });
                      error_of([&] { a.child_of(a); });
                      error_of([&] { a.add<Needy>(b); });
                      error_of([&] { a.set_second<Position>(eats, Position{}); });
                      b.add<Hot>();
                  });
              }).has_value());
        CHECK(dump_entity(a, all_values()) == before);
        CHECK(b.has<Hot>());
        CHECK_FALSE(world.is_deferred());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an entity too far up to be a relationship is told so") {
        kith::entity far = world.make_alive(kith::entity_t{kith::max_relation_index} + 1);
        CHECK(error_of([&] { a.add(far, b); }).has_value());
        CHECK_FALSE(a.has(kith::Wildcard, b));
        CHECK_NOTHROW(a.add(rel, far));
        CHECK(a.has(rel, far));
        world.check();
    }
}
