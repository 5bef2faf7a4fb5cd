// A deletion, with all that it takes along, is one change: observers are told of what ends by it
// while everything is there, and of what begins when everything is gone.
#include <kith/kith.hpp>

#include "support/event_log.hpp"

using namespace kith_test;

namespace {

struct Touched {};

struct fixture : event_log {
    auto build() { return world.observer().event(kith::OnAdd).event(kith::OnRemove); }
    auto note_entity() {
        return [this](kith::iter& it, std::size_t row) {
            log += name_of(it.event()) + " " + name_of(it.entity(row)) + "; ";
        };
    }
    // How the pairs of a relationship are kept.
    void choose_storage(kith::entity relation) {
        SUBCASE("in tables") {}
        SUBCASE("beside them") {
            relation.add(kith::Sparse);
        }
    }

    kith::entity e = world.entity("e");
    kith::entity x = world.entity("x");
    kith::entity kin = world.entity("kin");
    kith::entity near = world.entity("near");
};

}  // namespace

TEST_SUITE("features.observers.deletion_events") {
    TEST_CASE_FIXTURE(fixture, "nothing begins because one pair goes before the other") {
        choose_storage(near);
        build().with(kin, "$x").without(near, "$x").each(note_entity());
        e.add(kin, x).add(near, x);
        taken();
        x.destruct();
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "a result that has begun ends once") {
        choose_storage(kin);
        build().with(kin, "$x").without(near, "$x").each(note_entity());
        world.entity("other").add(near, x).add(kin, x);
        e.add(kin, x);
        CHECK(taken() == "OnAdd e; ");
        x.destruct();
        CHECK(taken() == "OnRemove e; ");
    }

    TEST_CASE_FIXTURE(fixture, "what begins is told when all is gone") {
        choose_storage(near);
        world.observer()
            .event(kith::OnAdd)
            .with<Hot>()
            .without(near, kith::Wildcard)
            .each([&](kith::entity one) {
                log += name_of(one) + " ";
                CHECK(!x.is_alive());
                CHECK(!one.has(near, kith::Wildcard));
            });
        e.add(near, x).add<Hot>();
        world.entity("other").add(near, x).add<Hot>();
        x.destruct();
        CHECK(taken() == "e other ");
    }

    TEST_CASE_FIXTURE(fixture, "nothing begins for those that are deleted later") {
        build().with<Hot>().without<Cold>().down(kith::ChildOf).each(note_entity());
        kith::entity child = world.entity("child").child_of(e).add<Cold>();
        e.add<Hot>();
        taken();
        SUBCASE("as parents") {
            e.destruct();
            CHECK(taken() == "");
        }
        SUBCASE("with the same id") {
            child.add<Hot>();
            CHECK(taken() == "OnAdd child; ");
            world.delete_with<Hot>();
            CHECK(taken() == "OnRemove child; ");
        }
    }

    TEST_CASE_FIXTURE(fixture, "what must not be below is told to be gone with the last") {
        build().with<Hot>().without<Cold>().down(kith::ChildOf).each(note_entity());
        e.add<Hot>();
        kith::entity child = world.entity("child").child_of(e).add<Cold>();
        kith::entity second = world.entity("second").child_of(child).add<Cold>();
        taken();
        SUBCASE("one after the other") {
            second.destruct();
            CHECK(taken() == "");
            child.destruct();
            CHECK(taken() == "OnAdd e; ");
        }
        SUBCASE("together") {
            child.destruct();
            CHECK(taken() == "OnAdd e; ");
        }
        SUBCASE("by a queue") {
            world.defer([&] {
                second.destruct();
                child.remove<Cold>().destruct();
            });
            CHECK(taken() == "OnAdd e; ");
        }
    }

    TEST_CASE_FIXTURE(fixture, "who is between ends what is seen below, and what must not be") {
        near.add(kith::Traversable);
        choose_storage(near);
        build().with<Hot>().without<Cold>().down(near).each(note_entity());
        e.add<Hot>();
        x.add(near, e);
        kith::entity last = world.entity("last").add(near, x).add<Cold>();
        taken();
        x.destruct();
        CHECK(taken() == "OnAdd e; ");
        CHECK(last.is_alive());
    }

    TEST_CASE_FIXTURE(fixture, "all is told while all is there") {
        kith::entity child = world.entity("child").child_of(e).add<Hot>();
        e.add<Hot>();
        x.add(kin, e);
        world.observer().event(kith::OnRemove).with<Hot>().each([&](kith::entity one) {
            log += name_of(one) + " ";
            CHECK(child.has<Hot>());
            CHECK(x.has(kin, e));
        });
        world.observer().event(kith::OnRemove).with(kin, e).each([&](kith::entity one) {
            log += name_of(one) + " ";
            CHECK(child.has<Hot>());
            CHECK(e.has<Hot>());
        });
        e.destruct();
        CHECK(taken() == "child e x ");
    }

    TEST_CASE_FIXTURE(fixture, "a pair of two that end is told once") {
        choose_storage(kin);
        kith::entity parent = world.entity("parent");
        kin.child_of(parent);
        x.child_of(parent);
        e.add(kin, x);
        world.observer().event(kith::OnRemove).with(kin, kith::Wildcard).each(note());
        parent.destruct();
        CHECK(taken() == "OnRemove (parent.kin,parent.x) e; ");
    }

    TEST_CASE_FIXTURE(fixture, "a result ends once, though its callback emits events") {
        build().with(kin, "$x").with<Hot>().src("$x").each([&](kith::iter& it, std::size_t row) {
            log += name_of(it.event()) + " " + name_of(it.entity(row)) + "; ";
            world.event<Touched>().id<Hot>().entity(x).emit();
        });
        world.observer().event<Touched>().with<Hot>().each([&](kith::entity) { log += "t "; });
        x.add<Hot>();
        e.add(kin, x);
        CHECK(taken() == "OnAdd e; t ");
        x.destruct();
        CHECK(taken() == "OnRemove e; t ");
    }

    TEST_CASE_FIXTURE(fixture, "each of several sources ends once") {
        build().with(kin, "$x").with<Hot>().src("$x").each(note_entity());
        x.add<Hot>();
        e.add(kin, x);
        world.entity("other").add(kin, x);
        taken();
        SUBCASE("by a deletion") {
            x.destruct();
            CHECK(taken() == "OnRemove e; OnRemove other; ");
        }
        SUBCASE("by a pair to itself") {
            x.add(kin, x);
            taken();
            x.clear();
            CHECK(taken() == "OnRemove e; OnRemove other; OnRemove x; ");
        }
    }

    TEST_CASE_FIXTURE(fixture, "another base's value is told when the nearer one is deleted") {
        SUBCASE("in tables") {}
        SUBCASE("beside them") {
            world.component<Position>().add(kith::Sparse);
        }
        kith::entity near_base = world.entity("near_base").set(Position{1, 0});
        kith::entity far_base = world.entity("far_base").set(Position{2, 0});
        e.is_a(near_base).is_a(far_base);
        const int seen = e.get<Position>()->x;
        world.observer<Position>().event(kith::OnSet).each([&](kith::entity one, Position& p) {
            log += name_of(one) + std::to_string(p.x) + " ";
        });
        (seen == 1 ? near_base : far_base).destruct();
        CHECK(taken() == "e" + std::to_string(3 - seen) + " ");
    }

    TEST_CASE_FIXTURE(fixture, "a callback that fails does not keep the rest from being told") {
        build().with<Hot>().without(near, x).each([&](kith::iter& it, std::size_t row) {
            log += name_of(it.event()) + " " + name_of(it.entity(row)) + "; ";
            throw 1;
        });
        e.add(near, x).add<Hot>();
        world.entity("other").add(near, x).add<Hot>();
        taken();
        CHECK_THROWS_AS(x.destruct(), int);
        CHECK(!x.is_alive());
        CHECK(taken() == "OnAdd e; OnAdd other; ");
        CHECK_NOTHROW(world.check());
    }

    TEST_CASE_FIXTURE(fixture, "a callback may delete something else at once") {
        kith::entity other = world.entity("other").add(near, x).add(near, e).add<Hot>();
        build().with<Hot>().without(near, kith::Wildcard).each(note_entity());
        kith::entity second;
        std::string told;
        SUBCASE("that has a pair to the first") {
            second = other;
        }
        SUBCASE("that has the same holder") {
            second = e;
            told = "OnAdd other; ";
        }
        world.observer().event(kith::OnRemove).with<Cold>().each([&](kith::entity) {
            world.defer_suspend();
            second.destruct();
            world.defer_resume();
        });
        x.add<Cold>();
        x.destruct();
        CHECK(taken() == told);
        CHECK_NOTHROW(world.check());
    }
}
