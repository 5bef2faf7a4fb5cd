// Enums in events of one's own, and in searches that write.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

enum class Mood { Calm, Angry };

struct Poked {
    int times = 1;
};

struct fixture {
    kith::world world;
    kith::entity e = world.entity().set(Mood::Angry);
    std::vector<int> told;
};

}  // namespace

TEST_SUITE("features.enums.events") {
    TEST_CASE_FIXTURE(fixture, "an event about an enum is about the constant of the entity") {
        world.observer<Mood>().event<Poked>().each(
            [&](Mood mood) { told.push_back(static_cast<int>(mood)); });
        world.event<Poked>().id<Mood>().entity(e).emit();
        CHECK(told == std::vector{1});
        e.set(Mood::Calm);
        world.event<Poked>().entity(e).id<Mood>().emit();
        CHECK(told == std::vector{1, 0});
        world.defer([&] {
            world.event<Poked>().id<Mood>().entity(e).enqueue();
            e.set(Mood::Angry);
        });
        CHECK(told == std::vector{1, 0, 0});
        world.event<Poked>().id<Mood>().entity(world.entity()).emit();
        CHECK(told.size() == 3);
    }

    TEST_CASE_FIXTURE(fixture, "an event about an enum is about the constant of each row") {
        world.observer<Mood>().event<Poked>().each(
            [&](Mood mood) { told.push_back(static_cast<int>(mood)); });
        e.set(Mood::Calm);
        world.event<Poked>().id<Mood>().table(e.table()).emit();
        CHECK(told == std::vector{0});
    }

    TEST_CASE_FIXTURE(fixture, "an event about an enum is about a constant that is inherited") {
        world.observer<Mood>().event<Poked>().each(
            [&](Mood mood) { told.push_back(static_cast<int>(mood)); });
        world.event<Poked>().id<Mood>().entity(world.entity().is_a(e)).emit();
        CHECK(told == std::vector{1});
    }

    TEST_CASE_FIXTURE(fixture, "an event can be about one constant") {
        world.observer().with(Mood::Angry).event<Poked>().each([&](kith::entity) {
            told.push_back(1);
        });
        world.event<Poked>().id(Mood::Calm).entity(e).emit();
        CHECK(told.empty());
        world.event<Poked>().id(Mood::Angry).entity(e).emit();
        CHECK(told == std::vector{1});
    }

    TEST_CASE_FIXTURE(fixture, "other patterns are no ids of an event") {
        auto relation = world.entity();
        CHECK(error_of([&] {
                  world.event<Poked>().id(relation, kith::Wildcard).entity(e).emit();
              }) == kith::errc::invalid_id);
    }

    TEST_CASE_FIXTURE(fixture, "a search may replace the constants that it visits") {
        auto other = world.entity().set(Mood::Calm);
        auto moods = world.query<Mood>();
        const kith::entity found = moods.find([](kith::entity, Mood& mood) {
            const bool angry = mood == Mood::Angry;
            mood = Mood::Calm;
            return angry;
        });
        CHECK(found == e);
        CHECK(*e.get<Mood>() == Mood::Calm);
        CHECK(*other.get<Mood>() == Mood::Calm);
    }
}
