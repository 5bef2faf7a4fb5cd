// Plans, as explain() shows them.
#include <kith/kith.hpp>

#include "support/types.hpp"

using namespace kith_test;

namespace {

struct Rare {};

// Ten entities with Position, two of them with Velocity.
struct fixture {
    fixture() {
        register_all(world);
        for (int i = 0; i < 10; ++i) {
            kith::entity made = world.entity().set(Position{i, 0});
            if (i < 2) {
                made.set(Velocity{1, 1});
            }
        }
    }
    kith::world world;
};

std::string text(const kith::string& plan) {
    return plan.c_str();
}

}  // namespace

TEST_SUITE("features.queries.plan") {
    TEST_CASE_FIXTURE(fixture, "a run starts with the term that is in the fewest tables") {
        auto one = world.filter_builder().with<Position>().with<Velocity>().build();
        auto other = world.filter_builder().with<Velocity>().with<Position>().build();
        CHECK(text(one.explain()) == text(other.explain()));
        CHECK(text(one.explain()) ==
              "scan         tables of kith_test.Velocity: 1 table\n"
              "id-in-table  kith_test.Velocity\n"
              "id-in-table  kith_test.Position\n"
              "yield        table run\n");
    }

    TEST_CASE_FIXTURE(fixture, "what changes with the world is counted anew") {
        auto query = world.filter_builder().with<Position>().with<Rare>().build();
        CHECK(text(query.explain()).starts_with("scan         tables of "));
        CHECK(text(query.explain()).find("0 tables") != std::string::npos);
        world.entity().add<Rare>();
        world.entity().add<Rare>().add<Velocity>();
        world.entity().add<Rare>().add<Hot>();
        CHECK(text(query.explain()).find("of kith_test.Position: 2 tables") != std::string::npos);
    }

    TEST_CASE_FIXTURE(fixture, "tests come before what multiplies results, options last") {
        kith::entity likes = world.entity("Likes");
        auto query = world.filter_builder()
                         .term<Velocity>()
                         .optional()
                         .with(likes, kith::Wildcard)
                         .without<Hot>()
                         .with<Position>()
                         .build();
        CHECK(text(query.explain()) ==
              "scan         tables of pairs (Likes,*): 0 tables\n"
              "id-in-table  kith_test.Position\n"
              "id-in-table  !kith_test.Hot\n"
              "wildcard     (Likes,*)\n"
              "id-in-table  ?kith_test.Velocity\n"
              "yield        wildcard run\n");
    }

    TEST_CASE_FIXTURE(fixture, "fixed sources are looked at before anything is scanned") {
        kith::entity game = world.entity("Game");
        auto query = world.filter_builder().with<Position>().with<Velocity>().src(game).build();
        CHECK(text(query.explain()) ==
              "match        kith_test.Velocity(Game)\n"
              "scan         tables of kith_test.Position: 2 tables\n"
              "id-in-table  kith_test.Position\n"
              "yield        general run\n");
    }

    TEST_CASE_FIXTURE(fixture, "what lies beside the tables is asked row by row") {
        kith::entity near = world.relation("Near", {.storage = kith::storage::sparse});
        auto query = world.filter_builder().with<Position>().with(near, kith::Wildcard).build();
        world.entity("a").set(Position{}).add(near, world.entity("b"));
        CHECK(text(query.explain()) ==
              "scan         sources of (Near,*): 1 entity\n"
              "id-in-table  kith_test.Position\n"
              "each-row\n"
              "match        (Near,*)\n"
              "yield        general run\n");
    }

    TEST_CASE_FIXTURE(fixture, "a cache answers what depends on tables alone") {
        auto query = world.query_builder()
                         .with<Position>()
                         .without<Velocity>()
                         .term<Hot>()
                         .parent()
                         .optional()
                         .build();
        CHECK(text(query.explain()) ==
              "cached       1 table, 0 with bases: kith_test.Position !kith_test.Velocity\n"
              "each-row\n"
              "match        ?kith_test.Hot(up(ChildOf))\n"
              "yield        general run\n");
    }

    TEST_CASE_FIXTURE(fixture, "searches, chains and lists are named") {
        kith::entity list = world.prefab("List").add<Position>();
        auto query = world.filter_builder()
                         .with<Position>()
                         .self()
                         .up(kith::ChildOf)
                         .min_depth(2)
                         .max_depth(4)
                         .any_of<Hot, Velocity>()
                         .with(list)
                         .and_from()
                         .build();
        CHECK(text(query.explain()) ==
              "scan         all tables: " + std::to_string(world.stats().tables) +
                  " tables\n"
                  "chain        kith_test.Hot || kith_test.Velocity\n"
                  "each-row\n"
                  "match        kith_test.Position(self|up(ChildOf,2,4))\n"
                  "list         AND | List\n"
                  "yield        general run\n");
    }

    TEST_CASE_FIXTURE(fixture, "a property that is set later changes the plan") {
        kith::entity near = world.entity("Near");
        world.entity().add(near, world.entity("b"));
        auto query = world.filter_builder().with(near, kith::Wildcard).build();
        CHECK(text(query.explain()).find("each-row") == std::string::npos);
        near.add(kith::Sparse);
        CHECK(text(query.explain()).find("each-row") != std::string::npos);
        CHECK(query.count() == 1);
        near.remove(kith::Sparse);
        CHECK(text(query.explain()).find("each-row") == std::string::npos);
        CHECK(query.count() == 1);
    }
}
