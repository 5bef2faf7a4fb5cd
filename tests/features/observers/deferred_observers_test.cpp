// Observers of deferred changes: what the commands of a queue come to, told once, with values that
// can still be read.
#include <kith/kith.hpp>

#include "support/event_log.hpp"

#include <doctest/doctest.h>

using kith_test::Position;

namespace {

struct Hot {};
struct Cold {};
struct Charge {
    int level = 0;
};

struct fixture : kith_test::event_log {
    fixture() {
        world.component<Hot>("Hot");
        world.component<Cold>("Cold");
        world.component<Charge>("Charge").add(kith::Sparse);
        e = world.entity("e");
        p = world.entity("p");
        q = world.entity("q");
    }

    void watch(kith::id_t id) {
        world.observer()
            .with(id)
            .self()
            .event(kith::OnAdd)
            .event(kith::OnSet)
            .event(kith::OnRemove)
            .each(note());
    }
    kith::entity relation(const char* name, std::initializer_list<kith::id_t> properties) {
        kith::entity made = world.entity(name);
        for (kith::id_t one : properties) {
            made.add(one);
        }
        return made;
    }

    kith::entity e, p, q;
};

}  // namespace

TEST_SUITE("features.observers.deferred_observers") {
    TEST_CASE_FIXTURE(fixture, "a tag that comes and goes in one queue is not told, with a base") {
        watch(world.id<Hot>());
        e.is_a(p);
        world.defer([&] { e.add<Hot>().remove<Hot>(); });
        CHECK(taken() == "");
        e.add<Hot>();
        taken();
        world.defer([&] { e.remove<Hot>().add<Hot>(); });
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "what is added twice in one queue is told once") {
        watch(world.id<Hot>());
        e.is_a(p);
        world.defer([&] { e.add<Hot>().remove<Hot>().add<Hot>(); });
        CHECK(taken() == "OnAdd Hot e; ");
        world.defer([&] { e.remove<Hot>().add<Hot>().remove<Hot>(); });
        CHECK(taken() == "OnRemove Hot e; ");
    }

    TEST_CASE_FIXTURE(fixture, "of several values only the last is told, also around a new base") {
        std::string seen;
        world.observer<const Position>()
            .term_at(1)
            .self()
            .event(kith::OnSet)
            .each(
                [&](const Position& at) { seen += std::to_string(static_cast<int>(at.x)) + " "; });
        world.defer([&] {
            e.set(Position{1, 0});
            e.is_a(p);
            e.set(Position{2, 0});
            e.is_a(q);
            e.set(Position{3, 0});
        });
        CHECK(seen == "3 ");
    }

    TEST_CASE_FIXTURE(fixture, "of several parents in one queue, the last is told") {
        kith::entity r = world.entity("r");
        e.child_of(p);
        watch(kith::make_pair(kith::ChildOf, kith::Wildcard));
        taken();
        world.defer([&] {
            e.child_of(q);
            e.child_of(r);
        });
        CHECK(taken() == "OnRemove (ChildOf,p) e; OnAdd (ChildOf,r) e; ");
        world.defer([&] {
            e.child_of(q);
            e.child_of(r);
        });
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "a child of a prefab that is cleared is not told to be one") {
        kith::entity r = world.entity("r");
        world.observer().with(kith::Prefab).event(kith::OnAdd).event(kith::OnRemove).each(note());
        p.add(kith::Prefab);
        CHECK(taken() == "OnAdd Prefab p; ");
        world.defer([&] {
            e.child_of(p);
            e.clear();
        });
        CHECK(taken() == "");
        world.defer([&] {
            r.add(kith::Prefab);
            q.child_of(r);
        });
        CHECK(taken() == "OnAdd Prefab r; OnAdd Prefab q; ");
    }

    TEST_CASE_FIXTURE(fixture, "a rename in between does not make changes be told one by one") {
        watch(world.id<Hot>());
        e.child_of(p);
        world.defer([&] {
            e.add<Hot>();
            e.child_of(q);
            e.set_name("f");
            e.remove<Hot>();
        });
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture,
                      "an entity that is deleted later in the queue gains nothing before") {
        watch(world.id<Hot>());
        watch(world.id<Cold>());
        e.add<Cold>();
        taken();
        world.defer([&] {
            e.add<Hot>();
            e.is_a(p);
            e.destruct();
        });
        CHECK(taken() == "OnRemove Cold e; ");
    }

    TEST_CASE_FIXTURE(fixture, "exclusive relationships that go and come back are not told") {
        kith::entity near = relation("Near", {kith::Exclusive, kith::Acyclic});
        e.add(near, p);
        watch(kith::make_pair(near, kith::Wildcard));
        world.defer([&] {
            e.add(near, q);
            e.add(near, p);
        });
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "both sides of a symmetric pair are told once") {
        kith::entity married = relation("Married", {kith::Symmetric});
        watch(kith::make_pair(married, kith::Wildcard));
        world.defer([&] {
            e.add(married, p);
            e.remove(married, p);
        });
        CHECK(taken() == "");
        world.defer([&] {
            e.add(married, p);
            p.remove(married, e);
            p.add(married, e);
        });
        CHECK(taken() == "OnAdd (Married,p) e; OnAdd (Married,e) p; ");
    }

    TEST_CASE_FIXTURE(fixture, "what goes, and comes back with a base, is set and nothing else") {
        kith::entity base = world.prefab("base").set_override(Position{7, 0});
        e.set(Position{1, 0});
        watch(world.component<Position>());
        SUBCASE("alone") {
            world.defer([&] { e.remove<Position>().is_a(base); });
        }
        SUBCASE("with all else") {
            world.defer([&] {
                e.clear();
                e.set_name("e").is_a(base);
            });
        }
        CHECK(e.get<Position>()->x == 7);
        CHECK(taken() == "OnSet Position e; ");
    }

    TEST_CASE_FIXTURE(fixture, "what goes, and does not come back with a base, is told to go") {
        kith::entity base = world.prefab("base").set_override(Position{7, 0});
        e.set(Position{1, 0});
        watch(world.component<Position>());
        world.defer([&] {
            base.remove(kith::Override | world.component<Position>());
            e.remove<Position>().is_a(base);
        });
        CHECK_FALSE(e.owns<Position>());
        CHECK(taken() == "OnRemove Position e; ");
    }

    TEST_CASE_FIXTURE(fixture, "removing all of a kind counts as what comes later") {
        watch(world.id<Hot>());
        world.defer([&] {
            e.add<Hot>();
            world.remove_all<Hot>();
        });
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "a command that fails has held nothing back for good") {
        kith::entity fuel = world.entity("Fuel");
        kith::entity engine = world.entity("Engine").add(kith::With, fuel);
        watch(fuel);
        watch(engine);
        // Fuel cannot go while Engine needs it.
        CHECK_THROWS_AS(world.defer([&] {
            e.is_a(p);
            e.add(engine);
            e.is_a(q);
            e.remove(fuel);
        }),
                        kith::error);
        CHECK(e.has(fuel));
        CHECK(taken() == "OnAdd Engine e; OnAdd Fuel e; ");
    }

    TEST_CASE_FIXTURE(fixture, "a value that was set before a removal that fails is told") {
        kith::entity engine = world.entity("Engine").add(kith::With, world.id<Position>());
        watch(world.id<Position>());
        e.add(engine);
        taken();
        CHECK_THROWS_AS(world.defer([&] {
            e.set(Position{1, 2});
            e.is_a(p);
            e.remove<Position>();
        }),
                        kith::error);
        CHECK(taken() == "OnSet Position e; ");
    }

    TEST_CASE_FIXTURE(fixture, "a value that was set before another that fails is told") {
        watch(world.id<Position>());
        CHECK_THROWS_AS(world.defer([&] {
            e.set(Position{1, 2});
            q.set_name("r");
            e.add<Hot>();
            e.emplace<Position>(3.0F, 4.0F);
        }),
                        kith::error);
        CHECK(taken() == "OnAdd Position e; OnSet Position e; ");
    }

    TEST_CASE_FIXTURE(fixture, "a value is told though its id comes along with something later") {
        world.component<Charge>().add(kith::With, world.id<Position>());
        watch(world.id<Position>());
        world.defer([&] {
            e.set(Position{1, 2});
            e.is_a(p);
            e.set(Charge{3});
        });
        CHECK(taken() == "OnAdd Position e; OnSet Position e; ");
    }

    TEST_CASE_FIXTURE(fixture, "being the target of a pair does not make steps be told") {
        kith::entity near = relation("Near", {});
        p.add(near, e);
        world.observer().with<Hot>().event(kith::OnAdd).event(kith::OnRemove).each(note());
        world.defer([&] {
            e.add<Hot>();
            e.child_of(q);
            e.remove<Hot>();
        });
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "hooks are called for what the queue comes to") {
        world.component<Charge>()
            .on_add([&](kith::entity, Charge&) { log += "add "; })
            .on_set([&](kith::entity, Charge& one) { log += std::to_string(one.level) + " "; })
            .on_remove([&](kith::entity, Charge&) { log += "remove "; });
        world.defer([&] {
            e.set(Charge{1});
            e.is_a(p);
            e.remove<Charge>();
            e.set(Charge{2});
        });
        CHECK(taken() == "add 2 ");
    }

    TEST_CASE_FIXTURE(fixture, "what is seen through a base is told as it comes and goes") {
        world.observer().with<Hot>().event(kith::OnAdd).event(kith::OnRemove).each(note());
        SUBCASE("taken from the base while the own one goes") {
            e.is_a(p).add<Hot>();
            taken();
            world.defer([&] {
                p.add<Hot>();
                e.remove<Hot>();
                p.remove<Hot>();
            });
            CHECK(taken() == "OnAdd Hot p; OnRemove Hot p; OnRemove Hot e; ");
        }
        SUBCASE("seen in place of the own one") {
            e.is_a(p);
            world.defer([&] {
                e.add<Hot>();
                p.add<Hot>();
                e.remove<Hot>();
            });
            CHECK(taken() == "OnAdd Hot e; OnAdd Hot p; ");
        }
        SUBCASE("while the base is new") {
            world.defer([&] {
                p.add<Hot>();
                e.is_a(p);
                p.remove<Hot>();
            });
            CHECK(taken() == "OnAdd Hot p; OnAdd Hot e; OnRemove Hot p; OnRemove Hot e; ");
        }
    }

    TEST_CASE_FIXTURE(fixture, "who hears of the steps hears of values that go, too") {
        p.set(Position{1, 0});
        world.observer().with<Position>().event(kith::OnRemove).event(kith::UnSet).each(note());
        world.defer([&] {
            e.is_a(p);
            p.remove<Position>();
            p.set(Position{2, 0});
        });
        CHECK(taken() ==
              "OnRemove Position p; OnRemove Position e; "
              "UnSet Position p; UnSet Position e; ");
    }

    TEST_CASE_FIXTURE(fixture, "observers of several terms hear of no end without a beginning") {
        world.observer()
            .with<Hot>()
            .with<Cold>()
            .event(kith::OnAdd)
            .event(kith::OnRemove)
            .each(note());
        e.add<Cold>();
        world.defer([&] {
            e.add<Hot>();
            e.set_name("f");
            e.clear();
        });
        CHECK(taken() == "OnAdd Hot e; OnRemove Hot f; ");
    }

    TEST_CASE_FIXTURE(fixture, "sparse edges that go together end what was seen through them") {
        kith::entity above = relation("Above", {kith::Traversable, kith::Sparse});
        p.add<Hot>();
        q.add<Hot>();
        e.add(above, p).add(above, q);
        world.observer().with<Hot>().up(above).event(kith::OnRemove).each(note());
        SUBCASE("removed") {
            e.remove(above, kith::Wildcard);
        }
        SUBCASE("cleared") {
            e.clear();
        }
        SUBCASE("deferred") {
            world.defer([&] { e.remove(above, kith::Wildcard); });
        }
        CHECK(taken() == "OnRemove Hot e; ");
    }

    TEST_CASE_FIXTURE(fixture, "sparse and dense changes of one queue happen at once") {
        world.observer()
            .with<Hot>()
            .with<Charge>()
            .event(kith::OnAdd)
            .event(kith::OnRemove)
            .each(note());
        e.add<Charge>();
        world.defer([&] { e.add<Hot>().remove<Charge>(); });
        CHECK(taken() == "");
        world.defer([&] { e.remove<Hot>().add<Charge>(); });
        CHECK(taken() == "");
        world.defer([&] { e.add<Hot>().add<Charge>(); });
        CHECK(taken() == "OnAdd Hot e; ");
        world.defer([&] { e.remove<Hot>().remove<Charge>(); });
        CHECK(taken() == "OnRemove Hot e; ");
    }

    TEST_CASE_FIXTURE(fixture, "what must not be there may come in the same queue, and be sparse") {
        world.observer()
            .with<Hot>()
            .without<Charge>()
            .event(kith::OnAdd)
            .event(kith::OnRemove)
            .each(note());
        world.defer([&] { e.add<Hot>().add<Charge>(); });
        CHECK(taken() == "");
        world.defer([&] { e.remove<Hot>().remove<Charge>(); });
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "the target of a sparse exclusive pair changes with the rest") {
        kith::entity docked = relation("Docked", {kith::Exclusive, kith::Sparse});
        world.observer()
            .with<Hot>()
            .with(docked, kith::Wildcard)
            .event(kith::OnAdd)
            .event(kith::OnRemove)
            .each([&](kith::iter& it, std::size_t) {
                log += name_of(it.event()) + " " + short_text(it.pair(2)) + "; ";
            });
        e.add(docked, p);
        world.defer([&] { e.add<Hot>().add(docked, q); });
        CHECK(taken() == "OnAdd (Docked,q); ");
    }

    TEST_CASE_FIXTURE(fixture, "what clear() takes can be read together, sparse and dense") {
        kith::entity docked = relation("Docked", {kith::Sparse});
        e.set(Position{1, 2}).set(Charge{3}).add(docked, p);
        std::string seen;
        auto look = [&](kith::iter& it, std::size_t row) {
            kith::entity one = it.entity(row);
            const Position* at = one.get<Position>();
            const Charge* charge = one.get<Charge>();
            seen += name_of(one) + (at ? " at" : "") + (charge ? " charged" : "") +
                    (one.has(docked, p) ? " docked" : "") + "; ";
        };
        world.observer().with<Position>().event(kith::OnRemove).each(look);
        world.observer().with<Charge>().event(kith::OnRemove).each(look);
        world.observer().with(docked, kith::Wildcard).event(kith::OnRemove).each(look);
        const std::string whole = "e at charged docked; ";
        SUBCASE("at once") {
            e.clear();
        }
        SUBCASE("deferred") {
            world.defer([&] { e.clear(); });
        }
        SUBCASE("one by one in a queue") {
            world.defer([&] { e.remove<Charge>().remove<Position>().remove(docked, p); });
        }
        CHECK(seen == whole + whole + whole);
    }

    // Where Exclusive goes in the same queue, the second target does not replace the first.
    TEST_CASE_FIXTURE(fixture, "a value that a property no longer takes is notified") {
        kith::entity r = relation("r", {kith::Exclusive});
        watch(kith::make_pair(r, kith::Wildcard));
        world.defer([&] {
            e.add(kith::Acyclic);
            e.remove(kith::Acyclic);
            r.remove(kith::Exclusive);
            e.add(r, world.id<Position>());
            e.set_second<Position>(r, Position{1, 2});
            e.set_second<Charge>(r, Charge{3});
            e.child_of(r);
        });
        CHECK(
            taken() ==
            "OnAdd (r,Charge) e; OnSet (r,Charge) e; OnAdd (r,Position) e; OnSet (r,Position) e; ");
    }
}
