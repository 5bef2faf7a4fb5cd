// Count, sum, minimum, maximum and average over results of queries.
#include <kith/aggregate.hpp>
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <doctest/doctest.h>

namespace {

using kith::errc;
using kith_test::error_of;

enum class Grade : std::uint8_t { raw, refined };
struct Cargo {
    std::int64_t tons;
    double price;
    Grade grade;
    std::optional<float> best;
    struct Inner {
        std::uint64_t big;
    } inner;
    std::string name;
};
struct Level {
    float height;
    std::int64_t count;
};

struct port_fixture {
    kith::world world;
    kith::entity docked = world.entity("DockedTo");
    kith::entity ceres = world.entity("Ceres");
    kith::entity vesta = world.entity("Vesta");

    port_fixture() {
        kith::reflect<Cargo>();
        ship("A", {10, 0.5, Grade::refined, {}, {7}, "x"}).add(docked, vesta);
        ship("B", {-3, 1.5, Grade::raw, 2.5f, {8}, "y"}).add(docked, ceres);
        ship("C", {5, 4, Grade::refined, {}, {9}, "z"}).add(docked, vesta);
        ship("D", {1, 1, Grade::raw, 0.5f, {1}, "x"});
    }
    kith::entity ship(const char* name, const Cargo& cargo) {
        return world.entity(name).set(cargo);
    }
    std::string groups(const char* query, const char* member, const char* by) const {
        std::string text;
        for (const kith::aggregate_group& one : kith::aggregate(world.query(query), member, by)) {
            text += one.key + "=" + std::to_string(one.of.count()) + ":" + one.of.sum().str() + " ";
        }
        return text;
    }
};

}  // namespace

TEST_SUITE("features.values.aggregate") {
    // spec 562
    TEST_CASE_FIXTURE(port_fixture, "numbers of all results") {
        const auto query = world.query<const Cargo>();
        const kith::aggregates tons = kith::aggregate(query, "Cargo.tons");
        CHECK(tons.count() == 4);
        CHECK(tons.sum().integer() == 13);
        CHECK(tons.min().integer() == -3);
        CHECK(tons.max().integer() == 10);
        CHECK(tons.avg() == 3.25);
        CHECK(kith::aggregate(query, "Cargo.price").sum().str() == "7");
        CHECK(kith::aggregate(query, "Cargo.inner.big").max().str() == "9");
        CHECK(kith::aggregate(query, "Cargo.best").count() == 2);
        CHECK(kith::aggregate(query, "Cargo.best").min().str() == "0.5");
        CHECK(kith::aggregate(query, "").count() == 4);
    }

    // spec 562
    TEST_CASE_FIXTURE(port_fixture, "groups by variable, target, entity and member, in order") {
        const char* docks = "Cargo, (DockedTo, $port)";
        CHECK(groups(docks, "Cargo.tons", "$port") == "Ceres=1:-3 Vesta=2:15 ");
        CHECK(groups("Cargo, (DockedTo, *)", "Cargo.tons", "(DockedTo, *)") ==
              "Ceres=1:-3 Vesta=2:15 ");
        CHECK(groups("Cargo", "Cargo.tons", "$this") == "A=1:10 B=1:-3 C=1:5 D=1:1 ");
        CHECK(groups("Cargo", "Cargo.tons", "Cargo.grade") == "raw=2:-2 refined=2:15 ");
        CHECK(groups("Cargo", "Cargo.tons", "Cargo.name") == "\"x\"=2:11 \"y\"=1:-3 \"z\"=1:5 ");
        CHECK(groups("Cargo", "Cargo.price", "Cargo.tons") == "-3=1:1.5 1=1:1 5=1:4 10=1:0.5 ");
        CHECK(groups(docks, "", "$port") == "Ceres=1:1 Vesta=2:2 ");
    }

    // spec 562
    TEST_CASE_FIXTURE(port_fixture, "nothing has no minimum, and a sum of zero") {
        const kith::aggregates none = kith::aggregate(world.query("Cargo, Ceres"), "Cargo.tons");
        CHECK(none.count() == 0);
        CHECK(none.sum().integer() == 0);
        CHECK_FALSE(none.min());
        CHECK(none.max().str().empty());
        CHECK(std::isnan(none.avg()));
    }

    // spec 562
    TEST_CASE_FIXTURE(port_fixture, "sums beyond 64 bits are exact inside, and refused when read") {
        constexpr auto most = std::numeric_limits<std::int64_t>::max();
        ship("E", {most, 0, {}, {}, {~std::uint64_t{0}}, ""});
        ship("F", {most, 0, {}, {}, {~std::uint64_t{0}}, ""});
        const auto query = world.query<const Cargo>();
        CHECK(error_of([&] { kith::aggregate(query, "Cargo.tons").sum().integer(); }) ==
              errc::limit);
        CHECK(error_of([&] { kith::aggregate(query, "Cargo.inner.big").sum().str(); }) ==
              errc::limit);
        CHECK(kith::aggregate(query, "Cargo.inner.big").max().str() == "18446744073709551615");
        CHECK(kith::aggregate(query, "Cargo.tons").avg() > 3e18);
        ship("G", {-most, 0, {}, {}, {}, ""});
        CHECK(kith::aggregate(query, "Cargo.tons").sum().real() > 9e18);
        CHECK(error_of([&] { kith::aggregate(query, "Cargo.tons").sum().integer(); }) ==
              errc::limit);
        ship("H", {-20, 0, {}, {}, {}, ""});
        CHECK(kith::aggregate(query, "Cargo.tons").sum().integer() == most - 7);
    }

    // Errors of rounding would be seen in the third digit if numbers were added one by one.
    TEST_CASE("floats are summed by pairs") {
        kith::aggregates many;
        for (int i = 0; i < 1'000'000; ++i) {
            many.add(0.1);
        }
        CHECK(std::abs(many.sum().real() - 100'000) < 1e-9);
        many.add(std::nan(""));
        CHECK(std::isnan(many.sum().real()));
        CHECK(many.max().real() == 0.1);
    }

    // Whole columns are summed in blocks; tables end anywhere in a block.
    TEST_CASE("the sum of tables is that of their values one by one, to the bit") {
        kith::world world;
        kith::reflect<Level>();
        world.component<Level>("Level");
        kith::aggregates floats;
        kith::aggregates integers;
        for (int i = 0; i < 200; ++i) {
            const float value = i % 50 == 7 ? std::nanf("") : 0.1f * static_cast<float>(i - 90);
            const Level level{value, (i - 100) * (std::int64_t{1} << 55)};
            kith::entity made = world.entity().set(level);
            if (i >= 13) {
                made.add(world.entity("Late"));
            }
            if (i >= 150) {
                made.add(world.entity("Last"));
            }
            floats.add_single(level.height);
            integers.add(static_cast<std::uint64_t>(level.count < 0 ? -level.count : level.count),
                         level.count < 0);
        }
        const auto query = world.query<const Level>();
        const kith::aggregates heights = kith::aggregate(query, "Level.height");
        CHECK(heights.count() == 200);
        CHECK(std::isnan(heights.sum().real()));
        CHECK(heights.min().str() == floats.min().str());
        CHECK(heights.max().str() == floats.max().str());
        const kith::aggregates counts = kith::aggregate(query, "Level.count");
        CHECK(counts.sum().integer() == integers.sum().integer());
        CHECK(counts.min().integer() == integers.min().integer());
        CHECK(counts.max().integer() == integers.max().integer());
    }

    TEST_CASE("floats of several tables are summed by pairs of results") {
        kith::world world;
        kith::reflect<Level>();
        world.component<Level>("Level");
        kith::aggregates one_by_one;
        for (int i = 0; i < 77; ++i) {
            kith::entity made = world.entity().set(Level{0.1f + static_cast<float>(i * i), 0});
            if (i >= 21) {
                made.add(world.entity("Late"));
            }
            one_by_one.add_single(0.1f + static_cast<float>(i * i));
        }
        const kith::aggregates all = kith::aggregate(world.query<const Level>(), "Level.height");
        CHECK(all.sum().real() == one_by_one.sum().real());
        CHECK(all.avg() == one_by_one.avg());
    }

    // spec 562
    TEST_CASE_FIXTURE(port_fixture, "what cannot be summed is refused") {
        const auto code = [&](const char* member, const char* by) {
            return error_of([&] { kith::aggregate(world.query("Cargo"), member, by); });
        };
        CHECK(code("Cargo.ton", "$this") == errc::invalid_query);
        CHECK(code("Cargo.name", "$this") == errc::invalid_query);
        CHECK(code("Cargo", "$this") == errc::invalid_query);
        CHECK(code("Health.points", "$this") == errc::invalid_query);
        CHECK(code("Cargo.tons", "$port") == errc::invalid_query);
        CHECK(code("Cargo.tons", "(DockedTo, *)") == errc::invalid_query);
        CHECK(kith_test::message_of([&] {
                  kith::aggregate(world.query("Cargo"), "Cargo.ton");
              }).find("did you mean 'tons'?") != std::string::npos);
    }
}
