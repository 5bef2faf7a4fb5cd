// An observer is called where a change makes a term hold, or ends that: whatever else the change
// brings, and however far away it is.
#include <kith/kith.hpp>

#include "support/event_log.hpp"

using namespace kith_test;

namespace {

struct fixture : event_log {
    auto build() { return world.observer().event(kith::OnAdd).event(kith::OnRemove); }
    // Event and entity, and the value of $x.
    auto note_x() {
        return [this](kith::iter& it, std::size_t row) {
            log += name_of(it.event()) + " " + name_of(it.entity(row)) + " " +
                   name_of(it.get_var("x")) + "; ";
        };
    }
    auto note_entity() {
        return [this](kith::iter& it, std::size_t row) {
            log += name_of(it.event()) + " " + name_of(it.entity(row)) + "; ";
        };
    }

    kith::entity e = world.entity("e");
    kith::entity x = world.entity("x");
    kith::entity y = world.entity("y");
    kith::entity tag = world.entity("tag");
    kith::entity rel = world.entity("rel");
    kith::entity unit = world.entity("unit");
    kith::entity knight = world.entity("knight");
};

}  // namespace

TEST_SUITE("features.observers.term_truth") {
    TEST_CASE_FIXTURE(fixture, "a fixed source that is gone tells nothing") {
        build().with<Hot>().with<Cold>().src(x).each(note());
        x.destruct();
        SUBCASE("and nobody has its place") {}
        SUBCASE("and another entity has its place") {
            world.entity("z").add<Hot>();
        }
        kith::entity p = world.entity("p");
        world.entity("q").child_of(p);
        p.add<Cold>();
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "an observer of instances is told of no other pairs") {
        kith::entity base = world.prefab("base");
        build().with(kith::IsA, base).each(note());
        e.is_a(base);
        CHECK(taken() == "OnAdd (IsA,base) e; ");
        e.add(rel, x).child_of(x).is_a(y).remove(rel, x);
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "of a queue that makes an instance, several terms are told once") {
        kith::entity base = world.prefab("base");
        build().with<Hot>().with(kith::IsA, base).each(note_entity());
        world.defer([&] { e.add<Hot>().is_a(base).add(rel, x); });
        CHECK(taken() == "OnAdd e; ");
    }

    TEST_CASE_FIXTURE(fixture, "a pair whose target has instances is told of no other pairs") {
        kith::entity in = world.entity("in").add(kith::Transitive);
        build().with(in, x).each(note());
        e.add(in, x);
        taken();
        world.entity("z").is_a(x);
        e.add(rel, y).remove(rel, y);
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "a negated term with derived ids is told of those alone") {
        knight.is_a(unit);
        build().with<Hot>().without(unit).each(note());
        e.add<Hot>();
        taken();
        e.add(tag).remove(tag);
        CHECK(taken() == "");
        e.add(knight).add(unit).remove(knight);
        CHECK(taken() == "OnRemove knight e; ");
        e.remove(unit);
        CHECK(taken() == "OnAdd unit e; ");
    }

    TEST_CASE_FIXTURE(fixture, "a negated closure is told of the pairs that lead to its end") {
        kith::entity in = world.entity("in").add(kith::Transitive);
        kith::entity town = world.entity("town").add(in, x);
        build().with<Hot>().without(in, x).each(note());
        e.add<Hot>();
        taken();
        e.add(in, y).remove(in, y);
        CHECK(taken() == "");
        e.add(in, town).add(in, x).remove(in, town);
        CHECK(taken() == "OnRemove (in,town) e; ");
        e.remove(in, x);
        CHECK(taken() == "OnAdd (in,x) e; ");
    }

    TEST_CASE_FIXTURE(fixture, "a negated term with a variable is told of its value alone") {
        kith::entity likes = world.entity("likes");
        build().with(rel, "$x").without(likes, "$x").each(note_x());
        e.add(rel, x);
        CHECK(taken() == "OnAdd e x; ");
        e.add(likes, y).remove(likes, y);
        CHECK(taken() == "");
        e.add(likes, x).remove(likes, x);
        CHECK(taken() == "OnRemove e x; OnAdd e x; ");
    }

    TEST_CASE_FIXTURE(fixture, "a negated pair whose target is gone tells nothing") {
        build().with<Hot>().without(rel, x).each(note());
        e.add<Hot>();
        x.destruct();
        taken();
        e.add(rel, world.entity("z"));
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "what must not be above tells those below") {
        build().with<Hot>().without<Position>().up(kith::ChildOf).each(note_entity());
        x.add<Hot>();
        e.child_of(x).add<Hot>();
        taken();
        x.set(Position{1, 0});
        CHECK(taken() == "OnRemove e; ");
        x.remove<Position>();
        CHECK(taken() == "OnAdd e; ");
        x.set(Position{1, 0});
        taken();
        e.remove(kith::ChildOf, x);
        CHECK(taken() == "OnAdd e; ");
        e.child_of(x);
        CHECK(taken() == "OnRemove e; ");
        e.child_of(y);
        CHECK(taken() == "OnAdd e; ");
    }

    TEST_CASE_FIXTURE(fixture, "what must not be there may come and go with a base") {
        build().with<Hot>().without<Cold>().each(note_entity());
        e.is_a(x).add<Hot>();
        taken();
        x.add<Cold>();
        CHECK(taken() == "OnRemove e; ");
        x.remove<Cold>();
        CHECK(taken() == "OnAdd e; ");
        x.add<Cold>();
        taken();
        e.remove(kith::IsA, x);
        CHECK(taken() == "OnAdd e; ");
        e.is_a(x);
        CHECK(taken() == "OnRemove e; ");
        e.add<Cold>().remove<Cold>();
        CHECK(taken() == "");
        x.destruct();
        CHECK(taken() == "OnAdd e; ");
    }

    TEST_CASE_FIXTURE(fixture, "a chain with derived ids is told of those alone") {
        knight.is_a(unit);
        build().with<Cold>().or_().with(unit).with<Hot>().each(note());
        e.add<Hot>().add<Cold>();
        CHECK(taken() == "OnAdd Cold e; ");
        e.add(tag).remove(tag);
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "a chain is told when the first member comes and the last goes") {
        build().with<Cold>().or_().with(unit).with<Hot>().each(note());
        e.add<Hot>().add<Cold>().add(unit);
        CHECK(taken() == "OnAdd Cold e; ");
        e.remove<Cold>();
        CHECK(taken() == "");
        e.remove(unit);
        CHECK(taken() == "OnRemove unit e; ");
    }

    TEST_CASE_FIXTURE(fixture, "a member that looks above is not told of the entity itself") {
        build()
            .with<Cold>()
            .or_()
            .with<Position>()
            .up(kith::ChildOf)
            .with<Hot>()
            .each(note_entity());
        e.add<Hot>().add<Cold>();
        taken();
        e.set(Position{1, 0}).remove<Position>();
        CHECK(taken() == "");
        x.add<Hot>().child_of(e);
        e.set(Position{1, 0});
        CHECK(taken() == "OnAdd x; ");
        e.remove<Position>();
        CHECK(taken() == "OnRemove x; ");
    }

    TEST_CASE_FIXTURE(fixture, "a variable is told of what its value sees") {
        build().with(rel, "$x").with<Hot>().src("$x").each(note_x());
        kith::entity base = world.entity("base").add<Hot>();
        e.add(rel, x);
        CHECK(taken() == "");
        x.is_a(base);
        CHECK(taken() == "OnAdd e x; ");
        base.remove<Hot>();
        CHECK(taken() == "OnRemove e x; ");
        base.add<Hot>();
        CHECK(taken() == "OnAdd e x; ");
        x.remove(kith::IsA, base);
        CHECK(taken() == "OnRemove e x; ");
    }

    TEST_CASE_FIXTURE(fixture, "a variable is told of what is above its value") {
        build().with(rel, "$x").with<Hot>().src("$x").up(kith::ChildOf).each(note_x());
        y.add<Hot>();
        e.add(rel, x);
        x.child_of(y);
        CHECK(taken() == "OnAdd e x; ");
        x.remove(kith::ChildOf, y);
        CHECK(taken() == "OnRemove e x; ");
    }

    TEST_CASE_FIXTURE(fixture, "a closure tells those further away") {
        kith::entity in = world.entity("in").add(kith::Transitive);
        build().with(in, x).each(note_entity());
        e.add(in, y);
        CHECK(taken() == "");
        y.add(in, x);
        CHECK(taken() == "OnAdd y; OnAdd e; ");
        y.remove(in, x);
        CHECK(taken() == "OnRemove y; OnRemove e; ");
    }

    TEST_CASE_FIXTURE(fixture, "a closure to a variable tells those further away") {
        kith::entity in = world.entity("in").add(kith::Transitive);
        build().with(in, "$x").with<Hot>().src("$x").each(note_x());
        x.add<Hot>();
        e.add(in, y);
        CHECK(taken() == "");
        y.add(in, x);
        CHECK(taken() == "OnAdd y x; OnAdd e x; ");
        y.remove(in, x);
        CHECK(taken() == "OnRemove y x; OnRemove e x; ");
    }

    TEST_CASE_FIXTURE(fixture, "a deletion ends a result once") {
        build().with(rel, "$x").with<Hot>().src("$x").each(note_x());
        x.add<Hot>();
        e.add(rel, x);
        taken();
        SUBCASE("by itself") {
            x.destruct();
        }
        SUBCASE("with a parent") {
            x.child_of(y);
            y.destruct();
        }
        CHECK(taken() == "OnRemove e x; ");
    }

    TEST_CASE_FIXTURE(fixture, "nothing begins for an entity that is being deleted") {
        build().with<Hot>().without(rel, kith::Wildcard).each(note());
        e.add(rel, e).add<Hot>();
        CHECK(taken() == "");
        e.destruct();
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "what is below is told once, with the pair that leads there") {
        build().with<Hot>().down(kith::ChildOf).each(note_entity());
        e.child_of(x).add<Hot>();
        CHECK(taken() == "OnAdd x; ");
        SUBCASE("when it is deleted") {
            e.destruct();
        }
        SUBCASE("when it loses everything") {
            e.clear();
        }
        CHECK(taken() == "OnRemove x; ");
    }

    TEST_CASE_FIXTURE(fixture, "an entity that is deleted ceases to see what is below") {
        rel.add(kith::Traversable);
        build().with<Hot>().down(rel).each(note_entity());
        e.add(rel, x).add<Hot>();
        taken();
        x.destruct();
        CHECK(taken() == "OnRemove x; ");
    }

    TEST_CASE_FIXTURE(fixture, "an own exclusive pair hides an inherited one") {
        SUBCASE("in tables") {
            rel.add(kith::Exclusive);
        }
        SUBCASE("beside them") {
            rel.add(kith::Union);
        }
        kith::entity base = world.entity("base").add(rel, x);
        e.is_a(base);
        build().with(rel, kith::Wildcard).each(note());
        e.add(rel, y);
        CHECK(taken() == "OnRemove (rel,x) e; OnAdd (rel,y) e; ");
        e.remove(rel, y);
        CHECK(taken() == "OnRemove (rel,y) e; OnAdd (rel,x) e; ");
        e.add(rel, x).remove(rel, x);
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "a value that comes with a base is told after its id") {
        kith::entity base = world.entity("base").set(Position{1, 0});
        world.observer<Position>().event(kith::OnSet).each(note());
        world.observer<Position>().event(kith::OnAdd).each(note());
        e.is_a(base);
        CHECK(taken() == "OnAdd Position e; OnSet Position e; ");
    }

    TEST_CASE_FIXTURE(fixture, "what is looked for at bases alone is told though it is copied") {
        kith::entity base = world.entity("base").set_override(Position{1, 0});
        build().with<Position>().up(kith::IsA).each(note_entity());
        e.is_a(base);
        CHECK(taken() == "OnAdd e; ");
        e.remove(kith::IsA, base);
        CHECK(taken() == "OnRemove e; ");
    }
}
