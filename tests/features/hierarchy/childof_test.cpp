#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

TEST_SUITE("features.hierarchy.childof") {
    TEST_CASE("children are deleted with their parent, to any depth") {
        kith::world world;
        kith::entity parent = world.entity();
        kith::entity child = world.entity().child_of(parent);
        kith::entity grandchild = world.entity().child_of(child).set(Label{"x"});
        kith::entity other = world.entity();
        parent.destruct();
        CHECK_FALSE(child.is_alive());
        CHECK_FALSE(grandchild.is_alive());
        CHECK(other.is_alive());
        world.check();
    }

    TEST_CASE("an entity has one parent") {
        kith::world world;
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        kith::entity child = world.entity().child_of(a).child_of(b);
        CHECK(child.parent() == b);
        a.destruct();
        CHECK(child.is_alive());
        b.destruct();
        CHECK_FALSE(child.is_alive());
    }

    TEST_CASE("children are visited in the order in which they were added") {
        kith::world world;
        kith::entity parent = world.entity();
        std::vector<kith::entity> made;
        for (int i = 0; i < 20; ++i) {
            made.push_back(world.entity().child_of(parent));
        }
        std::vector<kith::entity> seen;
        parent.children([&](kith::entity child) { seen.push_back(child); });
        CHECK(seen == made);
    }

    TEST_CASE("children of other relationships are visited by that relationship") {
        kith::world world;
        kith::entity target = world.entity();
        kith::entity a = world.entity().add<Likes>(target);
        std::vector<kith::entity> seen;
        target.children<Likes>([&](kith::entity e) { seen.push_back(e); });
        target.children(world.component<Likes>(), [&](kith::entity e) { seen.push_back(e); });
        CHECK(seen == std::vector<kith::entity>{a, a});
    }

    TEST_CASE("a cycle of parents is refused and changes nothing") {
        kith::world world;
        kith::entity a = world.entity("a");
        kith::entity b = world.entity("b").child_of(a);
        kith::entity c = world.entity("c").child_of(b);
        CHECK(refusal(world, [&] { a.child_of(c); }) == errc::cycle);
        CHECK(refusal(world, [&] { a.child_of(b); }) == errc::cycle);
        CHECK(refusal(world, [&] { a.child_of(a); }) == errc::cycle);
        kith::entity fresh = world.entity("fresh");
        CHECK(refusal(world, [&] { fresh.child_of(fresh); }) == errc::cycle);
        const std::string message = message_of([&] { a.child_of(c); });
        CHECK(message.find("a") != std::string::npos);
        CHECK(message.find("b") != std::string::npos);
        CHECK(message.find("c") != std::string::npos);
        CHECK_FALSE(a.parent());
    }

    TEST_CASE("a cycle closed by deferred commands is refused, the rest is done") {
        kith::world world;
        kith::entity a = world.entity("a");
        kith::entity b = world.entity("b");
        CHECK(error_of([&] {
                  world.defer([&] {
                      a.child_of(b);
                      b.child_of(a);
                      b.add<Hot>();
                  });
              }) == errc::cycle);
        CHECK(a.parent() == b);
        CHECK_FALSE(b.parent());
        CHECK(b.has<Hot>());
        world.check();
    }

    TEST_CASE("a chain of a hundred thousand levels is made, printed and deleted") {
        kith::world world;
        kith::entity root = world.entity();
        kith::entity at = root;
        std::vector<kith::entity> chain{root};
        for (int i = 0; i < 100000; ++i) {
            at = world.entity().child_of(at);
            chain.push_back(at);
        }
        CHECK(at.parent() == chain[chain.size() - 2]);
        CHECK(refusal(kith::world(), [] {}) == std::nullopt);
        CHECK(error_of([&] { root.child_of(at); }) == errc::cycle);
        root.destruct();
        for (kith::entity e : chain) {
            REQUIRE_FALSE(e.is_alive());
        }
        CHECK(world.stats().tables < 100);
        world.check();
    }

    TEST_CASE("a chain of many levels ends with the world") {
        balance_check<counted<0>> balance;
        kith::world world;
        kith::entity at = world.entity();
        for (int i = 0; i < 20000; ++i) {
            at = world.entity().child_of(at).set(counted<0>(i));
        }
        CHECK(counted<0>::counts.alive() == 20000);
    }

    TEST_CASE("a wide family is deleted in one go") {
        kith::world world;
        kith::entity parent = world.entity();
        for (int i = 0; i < 50000; ++i) {
            world.entity().child_of(parent).set(Position{i, i});
        }
        CHECK(world.count(kith::ChildOf, parent) == 50000);
        parent.destruct();
        CHECK(world.count<Position>() == 0);
        world.check();
    }

    TEST_CASE("children die before their parents") {
        std::vector<int> order;
        kith::world world;
        world.component<Position>().on_remove([&](Position& p) { order.push_back(p.x); });
        kith::entity parent = world.entity().set(Position{0, 0});
        kith::entity a = world.entity().child_of(parent).set(Position{1, 0});
        world.entity().child_of(parent).set(Position{2, 0});
        world.entity().child_of(a).set(Position{3, 0});
        parent.destruct();
        REQUIRE(order.size() == 4);
        CHECK(order.back() == 0);
        CHECK(std::find(order.begin(), order.end(), 3) < std::find(order.begin(), order.end(), 1));
        CHECK(std::find(order.begin(), order.end(), 1) < std::find(order.begin(), order.end(), 2));
    }
}
