// Callbacks of get() and set(): each parameter gets the value that its type names.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

using namespace kith_test;
using food = kith::pair<Eats, Hot>;

namespace {

struct fixture {
    kith::world world;
    kith::entity fed = world.entity().set<Eats, Hot>({3}).set(Position{1, 2});
    kith::entity hungry = world.entity().set(Position{5, 6});
};

}  // namespace

TEST_SUITE("features.values.callbacks") {
    TEST_CASE_FIXTURE(fixture, "get hands out the value of a pair, however it is taken") {
        int sum = 0;
        CHECK(fed.get([&](const food& eats) { sum += eats->amount; }));
        CHECK(fed.get([&](food eats) { sum += eats->amount; }));
        CHECK(fed.get([&](food&& eats) { sum += (*eats).amount; }));
        CHECK(fed.get([&](const Position& p, const food& eats) { sum += p.x * eats->amount; }));
        CHECK(sum == 12);
        CHECK_FALSE(hungry.get([&](const food&) { sum = 0; }));
        CHECK(sum == 12);
    }

    TEST_CASE_FIXTURE(fixture, "what get writes through a pair is kept") {
        CHECK(fed.get([](food& eats) { eats->amount = 9; }));
        CHECK(fed.get<Eats, Hot>()->amount == 9);
    }

    TEST_CASE_FIXTURE(fixture, "set adds a pair, and writes its value") {
        int told = 0;
        world.observer<food>().event(kith::OnSet).each([&](food eats) { told = eats->amount; });
        hungry.set([](food&& eats) { eats->amount = 4; });
        CHECK(hungry.get<Eats, Hot>()->amount == 4);
        CHECK(told == 4);
        hungry.set([](Velocity& v, food& eats) {
            v.x = eats->amount;
            eats->amount = 5;
        });
        CHECK(hungry.get<Velocity>()->x == 4);
        CHECK(told == 5);
    }

    TEST_CASE_FIXTURE(fixture, "set writes a pair while deferred") {
        world.defer([&] { hungry.set([](food&& eats) { eats->amount = 6; }); });
        CHECK(hungry.get<Eats, Hot>()->amount == 6);
    }

    TEST_CASE_FIXTURE(fixture, "a pointer is null where the entity lacks the component") {
        int with = 0;
        int without = 0;
        fed.set(Velocity{7, 0});
        for (kith::entity e : {fed, hungry}) {
            CHECK(e.get([&](const Position&, const Velocity* v) { v ? with += v->x : ++without; }));
        }
        CHECK(with == 7);
        CHECK(without == 1);
        CHECK(fed.get([](Velocity* v) { v->x = 8; }));
        CHECK(fed.get<Velocity>()->x == 8);
    }

    TEST_CASE_FIXTURE(fixture, "a parameter by value is a copy") {
        kith::entity named = world.entity().set(Label{"a text that is too long to be in place"});
        CHECK(named.get([](Label label) { label.text += " for long"; }));
        CHECK(named.get<Label>()->text == "a text that is too long to be in place");
    }
}
