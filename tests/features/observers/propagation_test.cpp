#include <kith/kith.hpp>

#include "support/event_log.hpp"
#include "support/small_stack.hpp"

using namespace kith_test;

namespace {

struct fixture : event_log {
    auto build() { return world.observer().event(kith::OnAdd).event(kith::OnRemove); }

    kith::entity root = world.entity("root");
    kith::entity mid = world.entity("mid").child_of(root);
    kith::entity leaf = world.entity("leaf").child_of(mid);
    kith::entity base = world.prefab("base");
};

}  // namespace

TEST_SUITE("features.observers.propagation") {
    // spec 105
    TEST_CASE_FIXTURE(fixture, "a change of a prefab reaches its instances") {
        base.set(Position{1, 0});
        world.entity("one").is_a(base);
        world.entity("two").is_a(base);
        world.observer<Position>()
            .event(kith::OnSet)
            .each([&](kith::iter& it, std::size_t row, Position& p) {
                log += name_of(it.entity(row)) + std::to_string(p.x) + name_of(it.src(1)) + " ";
            });
        base.set(Position{2, 0});
        CHECK(taken() == "one2base two2base ");
        world.lookup("one").set(Position{3, 0});
        CHECK(taken() == "one3 ");
        base.set(Position{4, 0});
        CHECK(taken() == "two4base ");
    }

    TEST_CASE_FIXTURE(fixture, "ids that a base gains or loses come and go for its instances") {
        kith::entity far = world.prefab("far").is_a(base);
        world.entity("one").is_a(far);
        build().with<Hot>().each(note_source());
        base.add<Hot>();
        CHECK(taken() == "OnAdd Hot one<-base; ");
        far.add<Hot>();
        CHECK(taken() == "");
        base.remove<Hot>();
        CHECK(taken() == "");
        far.remove<Hot>();
        CHECK(taken() == "OnRemove Hot one<-far; ");
    }

    TEST_CASE_FIXTURE(fixture, "becoming an instance makes what is inherited appear") {
        base.add<Hot>().set(Position{1, 0});
        build().with<Hot>().each(note_source());
        world.observer<Position>().event(kith::OnSet).each([&](kith::entity one, Position& p) {
            log += "set " + name_of(one) + std::to_string(p.x) + "; ";
        });
        kith::entity one = world.entity("one").is_a(base);
        CHECK(taken() == "OnAdd Hot one<-base; set one1; ");
        one.remove(kith::IsA, base);
        CHECK(taken() == "OnRemove Hot one<-base; ");
        one.is_a(base);
        taken();
        base.destruct();
        CHECK(taken() == "OnRemove Hot one<-base; ");
    }

    TEST_CASE_FIXTURE(fixture, "a search upward is told of what those above have") {
        build().with<Hot>().up(kith::ChildOf).each(note_source());
        root.add<Hot>();
        CHECK(taken() == "OnAdd Hot mid<-root; OnAdd Hot leaf<-root; ");
        mid.add<Hot>();
        CHECK(taken() == "");
        root.remove<Hot>();
        CHECK(taken() == "OnRemove Hot mid<-root; ");
        mid.remove<Hot>();
        CHECK(taken() == "OnRemove Hot leaf<-mid; ");
    }

    TEST_CASE_FIXTURE(fixture, "with self, the owner itself is told first") {
        build().with<Hot>().self().up(kith::ChildOf).each(note_source());
        mid.add<Hot>();
        CHECK(taken() == "OnAdd Hot mid; OnAdd Hot leaf<-mid; ");
    }

    TEST_CASE_FIXTURE(fixture, "getting another parent makes what it has appear, and vanish") {
        kith::entity cold = world.entity("cold");
        root.add<Hot>();
        build().with<Hot>().up(kith::ChildOf).each(note_source());
        mid.child_of(cold);
        CHECK(taken() == "OnRemove Hot mid<-root; OnRemove Hot leaf<-root; ");
        mid.child_of(root);
        CHECK(taken() == "OnAdd Hot mid<-root; OnAdd Hot leaf<-root; ");
        leaf.remove(kith::ChildOf, mid);
        CHECK(taken() == "OnRemove Hot leaf<-root; ");
    }

    TEST_CASE_FIXTURE(fixture, "a search downward is told of what those below have") {
        build().with<Hot>().down(kith::ChildOf).each(note_source());
        leaf.add<Hot>();
        CHECK(taken() == "OnAdd Hot mid<-leaf; OnAdd Hot root<-leaf; ");
        leaf.remove<Hot>();
        CHECK(taken() == "OnRemove Hot mid<-leaf; OnRemove Hot root<-leaf; ");
    }

    TEST_CASE_FIXTURE(fixture, "many ways to one entity tell it once") {
        kith::entity rel = world.entity("rel").add(kith::Traversable);
        kith::entity top = world.entity("top");
        kith::entity left = world.entity("left").add(rel, top);
        kith::entity right = world.entity("right").add(rel, top);
        world.entity("bottom").add(rel, left).add(rel, right);
        build().with<Hot>().up(rel).each(note_source());
        top.add<Hot>();
        CHECK(taken() == "OnAdd Hot left<-top; OnAdd Hot right<-top; OnAdd Hot bottom<-top; ");
    }

    TEST_CASE_FIXTURE(fixture, "a depth limit holds for what is told") {
        build().with<Hot>().up(kith::ChildOf).max_depth(1).each(note_source());
        root.add<Hot>();
        CHECK(taken() == "OnAdd Hot mid<-root; ");
    }

    TEST_CASE_FIXTURE(fixture, "other terms decide for whom it is told") {
        build().with<Hot>().up(kith::ChildOf).with<Cold>().each(note_source());
        leaf.add<Cold>();
        root.add<Hot>();
        CHECK(taken() == "OnAdd Hot leaf<-root; ");
        mid.add<Cold>();
        CHECK(taken() == "OnAdd Cold mid<-root; ");
    }

    TEST_CASE_FIXTURE(fixture, "rows that are neighbours are told together") {
        std::vector<int> counts;
        for (int i = 0; i < 10; ++i) {
            world.entity().is_a(base);
        }
        world.observer().with<Hot>().instanced().event(kith::OnAdd).iter([&](kith::iter& it) {
            counts.push_back(static_cast<int>(it.count()));
        });
        base.add<Hot>();
        CHECK(counts == std::vector<int>{10});
    }

    TEST_CASE("a long chain needs no stack") {
        constexpr int levels = 5000;
        int calls = 0;
        REQUIRE(on_small_stack([&] {
            fixture chain;
            kith::entity above = chain.leaf;
            for (int i = 0; i < levels; ++i) {
                above = chain.world.entity().child_of(above);
            }
            auto count = [&] { ++calls; };
            chain.world.observer().event(kith::OnAdd).with<Hot>().up(kith::ChildOf).each(count);
            chain.root.add<Hot>();
        }));
        CHECK(calls == levels + 2);
    }

    TEST_CASE_FIXTURE(fixture, "a copy that an instance owns is told as its own") {
        base.set(Position{1, 0}).override<Position>();
        world.observer<Position>().event(kith::OnAdd).event(kith::OnSet).each(note_source());
        world.entity("one").is_a(base);
        CHECK(taken() == "OnAdd Position one; OnSet Position one; ");
        base.set(Position{2, 0});
        CHECK(taken() == "");
    }
}
