// What searches upwards remember is forgotten where it changes.
#include <kith/kith.hpp>

#include "support/types.hpp"

#include <map>

using namespace kith_test;

namespace {

// a - b - c - d, and e below b. Entities with Hot are asked for the Position above them.
struct fixture {
    fixture() {
        register_all(world);
        for (kith::entity* one : {&a, &b, &c, &d, &e}) {
            *one = world.entity().add<Hot>();
        }
        b.child_of(a);
        c.child_of(b);
        d.child_of(c);
        e.child_of(b);
        query = world.query_builder<const Position>().arg(1).parent().with<Hot>().build();
    }

    std::map<kith::entity_t, int> found() const {
        std::map<kith::entity_t, int> seen;
        query.each([&](kith::entity who, const Position& above) { seen[who] = above.x; });
        // The other ways to ask must agree.
        std::map<kith::entity_t, int> again;
        query.iter([&](kith::iter& it, const Position* above) {
            for (auto row : it) {
                again[it.entity(row)] = above[row].x;
            }
        });
        CHECK(seen == again);
        return seen;
    }
    using values = std::map<kith::entity_t, int>;

    kith::world world;
    kith::entity a, b, c, d, e;
    kith::query<const Position> query;
};

}  // namespace

TEST_SUITE("features.queries.ancestor_cache") {
    TEST_CASE_FIXTURE(fixture, "the nearest above counts") {
        CHECK(found().empty());
        a.set(Position{1, 0});
        CHECK(found() == values{{b, 1}, {c, 1}, {d, 1}, {e, 1}});
        b.set(Position{2, 0});
        CHECK(found() == values{{b, 1}, {c, 2}, {d, 2}, {e, 2}});
        a.remove<Position>();
        CHECK(found() == values{{c, 2}, {d, 2}, {e, 2}});
        b.remove<Position>();
        CHECK(found().empty());
    }

    TEST_CASE_FIXTURE(fixture, "an entity that moves takes those below along") {
        a.set(Position{1, 0});
        kith::entity other = world.entity().set(Position{7, 0});
        CHECK(found().size() == 4);
        c.child_of(other);
        CHECK(found() == values{{b, 1}, {c, 7}, {d, 7}, {e, 1}});
        c.remove(kith::ChildOf, kith::Wildcard);
        CHECK(found() == values{{b, 1}, {e, 1}});
        b.child_of(other);
        CHECK(found() == values{{b, 7}, {e, 7}});
    }

    TEST_CASE_FIXTURE(fixture, "values that move in memory are found where they are") {
        a.set(Position{1, 0});
        CHECK(found().size() == 4);
        a.add<Cold>();
        for (int i = 0; i < 100; ++i) {
            world.entity().set(Position{i, i});
        }
        CHECK(found() == values{{b, 1}, {c, 1}, {d, 1}, {e, 1}});
        a.set(Position{5, 0});
        CHECK(found() == values{{b, 5}, {c, 5}, {d, 5}, {e, 5}});
    }

    TEST_CASE_FIXTURE(fixture, "who takes over the index of a deleted entity starts anew") {
        kith::entity root = world.entity().set(Position{3, 0});
        kith::entity child = world.entity().add<Hot>().child_of(root);
        CHECK(found() == values{{child, 3}});
        child.remove(kith::ChildOf, root);
        root.destruct();
        kith::entity successor = world.entity();
        REQUIRE(kith::index_of(successor) == kith::index_of(root));
        child.child_of(successor);
        CHECK(found().empty());
        successor.set(Position{4, 0});
        CHECK(found() == values{{child, 4}});
    }

    TEST_CASE_FIXTURE(fixture, "what is inherited above counts, and changes with the base") {
        kith::entity base = world.prefab();
        a.is_a(base);
        CHECK(found().empty());
        base.set(Position{6, 0});
        CHECK(found() == values{{b, 6}, {c, 6}, {d, 6}, {e, 6}});
        base.remove<Position>();
        CHECK(found().empty());
    }

    TEST_CASE_FIXTURE(fixture, "sparse components are remembered and forgotten alike") {
        world.component<Position>().add(kith::Sparse);
        a.set(Position{1, 0});
        CHECK(found() == values{{b, 1}, {c, 1}, {d, 1}, {e, 1}});
        b.set(Position{2, 0});
        CHECK(found() == values{{b, 1}, {c, 2}, {d, 2}, {e, 2}});
        b.remove<Position>();
        CHECK(found() == values{{b, 1}, {c, 1}, {d, 1}, {e, 1}});
    }

    TEST_CASE_FIXTURE(fixture, "relationships in tables, with several targets, depth first") {
        kith::entity within = world.relation("Within", {.traversable = true});
        auto search = world.query_builder<const Position>().arg(1).up(within).with<Cold>().build();
        kith::entity left = world.entity();
        kith::entity right = world.entity();
        kith::entity top = world.entity().set(Position{9, 0});
        left.add(within, top);
        kith::entity e2 = world.entity().add<Cold>().add(within, left).add(within, right);
        auto value = [&] {
            int x = -1;
            search.each([&](const Position& p) { x = p.x; });
            return x;
        };
        CHECK(value() == 9);
        right.set(Position{8, 0});
        CHECK(value() == 9);
        left.remove(within, top);
        CHECK(value() == 8);
        left.set(Position{7, 0});
        CHECK(value() == 7);
        e2.remove(within, left);
        CHECK(value() == 8);
    }
}
