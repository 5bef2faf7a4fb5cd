// Sorted queries: the programs of the documents, completed.
#include <kith/kith.hpp>

#include <vector>

#include <doctest/doctest.h>

namespace flecs = kith;

namespace {

struct Depth {
    int value = 0;
};
struct Position {
    float x = 0, y = 0;
};
struct Velocity {};
struct Mass {};

int compare_position(flecs::entity_t, const Position* p1, flecs::entity_t, const Position* p2) {
    return static_cast<int>(p1->x - p2->x);
}

struct fixture {
    fixture() {
        for (int value : {3, 1, 2}) {
            world.entity().set<Depth>({value}).set<Position>({static_cast<float>(value), 0});
        }
    }
    flecs::world world;
};

}  // namespace

TEST_SUITE("seeds.sorting") {
    TEST_CASE_FIXTURE(fixture, "a typed comparison") {
        // Use readonly term for component used for sorting
        auto q = world.query_builder<const Depth, Position>()
                     .order_by<Depth>(
                         [](flecs::entity_t, const Depth* d1, flecs::entity_t, const Depth* d2) {
                             return (d1->value > d2->value) - (d1->value < d2->value);
                         })
                     .build();
        std::vector<int> seen;
        q.each([&](const Depth& d, Position& p) {
            seen.push_back(d.value);
            p.y = 1;
        });
        CHECK(seen == std::vector<int>{1, 2, 3});
    }

    TEST_CASE_FIXTURE(fixture, "a component id that is not known at compile time") {
        flecs::entity depth_id = world.component<Depth>();

        auto q =
            world.query_builder<Position>()
                .term(depth_id)
                .in()
                .order_by(depth_id,
                          [](flecs::entity_t, const void* d1, flecs::entity_t, const void* d2) {
                              const int a = static_cast<const Depth*>(d1)->value;
                              const int b = static_cast<const Depth*>(d2)->value;
                              return (a > b) - (a < b);
                          })
                .build();
        std::vector<float> seen;
        q.each([&](Position& p) { seen.push_back(p.x); });
        CHECK(seen == std::vector<float>{1, 2, 3});
    }

    TEST_CASE_FIXTURE(fixture, "zero sorts on entity ids") {
        auto q = world.query_builder<Position>()
                     .order_by(0, [](flecs::entity_t e1, const void*, flecs::entity_t e2,
                                     const void*) { return (e1 > e2) - (e1 < e2); })
                     .build();
        flecs::entity_t last = 0;
        q.each([&](flecs::entity e, Position&) {
            CHECK(e.id() > last);
            last = e.id();
        });
        CHECK(q.count() == 3);
    }

    TEST_CASE("ordered results jump between tables, and come as slices") {
        flecs::world world;
        auto make = [&](float x) { return world.entity().set<Position>({x, 0}); };
        for (float x : {1.f, 3.f, 4.f}) {
            make(x);
        }
        make(5).add<Velocity>();
        make(7).add<Velocity>();
        make(8).add<Mass>();
        make(10);
        make(11);
        auto q = world.query_builder<const Position>().order_by<Position>(compare_position).build();
        std::vector<std::size_t> slices;
        float last = 0;
        q.iter([&](flecs::iter& it, const Position* p) {
            slices.push_back(it.count());
            for (auto i : it) {
                CHECK(p[i].x > last);  // Values will be in order
                last = p[i].x;
            }
        });
        CHECK(slices == std::vector<std::size_t>{3, 2, 1, 2});
    }

    TEST_CASE_FIXTURE(fixture, "what marks data dirty") {
        auto q = world.query_builder<const Position>().order_by<Position>(compare_position).build();
        auto first = [&] { return q.first().get<Position>()->x; };
        CHECK(first() == 1);
        flecs::entity e = world.entity().set<Position>({-10, 20});  // a new entity, and a set
        CHECK(first() == -10);
        e.set<Position>({10, 20});
        CHECK(first() == 1);
        q.first().destruct();
        CHECK(first() == 2);
        q.first().remove<Position>();
        CHECK(first() == 3);
        e.set<Position>({0, 0}).remove<Position>().add<Position>();
        CHECK(first() == 0);
    }
}
