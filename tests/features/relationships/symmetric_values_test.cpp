// Values of symmetric pairs, where both sides have one.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <string>

using kith::errc;
using kith_test::refusal;

namespace {

struct Small {
    std::string text = "a small one that is long enough for the heap";
};
struct Big {
    double values[512] = {1, 2, 3};
};
struct Sealed {
    explicit Sealed(int given) : value(given) {}
    int value;
};
struct Allied {
    int since = 0;
};

struct fixture {
    kith::world world;
    kith::entity knows = world.entity("Knows").add(kith::Symmetric);
    kith::entity e = world.entity("e");
};

}  // namespace

TEST_SUITE("features.relationships.symmetric_values") {
    // A value is mirrored where both pairs have values of one type.
    TEST_CASE_FIXTURE(fixture, "pairs between components have values of their own types") {
        kith::entity small = world.component<Small>();
        kith::entity big = world.component<Big>();
        SUBCASE("dense") {}
        SUBCASE("sparse") {
            knows.add(kith::Sparse);
        }
        small.add(knows, big);
        REQUIRE(big.has(knows, small));
        CHECK(big.get_second<Small>(knows)->text == Small{}.text);
        CHECK(small.get_second<Big>(knows)->values[2] == 3);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a value of one component is not mirrored as one of another") {
        auto small = world.component<Small>();
        auto big = world.component<Big>();
        small.set_second<Big>(knows, {{7, 8, 9}});
        CHECK(small.get_second<Big>(knows)->values[0] == 7);
        CHECK(big.get_second<Small>(knows)->text == Small{}.text);
        small.set_second<Big>(knows, {{1}});
        small.modified(knows, big);
        CHECK(big.get_second<Small>(knows)->text == Small{}.text);
    }

    TEST_CASE_FIXTURE(fixture, "a pair whose other side cannot be made is refused") {
        auto sealed = world.component<Sealed>();
        SUBCASE("dense") {}
        SUBCASE("sparse") {
            knows.add(kith::Sparse);
        }
        SUBCASE("deferred") {
            CHECK(refusal(world, [&] { world.defer([&] { sealed.add(knows, e); }); }) ==
                  errc::not_constructible);
        }
        CHECK(refusal(world, [&] { sealed.add(knows, e); }) == errc::not_constructible);
        CHECK_FALSE(sealed.has(knows, e));
        CHECK_FALSE(e.has(knows, sealed));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a value is given where the other side has none") {
        auto sealed = world.component<Sealed>();
        e.set_second<Sealed>(knows, Sealed{4});
        CHECK(e.get_second<Sealed>(knows)->value == 4);
        CHECK(sealed.has(knows, e));
    }

    // As set: both sides are notified of the value.
    TEST_CASE("a clone's symmetric pair with a value is notified on both sides") {
        for (int form = 0; form < 4; ++form) {
            const bool is_sparse = form % 2 != 0;
            const bool is_deferred = form / 2 != 0;
            CAPTURE(is_sparse);
            CAPTURE(is_deferred);
            kith::world world;
            auto relation = world.relation<Allied>({.symmetric = true});
            if (is_sparse) {
                relation.add(kith::Sparse);
            }
            auto a = world.entity();
            auto b = world.entity();
            a.set<Allied>(b, {5});
            int added = 0;
            int set = 0;
            int set_on_b = 0;
            world.observer<kith::rel<Allied>>()
                .event(kith::OnAdd)
                .event(kith::OnSet)
                .each([&](kith::iter& it, std::size_t row, kith::rel<Allied> value) {
                    const bool is_set = it.event() == kith::OnSet;
                    added += !is_set;
                    set += is_set;
                    set_on_b += is_set && it.entity(row) == b;
                    CHECK(value->since == 5);
                });
            is_deferred ? world.defer([&] { a.clone(); }) : void(a.clone());
            CHECK(added == 2);
            CHECK(set == 2);
            CHECK(set_on_b == 1);
        }
    }

    // Self pairs bring both sides into one table.
    TEST_CASE("a value is mirrored into the table that it lies in") {
        kith::world world;
        world.relation<Allied>({.symmetric = true});
        auto a = world.entity();
        auto b = world.entity();
        a.set<Allied>(a, {1});
        b.set<Allied>(b, {2});
        for (int i = 0; i < 3; ++i) {
            auto other = world.entity().set<Allied>(a, {3}).set<Allied>(b, {4});
            CHECK(b.get<Allied>(other)->since == 4);
        }
        a.set<Allied>(b, {5});
        CHECK(b.get<Allied>(a)->since == 5);
        world.check();
    }
}
