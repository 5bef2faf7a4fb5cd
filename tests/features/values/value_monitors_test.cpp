// Observers, change detection and monitors of queries that compare values.
#include <kith/kith.hpp>
#include <kith/reflect.hpp>

#include <cstdint>
#include <string>

#include <doctest/doctest.h>

namespace {

struct Health {
    std::int32_t points;
};
struct Rank {
    std::int32_t value;
};
struct Other {
    std::int32_t value;
};

struct fixture {
    kith::world world;
    std::string log;

    fixture() {
        kith::reflect<Health, Rank>();
        world.component<Health>();
        world.component<Rank>();
    }
    // Enters and leaves as `+A` and `-A`, with the points that the callback sees.
    kith::monitor watch(const char* text) {
        return world.query(text).monitor([&](kith::iter& it) {
            for (std::size_t row : it) {
                log += it.event() == kith::OnAdd ? "+" : "-";
                log += it.entity(row).name().c_str();
            }
        });
    }
    std::string take() {
        std::string taken = std::move(log);
        log.clear();
        return taken;
    }
};

}  // namespace

TEST_SUITE("features.values.value_monitors") {
    // spec 559
    TEST_CASE_FIXTURE(
        fixture, "an observer of a value term is called if the comparison holds behind the write") {
        world.observer<>().expr("Health.points < 10").event(kith::OnSet).each([&](kith::entity e) {
            log += e.name().c_str();
        });
        kith::entity a = world.entity("A").set(Health{5});
        CHECK(take() == "A");
        a.set(Health{50});
        CHECK(take().empty());
        a.set(Health{9});
        CHECK(take() == "A");
        a.set(Health{8});
        CHECK(take() == "A");
        a.get_mut<Health>()->points = 100;
        a.modified<Health>();
        CHECK(take().empty());
        world.defer_begin();
        a.set(Health{1});
        a.set(Health{2});
        CHECK(take().empty());
        world.defer_end();
        CHECK(take() == "A");
    }

    // spec 559
    TEST_CASE_FIXTURE(fixture, "an observer of several terms asks for the value at the event") {
        kith::entity fast = world.entity("Fast");
        world.observer<>()
            .with(fast)
            .where(&Health::points, kith::greater, 3)
            .event(kith::OnAdd)
            .each([&](kith::entity e) { log += e.name().c_str(); });
        kith::entity a = world.entity("A").set(Health{5});
        kith::entity b = world.entity("B").set(Health{2});
        a.add(fast);
        b.add(fast);
        CHECK(take() == "A");
    }

    // spec 559
    TEST_CASE_FIXTURE(fixture, "any write to the component is a change of the query") {
        kith::entity a = world.entity("A").set(Health{5});
        world.entity("B").set(Health{50});
        auto query = world.query("Health.points < 10");
        CHECK(query.changed());
        query.iter([](kith::iter&) {});
        CHECK_FALSE(query.changed());
        a.set(Health{6});
        CHECK(query.changed());
        query.iter([](kith::iter&) {});
        CHECK_FALSE(query.changed());
        a.set(Rank{1});
        query.iter([](kith::iter&) {});
        CHECK_FALSE(query.changed());
    }

    // spec 560
    TEST_CASE_FIXTURE(fixture, "a monitor is told once when a value crosses the limit") {
        kith::entity a = world.entity("A").set(Health{50});
        kith::entity b = world.entity("B").set(Health{5});
        const kith::monitor watched = watch("Health.points < 10");
        CHECK(take().empty());
        a.set(Health{40});
        CHECK(take().empty());
        a.set(Health{9});
        CHECK(take() == "+A");
        a.set(Health{8});
        CHECK(take().empty());
        a.set(Health{10});
        CHECK(take() == "-A");
        a.set(Health{11});
        CHECK(take().empty());
        b.get_mut<Health>()->points = 30;
        CHECK(take().empty());
        b.modified<Health>();
        CHECK(take() == "-B");
        world.entity("C").set(Health{1});
        CHECK(take() == "+C");
        world.entity("D").set(Health{100});
        CHECK(take().empty());
    }

    // spec 560
    TEST_CASE_FIXTURE(fixture, "the net effect of a deferred batch is told") {
        kith::entity a = world.entity("A").set(Health{50});
        kith::entity b = world.entity("B").set(Health{5});
        const kith::monitor watched = watch("Health.points < 10");
        world.defer_begin();
        a.set(Health{5});
        a.set(Health{50});
        b.set(Health{20});
        b.set(Health{3});
        world.defer_end();
        CHECK(take().empty());
        world.defer([&] {
            a.set(Health{5});
            b.set(Health{20});
            b.set(Health{30});
        });
        CHECK(take() == "-B+A");
    }

    // spec 560
    TEST_CASE_FIXTURE(fixture, "removal, deletion and disabling end what a value has begun") {
        kith::entity a = world.entity("A").set(Health{5});
        kith::entity b = world.entity("B").set(Health{5});
        kith::entity c = world.entity("C").set(Health{50});
        const kith::monitor watched = watch("Health.points < 10");
        a.remove<Health>();
        CHECK(take() == "-A");
        b.destruct();
        CHECK(take() == "-B");
        c.destruct();
        CHECK(take().empty());
        a.set(Health{3});
        CHECK(take() == "+A");
        a.disable<Health>();
        CHECK(take() == "-A");
        a.enable<Health>();
        CHECK(take() == "+A");
        a.set(Health{30}).destruct();
        CHECK(take() == "-A");
    }

    // spec 560
    TEST_CASE_FIXTURE(fixture, "a loop that writes is a batch") {
        world.entity("A").set(Health{50});
        world.entity("B").set(Health{5});
        const kith::monitor watched = watch("Health.points < 10");
        auto writing = world.query<Health>();
        writing.each([](Health& health) { health.points -= 2; });
        CHECK(take().empty());
        writing.each([](Health& health) { health.points -= 40; });
        CHECK(take() == "+A");
        writing.iter([&](kith::iter& it, Health* health) {
            for (std::size_t row : it) {
                health[row].points += 100;
            }
            CHECK(log.empty());
        });
        CHECK(take() == "-A-B");
        world.query<const Health>().each([](const Health&) {});
        CHECK(take().empty());
        world.each([](Health& health) { health.points = 1; });
        CHECK(take() == "+A+B");
        world.defer_begin();
        writing.each([](Health& health) { health.points = 20; });
        CHECK(take().empty());
        world.defer_end();
        CHECK(take() == "-A-B");
        world.system<Health>("Fall").each([](Health& health) { health.points = 3; });
        world.progress();
        CHECK(take() == "+A+B");
    }

    // spec 560
    TEST_CASE_FIXTURE(fixture, "the value of a prefab moves its instances over the limit") {
        kith::entity base = world.prefab("Base").set(Health{50});
        kith::entity a = world.entity("A").is_a(base);
        world.entity("B").is_a(base).set(Health{70});
        const kith::monitor watched = watch("Health.points < 10");
        base.set(Health{5});
        CHECK(take() == "+A");
        base.set(Health{6});
        CHECK(take().empty());
        a.set(Health{60});
        CHECK(take() == "-A");
        a.remove<Health>();
        CHECK(take() == "+A");
        base.set(Health{60});
        CHECK(take() == "-A");
    }

    // spec 560
    TEST_CASE_FIXTURE(fixture, "comparisons between values follow both sides") {
        kith::entity boss = world.entity("Boss").set(Health{50});
        kith::entity a = world.entity("A").set(Health{60}).set(Rank{1});
        world.entity("B").set(Health{20}).set(Rank{1});
        const kith::monitor watched = watch("Rank, Health.points > Health(Boss).points");
        boss.set(Health{10});
        CHECK(take() == "+B");
        boss.set(Health{55});
        CHECK(take() == "-B");
        a.set(Health{1});
        CHECK(take() == "-A");
        const kith::monitor rows = watch("Rank.value > Health.points");
        a.set(Rank{5});
        CHECK(take() == "+A");
        a.set(Health{7});
        CHECK(take() == "-A");
        a.remove<Health>();
        CHECK(take().empty());
    }

    // spec 560
    TEST_CASE_FIXTURE(fixture, "results with variables and wildcards are told by value as well") {
        kith::entity likes = world.entity("Likes");
        kith::entity x = world.entity("X").set(Health{50});
        kith::entity y = world.entity("Y").set(Health{5});
        kith::entity a = world.entity("A").add(likes, x).add(likes, y).set(Health{1});
        const kith::monitor watched = watch("(Likes, $x), $x.Health.points < 10");
        x.set(Health{3});
        CHECK(take() == "+A");
        y.set(Health{30});
        CHECK(take() == "-A");
        a.remove(likes, x);
        CHECK(take() == "-A");
    }

    // spec 560
    TEST_CASE_FIXTURE(fixture, "on_enter, on_leave and the event Monitor are edges of values") {
        kith::entity a = world.entity("A").set(Health{50});
        const kith::monitor enter = world.query("Health.points < 10").on_enter([&](kith::iter& it) {
            log += "+";
            log += it.entity(0).name().c_str();
        });
        std::int32_t seen = 0;
        const kith::monitor leave =
            world.query_builder<const Health>()
                .where(&Health::points, kith::less, 10)
                .build()
                .on_leave([&](kith::iter& it) { seen = it.field<const Health>(1)[0].points; });
        world.observer<>()
            .expr("Health.points < 10")
            .event(kith::Monitor)
            .each(
                [&](kith::iter& it, std::size_t) { log += it.event() == kith::OnAdd ? "<" : ">"; });
        a.set(Health{5});
        CHECK(take() == "+A<");
        a.set(Health{6});
        CHECK(take().empty());
        a.set(Health{66});
        CHECK(take() == ">");
        CHECK(seen == 66);
    }
}
