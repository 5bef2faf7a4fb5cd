// Value terms of queries: comparisons of values with constants and with other values.
#include <kith/kith.hpp>
#include <kith/query_literal.hpp>
#include <kith/reflect.hpp>

#include "support/errors.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kith::errc;
using kith_test::error_of;

enum class Grade : std::uint8_t { raw, refined, pure };
enum class Parts : std::uint32_t { none = 0, hull = 1, sail = 2, mast = 4 };
struct Health {
    std::int32_t points;
    std::int32_t most;
    float speed;
};
struct Cargo {
    double tons;
    Grade grade;
    std::string name;
    std::optional<std::int32_t> best;
    std::vector<std::int32_t> slots;
    std::map<std::string, std::int32_t> prices;
    std::int32_t row[3];
};
struct Follows {
    kith::handle who;
};
struct Big {
    std::uint64_t high;
    std::int64_t low;
    double real;
    std::int8_t tiny;
    bool on;
};
struct Level {
    std::int32_t value;
};

}  // namespace

template <>
constexpr bool kith::is_flags<Parts> = true;

namespace {

struct Rig {
    Parts parts;
};

struct fixture {
    kith::world world;

    fixture() {
        kith::reflect<Health, Cargo, Follows, Big, Rig>();
        world.component<Health>();
        world.component<Cargo>();
        world.component<Follows>();
        world.component<Big>();
        world.component<Rig>();
        world.entity("A").set(Health{3, 10, 1.5f});
        world.entity("B").set(Health{10, 10, 0.5f});
        world.entity("C").set(Health{25, 20, -1.0f}).add(world.entity("Fast"));
        world.entity("D").add(world.entity("Fast"));
    }
    std::string names(const char* text) const { return names_of(world.query(text)); }
    template <class Query>
    static std::string names_of(const Query& query) {
        std::string list;
        query.each([&](kith::entity e) { list += e.name().c_str(); });
        return list;
    }
    // The text of the query is read again and gives the same results and the same text.
    std::string both(const char* text) const {
        const std::string found = names(text);
        const std::string printed = world.query(text).str().c_str();
        CHECK(names(printed.c_str()) == found);
        CHECK(std::string(world.query(printed.c_str()).str().c_str()) == printed);
        const std::string uncached = names_of(world.filter(text));
        CHECK(uncached == found);
        return found;
    }
};

}  // namespace

TEST_SUITE("features.values.value_terms") {
    // spec 553
    TEST_CASE_FIXTURE(fixture, "a member is compared with a constant by every operator") {
        CHECK(both("Health.points < 10") == "A");
        CHECK(both("Health.points <= 10") == "AB");
        CHECK(both("Health.points > 10") == "C");
        CHECK(both("Health.points >= 10") == "BC");
        CHECK(both("Health.points == 10") == "B");
        CHECK(both("Health.points != 10") == "AC");
        CHECK(both("Health.points in [3, 25, 4]") == "AC");
        CHECK(both("Health.points in 4..25") == "BC");
        CHECK(both("Health.points in 25..4").empty());
        CHECK(both("Health.points<10") == "A");
        CHECK(both("Health.points <10, Health.speed>1") == "A");
    }

    // spec 553
    TEST_CASE_FIXTURE(fixture, "constants that a member never has are compared exactly") {
        CHECK(both("Health.points < 10.5") == "AB");
        CHECK(both("Health.points == 10.5").empty());
        CHECK(both("Health.points != 10.5") == "ABC");
        CHECK(both("Health.points < 1e300") == "ABC");
        CHECK(both("Health.points > -99999999999") == "ABC");
        CHECK(both("Health.points > 99999999999").empty());
        CHECK(both("Health.speed > 0.1") == "AB");
        CHECK(both("Health.points > nan").empty());
        CHECK(both("Health.points != nan") == "ABC");
        CHECK(both("Health.points <= inf") == "ABC");
    }

    // spec 553
    TEST_CASE("numbers are compared across kinds without rounding") {
        fixture f;
        f.world.entity("X").set(Big{std::numeric_limits<std::uint64_t>::max(),
                                    std::numeric_limits<std::int64_t>::min(), std::nan(""), -128,
                                    true});
        f.world.entity("Y").set(Big{9007199254740993ull, -1, 9007199254740992.0, 127, false});
        CHECK(f.both("Big.high > 18446744073709551614") == "X");
        CHECK(f.both("Big.high == 9007199254740992").empty());
        CHECK(f.both("Big.high == 9007199254740993") == "Y");
        CHECK(f.both("Big.high > -1") == "XY");
        CHECK(f.both("Big.low < -1") == "X");
        CHECK(f.both("Big.low < 9223372036854775808") == "XY");
        CHECK(f.both("Big.real == 9007199254740993").empty());
        CHECK(f.both("Big.real < 9007199254740993") == "Y");
        CHECK(f.both("Big.real < inf") == "Y");
        CHECK(f.both("Big.real != 1") == "XY");
        CHECK(f.both("Big.tiny >= -128") == "XY");
        CHECK(f.both("Big.tiny < -127.5") == "X");
        CHECK(f.both("Big.tiny <= 1000") == "XY");
        CHECK(f.both("Big.on == true") == "X");
        CHECK(f.both("Big.on == 0") == "Y");
        CHECK(f.both("Big.low < Big.high") == "XY");
        CHECK(f.both("Big.high == Big.real").empty());
        CHECK(f.both("Big.real != Big.real") == "X");
    }

    // spec 553
    TEST_CASE("texts, enums, flags, optionals and lists are compared by their own operators") {
        fixture f;
        f.world.entity("X").set(
            Cargo{1, Grade::raw, "old oak", 5, {1, 2}, {{"tea", 3}}, {1, 2, 3}});
        f.world.entity("Y").set(Cargo{2, Grade::pure, "new", {}, {}, {}, {7, 8, 9}});
        CHECK(f.both("Cargo.name == \"new\"") == "Y");
        CHECK(f.both("Cargo.name ~= \"old\"") == "X");
        CHECK(f.both("Cargo.name < \"old\"") == "Y");
        CHECK(f.both("Cargo.name != \"\"") == "XY");
        CHECK(f.both("Cargo.name in [\"new\", \"a\"]") == "Y");
        CHECK(f.both("Cargo.grade == raw") == "X");
        CHECK(f.both("Cargo.grade > raw") == "Y");
        CHECK(f.both("Cargo.grade in [raw, refined]") == "X");
        CHECK(f.both("Cargo.best == 5") == "X");
        CHECK(f.both("Cargo.best != 5").empty());
        CHECK(f.both("Cargo.best == null") == "Y");
        CHECK(f.both("Cargo.best != null") == "X");
        CHECK(f.both("Cargo.slots ~= 2") == "X");
        CHECK(f.both("Cargo.slots[*] > 1") == "X");
        CHECK(f.both("Cargo.slots[1] == 2") == "X");
        CHECK(f.both("Cargo.row[2] == 9") == "Y");
        CHECK(f.both("Cargo.row[*] == 8") == "Y");
        CHECK(f.both("Cargo.prices[\"tea\"] == 3") == "X");
        f.world.entity("P").set(Rig{static_cast<Parts>(3)});
        f.world.entity("Q").set(Rig{Parts::mast});
        CHECK(f.both("Rig.parts ~= hull") == "P");
        CHECK(f.both("Rig.parts ~= hull|sail") == "P");
        CHECK(f.both("Rig.parts == mast") == "Q");
        CHECK(f.both("Rig.parts != mast") == "P");
    }

    // spec 553
    TEST_CASE("a component of a single value is compared by itself") {
        kith::world world;
        kith::entity depth = world.component("Depth").member<std::int32_t>("metres");
        world.component<std::int32_t>("Rank");
        kith::reflect<std::int32_t>();
        world.entity("X").set<std::int32_t>(4);
        world.entity("Y").set<std::int32_t>(7);
        CHECK(fixture::names_of(world.query("Rank > 4")) == "Y");
        CHECK(fixture::names_of(world.query("Rank == 4")) == "X");
        CHECK(fixture::names_of(world.query("Rank in 3..5")) == "X");
        CHECK(depth.is_alive());
    }

    // spec 553
    TEST_CASE("an enum that is a component is compared by the pair of its constant") {
        kith::world world;
        kith::reflect<Grade>();
        world.component<Grade>();
        world.entity("X").add(Grade::raw);
        world.entity("Y").add(Grade::pure);
        CHECK(fixture::names_of(world.query("Grade == raw")) == "X");
        CHECK(fixture::names_of(world.query("(Grade, *), !Grade == raw")) == "Y");
        CHECK(kith_test::message_of([&] { world.query("Grade == row"); }).find("no constant") !=
              std::string::npos);
        CHECK(kith_test::message_of([&] { world.query("Grade < pure"); }).find("pair") !=
              std::string::npos);
    }

    // spec 554
    TEST_CASE("values of one entity, of fixed entities, of variables and of pairs are compared") {
        fixture f;
        CHECK(f.both("Health.points >= Health.most") == "BC");
        CHECK(f.both("Health.points > Health(B).points") == "C");
        CHECK(f.both("Health(B).points == 10, Fast") == "CD");
        CHECK(f.both("Health(B).points > 10, Fast").empty());
        CHECK(f.both("Fast, Health(B).points < Health.points") == "C");
        kith::entity likes = f.world.entity("Likes");
        f.world.lookup("A").add(likes, f.world.lookup("B"));
        f.world.lookup("C").add(likes, f.world.lookup("B"));
        CHECK(f.both("(Likes, $x), Health.points > $x.Health.points") == "C");
        CHECK(f.both("(Likes, $x), $x.Health.points > Health.points") == "A");
        CHECK(f.both("(Likes, $x), $x.Health.points < 5").empty());
        CHECK(f.both("(Likes, $x), Health.points > Health($x).points") == "C");
        f.world.component<Health>();
        f.world.lookup("D").set<Health>(f.world.lookup("A"), Health{1, 2, 3});
        f.world.lookup("D").set<Health>(f.world.lookup("B"), Health{7, 2, 3});
        CHECK(f.both("(Health, A).points == 1") == "D");
        CHECK(f.both("(Health, *).points > 3") == "D");
        CHECK(f.both("(Health, *).points > 0") == "DD");
        CHECK(f.both("(Health, $x).points > 3, $x.Health.points > 3") == "D");
        CHECK(f.both("!(Health, *).points > 6, Fast") == "C");
    }

    // spec 554
    TEST_CASE("a handle that equals a variable joins, and gives the variable its value") {
        fixture f;
        f.world.lookup("A").set(Follows{f.world.lookup("C")});
        f.world.lookup("B").set(Follows{f.world.lookup("A")});
        f.world.entity("E").set(Follows{});
        CHECK(f.both("Follows.who == $x, Fast($x)") == "A");
        CHECK(f.both("Follows.who == $x") == "AB");
        CHECK(f.both("Follows.who == C") == "A");
        CHECK(f.both("Follows.who != C") == "BE");
        CHECK(f.both("Follows.who == null") == "E");
        CHECK(f.both("Follows.who == $x, Health.points < $x.Health.points") == "A");
        CHECK(f.both("Follows.who == $x, Follows($x).who == $y, Fast($y)") == "B");
        CHECK(f.both("Fast, !Follows($x).who == $this") == "D");
        auto query = f.world.query("Follows.who == $x");
        std::string found;
        query.iter().set_var("x", f.world.lookup("A")).each([&](kith::entity e) {
            found += e.name().c_str();
        });
        CHECK(found == "B");
    }

    // spec 555
    TEST_CASE("literals are read by the compiler") {
        fixture f;
        static_assert(kith::syntax::parse_query("A.b < 1, A.b<1, A.b in 1..2").problem_count == 0);
        f.world.entity("Likes");
        auto query = f.world.query<"Health.points < 10, (Likes, $x), $x.Health.points>=1">();
        static_assert(decltype(query)::variable_count == 2);
        CHECK(query.count() == 0);
        CHECK(fixture::names_of(f.world.query<"Health.points < 10">()) == "A");
    }

    // spec 556
    TEST_CASE_FIXTURE(fixture, "operators and scopes hold for value terms as for others") {
        CHECK(both("Fast, !Health.points < 100") == "D");
        CHECK(both("!Health.points < 10, Health") == "BC");
        CHECK(both("Fast, ?Health.points < 10") == "CD");
        CHECK(both("Health.points < 5 || Health.points > 20") == "AC");
        CHECK(both("Health.points < 5 || Fast") == "ACD");
        CHECK(both("!{ Health.points < 5 || Fast }, Health") == "B");
        CHECK(both("{ Health.points > 5, Health.speed > 0 }") == "B");
        CHECK(both("!{ Health.points > 5, Health.speed > 0 }, Health") == "AC");
        CHECK(both("Health.points > 1, Health.points < 12, Health.speed < 1") == "B");
    }

    // spec 556
    TEST_CASE(
        "searches, inheritance, sparse values and disabled ids are compared where they are found") {
        fixture f;
        kith::entity base = f.world.prefab("Base").set(Health{4, 4, 4});
        f.world.entity("I").is_a(base);
        f.world.entity("J").is_a(base).set(Health{40, 4, 4});
        CHECK(f.both("Health.points == 4") == "I");
        CHECK(f.both("Health.points == 40") == "J");
        base.set(Health{5, 4, 4});
        CHECK(f.both("Health.points == 4").empty());
        CHECK(f.both("Health.points == 5") == "I");
        f.world.entity("K").child_of(f.world.lookup("C"));
        CHECK(f.both("Health(up(ChildOf)).points > 20") == "K");
        CHECK(f.both("Health(self|up(ChildOf)).points > 20") == "KCJ");
        kith::reflect<Level>();
        f.world.component<Level>().add(kith::Sparse);
        f.world.lookup("A").set(Level{1});
        f.world.lookup("B").set(Level{2});
        CHECK(f.both("Level.value > 1") == "B");
        CHECK(f.both("Level.value > 0, Health.points < 5") == "A");
        CHECK(f.both("Health.points < 5, !Level.value > 0").empty());
        f.world.lookup("A").disable<Health>();
        CHECK(f.both("Health.points < 5").empty());
        f.world.lookup("A").enable<Health>();
        CHECK(f.both("Health.points < 5") == "A");
    }

    // spec 557
    TEST_CASE_FIXTURE(fixture, "builders compare members by pointer and by text") {
        auto build = [&](auto&& with) {
            auto builder = world.query_builder<>();
            with(builder);
            return names_of(builder.build());
        };
        CHECK(build([](auto& b) { b.where(&Health::points, kith::less, 10); }) == "A");
        CHECK(build([](auto& b) { b.where(&Health::speed, kith::greater_equal, 0.5); }) == "AB");
        CHECK(build([](auto& b) { b.where("Health.points", kith::equal, 10); }) == "B");
        CHECK(build([](auto& b) { b.where("Health.points > 10"); }) == "C");
        CHECK(build([](auto& b) { b.where_in(&Health::points, {3, 25}); }) == "AC");
        CHECK(build([](auto& b) { b.where_in("Health.points", {3, 10}); }) == "AB");
        CHECK(build([](auto& b) { b.where_between(&Health::points, 3, 10); }) == "AB");
        CHECK(build([](auto& b) { b.where_between("Health.points", 10, 30); }) == "BC");
        CHECK(build([](auto& b) {
                  b.with("Fast").where(&Health::points, kith::less, 99).not_();
              }) == "D");
        CHECK(build([](auto& b) {
                  b.where(&Health::points, kith::less, 5)
                      .or_()
                      .where(&Health::points, kith::greater, 20);
              }) == "AC");
        CHECK(build([](auto& b) {
                  b.with("Fast").where(&Health::points, kith::equal, 10).src("B");
              }) == "CD");
        CHECK(build([](auto& b) {
                  b.where(&Health::points, kith::greater_equal, "$this", &Health::most);
              }) == "BC");
        auto typed = world.query_builder<const Health>().where(&Health::points, kith::greater, 3);
        std::int32_t sum = 0;
        typed.build().each([&](const Health& health) { sum += health.points; });
        CHECK(sum == 35);
    }

    // spec 557
    TEST_CASE_FIXTURE(fixture, "a run compares with its own constant") {
        for (const bool cached : {false, true}) {
            CAPTURE(cached);
            auto builder = world.query_builder<const Health>();
            builder.where(&Health::points, kith::less, 0);
            auto query = (cached ? builder.cached() : builder.uncached()).build();
            auto found = [&](auto&& run) {
                std::string names;
                run.each([&](kith::entity one, const Health&) { names += one.name().c_str(); });
                std::sort(names.begin(), names.end());
                return names;
            };
            CHECK(found(query.iter().set_value(1, 11)) == "AB");
            CHECK(found(query.iter()).empty());
            CHECK(found(query.iter().set_value(1, 11).set_value(1, 3.5)) == "A");
            CHECK(query.iter().set_value(1, 11).count() == 2);
            CHECK(query.iter().set_value(1, 3.5).first() == world.lookup("A"));
            CHECK_FALSE(query.iter().is_true());
            auto run = query.iter();
            run.set_value(1, 11);
            const auto copy = run;
            run.set_value(1, 3.5);
            CHECK(found(run) == "A");
            CHECK(found(kith::iter_iterable<const Health>(copy)) == "AB");
            // Runs with several constants at the same time.
            std::string pairs;
            query.iter().set_value(1, 11).each([&](kith::entity outer, const Health&) {
                query.iter().set_value(1, 3.5).each([&](kith::entity inner, const Health&) {
                    pairs += std::string(outer.name().c_str()) + inner.name().c_str() + " ";
                });
            });
            CHECK(pairs.size() == 6);
            CHECK(error_of([&] { query.iter().set_value(1, "x"); }) == errc::invalid_query);
            CHECK(error_of([&] { query.iter().set_value(0, 2); }) == errc::invalid_query);
            CHECK(found(query.iter()).empty());
            query.set_value(1, 3.5);
            CHECK(found(query.iter().set_value(1, 11)) == "AB");
            CHECK(found(query.iter()) == "A");
        }
        auto sorted = world.query_builder<const Health>()
                          .where("Health.points < 0")
                          .order_by("Health.points desc")
                          .build();
        std::string names;
        sorted.iter().set_value(1, 11).each(
            [&](kith::entity one, const Health&) { names += one.name().c_str(); });
        CHECK(names == "BA");
        CHECK(names_of(sorted).empty());
        sorted.iter().set_value(1, 3.5).each(
            [&](kith::entity one, const Health&) { names += one.name().c_str(); });
        CHECK(names == "BAA");
        // Terms that are no plain filter of rows.
        auto negated = world.query("Health, !Health.points < 0");
        const auto all = names_of(negated);
        std::size_t rest = 0;
        negated.iter().set_value(1, 11).each([&](kith::entity) { ++rest; });
        CHECK(rest + 2 == all.size());
    }

    // spec 557
    TEST_CASE_FIXTURE(fixture,
                      "a query with a parameter compares with the constant that was set last") {
        auto query = world.query_builder<>().where(&Health::points, kith::less, 0).build();
        CHECK(names_of(query).empty());
        query.set_value(0, 11);
        CHECK(names_of(query) == "AB");
        query.set_value(0, 3.5);
        CHECK(names_of(query) == "A");
        CHECK(error_of([&] { query.set_value(0, "x"); }) == errc::invalid_query);
        CHECK(error_of([&] { query.set_value(1, 2); }) == errc::invalid_query);
        query.each([&](kith::entity) {
            CHECK(error_of([&] { query.set_value(0, 1); }) == errc::invalid_operation);
        });
        CHECK(names_of(query) == "A");
        auto named = world.query("Health.points > 5, Health.speed > 0");
        named.set_value(0, 0);
        CHECK(names_of(named) == "AB");
        CHECK(std::string(named.str().c_str()).find("Health.points > 0") != std::string::npos);
    }

    // spec 558
    TEST_CASE_FIXTURE(fixture, "order_by sorts by members that text names") {
        CHECK(
            names_of(world.query_builder<const Health>().order_by("Health.points desc").build()) ==
            "CBA");
        CHECK(names_of(world.query_builder<const Health>().order_by("Health.speed").build()) ==
              "CBA");
        CHECK(names_of(world.query_builder<const Health>()
                           .order_by("Health.most, Health.points desc")
                           .build()) == "BAC");
        world.entity("X").set(Cargo{1, Grade::raw, "b", {}, {}, {}, {}});
        world.entity("Y").set(Cargo{2, Grade::pure, "a", 4, {}, {}, {}});
        CHECK(names_of(world.query_builder<const Cargo>().order_by("Cargo.name").build()) == "YX");
        CHECK(names_of(world.query_builder<const Cargo>().order_by("Cargo.best desc").build()) ==
              "YX");
        CHECK(error_of([&] { world.query_builder<const Cargo>().order_by("Cargo.nam").build(); }) ==
              errc::invalid_query);
        CHECK(names_of(world.query_builder<const Health>()
                           .where(&Health::points, kith::less, 20)
                           .order_by("Health.points desc")
                           .build()) == "BA");
    }

    // spec 555
    TEST_CASE_FIXTURE(fixture, "mistakes are refused with their place") {
        auto message = [&](const char* text) {
            return kith_test::message_of([&] { world.query(text); });
        };
        CHECK(message("Health.pints < 10").find("1:8: Health has no member 'pints'") !=
              std::string::npos);
        CHECK(message("Health.pints < 10").find("did you mean 'points'") != std::string::npos);
        CHECK(message("Health.points < \"a\"").find("1:17: ") != std::string::npos);
        CHECK(message("Health.points ~= 3").find("'~='") != std::string::npos);
        CHECK(message("Health < 3").find("Health") != std::string::npos);
        CHECK(message("Fast.x < 3").find("1:") != std::string::npos);
        CHECK(message("Helth.points < 3").find("no entity 'Helth'") != std::string::npos);
        CHECK(message("Health.points < $x.Health.points").find("has no value") !=
              std::string::npos);
        CHECK(message("Cargo.name < Health.points").find("no order in common") !=
              std::string::npos);
        CHECK(message("Health.points<10, Health.most>5").find("blank") != std::string::npos);
        CHECK(message("Health.points <").find("1:16") != std::string::npos);
        CHECK(message("Health.points in 3").find("range") != std::string::npos);
        CHECK(message("[in] Health.points < 3").find("access") != std::string::npos);
        CHECK(message("Cargo.grade == row").find("no constant 'row'") != std::string::npos);
        CHECK(message("Follows.who < A").find("no order") != std::string::npos);
    }
}
