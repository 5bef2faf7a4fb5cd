// Observers of symmetric pairs that a queue changes from both sides: each side is told what the
// queue comes to.
#include <kith/kith.hpp>

#include "support/event_log.hpp"

#include <doctest/doctest.h>

namespace {

struct Bond {
    int strength = 0;
};

struct fixture : kith_test::event_log {
    fixture() {
        bond = world.component<Bond>("Bond");
        bond.add(kith::Symmetric);
        SUBCASE("in tables, seen through bases as well") {}
        SUBCASE("in tables, own ones alone") {
            self_ = true;
        }
        SUBCASE("links") {
            bond.add(kith::Sparse);
        }
        SUBCASE("links, own ones alone") {
            bond.add(kith::Sparse);
            self_ = true;
        }
        a = world.entity("a");
        b = world.entity("b");
        c = world.entity("c");
    }

    // After what there is before the queue.
    void watch() {
        auto building = world.observer();
        for (kith::entity_t event : {kith::OnAdd, kith::OnSet, kith::OnRemove, kith::UnSet}) {
            building.event(event);
        }
        building.term(bond, kith::Wildcard);
        if (self_) {
            building.self();
        }
        building.each([this](kith::iter& it, std::size_t row) {
            const kith::entity one = it.entity(row);
            const int strength = static_cast<const Bond*>(it.field(1))->strength;
            const std::string value =
                it.event() == kith::OnSet ? " " + std::to_string(strength) : "";
            log += name_of(it.event()) + " " + name_of(one) + "-" + name_of(it.pair(1).second()) +
                   value + "; ";
        });
    }
    template <class Commands>
    std::string told(Commands&& commands) {
        taken();
        world.defer(commands);
        return taken();
    }

    kith::entity bond, a, b, c;

private:
    bool self_ = false;
};

const std::string both_added = "OnAdd a-b; OnAdd b-a; ";
const std::string removed_by_a = "OnRemove a-b; UnSet a-b; OnRemove b-a; UnSet b-a; ";
const std::string removed_by_b = "OnRemove b-a; UnSet b-a; OnRemove a-b; UnSet a-b; ";

}  // namespace

TEST_SUITE("features.observers.deferred_symmetric") {
    TEST_CASE_FIXTURE(fixture, "of values set from both sides, the last is told, once per side") {
        watch();
        auto set = [&] {
            a.set<Bond>(b, {2});
            b.set<Bond>(a, {3});
        };
        CHECK(told(set) == both_added + "OnSet b-a 3; OnSet a-b 3; ");
        CHECK(told(set) == "OnSet b-a 3; OnSet a-b 3; ");
        CHECK(told([&] {
                  b.set<Bond>(a, {4});
                  a.set<Bond>(b, {5});
                  b.set<Bond>(a, {6});
              }) == "OnSet b-a 6; OnSet a-b 6; ");
        CHECK(a.get<Bond>(b)->strength == 6);
    }

    TEST_CASE_FIXTURE(fixture, "modified from one side, after a value from the other") {
        a.set<Bond>(b, {1});
        watch();
        CHECK(told([&] {
                  a.set<Bond>(b, {2});
                  b.modified<Bond>(a);
              }) == "OnSet b-a 2; OnSet a-b 2; ");
    }

    TEST_CASE_FIXTURE(fixture, "what one side gives and the other takes is not told") {
        watch();
        CHECK(told([&] {
                  a.set<Bond>(b, {1});
                  b.remove<Bond>(a);
              }) == "");
        CHECK(told([&] {
                  a.add<Bond>(b);
                  b.set<Bond>(a, {2});
                  b.remove<Bond>(kith::Wildcard);
              }) == "");
        CHECK(told([&] {
                  a.set<Bond>(b, {1});
                  b.clear();
              }) == "");
        CHECK(told([&] {
                  a.set<Bond>(b, {1});
                  world.remove_all(kith::make_pair(bond, a));
              }) == "");
    }

    TEST_CASE_FIXTURE(fixture, "what one side takes and the other gives is set and nothing else") {
        a.set<Bond>(b, {1});
        watch();
        CHECK(told([&] {
                  a.remove<Bond>(b);
                  b.set<Bond>(a, {3});
              }) == "OnSet b-a 3; OnSet a-b 3; ");
        CHECK(told([&] {
                  b.clear();
                  b.set_name("b");
                  a.set<Bond>(b, {4});
              }) == "OnSet a-b 4; OnSet b-a 4; ");
        CHECK(told([&] {
                  a.set<Bond>(b, {5});
                  b.remove<Bond>(a);
                  a.add<Bond>(b);
              }) == "");
        CHECK(a.get<Bond>(b)->strength == 0);
    }

    TEST_CASE_FIXTURE(fixture, "what comes and goes several times is told as it ends") {
        watch();
        CHECK(told([&] {
                  a.add<Bond>(b);
                  b.remove<Bond>(a);
                  b.set<Bond>(a, {1});
                  a.remove<Bond>(b);
                  a.set<Bond>(b, {2});
              }) == both_added + "OnSet a-b 2; OnSet b-a 2; ");
        CHECK(told([&] {
                  b.remove<Bond>(a);
                  a.set<Bond>(b, {3});
                  a.remove<Bond>(b);
              }) == removed_by_b);
    }

    TEST_CASE_FIXTURE(fixture, "a side that is deleted at the end takes along what was given") {
        watch();
        CHECK(told([&] {
                  a.set<Bond>(b, {1});
                  b.set<Bond>(a, {2});
                  a.destruct();
              }) == "");
    }

    TEST_CASE_FIXTURE(fixture, "a side that is deleted at the end takes along what was there") {
        a.set<Bond>(b, {1});
        watch();
        CHECK(told([&] {
                  a.set<Bond>(b, {2});
                  b.set<Bond>(a, {3});
                  b.destruct();
              }) == removed_by_b);
    }

    TEST_CASE_FIXTURE(fixture, "commands of others in between change nothing") {
        watch();
        CHECK(told([&] {
                  a.set<Bond>(b, {1});
                  c.set<kith_test::Position>({1, 2});
                  b.set<kith_test::Position>({1, 2});
                  c.set<Bond>(a, {7});
                  b.set<Bond>(a, {2});
                  a.child_of(c);
                  a.set<Bond>(b, {3});
                  c.add<kith_test::Velocity>();
              }) == both_added +
                        "OnAdd c-a; OnAdd a-c; OnSet c-a 7; OnSet a-c 7; "
                        "OnSet a-b 3; OnSet b-a 3; ");
    }

    TEST_CASE_FIXTURE(fixture, "of exclusive partners in one queue, the last are told") {
        bond.add(kith::Exclusive);
        a.set<Bond>(b, {1});
        watch();
        CHECK(told([&] {
                  c.set<Bond>(b, {2});
                  a.set<Bond>(c, {3});
                  b.set<Bond>(a, {4});
              }) == "OnSet b-a 4; OnSet a-b 4; ");
        CHECK(told([&] {
                  c.set<Bond>(a, {2});
                  b.set<Bond>(c, {3});
              }) == removed_by_a + "OnAdd b-c; OnAdd c-b; OnSet b-c 3; OnSet c-b 3; ");
    }

    TEST_CASE_FIXTURE(fixture, "a command that fails has held back no value for good") {
        kith::entity needs = world.entity("Needs").add(kith::With, bond);
        a.add(needs, b);
        watch();
        // Its pair cannot go while the other side needs its own.
        CHECK_THROWS_AS(world.defer([&] {
            a.set<Bond>(b, {2});
            b.remove<Bond>(a);
        }),
                        kith::error);
        CHECK(taken() == "OnSet a-b 2; OnSet b-a 2; ");
    }

    TEST_CASE_FIXTURE(fixture, "hooks of both sides are called for what the queue comes to") {
        auto text = [](const Bond& one) { return std::to_string(one.strength) + " "; };
        world.component<Bond>()
            .on_add([&](kith::entity one, Bond&) { log += "add " + name_of(one) + " "; })
            .on_set([&](kith::entity one, Bond& of) { log += "set " + name_of(one) + text(of); })
            .on_remove([&](kith::entity one, Bond&) { log += "remove " + name_of(one) + " "; });
        CHECK(told([&] {
                  a.set<Bond>(b, {2});
                  b.set<Bond>(a, {3});
              }) == "add a add b set b3 set a3 ");
        CHECK(told([&] {
                  a.set<Bond>(b, {2});
                  b.remove<Bond>(a);
              }) == "remove b remove a ");
    }
}
