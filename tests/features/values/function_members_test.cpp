// Members that functions read and write, members of bases, and members that are left out.
#include <kith/json.hpp>
#include <kith/kith.hpp>
#include <kith/save.hpp>
#include <kith/value.hpp>
#include <kith/world_text.hpp>

#include "support/errors.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kith::errc;
using kith_test::error_of;
using kith_test::refusal;

// Hit points are kept as a share of the most.
class Health {
public:
    static void describe(kith::describer<Health>& to) {
        to.member("most", &Health::most_)
            .member("points", &Health::points, &Health::set_points)
            .member("is_hurt", [](const Health& health) { return health.share_ < 1; })
            .member("name", &Health::name_);
    }
    int points() const { return static_cast<int>(share_ * most_); }
    void set_points(int points) {
        if (points < 0) {
            kith::detail::raise_error(errc::invalid_value, "nobody has less than no points");
        }
        share_ = static_cast<double>(points) / most_;
    }
    int most() const { return most_; }
    const std::string& name() const { return name_; }

private:
    int most_ = 100;
    double share_ = 1;
    std::string name_;
};

struct Part {
    float weight;
    std::string maker;
};
struct Bolt : Part {
    int turns;
};
struct Cached {
    int number;
    int* cache;
};
struct Gauge {
    int raw = 0;
};

std::string text_of(const kith::world& world, const Health& health) {
    return kith::to_text(world, health);
}

}  // namespace

// spec 515
TEST_SUITE("features.values.function_members") {
    TEST_CASE("text shows members by functions between the others, in the order of calls") {
        kith::world world;
        CHECK(text_of(world, {}) == "{most: 100, points: 100, is_hurt: false, name: \"\"}");
        Health health;
        kith::from_text(world, health, "{most: 50, points: 10, name: \"Ann\"}");
        CHECK(health.points() == 10);
        CHECK(health.most() == 50);
        CHECK(text_of(world, health) == "{most: 50, points: 10, is_hurt: true, name: \"Ann\"}");
    }

    TEST_CASE("members that a text leaves out stay, and those without a setter are passed over") {
        kith::world world;
        Health health;
        kith::from_text(world, health, "{points: 40, is_hurt: false}");
        CHECK(text_of(world, health) == "{most: 100, points: 40, is_hurt: true, name: \"\"}");
    }

    TEST_CASE("a setter refuses a value, and nothing is written") {
        kith::world world;
        Health health;
        CHECK(refusal(world, [&] { kith::from_text(world, health, "{most: 7, points: -1}"); }) ==
              errc::invalid_value);
        CHECK(health.most() == 100);
        CHECK(refusal(world, [&] { kith::from_text(world, health, "{point: 1}"); }) ==
              errc::invalid_value);
    }

    TEST_CASE("JSON, world text and copies have the members, too") {
        kith::world world;
        world.component<Health>().reflect();
        Health health;
        health.set_points(25);
        world.entity("Ann").set(Health(health));
        CHECK(kith::to_json(world, health) ==
              "{\"most\":100, \"points\":25, \"is_hurt\":true, \"name\":\"\"}");
        const std::string saved = kith::save_text(world);
        CHECK(saved.find("Health = {most: 100, points: 25, is_hurt: true, name: \"\"}") !=
              std::string::npos);
        kith::world copy;
        copy.component<Health>();
        kith::load_text(copy, saved);
        CHECK(copy.lookup("Ann").get<Health>()->points() == 25);
        CHECK(kith::save_text(copy) == saved);
    }

    TEST_CASE("save files have the members, too") {
        kith::world world;
        world.component<Health>().reflect();
        Health health;
        health.set_points(25);
        world.entity("Ann").set(Health(health));
        kith::world copy;
        kith::load_from_string(copy, kith::save_to_string(world));
        REQUIRE(copy.lookup("Ann").get<Health>());
        CHECK(text_of(copy, *copy.lookup("Ann").get<Health>()) == text_of(world, health));
    }

    TEST_CASE("paths lead to members with an address, and say why they do not lead to others") {
        kith::world world;
        world.component<Health>().reflect();
        kith::entity ann = world.entity("Ann").add<Health>();
        CHECK(kith::value_of<Health>(ann).at("most").get<int>() == 100);
        kith::edit<Health>(ann).set("most", 30).parse("", "{points: 3}");
        CHECK(ann.get<Health>()->points() == 3);
        CHECK(refusal(world, [&] { kith::value_of<Health>(ann).at("points"); }) ==
              errc::invalid_value);
        CHECK(refusal(world, [&] { kith::value_of<Health>(ann).at("pints"); }) ==
              errc::invalid_value);
    }

    TEST_CASE("a world describes members by functions, with attributes, for itself") {
        kith::world world;
        world.component<Gauge>()
            .member("raw", &Gauge::raw)
            .member(
                "level", [](const Gauge& gauge) { return gauge.raw / 10.0; },
                [](Gauge& gauge, double level) { gauge.raw = static_cast<int>(level * 10); })
            .range(0, 5);
        kith::entity tank = world.entity("Tank").set(Gauge{20});
        CHECK(kith::value_of<Gauge>(tank).str() == "{raw: 20, level: 2}");
        kith::edit<Gauge>(tank).parse("", "{level: 3.5}");
        CHECK(tank.get<Gauge>()->raw == 35);
        CHECK(refusal(world, [&] { kith::edit<Gauge>(tank).parse("", "{level: 5.5}"); }) ==
              errc::invalid_value);
        kith::world other;
        other.component<Gauge>().reflect();
        CHECK(kith::value_of<Gauge>(other.entity().set(Gauge{1})).str() == "{raw: 1}");
    }

    TEST_CASE("names of members by functions are taken") {
        kith::world world;
        auto gauge = world.component<Gauge>().member("level", [](const Gauge& g) { return g.raw; });
        CHECK(refusal(world, [&] { gauge.member("level", &Gauge::raw); }) == errc::already_exists);
        CHECK(refusal(world, [&] {
                  gauge.member("level", [](const Gauge& g) { return g.raw; });
              }) == errc::already_exists);
        CHECK(refusal(world, [&] { gauge.member("", [](const Gauge& g) { return g.raw; }); }) ==
              errc::invalid_type);
    }

    TEST_CASE("on() gives attributes to members that a class has described") {
        kith::world world;
        world.component<Health>().reflect().on("points").range(0, 50);
        kith::entity ann = world.entity().add<Health>();
        CHECK(refusal(world, [&] { kith::edit<Health>(ann).parse("", "{points: 51}"); }) ==
              errc::invalid_value);
        Health free;
        kith::from_text(kith::world(), free, "{points: 51}");
        CHECK(free.points() == 51);
    }

    TEST_CASE("a world describes the members of bases") {
        kith::world world;
        world.component<Bolt>().base<Part>().member("turns", &Bolt::turns);
        const kith::entity bolt = world.entity().set(Bolt{{2, "Ann"}, 7});
        CHECK(kith::value_of(bolt, world.id<Bolt>()).str() ==
              "{weight: 2, maker: \"Ann\", turns: 7}");
        world.component<Bolt>().base<Part>();  // the same members again change nothing
        CHECK(kith::value_of(bolt, world.id<Bolt>()).size() == 3);
        struct Thing : std::vector<int> {
            int own;
        };
        CHECK(error_of([&] { world.component<Thing>().base<std::vector<int>>(); }) ==
              errc::invalid_type);
    }

    TEST_CASE("a member that is ignored keeps its value") {
        kith::world world;
        world.component<Cached>().ignore(&Cached::cache);
        int target = 1;
        kith::entity one = world.entity().set(Cached{5, &target});
        CHECK(kith::value_of<Cached>(one).str() == "{number: 5}");
        kith::edit<Cached>(one).set("number", 6);
        CHECK(one.get<Cached>()->cache == &target);
        // A base with members is no automatic description, so there is nothing to leave out.
        CHECK(error_of([&] { world.component<Bolt>().ignore(&Bolt::turns); }) ==
              errc::invalid_operation);
    }
}
