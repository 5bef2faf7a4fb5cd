// Callbacks that fail while entities are named: the world stays sound, and names stay unique.
#include <kith/kith.hpp>
#include <kith/memory_resource.hpp>

#include <memory_resource>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

namespace {

struct Text {
    std::string text = "a value that is long enough to be on the heap";
};
struct Pos {
    double x = 0;
};

struct failing {
    // Every block by itself, so that tools that check memory see each.
    kith::world world{kith::use_memory(*std::pmr::new_delete_resource(), false)};
    kith::entity likes = world.entity("Likes");
    kith::entity other = world.entity().set(Text{});

    // What `refer` does with the new entity happens before the callback fails.
    template <class Refer>
    void make_named(Refer refer) {
        bool armed = true;
        world.observer()
            .with(kith::Wildcard, kith::Wildcard)
            .event(kith::OnAdd)
            .each([&](kith::entity made) {
                if (armed) {
                    armed = false;
                    refer(made);
                    throw std::runtime_error("refused");
                }
            });
        CHECK_THROWS_AS(world.entity("new"), std::runtime_error);
        armed = false;
        world.check();
        CHECK_FALSE(world.lookup("new"));
        // Memory that was given back wrongly is in use by now.
        world.entity().set(Text{});
        world.entity("more").add(likes, world.entity());
        world.shrink();
        world.check();
    }
};

// A queue with a name, and a property that makes the queue run in parts.
struct queued_name {
    kith::world world;
    kith::entity parent = world.entity("T");
    kith::entity child = world.entity("T::e0");
    kith::entity named;

    void run(bool failing, kith::entity_t property) {
        world.component<Pos>();
        bool armed = failing;
        world.observer()
            .with(kith::Wildcard, kith::Wildcard)
            .event(kith::OnAdd)
            .each([&](kith::entity) {
                if (armed) {
                    throw std::runtime_error("refused");
                }
            });
        auto queue = [&] {
            world.defer([&] {
                named = world.entity("e0");
                world.component<Pos>().add(property);
            });
        };
        if (failing) {
            CHECK_THROWS_AS(queue(), std::runtime_error);
        } else {
            queue();
        }
        armed = false;
        if (named.is_alive() && named.name() == "e0") {
            CHECK_THROWS_AS(child.remove(kith::ChildOf, parent), kith::error);
            CHECK(world.lookup("e0") == named);
        }
        world.check();
    }
};

}  // namespace

TEST_SUITE("features.names.failing_callbacks") {
    TEST_CASE_FIXTURE(failing, "another entity has got a pair to the new one") {
        make_named([&](kith::entity made) { other.add(likes, made); });
    }
    TEST_CASE_FIXTURE(failing, "another entity has got an override mark of such a pair") {
        make_named(
            [&](kith::entity made) { other.add(kith::Override | kith::make_pair(likes, made)); });
    }
    TEST_CASE_FIXTURE(failing, "another entity has got the new one as a tag") {
        make_named([&](kith::entity made) { other.add(made); });
    }
    TEST_CASE_FIXTURE(failing, "another entity has become a child of the new one") {
        make_named([&](kith::entity made) { other.child_of(made); });
    }

    TEST_CASE_FIXTURE(queued_name, "a queued name is taken when the queue has run") {
        run(false, kith::Exclusive);
    }
    TEST_CASE_FIXTURE(queued_name, "a queued name is taken though a callback fails") {
        run(true, kith::Exclusive);
    }
    TEST_CASE_FIXTURE(queued_name, "the same behind a property of two") {
        run(false, kith::Union);
    }
    TEST_CASE_FIXTURE(queued_name, "the same behind a property of two, and a callback fails") {
        run(true, kith::Union);
    }

    TEST_CASE("a name that is set again in a queue is taken though a callback fails") {
        kith::world world;
        kith::entity first = world.entity("a");
        kith::entity second = world.entity();
        bool armed = true;
        world.observer()
            .with<kith::Identifier>(kith::Name)
            .event(kith::OnSet)
            .each([&](kith::entity) {
                if (armed) {
                    throw std::runtime_error("refused");
                }
            });
        CHECK_THROWS_AS(world.defer([&] { first.set_name("b"); }), std::runtime_error);
        armed = false;
        CHECK(first.name() == "b");
        CHECK(world.lookup("b") == first);
        CHECK_THROWS_AS(second.set_name("b"), kith::error);
        second.set_name("a");
        world.check();
    }
}
