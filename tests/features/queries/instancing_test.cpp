// Rows that share a value: one at a time, or together.
#include <kith/kith.hpp>

#include "support/queries.hpp"
#include "support/types.hpp"

using namespace kith_test;

namespace {

struct fixture {
    kith::world world;
    kith::entity base = world.prefab("base").set(Velocity{10, 0});
    kith::entity inst_1 = world.entity("inst_1").is_a(base).set(Position{1, 0});
    kith::entity inst_2 = world.entity("inst_2").is_a(base).set(Position{2, 0});
    kith::entity own_1 = world.entity("own_1").set(Velocity{20, 0}).set(Position{3, 0});
    kith::entity own_2 = world.entity("own_2").set(Velocity{30, 0}).set(Position{4, 0});

    // The sizes of the results, sorted.
    template <class Query>
    std::vector<std::size_t> sizes(const Query& query) const {
        std::vector<std::size_t> found;
        query.iter([&](kith::iter& it) { found.push_back(it.count()); });
        std::sort(found.begin(), found.end());
        return found;
    }
};

using sizes_list = std::vector<std::size_t>;

}  // namespace

TEST_SUITE("features.queries.instancing") {
    // spec 251
    TEST_CASE_FIXTURE(fixture, "a result may have an array in one field and one value in another") {
        int mixed = 0;
        world.filter_builder<Position, Velocity>().instanced().build().iter([&](kith::iter& it) {
            if (!it.is_self(2)) {
                CHECK(it.count() == 2);
                CHECK(it.is_self(1));
                CHECK(it.field<const Position>(1)[1].x == 2);
                CHECK(it.field<const Velocity>(2).is_shared());
                CHECK(it.field<const Velocity>(2)->x == 10);
                ++mixed;
            }
        });
        CHECK(mixed == 1);
    }

    // spec 252
    TEST_CASE_FIXTURE(fixture, "rows that share a value come one by one unless asked otherwise") {
        CHECK(sizes(world.filter<Position, Velocity>()) == sizes_list{1, 1, 2});
        CHECK(sizes(world.query<Position, Velocity>()) == sizes_list{1, 1, 2});
        world.query<Position, Velocity>().iter([](kith::iter& it, Position* p, Velocity* v) {
            for (auto i : it) {
                p[i].x = v[i].x;
            }
        });
        CHECK(inst_2.get<Position>()->x == 10);
        CHECK(own_2.get<Position>()->x == 30);
    }

    // spec 253
    TEST_CASE_FIXTURE(fixture, "an instanced query gives whole tables") {
        CHECK(sizes(world.filter_builder<Position, Velocity>().instanced().build()) ==
              sizes_list{2, 2});
        CHECK(sizes(world.query_builder<Position, Velocity>().instanced().build()) ==
              sizes_list{2, 2});
    }

    // spec 254
    TEST_CASE_FIXTURE(fixture, "each gives every row its value, owned or shared") {
        auto check = [&](const auto& query) {
            int sum = 0;
            query.each([&](Position& p, Velocity& v) { sum += p.x * v.x; });
            CHECK(sum == 10 + 20 + 60 + 120);
            std::string names;
            query.each([&](kith::iter& it, std::size_t row, Position&, Velocity& v) {
                names += it.entity(row).name().c_str();
                CHECK(it.is_self(2) == (v.x != 10));
            });
            CHECK(names.size() == 6 + 6 + 5 + 5);
        };
        check(world.filter<Position, Velocity>());
        check(world.query<Position, Velocity>());
        check(world.query_builder<Position, Velocity>().instanced().build());
    }

    // spec 237
    TEST_CASE_FIXTURE(fixture, "only results with a foreign value are split") {
        world.filter<Position, Velocity>().iter(
            [&](kith::iter& it) { CHECK(it.count() == (it.is_self(2) ? 2u : 1u)); });
    }

    TEST_CASE_FIXTURE(fixture, "a column of one value gives it for every index") {
        world.filter_builder<Position, Velocity>().instanced().build().iter([&](kith::iter& it) {
            auto v = it.field<const Velocity>(2);
            for (auto row : it) {
                CHECK(&v[row] == it.entity(row).get<Velocity>());
            }
        });
    }

    TEST_CASE_FIXTURE(fixture, "next() follows the query's way, too") {
        auto count = [](auto run) {
            int results = 0;
            while (run.next()) {
                ++results;
            }
            return results;
        };
        CHECK(count(world.filter<Position, Velocity>().iter()) == 3);
        CHECK(count(world.filter_builder<Position, Velocity>().instanced().build().iter()) == 2);
    }
}
