// Acyclic, Traversable and Transitive relationships have no cycles: exact, in every build, for both
// storages. Others may have them, and nothing hangs.
#include <kith/kith.hpp>

#include "support/world_fixture.hpp"

using namespace kith_test;
using kith::errc;

namespace {

constexpr kith::entity_t properties[] = {kith::Acyclic, kith::Traversable, kith::Transitive};

struct fixture : storage_fixture {
    kith::entity a = world.entity("a");
    kith::entity b = world.entity("b");
    kith::entity c = world.entity("c");
    kith::entity d = world.entity("d");
};

// a before b before c … in the text.
bool in_order(const std::string& text, std::initializer_list<const char*> parts) {
    std::size_t at = 0;
    for (const char* part : parts) {
        at = text.find(part, at);
        if (at == std::string::npos) {
            return false;
        }
        ++at;
    }
    return true;
}

}  // namespace

TEST_SUITE("features.relationships.acyclic") {
    TEST_CASE("Traversable brings Acyclic, which stays as long as that") {
        kith::world world;
        kith::entity added = world.entity("added").add(kith::Traversable);
        kith::entity declared = world.relation("declared", {.traversable = true});
        kith::entity later = world.entity("later");
        world.defer([&] { later.add(kith::Traversable); });
        for (kith::entity relation : {added, declared, later}) {
            CHECK(relation.has(kith::Acyclic));
            CHECK(error_of([&] { relation.remove(kith::Acyclic); }) == errc::constraint);
            CHECK(relation.has(kith::Acyclic));
            relation.remove(kith::Traversable).remove(kith::Acyclic);
            CHECK_FALSE(relation.has(kith::Acyclic));
        }
        CHECK(world.entity(kith::ChildOf).has(kith::Acyclic));
        world.check();
    }

    // spec 100, 102, 103, 104
    TEST_CASE_FIXTURE(fixture, "a pair that closes a cycle is refused, of any length") {
        for (kith::entity_t property : properties) {
            kith::entity rel = make_relation(world, sparse).add(property);
            const std::string name = world.entity(property).name().c_str();
            CAPTURE(name);
            a.add(rel, b);
            b.add(rel, c);
            CHECK(refused([&] { a.add(rel, a); }) == errc::cycle);
            CHECK(refused([&] { d.add(rel, d); }) == errc::cycle);
            CHECK(refused([&] { b.add(rel, a); }) == errc::cycle);
            CHECK(refused([&] { c.add(rel, a); }) == errc::cycle);
            CHECK_NOTHROW(a.add(rel, c));
            CHECK_NOTHROW(d.add(rel, a));
            CHECK(refused([&] { c.add(rel, d); }) == errc::cycle);
        }
    }

    // spec 103
    TEST_CASE_FIXTURE(fixture, "the error names the path") {
        kith::entity rel = make_relation(world, sparse, "located").add(kith::Acyclic);
        kith::entity one = world.entity("Manhattan");
        kith::entity two = world.entity("NewYork");
        kith::entity three = world.entity("USA");
        one.add(rel, two);
        two.add(rel, three);
        const std::string message = message_of([&] { three.add(rel, one); });
        CHECK(contains(message, "located"));
        const bool forward = in_order(message, {"Manhattan", "NewYork", "USA"});
        const bool backward = in_order(message, {"USA", "Manhattan", "NewYork"});
        CHECK((forward || backward));
    }

    TEST_CASE_FIXTURE(fixture, "every way to add the pair is checked") {
        make_relation<Eats>(world, sparse).add(kith::Acyclic);
        a.set<Eats>(b, Eats{1});
        CHECK(refused([&] { b.set<Eats>(a, Eats{1}); }) == errc::cycle);
        CHECK(refused([&] { b.get_mut<Eats>(a); }) == errc::cycle);
        CHECK(refused([&] { b.emplace_first<Eats>(a, 1); }) == errc::cycle);
        CHECK(refused([&] { a.clone(true, b); }) == errc::cycle);
        CHECK(refused([&] { b.add<Eats>(b); }) == errc::cycle);
        CHECK(a.get<Eats>(b)->amount == 1);
    }

    TEST_CASE_FIXTURE(fixture, "what was taken away no longer closes a cycle") {
        kith::entity rel = make_relation(world, sparse).add(kith::Acyclic);
        a.add(rel, b);
        b.add(rel, c);
        a.remove(rel, b);
        CHECK_NOTHROW(c.add(rel, a));
        CHECK(refused([&] { a.add(rel, b); }) == errc::cycle);
        c.clear();
        CHECK_NOTHROW(a.add(rel, b));
        kith::entity middle = world.entity();
        c.add(rel, middle);
        middle.add(rel, d);
        middle.destruct();
        CHECK_NOTHROW(d.add(rel, c));
        world.remove_all(rel, kith::Wildcard);
        CHECK_NOTHROW(c.add(rel, d));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "diamonds and several roots are no cycles") {
        kith::entity rel = make_relation(world, sparse).add(kith::Acyclic);
        a.add(rel, b).add(rel, c);
        b.add(rel, d);
        c.add(rel, d);
        CHECK_NOTHROW(a.add(rel, d));
        CHECK(refused([&] { d.add(rel, a); }) == errc::cycle);
        CHECK(refused([&] { d.add(rel, b); }) == errc::cycle);
        CHECK_NOTHROW(b.add(rel, c));
        CHECK(refused([&] { c.add(rel, b); }) == errc::cycle);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an exclusive relationship keeps its old target when refused") {
        kith::entity rel = make_relation(world, sparse).add(kith::Acyclic).add(kith::Exclusive);
        a.add(rel, b);
        b.add(rel, c);
        c.add(rel, d);
        CHECK(refused([&] { c.add(rel, a); }) == errc::cycle);
        CHECK(c.target(rel) == d);
        CHECK_NOTHROW(a.add(rel, d));
        CHECK_NOTHROW(c.add(rel, a));
        CHECK(b.target(rel) == c);
        CHECK(refused([&] { d.add(rel, b); }) == errc::cycle);
        world.check();
    }

    // spec 103
    TEST_CASE_FIXTURE(fixture, "cycles are found at any depth, honest depth is no cycle") {
        kith::entity rel = make_relation(world, sparse).add(kith::Traversable);
        entity_list chain{world.entity()};
        for (int i = 0; i < 5000; ++i) {
            chain.push_back(world.entity().add(rel, chain.back()));
        }
        CHECK(error_of([&] { chain.front().add(rel, chain.back()); }) == errc::cycle);
        CHECK(error_of([&] { chain[10].add(rel, chain[4990]); }) == errc::cycle);
        CHECK_NOTHROW(chain[4990].add(rel, chain[10]));
        chain[2500].destruct();
        CHECK(error_of([&] { chain[10].add(rel, chain[4990]); }) == errc::cycle);
        chain[4990].remove(rel, chain[10]);
        CHECK_NOTHROW(chain[10].add(rel, chain[4990]));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "deferred pairs are checked in order, one by one") {
        kith::entity rel = make_relation(world, sparse).add(kith::Acyclic);
        CHECK(error_of([&] {
                  world.defer([&] {
                      a.add(rel, b);
                      b.add(rel, c);
                      c.add(rel, a);
                      c.add(rel, d).add<Hot>();
                  });
              }) == errc::cycle);
        CHECK(a.has(rel, b));
        CHECK(b.has(rel, c));
        CHECK_FALSE(c.has(rel, a));
        CHECK(c.has(rel, d));
        CHECK(c.has<Hot>());
        world.defer([&] {
            a.remove(rel, b);
            c.add(rel, a);
            b.add(rel, a);
        });
        CHECK(c.has(rel, a));
        CHECK(b.has(rel, a));
        kith::entity made;
        CHECK(error_of([&] {
                  world.defer([&] {
                      made = world.entity();
                      made.add(rel, b);
                      a.add(rel, made);
                  });
              }) == errc::cycle);
        CHECK(made.has(rel, b));
        CHECK_FALSE(a.has(rel, made));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "the property given late is refused while there is a cycle") {
        for (kith::entity_t property : properties) {
            kith::entity rel = make_relation(world, sparse);
            a.add(rel, b);
            b.add(rel, c);
            c.add(rel, a);
            const auto code = refused([&] { rel.add(property); });
            CHECK((code == errc::cycle || code == errc::constraint));
            CHECK_FALSE(rel.has(property));
            const std::string message = message_of([&] { rel.add(property); });
            CHECK((contains(message, "a") || contains(message, "b") || contains(message, "c")));
            c.remove(rel, a);
            rel.add(property);
            CHECK(refused([&] { c.add(rel, a); }) == errc::cycle);
            rel.remove(property).remove(kith::Acyclic);
            CHECK_NOTHROW(c.add(rel, a));
            CHECK(refused([&] { rel.add(property); }).has_value());
            world.remove_all(rel, kith::Wildcard);
        }
    }

    TEST_CASE_FIXTURE(fixture, "removing one of two such properties leaves the other in force") {
        kith::entity rel = make_relation(world, sparse).add(kith::Acyclic).add(kith::Transitive);
        a.add(rel, b);
        rel.remove(kith::Acyclic);
        CHECK(refused([&] { b.add(rel, a); }) == errc::cycle);
        rel.remove(kith::Transitive);
        CHECK_NOTHROW(b.add(rel, a));
        world.check();
    }

    // spec 100
    TEST_CASE_FIXTURE(fixture, "Transitive changes no data") {
        kith::entity rel = make_relation(world, sparse).add(kith::Transitive);
        a.add(rel, b);
        b.add(rel, c);
        CHECK_FALSE(a.has(rel, c));
        CHECK(targets_of(a, rel) == entity_list{b});
        CHECK(world.count(rel, c) == 1);
        CHECK(rel.has(kith::Transitive));
    }

    // spec 101
    TEST_CASE_FIXTURE(fixture, "Reflexive implies a pair that is never stored") {
        kith::entity rel = make_relation(world, sparse).add(kith::Reflexive).add(kith::Acyclic);
        CHECK(rel.has(kith::Reflexive));
        CHECK(rel.has(kith::Acyclic));
        a.add(rel, b);
        CHECK_FALSE(a.owns(rel, a));
        CHECK(targets_of(a, rel) == entity_list{b});
        CHECK(refused([&] { a.add(rel, a); }) == errc::cycle);
        kith::entity other = make_relation(world, sparse).add(kith::Acyclic);
        CHECK_NOTHROW(other.add(kith::Reflexive));
        CHECK(world.entity(kith::IsA).has(kith::Reflexive));
        CHECK_FALSE(world.entity(kith::ChildOf).has(kith::Reflexive));
        world.check();
    }

    // spec 102, 104
    TEST_CASE_FIXTURE(fixture, "the builtin relationships have no cycles") {
        for (kith::entity_t rel : {kith::ChildOf, kith::IsA, kith::DependsOn}) {
            kith::entity relation = world.entity(rel);
            CHECK((relation.has(kith::Acyclic) || relation.has(kith::Traversable)));
            a.add(rel, b);
            b.add(rel, c);
            CHECK(refused([&] { c.add(rel, a); }) == errc::cycle);
            CHECK(refused([&] { c.add(rel, c); }) == errc::cycle);
            CHECK(refused([&] { relation.add(kith::Symmetric); }) == errc::constraint);
        }
    }

    TEST_CASE_FIXTURE(fixture, "undeclared cycles are legal, and everything ends on them") {
        kith::entity rel =
            make_relation(world, sparse, "rel").add(kith::OnDeleteTarget, kith::Delete);
        a.add(rel, b);
        b.add(rel, c);
        c.add(rel, a).add(rel, c);
        d.add(rel, a);
        CHECK(world.count(rel, kith::Wildcard) == 4);
        CHECK(targets_of(c, rel) == entity_list{a, c});
        kith::entity copy = c.clone();
        CHECK(copy.has(rel, a));
        b.destruct();
        CHECK(world.count(rel, kith::Wildcard) == 0);
        CHECK_FALSE(a.is_alive());
        CHECK_FALSE(c.is_alive());
        CHECK_FALSE(d.is_alive());
        CHECK_FALSE(copy.is_alive());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "the properties and the storage of a relationship are independent") {
        kith::entity rel = make_relation(world, sparse).add(kith::Acyclic);
        a.add(rel, b);
        b.add(rel, c);
        if (sparse) {
            rel.remove(kith::Sparse);
        } else {
            rel.add(kith::Sparse);
        }
        CHECK(refused([&] { c.add(rel, a); }) == errc::cycle);
        c.add(rel, d);
        CHECK(refused([&] { d.add(rel, a); }) == errc::cycle);
        CHECK_NOTHROW(a.add(rel, d));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "random graphs agree with a search through all paths") {
        kith::entity rel = make_relation(world, sparse).add(kith::Acyclic);
        constexpr std::size_t nodes = 24;
        entity_list all;
        for (std::size_t i = 0; i < nodes; ++i) {
            all.push_back(world.entity());
        }
        bool edge[nodes][nodes] = {};
        auto reaches = [&](std::size_t from, std::size_t to) {
            std::vector<std::size_t> open{from};
            bool seen[nodes] = {};
            while (!open.empty()) {
                const std::size_t at = open.back();
                open.pop_back();
                if (at == to) {
                    return true;
                }
                for (std::size_t next = 0; next < nodes; ++next) {
                    if (edge[at][next] && !seen[next]) {
                        seen[next] = true;
                        open.push_back(next);
                    }
                }
            }
            return false;
        };
        std::uint32_t random = 12345;
        auto draw = [&](std::uint32_t limit) {
            random = random * 1664525 + 1013904223;
            return static_cast<std::size_t>((random >> 8) % limit);
        };
        int refusals = 0;
        for (int i = 0; i < 4000; ++i) {
            const std::size_t x = draw(nodes);
            const std::size_t y = draw(nodes);
            if (draw(3) == 0) {
                all[x].remove(rel, all[y]);
                edge[x][y] = false;
            } else {
                const bool cyclic = reaches(y, x);
                const auto code = error_of([&] { all[x].add(rel, all[y]); });
                REQUIRE(code.has_value() == cyclic);
                refusals += cyclic;
                edge[x][y] = edge[x][y] || !cyclic;
            }
        }
        CHECK(refusals > 100);
        world.check();
    }
}
