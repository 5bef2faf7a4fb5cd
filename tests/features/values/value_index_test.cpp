// Indexes on members: the calls, the questions that they serve, and what explain() says of them.
#include <kith/kith.hpp>
#include <kith/reflect.hpp>
#include <kith/snapshot.hpp>
#include <kith/world_text.hpp>

#include "support/errors.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kith::errc;
using kith_test::error_of;

enum class Grade : std::uint8_t { raw, refined, pure };
struct Inner {
    std::int64_t deep;
};
struct Health {
    std::int32_t points;
    float speed;
    Grade grade;
    std::string name;
    kith::handle who;
    Inner inner;
    std::vector<std::int32_t> list;
    std::optional<std::int32_t> best;
    std::uint64_t large;
};
struct Level {
    std::int32_t value;
};
struct Boss {};
struct Plain {
    std::int32_t number;
};
struct Kept {
    std::int32_t number;
};

// 1000 entities with points from 0 to 999.
struct Rig {
    Rig() {
        kith::reflect<Health, Level>();
        world.component<Health>();
        for (int i = 0; i < 1000; ++i) {
            Health health{};
            health.points = i;
            health.speed = static_cast<float>(i) / 2;
            health.grade = i < 10 ? Grade::pure : Grade::raw;
            health.name = "ship number " + std::to_string(i);
            health.inner.deep = -i;
            health.large = ~std::uint64_t{0} - static_cast<std::uint64_t>(i);
            all.push_back(world.entity().set(health));
        }
        who = world.entity("Who");
        all[7].get([&](Health& health) { health.who = kith::handle(who.id()); });
    }
    std::string plan(const std::string& text) {
        return world.query(text.c_str()).explain().c_str();
    }
    bool seeks(const std::string& text) { return plan(text).find("\nseek") != std::string::npos; }
    std::vector<int> found(const std::string& text) {
        std::vector<int> numbers;
        world.query(text.c_str()).each([&](kith::entity e) {
            numbers.push_back(e.get<Health>()->points);
        });
        return numbers;
    }

    kith::world world;
    std::vector<kith::entity> all;
    kith::entity who;
};

using numbers = std::vector<int>;

}  // namespace

TEST_SUITE("features.values.value_index") {
    // spec 561
    TEST_CASE_FIXTURE(Rig, "an ordered index serves comparisons, lists and ranges") {
        world.component<Health>().index(&Health::points);
        struct question {
            const char* text;
            numbers expected;
        };
        for (const question& asked :
             {question{"Health.points < 3", {0, 1, 2}}, question{"Health.points <= 1", {0, 1}},
              question{"Health.points > 997", {998, 999}},
              question{"Health.points >= 998.5", {999}}, question{"Health.points == 500", {500}},
              question{"Health.points == 0.5", {}},
              question{"Health.points in [7, 3, 7, 5000]", {3, 7}},
              question{"Health.points in 10..12", {10, 11, 12}},
              question{"Health.points in 12..10", {}}}) {
            CAPTURE(asked.text);
            CHECK(found(asked.text) == asked.expected);
            CHECK(seeks(asked.text));
        }
        CHECK_FALSE(seeks("Health.points != 5"));
        CHECK(found("Health.points != 5").size() == 999);
    }

    // spec 561
    TEST_CASE_FIXTURE(Rig,
                      "numbers, enums, texts and entities have indexes, by path and by pointer") {
        auto health = world.component<Health>();
        health.index("speed").index(&Health::grade).index(&Health::name).index("who");
        health.index("inner.deep").index("large");
        CHECK(found("Health.speed <= 0.5") == numbers{0, 1});
        CHECK(seeks("Health.speed <= 0.5"));
        CHECK(found("Health.grade == pure").size() == 10);
        CHECK(seeks("Health.grade == pure"));
        CHECK(found("Health.name == \"ship number 42\"") == numbers{42});
        CHECK(seeks("Health.name == \"ship number 42\""));
        CHECK(found("Health.name > \"ship number 998\"") == numbers{999});
        CHECK(seeks("Health.name > \"ship number 998\""));
        CHECK(found("Health.name < \"ship number 10\"") == numbers{0, 1});
        CHECK(found("Health.name == \"other\"").empty());
        CHECK(found("Health.who == Who") == numbers{7});
        CHECK(seeks("Health.who == Who"));
        CHECK(found("Health.inner.deep < -998") == numbers{999});
        CHECK(seeks("Health.inner.deep < -998"));
        CHECK(found("Health.large == 18446744073709551615") == numbers{0});
        CHECK(seeks("Health.large == 18446744073709551615"));
        // Where C++ names the member and a text the comparison, and the other way round.
        CHECK(world.query_builder<>().where(&Health::speed, kith::less, 1).build().count() == 2);
    }

    // spec 561
    TEST_CASE_FIXTURE(Rig, "a hash index serves equality and lists only") {
        auto health = world.component<Health>();
        health.index("points", kith::hash_index).index("name", kith::hash_index);
        CHECK(found("Health.points == 5") == numbers{5});
        CHECK(
            plan("Health.points == 5").find("hash index of Health.points == 5: about 1 of 1000") !=
            std::string::npos);
        CHECK(found("Health.points in [5, 1]") == numbers{1, 5});
        CHECK(seeks("Health.points in [5, 1]"));
        CHECK(found("Health.name == \"ship number 42\"") == numbers{42});
        CHECK(seeks("Health.name == \"ship number 42\""));
        CHECK_FALSE(seeks("Health.points < 5"));
        CHECK(found("Health.points < 2") == numbers{0, 1});
    }

    // spec 561
    TEST_CASE_FIXTURE(Rig, "explain tells the index that a run starts from, and why it does not") {
        auto health = world.component<Health>();
        health.index(&Health::points);
        const auto says = [&](const char* text, const char* part) {
            const std::string whole = plan(text);
            CAPTURE(whole);
            CHECK(whole.find(part) != std::string::npos);
        };
        says("Health.points < 10", "seek         index of Health.points < 10: about 10 of 1000\n");
        says("Health.points < 900",
             "no seek      index of Health.points < 900: reading all rows costs less\n");
        world.query_builder<Health>().build().each([](Health&) {});
        says("Health.points < 10",
             "no seek      index of Health.points < 10: more than 1/16 of its values may have been "
             "written since it was brought up to date\n");
        all[3].add<Boss>();
        says("Health.points < 10, Boss", "the query reads few rows");
        // An index is built again when questions had to read the values some times.
        for (int i = 0; i < 10; ++i) {
            CHECK(found("Health.points < 2") == numbers{0, 1});
        }
        health.index("name");
        says("Health.points < 10", "about 10 of 1000");
        says("Health.points < 10, Health.name == \"ship number 3\"",
             "no seek      index of Health.points < 10: another index has fewer candidates");
        world.query_builder<Health>().build().each([&](Health&) {
            says("Health.points < 3", "no seek      index of Health.points < 3: values are being");
        });
    }

    // spec 561
    TEST_CASE_FIXTURE(
        Rig, "an index follows single writes, and its results are in the order of a scan") {
        world.component<Health>().index(&Health::points);
        const char* const few = "Health.points < 0";
        CHECK(found(few).empty());
        const auto health_with = [](std::int32_t points) {
            Health health{};
            health.points = points;
            return health;
        };
        all[900].set(health_with(-1));
        CHECK(found(few) == numbers{-1});
        all[30].get_mut<Health>()->points = -2;
        CHECK(found(few) == numbers{-2, -1});
        kith::ref<Health> ref = all[500].get_ref<Health>();
        for (int i = 3; i < 6; ++i) {
            ref->points = -i;
            CHECK(found(few) == numbers{-2, -i, -1});
        }
        all[30].set([](Health& health) { health.points = 4; });
        CHECK(found(few) == numbers{-5, -1});
        world.defer([&] {
            all[31].get_mut<Health>()->points = -6;
            all[32].set(health_with(-7));
        });
        CHECK(found(few) == numbers{-6, -7, -5, -1});
        all[31].destruct();
        all[32].add<Boss>();
        CHECK(found(few).size() == 3);
        world.entity().set(health_with(-8));
        CHECK(found(few).size() == 4);
        CHECK(seeks(few));
        all[32].remove<Health>();
        CHECK(found(few).size() == 3);
    }

    // spec 561
    TEST_CASE_FIXTURE(Rig,
                      "instances, prefabs and switched-off values are found as without an index") {
        world.component<Health>().index(&Health::points);
        Health low{};
        low.points = -5;
        kith::entity base = world.prefab("Base").set(low);
        kith::entity instance = world.entity().is_a(base);
        CHECK(world.query("Health.points < 0").count() == 1);
        instance.set(Health{});
        CHECK(world.query("Health.points < 0").count() == 0);
        CHECK(world.query("Health.points == 0").count() == 2);
        all[0].disable<Health>();
        CHECK(world.query("Health.points == 0").count() == 1);
        CHECK_FALSE(seeks("Health.points == 0"));
        all[0].enable<Health>();
        CHECK(world.query("Health.points == 0").count() == 2);
        world.component<Health>().add(kith::Sparse);
        CHECK(world.query("Health.points == 0").count() == 2);
        CHECK_FALSE(seeks("Health.points == 0"));
        world.component<Health>().remove(kith::Sparse);
        CHECK(world.query("Health.points == 0").count() == 2);
    }

    // spec 561
    TEST_CASE("an index stays when a restore makes its C++ type known again") {
        kith::world world;
        const kith::snapshot empty = world.snapshot().take();
        world.component<Kept>().reflect().index(&Kept::number);
        const auto seventh = world.query("Kept.number == 7");
        for (int round = 0; round < 2; ++round) {
            for (int i = 0; i < 1000; ++i) {
                world.entity().set(Kept{i});
            }
            for (int asked = 0; asked < 12; ++asked) {
                CHECK(seventh.count() == 1);
            }
            CHECK(std::string(seventh.explain().c_str()).find("\nseek") != std::string::npos);
            empty.restore();
            CHECK(seventh.count() == 0);
        }
        world.check();
    }

    // spec 561
    TEST_CASE_FIXTURE(Rig, "an index follows restores, loads and the end of its component") {
        world.component<Health>().index(&Health::points);
        CHECK(seeks("Health.points < 3"));
        kith::snapshot kept = world.snapshot();
        kept.take();
        Health low{};
        low.points = -5;
        all[5].set(low);
        CHECK(found("Health.points < 0") == numbers{-5});
        kept.restore();
        CHECK(found("Health.points < 0").empty());
        for (int i = 0; i < 10; ++i) {
            CHECK(found("Health.points in 4..6") == numbers{4, 5, 6});
        }
        CHECK(seeks("Health.points in 4..6"));
        kith::load_text(world, "Loaded: Health = {points: -9}");
        CHECK(found("Health.points < 0") == numbers{-9});

        kith::entity run_time = world.component("Run").member<std::int32_t>("n");
        kith::untyped_component(world.c_ptr(), run_time.id()).index("n");
        run_time.destruct();
        CHECK(world.query("Health.points < 3").count() == 4);
    }

    // spec 561
    TEST_CASE_FIXTURE(Rig, "an index ends, and a second one changes nothing") {
        auto health = world.component<Health>();
        const std::string before = plan("Health.points < 3");
        health.index(&Health::points).index(&Health::points).index("points");
        CHECK(plan("Health.points < 3").find("seek") == plan("Health.points < 3").rfind("seek"));
        health.drop_index("points").drop_index(&Health::points);
        CHECK(plan("Health.points < 3") == before);
        // A run goes on without the index that its callback ends.
        health.index("points");
        numbers seen;
        world.query("Health.points < 3").each([&](kith::entity e) {
            seen.push_back(e.get<Health>()->points);
        });
        CHECK(seen == numbers{0, 1, 2});
    }

    // spec 561
    TEST_CASE_FIXTURE(Rig, "an index that comes or goes keeps the order of cached results") {
        auto health = world.component<Health>();
        world.component<Boss>();
        Health low{};
        low.points = -1;
        const kith::entity bases[] = {world.prefab("A"), world.prefab("B")};
        std::vector<kith::entity_t> made;
        const auto make = [&](std::size_t base) {
            kith::entity e = world.entity().is_a(bases[base]).set(low);
            made.push_back(e.id());
            return e;
        };
        make(0);
        make(1);
        kith::entity last = make(0);
        const auto cached = world.query_builder<>().expr("Health.points < 0").cached().build();
        const auto results = [&] {
            std::vector<kith::entity_t> ids;
            cached.each([&](kith::entity e) { ids.push_back(e.id()); });
            return ids;
        };
        CHECK(results() == std::vector{made[0], made[2], made[1]});
        last.add<Boss>();  // to a new table, which the cache lists behind the others
        CHECK(results() == made);
        health.index(&Health::points);
        CHECK(results() == made);
        CHECK(seeks("Health.points < 0"));
        health.drop_index("points");
        CHECK(results() == made);
    }

    // spec 561
    TEST_CASE_FIXTURE(Rig, "references and queries that are older than an index are noted") {
        kith::ref<Health> ref = all[500].get_ref<Health>();
        const auto writing = world.query_builder<Health, const Boss>().build();
        all[400].add<Boss>();
        const auto write = [&](std::int32_t points) {
            ref->points = points;
            writing.each([&](Health& health, const Boss&) { health.points = points - 1; });
        };
        write(500);
        const char* const few = "Health.points < 0";
        for (int i = 0; i < 2; ++i) {
            world.component<Health>().index(&Health::points);
            CHECK(found(few).empty());
            CHECK(seeks(few));
            write(-1);
            CHECK(found(few) == numbers{-1, -2});
            write(500);
            CHECK(found(few).empty());
            world.component<Health>().drop_index(&Health::points);
        }
    }

    // spec 561
    TEST_CASE_FIXTURE(Rig, "what cannot have an index is refused") {
        auto health = world.component<Health>();
        CHECK(error_of([&] { health.index("inner"); }) == errc::wrong_type);
        CHECK(error_of([&] { health.index(&Health::inner); }) == errc::wrong_type);
        CHECK(error_of([&] { health.index("list"); }) == errc::wrong_type);
        CHECK(error_of([&] { health.index("list[0]"); }) == errc::wrong_type);
        CHECK(error_of([&] { health.index("best"); }) == errc::wrong_type);
        CHECK(error_of([&] { health.index(""); }) == errc::wrong_type);
        CHECK(error_of([&] { health.index("pints"); }) == errc::invalid_value);
        CHECK(error_of([&] { health.drop_index("pints"); }) == errc::invalid_value);
        CHECK(error_of([&] { world.component<Boss>().index("points"); }) == errc::invalid_type);
        CHECK(error_of([&] { world.component<Plain>().index("other"); }) == errc::invalid_type);
        // A number that C++ names needs no description; a component of one value is itself a
        // member.
        world.component<Plain>().index(&Plain::number);
        world.component<Level>().index("value");
        world.query_builder<Health>().build().each([&](Health&) {
            CHECK(error_of([&] { health.index(&Health::points); }) == errc::locked);
        });
        kith::untyped_component none;
        CHECK(error_of([&] { none.index("points"); }).has_value());
        CHECK(world.query("Health.points < 3").count() == 3);
    }

    // spec 561
    TEST_CASE_FIXTURE(Rig,
                      "callbacks that write while a query seeks see what a scan would show them") {
        world.component<Health>().index(&Health::points);
        const auto run = [&] {
            std::vector<kith::entity_t> seen;
            world.query("Health.points < 90").each([&](kith::entity e) {
                seen.push_back(e.id());
                for (const std::size_t row : {seen.size() * 9, seen.size() + 500}) {
                    all[row % all.size()].get([](Health& health) { health.points = -1; });
                }
            });
            return seen;
        };
        kith::snapshot before = world.snapshot();
        before.take();
        const std::vector<kith::entity_t> with = run();
        before.restore();
        world.component<Health>().drop_index("points");
        CHECK(run() == with);
        CHECK(with.size() > 100);
    }
}
