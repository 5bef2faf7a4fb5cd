// An observer whose term looks further than the entity itself is told when what is seen comes and
// goes, however many have it.
#include <kith/kith.hpp>

#include "support/event_log.hpp"

using namespace kith_test;

namespace {

struct fixture : event_log {
    auto observe() {
        return world.observer<Position>()
            .event(kith::OnAdd)
            .event(kith::OnSet)
            .event(kith::OnRemove);
    }
    // Event, entity, where it is from, value.
    auto note_value() {
        return [this](kith::iter& it, std::size_t row, const Position& value) {
            log += name_of(it.event()) + " " + name_of(it.entity(row)) +
                   (it.src(1) ? "<-" + name_of(it.src(1)) : "") + " " + std::to_string(value.x) +
                   "; ";
        };
    }
    void watch() { observe().each(note_value()); }

    kith::entity p = world.prefab("p").set(Position{1, 0});
    kith::entity q = world.prefab("q").set(Position{2, 0});
    kith::entity e = world.entity("e");
};

}  // namespace

TEST_SUITE("features.observers.other_state") {
    TEST_CASE_FIXTURE(fixture, "a second base that shows nothing new tells nothing") {
        watch();
        e.is_a(p);
        CHECK(taken() == "OnAdd e<-p 1; OnSet e<-p 1; ");
        e.is_a(q);
        CHECK(taken() == "");
        e.remove(kith::IsA, q);
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "a base of a base that was one before tells nothing") {
        kith::entity far = world.prefab("far").is_a(p);
        watch();
        e.is_a(p);
        taken();
        e.is_a(far);
        CHECK(taken() == "");
        e.remove(kith::IsA, p);
        CHECK(taken() == "");
        e.remove(kith::IsA, far);
        CHECK(taken() == "OnRemove e<-p 1; ");
    }

    TEST_CASE_FIXTURE(fixture, "what several bases have goes once when the entity is deleted") {
        world.prefab("far").is_a(p);
        e.is_a(p).is_a(q).is_a(world.lookup("far"));
        watch();
        e.destruct();
        CHECK(taken() == "OnRemove e<-p 1; ");
    }

    TEST_CASE_FIXTURE(fixture, "losing the base whose value is seen shows that of another") {
        e.is_a(p).is_a(q);
        watch();
        e.remove(kith::IsA, p);
        CHECK(taken() == "OnSet e<-q 2; ");
        e.remove(kith::IsA, q);
        CHECK(taken() == "OnRemove e<-q 2; ");
    }

    TEST_CASE_FIXTURE(fixture, "deleting the base whose value is seen shows that of another") {
        e.is_a(p).is_a(q);
        watch();
        p.destruct();
        CHECK(taken() == "OnSet e<-q 2; ");
        q.destruct();
        CHECK(taken() == "OnRemove e<-q 2; ");
    }

    TEST_CASE_FIXTURE(fixture,
                      "a base in the middle that is deleted takes along what it shows once") {
        kith::entity mid = world.prefab("mid").is_a(p);
        e.is_a(mid);
        watch();
        mid.destruct();
        CHECK(taken() == "OnRemove e<-p 1; ");
    }

    TEST_CASE_FIXTURE(fixture, "a base that comes in front of another shows another value") {
        kith::entity r = world.prefab("r");
        e.is_a(q).is_a(r);
        watch();
        e.is_a(p);  // made before q, so it comes first
        CHECK(taken() == "OnSet e<-p 1; ");
    }

    TEST_CASE_FIXTURE(fixture, "overriding tells the new value alone") {
        watch();
        e.is_a(p);
        taken();
        e.set(Position{5, 0});
        CHECK(taken() == "OnSet e 5; ");
    }

    TEST_CASE_FIXTURE(fixture, "overriding without a value tells nothing") {
        watch();
        e.is_a(p);
        taken();
        e.add<Position>();
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "removing what overrides shows the base's value again") {
        watch();
        e.is_a(p).set(Position{5, 0});
        taken();
        e.remove<Position>();
        CHECK(taken() == "OnSet e<-p 1; ");
    }

    TEST_CASE_FIXTURE(fixture,
                      "an observer that was made before all bases tells what is uncovered") {
        kith::world fresh;
        std::string told;
        fresh.observer<Position>().event(kith::OnSet).each([&](kith::entity, Position& value) {
            told += std::to_string(value.x) + " ";
        });
        kith::entity base = fresh.prefab().set(Position{1, 0});
        kith::entity one = fresh.entity().set(Position{2, 0}).is_a(base);
        one.remove<Position>();
        CHECK(told == "2 1 ");
    }

    TEST_CASE_FIXTURE(fixture, "instances see what a base in the middle covers and uncovers") {
        kith::entity mid = world.prefab("mid").is_a(p);
        e.is_a(mid);
        watch();
        mid.set(Position{7, 0});
        CHECK(taken() == "OnSet e<-mid 7; ");
        mid.remove<Position>();
        CHECK(taken() == "OnSet e<-p 1; ");
    }

    TEST_CASE_FIXTURE(fixture, "a term about the entity itself tells what it owns") {
        observe().term_at(1).self().each(note_value());
        e.is_a(p);
        CHECK(taken() == "");
        e.set(Position{5, 0});
        CHECK(taken() == "OnAdd e 5; OnSet e 5; ");
        e.remove<Position>();
        CHECK(taken() == "OnRemove e 5; ");
    }

    TEST_CASE_FIXTURE(fixture, "a base and a value that come and go together are told as one") {
        e.is_a(p).set(Position{5, 0});
        watch();
        kith::entity copy = e.clone();
        CHECK(taken() == "OnAdd  5; OnSet  5; ");
        copy.destruct();
        CHECK(taken() == "OnRemove  5; ");
    }

    TEST_CASE_FIXTURE(fixture, "two bases that come and go together are told once") {
        kith::entity far = world.prefab("far").is_a(p);
        e.is_a(far).is_a(p);
        watch();
        kith::entity copy = e.clone();
        CHECK(taken() == "OnAdd <-p 1; OnSet <-p 1; ");
        copy.destruct();
        CHECK(taken() == "OnRemove <-p 1; ");
    }

    TEST_CASE_FIXTURE(fixture, "another parent that shows the same is no change") {
        kith::entity top = world.entity("top").add<Hot>();
        kith::entity left = world.entity("left").child_of(top);
        kith::entity right = world.entity("right").child_of(top);
        kith::entity leaf = world.entity("leaf").child_of(left);
        world.observer()
            .event(kith::OnAdd)
            .event(kith::OnRemove)
            .with<Hot>()
            .self()
            .up(kith::ChildOf)
            .each(note_source());
        leaf.child_of(right);
        CHECK(taken() == "");
        leaf.add<Hot>();
        CHECK(taken() == "");
        leaf.remove<Hot>();
        CHECK(taken() == "");
        leaf.remove(kith::ChildOf, right);
        CHECK(taken() == "OnRemove Hot leaf<-top; ");
    }

    TEST_CASE_FIXTURE(fixture, "what is found below comes with the first and goes with the last") {
        kith::entity top = world.entity("top");
        kith::entity one = world.entity("one").child_of(top);
        kith::entity two = world.entity("two").child_of(top);
        world.observer()
            .event(kith::OnAdd)
            .event(kith::OnRemove)
            .with<Hot>()
            .down(kith::ChildOf)
            .each(note_source());
        two.add<Hot>();
        CHECK(taken() == "OnAdd Hot top<-two; ");
        one.add<Hot>();
        CHECK(taken() == "");
        one.remove<Hot>();
        CHECK(taken() == "");
        two.remove<Hot>();
        CHECK(taken() == "OnRemove Hot top<-two; ");
    }

    TEST_CASE_FIXTURE(fixture, "several terms are told when the last of them is seen") {
        p.add<Hot>();
        observe().with<Hot>().each(note_value());
        e.is_a(p);
        CHECK(taken() == "OnAdd e<-p 1; OnSet e<-p 1; ");
        e.add<Hot>();
        CHECK(taken() == "");
        e.remove<Hot>();
        CHECK(taken() == "");
        e.remove(kith::IsA, p);
        CHECK(taken() == "OnRemove e<-p 1; ");
    }

    TEST_CASE_FIXTURE(fixture, "marked ids of a second base are told as the first owned value") {
        watch();
        e.is_a(p);
        taken();
        q.override<Position>();
        e.is_a(q);
        CHECK(taken() == "OnSet e 2; ");
    }

    TEST_CASE_FIXTURE(fixture, "instances of an instance see the copy that it gets") {
        p.override<Position>();
        world.entity("below").is_a(e);
        watch();
        e.is_a(p);
        CHECK(taken() == "OnAdd e 1; OnAdd below<-e 1; OnSet e 1; OnSet below<-e 1; ");
    }

    TEST_CASE_FIXTURE(fixture, "ids that are not inherited come and go with their owner") {
        world.component<Velocity>().add(kith::DontInherit);
        p.set(Velocity{1, 0});
        world.observer<Velocity>().event(kith::OnAdd).event(kith::OnRemove).each(note());
        e.is_a(p);
        CHECK(taken() == "");
        e.add<Velocity>();
        CHECK(taken() == "OnAdd Velocity e; ");
        e.remove<Velocity>();
        CHECK(taken() == "OnRemove Velocity e; ");
    }

    TEST_CASE_FIXTURE(fixture,
                      "many entities that are made with a base and a value are told once") {
        watch();
        const kith::id_t ids[] = {world.id<Position>(), world.pair(kith::IsA, p)};
        world.bulk(2, ids, 2, nullptr);
        CHECK(taken() == "OnAdd  0; OnAdd  0; ");
    }
}
