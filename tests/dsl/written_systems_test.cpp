// Worlds with systems, observers, timers and phases as text, as JSON and as save files.
#include <kith/json.hpp>
#include <kith/kith.hpp>
#include <kith/reflect.hpp>
#include <kith/save.hpp>
#include <kith/world_text.hpp>

#include "support/errors.hpp"

#include <optional>
#include <string>

#include <doctest/doctest.h>

namespace {

struct Place {
    float x;
};
struct Captain {
    kith::entity ship;
};

struct harbour {
    kith::world world;
    kith::entity ship;
    kith::system moves;

    harbour() {
        kith::reflect<Place, Captain>();
        ship = world.entity("Ship").set<Place>({1});
        moves = world.system<Place>("Moves").interval(0.5).each([](Place& place) { place.x += 1; });
        world.observer<Place>("Watch").event(kith::OnSet).each([](Place&) {});
        world.progress(0.25f);
    }
    std::optional<kith::errc> refused() const {
        const auto text = kith_test::refusal(world, [&] { kith::save_text(world); });
        CHECK(kith_test::refusal(world, [&] { kith::to_json(world); }) == text);
        return text;
    }
};

// Loads what is written into new worlds, and calls check(loaded world).
template <class Check>
void check_copies(const kith::world& world, const Check& check) {
    SUBCASE("as text") {
        kith::world copy;
        kith::load_text(copy, kith::save_text(world));
        check(copy);
        CHECK(kith::save_text(copy) == kith::save_text(world));
    }
    SUBCASE("as JSON") {
        kith::world copy;
        kith::from_json(copy, kith::to_json(world));
        check(copy);
        CHECK(kith::to_json(copy) == kith::to_json(world));
    }
    SUBCASE("as a save file") {
        kith::world copy;
        kith::load_from_string(copy, kith::save_to_string(world));
        check(copy);
    }
}

}  // namespace

TEST_SUITE("dsl.written_systems") {
    // spec 157
    TEST_CASE_FIXTURE(harbour, "systems and observers are left out") {
        check_copies(world, [](const kith::world& copy) {
            CHECK(copy.lookup("Ship").get<Place>()->x == 1);
            CHECK_FALSE(copy.lookup("Moves"));
            CHECK_FALSE(copy.lookup("Watch"));
        });
    }

    TEST_CASE_FIXTURE(harbour, "ids that name a system are left out") {
        const kith::entity uses = world.entity("Uses");
        ship.add(uses, moves).add(moves, uses).add(moves);
        check_copies(world, [](const kith::world& copy) {
            const kith::entity loaded = copy.lookup("Ship");
            CHECK(loaded.has<Place>());
            CHECK_FALSE(loaded.has(copy.lookup("Uses"), kith::Wildcard));
            CHECK_FALSE(loaded.has(kith::Wildcard, copy.lookup("Uses")));
        });
    }

    TEST_CASE_FIXTURE(harbour, "a child of a system has no place in a text") {
        world.entity("Helper").child_of(moves);
        CHECK(refused() == kith::errc::invalid_text);
    }

    TEST_CASE_FIXTURE(harbour, "a value that refers to a system is refused") {
        ship.set<Captain>({moves});
        CHECK(refused() == kith::errc::invalid_text);
    }

    TEST_CASE_FIXTURE(harbour, "timers and filters go on where they were") {
        kith::timer second = world.timer("Second").interval(1);
        world.timer("Minute").rate(60, second);
        world.progress(0.75f);
        world.progress(0.75f);
        const float rest = second.get<kith::Timer>()->time;
        check_copies(world, [&](const kith::world& copy) {
            const kith::Timer* timer = copy.lookup("Second").get<kith::Timer>();
            CHECK(timer->timeout == 1.f);
            CHECK(timer->time == rest);
            CHECK(timer->fired_count == 1);
            const kith::RateFilter* filter = copy.lookup("Minute").get<kith::RateFilter>();
            CHECK(filter->src == copy.lookup("Second").id());
            CHECK(filter->rate == 60);
            CHECK(filter->tick_count == 1);
        });
    }

    TEST_CASE_FIXTURE(harbour, "phases keep their fixed steps and their accounts") {
        world.phase("Physics").depends_on(kith::OnUpdate).fixed(0.1);
        world.progress(0.25f);
        const std::int64_t account = world.lookup("Physics").get<kith::FixedStep>()->account;
        check_copies(world, [&](const kith::world& copy) {
            const kith::entity physics = copy.lookup("Physics");
            CHECK(physics.has(kith::DependsOn, kith::OnUpdate));
            CHECK(physics.get<kith::FixedStep>()->step.ns == 100'000'000);
            CHECK(physics.get<kith::FixedStep>()->account == account);
        });
    }
}
