// How often the callback of an instanced query is called, where a value is that of the parent and
// parents are stored beside the tables: once for neighbouring rows of a table that have the same
// parent.
#include <kith/kith.hpp>

#include <vector>

#include <doctest/doctest.h>

namespace {

struct Position {
    int x = 0;
};
struct Speed {
    int v = 0;
};
struct Weight {
    int kg = 0;
};

struct fixture {
    kith::entity parent_with(int speed) { return world.entity().set(Speed{speed}); }
    void add_children(kith::entity parent, int count) {
        for (int i = 0; i < count; ++i) {
            world.entity().set(Position{made++}).child_of(parent);
        }
    }
    // The number of rows of each call.
    template <class Query>
    std::vector<std::size_t> sizes_of(const Query& query) {
        std::vector<std::size_t> sizes;
        query.iter([&](kith::iter& it) { sizes.push_back(it.count()); });
        return sizes;
    }
    kith::query<> instanced() {
        return world.query_builder().with<Position>().with<Speed>().parent().instanced().build();
    }

    kith::world world;
    int made = 0;
};

using sizes = std::vector<std::size_t>;

}  // namespace

TEST_SUITE("features.cost.instancing") {
    TEST_CASE("a thousand children of one parent are one call of an instanced query") {
        fixture f;
        f.add_children(f.parent_with(1), 1'000);
        CHECK(f.sizes_of(f.instanced()) == sizes{1'000});
    }

    TEST_CASE("an instanced query is called once for each table and parent") {
        fixture f;
        f.add_children(f.parent_with(1), 100);
        f.add_children(f.parent_with(2), 200);
        kith::entity other = f.parent_with(3);
        for (int i = 0; i < 70; ++i) {
            f.world.entity().set(Position{}).set(Weight{}).child_of(other);
        }
        CHECK(f.sizes_of(f.instanced()) == sizes{100, 200, 70});
    }

    TEST_CASE("the fields of one call are the rows of the table and the value of the parent") {
        fixture f;
        for (int speed = 1; speed <= 3; ++speed) {
            f.add_children(f.parent_with(speed), 100);
        }
        int at = 0;
        f.instanced().iter([&](kith::iter& it) {
            auto position = it.field<const Position>(1);
            auto speed = it.field<const Speed>(2);
            REQUIRE(it.count() == 100);
            CHECK(it.src(2) == it.entity(0).parent());
            CHECK(speed->v == at / 100 + 1);
            for (auto row : it) {
                CHECK(position[row].x == at++);
            }
        });
        CHECK(at == 300);
    }

    TEST_CASE("rows between which one does not match are different calls") {
        fixture f;
        kith::entity parent = f.parent_with(1);
        f.add_children(parent, 80);
        f.add_children(f.world.entity(), 1);
        f.add_children(parent, 90);
        CHECK(f.sizes_of(f.instanced()) == sizes{80, 90});
    }

    TEST_CASE("rows with an optional value of a parent are divided by whether they have it") {
        fixture f;
        f.add_children(f.parent_with(1), 80);
        f.add_children(f.world.entity(), 90);
        auto query = f.world.query_builder()
                         .with<Position>()
                         .with<Speed>()
                         .parent()
                         .optional()
                         .instanced()
                         .build();
        CHECK(f.sizes_of(query) == sizes{80, 90});
    }

    TEST_CASE("without instancing, rows with a value of their parent come one by one") {
        fixture f;
        f.add_children(f.parent_with(1), 10);
        auto query = f.world.query_builder().with<Position>().with<Speed>().parent().build();
        CHECK(f.sizes_of(query) == sizes(10, 1));
    }
}
