// What observers are told of the children that an instance of a prefab gets.
#include <kith/kith.hpp>

#include "support/event_log.hpp"

#include <stdexcept>

using namespace kith_test;

namespace {

struct fixture : event_log {
    fixture() {
        world.entity("deck").child_of(hull).set(Position{2, 0});
        world.entity("mast").child_of(ship).set(Position{3, 0});
    }
    kith::entity ship = world.prefab("ship");
    kith::entity hull = world.entity("hull").child_of(ship).set(Position{1, 0});
};

}  // namespace

TEST_SUITE("features.observers.prefab_copies") {
    TEST_CASE_FIXTURE(fixture, "copies can be found by their paths when they are told of") {
        world.observer<Position>()
            .event(kith::OnAdd)
            .event(kith::OnSet)
            .each([&](kith::iter& it, std::size_t row, Position&) {
                const kith::entity copy = it.entity(row);
                log += std::string(copy.path().c_str()) + "; ";
                CHECK(world.lookup(copy.path()) == copy);
            });
        world.entity("aurora").is_a(ship);
        CHECK(taken() ==
              "::aurora::hull; ::aurora::hull; ::aurora::mast; ::aurora::mast; "
              "::aurora::hull::deck; ::aurora::hull::deck; ");
    }

    TEST_CASE_FIXTURE(fixture, "an observer that throws keeps no sibling from being copied") {
        for (const kith::entity_t event : {kith::OnAdd, kith::OnSet}) {
            world.observer<Position>().event(event).each(
                [](kith::entity, Position&) { throw std::runtime_error("no"); });
        }
        kith::entity aurora = world.entity("aurora");
        CHECK_THROWS_WITH(aurora.is_a(ship), "no");
        for (const char* part : {"hull", "mast", "hull::deck"}) {
            CHECK_MESSAGE(aurora.lookup(part), part);
        }
        CHECK(aurora.lookup("hull::deck").get<Position>()->x == 2);
    }

    TEST_CASE_FIXTURE(fixture,
                      "an observer of names that throws keeps no sibling from being named") {
        world.observer().event(kith::OnSet).with<kith::Identifier>(kith::Name).each([] {
            throw std::runtime_error("no");
        });
        CHECK_THROWS_WITH(world.entity().is_a(ship), "no");
        CHECK(world.count<Position>() == 6);
    }

    TEST_CASE_FIXTURE(fixture,
                      "what is registered in a callback behind one that threw is not lost") {
        world.observer<Position>().event(kith::OnAdd).each([](kith::entity, Position&) {
            throw std::runtime_error("no");
        });
        int made = 0;
        world.observer<Position>().event(kith::OnSet).each([&](kith::entity, Position&) {
            world.observer().event(kith::OnAdd).with<Hot>().each([] {});
            ++made;
        });
        CHECK_THROWS_WITH(world.entity().set(Position{1, 0}), "no");
        CHECK(made == 1);
    }
}
