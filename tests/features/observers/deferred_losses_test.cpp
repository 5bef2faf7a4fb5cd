// What a queue takes, and may give back: copies of values are kept meanwhile, and what does not
// come back is told as what it was.
#include <kith/kith.hpp>

#include "support/event_log.hpp"

#include <memory>

#include <doctest/doctest.h>

namespace {

struct Worth {
    int number = 0;
};

struct fixture : kith_test::event_log {
    fixture() {
        world.component<Worth>("Worth").on_remove([this](kith::entity, Worth& one) {
            log += "hook " + std::to_string(one.number) + "; ";
        });
        owes = world.entity("Owes");
        e = world.entity("e");
    }

    void watch() { world.observer().with(owes, kith::Wildcard).event(kith::OnRemove).each(note()); }
    // It is no child of the relationship, so that it cannot come back.
    void take_for_good(kith::entity_t target) {
        e.remove(owes, target);
        owes.add(kith::OneOf);
        e.add(owes, target);
    }

    kith::entity owes, e;
};

}  // namespace

TEST_SUITE("features.observers.deferred_losses") {
    TEST_CASE_FIXTURE(fixture, "what had a value is told to go though its id is a tag by now") {
        watch();
        e.set_second<Worth>(owes, {7});
        CHECK_THROWS_AS(world.defer([&] {
            take_for_good(world.id<Worth>());
            owes.add(kith::Tag);
        }),
                        kith::error);
        CHECK(taken() == "OnRemove (Owes,Worth) e; hook 7; ");
    }

    TEST_CASE_FIXTURE(fixture, "what was a tag is told to go though its id would have a value") {
        owes.add(kith::Tag);
        watch();
        e.add(owes, world.id<Worth>());
        CHECK_THROWS_AS(world.defer([&] {
            take_for_good(world.id<Worth>());
            owes.remove(kith::Tag);
        }),
                        kith::error);
        CHECK(taken() == "OnRemove (Owes,Worth) e; ");
    }

    TEST_CASE_FIXTURE(fixture, "no copy outlives a queue that takes something twice") {
        struct Held {
            std::shared_ptr<int> what;
        };
        const auto what = std::make_shared<int>(3);
        world.component<Held>("Held").on_remove([this](kith::entity, Held&) { log += "hook; "; });
        e.set(Held{what});
        world.defer([&] {
            e.remove<Held>();
            e.is_a(owes);
            e.set(Held{what});
            e.remove(kith::IsA, owes);
            e.remove<Held>();
            e.is_a(owes);
            e.set(Held{what});
        });
        CHECK(taken() == "");
        CHECK(what.use_count() == 2);
    }
}
