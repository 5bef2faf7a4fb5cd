// Observers that are made while the tables which their entities need are being visited.
#include <kith/kith.hpp>

#include "support/counting_resource.hpp"
#include "support/errors.hpp"
#include "support/event_log.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>

using namespace kith_test;
using kith::errc;

namespace {

struct Clicked {};

struct fixture : event_log {
    auto build(const char* name = nullptr) {
        return world.observer(name).event(kith::OnAdd).with<Hot>();
    }
    kith::observer make(const char* name = nullptr) { return build(name).each(note()); }
    void touch() { e.add<Hot>().remove<Hot>(); }
    std::string told() {
        touch();
        return taken();
    }
    // Calls func once, while all observers are iterated.
    template <class Func>
    void among_observers(Func&& func) {
        bool done = false;
        world.each(kith::Observer, [&](kith::entity) {
            if (!std::exchange(done, true)) {
                func();
            }
        });
        CHECK(done);
    }
    // Counts how often it is held, to see that an observer has freed its callback.
    auto holding() {
        return [held = owned](kith::entity) { ++*held; };
    }
    long held() const { return owned.use_count() - 1; }

    std::shared_ptr<int> owned = std::make_shared<int>(0);
    kith::entity e = world.entity("e");
    kith::observer first =
        world.observer("first").event(kith::OnAdd).with<Cold>().each([](kith::entity) {});
};

constexpr const char* told_once = "OnAdd Hot e; ";

}  // namespace

TEST_SUITE("features.observers.made_while_visiting") {
    TEST_CASE_FIXTURE(fixture, "it observes at once, and has its tag when the iteration is over") {
        kith::observer made;
        among_observers([&] {
            made = make();
            CHECK(made.is_alive());
            CHECK(!made.has(kith::Observer));
            CHECK(told() == told_once);
            CHECK(made.query().count() == 0);
            world.check();
        });
        CHECK(made.has(kith::Observer));
        CHECK(world.count(kith::Observer) == 2);
        CHECK(told() == told_once);
        made.destruct();
        CHECK(told() == "");
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "what is not in the way of an iteration is there at once") {
        kith::entity scope = world.entity("scope");
        kith::entity target = world.entity("target");
        e.set(Position{1, 2});
        world.each([&](Position&) {
            CHECK(make().has(kith::Observer));
            CHECK(make("a::b").path() == "::a::b");
            world.scope(scope, [&] { CHECK(make("c").parent() == scope); });
            target.observe<Clicked>([] {});
            CHECK(world.count(kith::Observer) == 5);
        });
        scope.children([&](kith::entity) { CHECK(make("root").has(kith::Observer)); });
        CHECK(world.count(kith::Observer) == 6);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an iteration may make one for each that it meets") {
        for (int i = 0; i < 40; ++i) {
            make();
        }
        SUBCASE("of an id") {
            world.each(kith::Observer, [&](kith::entity) { make(); });
        }
        SUBCASE("of a query") {
            world.query_builder().with(kith::Observer).build().each([&](kith::entity) { make(); });
        }
        SUBCASE("of a cached query") {
            auto query = world.query_builder().with(kith::Observer).cached().build();
            query.each([&](kith::entity) { make(); });
            CHECK(query.count() == 82);
        }
        SUBCASE("of a sorted query") {
            auto sorted = world.query_builder()
                              .with(kith::Observer)
                              .order_by(0, [](kith::entity_t a, const void*, kith::entity_t b,
                                              const void*) { return (a > b) - (a < b); })
                              .build();
            sorted.each([&](kith::entity) { make(); });
            CHECK(sorted.count() == 82);
        }
        SUBCASE("in an iterator") {
            world.query_builder().with(kith::Observer).build().iter([&](kith::iter& it) {
                for (auto row : it) {
                    CHECK(it.entity(row).has(kith::Observer));
                    make();
                }
            });
        }
        CHECK(world.count(kith::Observer) == 82);
        touch();
        CHECK(taken().size() == 81 * std::string(told_once).size());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "new entities have no row in a table that is visited") {
        world.entity();
        int count = 0;
        auto all = world.query_builder().without<Cold>().build();
        all.each([&](kith::entity) {
            if (count++ < 100) {
                make();
            }
        });
        CHECK(world.count(kith::Observer) == count + 1);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "deferring changes nothing of that") {
        kith::observer made;
        SUBCASE("around the iteration") {
            world.defer([&] {
                among_observers([&] {
                    made = make();
                    made.add<Cold>();
                });
                CHECK(made.has(kith::Observer));
                CHECK(!made.has<Cold>());
            });
        }
        SUBCASE("inside of it") {
            among_observers([&] {
                world.defer([&] {
                    made = make();
                    made.add<Cold>();
                });
                CHECK(made.has<Cold>());
                CHECK(!made.has(kith::Observer));
            });
        }
        SUBCASE("suspended") {
            world.defer([&] {
                among_observers([&] {
                    world.defer_suspend();
                    made = make();
                    made.add<Cold>();
                    world.defer_resume();
                });
            });
        }
        SUBCASE("without an iteration") {
            world.defer([&] {
                made = make();
                made.add<Cold>();
                CHECK(made.has(kith::Observer));
            });
        }
        CHECK(made.has(kith::Observer));
        CHECK(made.has<Cold>());
        CHECK(told() == told_once);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "callbacks of observers may make some, whatever is visited") {
        kith::observer made;
        SUBCASE("when one is told in an iteration") {
            world.observer().event(kith::OnAdd).with<Label>().each([&](kith::entity) {
                made = make();
            });
            among_observers([&] { e.add<Label>(); });
        }
        SUBCASE("while links are told to be there") {
            e.child_of(world.entity("parent"));
            world.entity().observe<Clicked>([] {});
            world.observer()
                .event(kith::OnAdd)
                .with(kith::Wildcard, kith::Wildcard)
                .yield_existing()
                .each([&](kith::iter&, std::size_t) {
                    if (!made) {
                        world.scope(world.lookup("parent"), [&] { made = make("child"); });
                        e.observe<Clicked>([&] { log += "clicked"; });
                    }
                });
            CHECK(made.path() == "::parent::child");
            e.emit<Clicked>();
            CHECK(taken() == "clicked");
        }
        SUBCASE("while observers are told to be there") {
            world.observer()
                .event(kith::OnAdd)
                .with(kith::Observer)
                .yield_existing()
                .each([&](kith::entity one) {
                    if (one == first) {
                        made = make("nested");
                    }
                });
        }
        CHECK(made.has(kith::Observer));
        CHECK(told() == told_once);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "what is there is told at once") {
        e.add<Hot>();
        among_observers([&] {
            build().yield_existing().each(note());
            CHECK(taken() == told_once);
        });
        CHECK(world.count(kith::Observer) == 2);
    }

    TEST_CASE_FIXTURE(fixture, "monitors, too") {
        e.add<Hot>();
        kith::observer made;
        among_observers([&] {
            made =
                world.observer("m").event(kith::Monitor).with<Hot>().yield_existing().each(note());
            CHECK(taken() == "OnAdd #0 e; ");
            e.remove<Hot>();
            CHECK(taken() == "OnRemove #0 e; ");
            auto failing = [&] {
                world.observer()
                    .event(kith::Monitor)
                    .without<Label>()
                    .yield_existing()
                    .each([](kith::entity) { throw std::runtime_error("no"); });
            };
            CHECK_THROWS_AS(failing(), std::runtime_error);
        });
        CHECK(world.count(kith::Observer) == 2);
        CHECK(made.name() == "m");
        CHECK(told() == "OnAdd #0 e; OnRemove #0 e; ");
        made.destruct();
        CHECK(told() == "");
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "it is found by its name at once") {
        kith::observer made;
        kith::observer other;
        kith::entity scope = world.entity("scope");
        among_observers([&] {
            world.scope(scope, [&] { made = make("a::b"); });
            CHECK(world.lookup("scope::a::b") == made);
            CHECK(error_of([&] { make("scope::a::b"); }) == errc::already_exists);
            other = make("scope::a");
            CHECK(other == world.lookup("scope::a"));
            CHECK(error_of([&] { make("x::::y"); }) == errc::invalid_name);
            CHECK(!world.lookup("x"));
        });
        CHECK(made.path() == "::scope::a::b");
        CHECK(other.path() == "::scope::a");
        CHECK(made.has(kith::Observer));
        CHECK(other.has(kith::Observer));
        CHECK(told() == "OnAdd Hot e; OnAdd Hot e; ");
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a name may be that of an entity that is visited") {
        e.add<Label>();
        kith::entity queued;
        world.each(world.id<Label>(), [&](kith::entity) {
            CHECK(make("e") == e);
            CHECK(!e.has(kith::Observer));
            CHECK(error_of([&] { make("e"); }) == errc::already_exists);
            CHECK(error_of([&] { make("first"); }) == errc::already_exists);
        });
        CHECK(e.has(kith::Observer));
        among_observers([&] {
            world.defer([&] {
                queued = world.entity("queued").set(Position{1, 0});
                CHECK(make("queued") == queued);
            });
        });
        CHECK(queued.has(kith::Observer));
        CHECK(queued.get<Position>()->x == 1);
        CHECK(world.count(kith::Observer) == 3);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "what it gets meanwhile is not replaced") {
        kith::entity scope = world.entity("scope");
        kith::entity other = world.entity("other");
        kith::observer made;
        SUBCASE("at once") {
            world.each(kith::Observer, [&](kith::entity) {
                world.scope(scope, [&] { made = make("a"); });
                made.child_of(other);
                made.set_name("b");
            });
        }
        SUBCASE("deferred") {
            world.defer([&] {
                world.each(kith::Observer, [&](kith::entity) {
                    world.scope(scope, [&] { made = make("a"); });
                    made.child_of(other);
                    made.set_name("b");
                });
            });
        }
        SUBCASE("by another") {
            among_observers([&] {
                world.scope(scope, [&] { made = make("a"); });
                world.entity().child_of(scope).set_name("a");
                kith::set_log([](const char*, void*) {});
            });
            kith::set_log(nullptr);
            CHECK(made.name() == "");
            CHECK(made.parent() == scope);
            made.child_of(other).set_name("b");
        }
        CHECK(made.path() == "::other::b");
        CHECK(made.has(kith::Observer));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an error of what waits goes to the deferred part around it") {
        kith::observer made;
        auto run = [&] {
            world.defer([&] {
                among_observers([&] {
                    made = make("a");
                    world.defer_suspend();
                    world.entity().set_name("a");
                    world.defer_resume();
                });
            });
        };
        CHECK(error_of(run) == errc::name_taken);
        CHECK(made.has(kith::Observer));
        CHECK(made.name() == "");
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "it may end before it has its tag") {
        auto ending = [&](auto&& end) {
            CHECK(held() == 0);
            end();
            CHECK(held() == 0);
            touch();
            CHECK(*owned == 0);
            CHECK(world.count(kith::Observer) == 1);
            world.check();
        };
        auto made = [&](const char* name = nullptr) { return build(name).each(holding()); };
        SUBCASE("by itself") {
            ending([&] {
                among_observers([&] {
                    kith::observer one = made("one");
                    one.destruct();
                    CHECK(held() == 0);
                    CHECK(!world.lookup("one"));
                    touch();
                    kith::observer again = made("one");
                    CHECK(world.lookup("one") == again);
                    CHECK(held() == 1);
                    again.destruct();
                });
            });
            CHECK(!world.lookup("one"));
        }
        SUBCASE("by a queue that ends in the iteration") {
            ending([&] {
                among_observers([&] {
                    world.defer([&] { made("one").destruct(); });
                    CHECK(held() == 0);
                    touch();
                });
            });
        }
        SUBCASE("by a queue that ends after it") {
            ending([&] { world.defer([&] { among_observers([&] { made("one").destruct(); }); }); });
        }
        SUBCASE("with its parent") {
            kith::entity scope = world.entity("scope");
            ending([&] {
                among_observers([&] {
                    world.scope(scope, [&] { made(); });
                    world.scope(scope, [&] { made("one"); });
                    scope.destruct();
                    CHECK(held() == 0);
                    touch();
                });
            });
        }
        SUBCASE("with a parent of its parent") {
            kith::entity scope = world.entity("scope");
            ending([&] {
                among_observers([&] {
                    made("scope::a::b::one");
                    scope.destruct();
                    CHECK(held() == 0);
                    CHECK(!world.lookup("a"));
                    CHECK(!world.lookup("b"));
                    touch();
                });
            });
            CHECK(!world.lookup("scope"));
            CHECK(!world.lookup("a"));
            CHECK(!world.lookup("b"));
            CHECK(!world.lookup("one"));
        }
        SUBCASE("with a new parent") {
            ending([&] {
                among_observers([&] {
                    made("a::b::one");
                    world.lookup("a").destruct();
                    CHECK(held() == 0);
                    touch();
                });
            });
            CHECK(!world.lookup("b"));
        }
        SUBCASE("with a module of the parent, in a queue") {
            kith::entity root = world.entity("root");
            kith::entity scope = world.entity("scope").child_of(root);
            ending([&] {
                among_observers([&] {
                    world.defer([&] {
                        world.scope(scope, [&] { made("one"); });
                        root.destruct();
                    });
                });
            });
        }
        SUBCASE("with the entity that it observes") {
            kith::entity target = world.entity("target");
            ending([&] {
                among_observers([&] {
                    target.observe<Clicked>([held = owned] { ++*held; });
                    CHECK(held() == 1);
                    target.destruct();
                    CHECK(held() == 0);
                    kith::entity same_index = world.entity();
                    same_index.emit<Clicked>();
                });
            });
        }
        SUBCASE("with the scope that one of an entity is made in") {
            kith::entity target = world.entity("target");
            kith::entity scope = world.entity("scope");
            ending([&] {
                among_observers([&] {
                    world.scope(scope,
                                [&] { target.observe<Clicked>([held = owned] { ++*held; }); });
                    scope.destruct();
                    CHECK(held() == 0);
                    target.emit<Clicked>();
                });
            });
            CHECK(target.is_alive());
        }
        SUBCASE("because its parent is gone before it is made") {
            kith::entity scope = world.entity("scope").add<Label>();
            kith::observer removals =
                world.observer().event(kith::OnRemove).with<Label>().each([&](kith::entity) {
                    world.scope(scope, [&] { made("one"); });
                });
            ending([&] {
                among_observers([&] { scope.destruct(); });
                removals.destruct();
            });
            CHECK(!world.lookup("one"));
        }
        SUBCASE("with others of what it has") {
            ending([&] {
                among_observers([&] {
                    kith::observer one = made("one");
                    one.add<Label>();
                    world.delete_with<Label>();
                    CHECK(held() == 0);
                });
            });
        }
    }

    TEST_CASE_FIXTURE(fixture, "an entity whose observer waits tells of its deletion") {
        kith::entity target = world.entity("target");
        among_observers([&] {
            target.observe(kith::OnDelete, [&](kith::entity one) { log += name_of(one); });
            target.destruct();
        });
        CHECK(taken() == "target");
        CHECK(world.count(kith::Observer) == 1);
    }

    TEST_CASE_FIXTURE(fixture, "it may sleep before it has its tag") {
        kith::observer made;
        among_observers([&] {
            made = make();
            made.disable();
            CHECK(told() == "");
        });
        CHECK(told() == "");
        made.enable();
        CHECK(told() == told_once);
    }

    TEST_CASE_FIXTURE(fixture, "one that cannot be made leaves nothing") {
        e.add<Hot>().add<Label>();
        kith::entity scope = world.entity("scope");
        kith::entity known = world.entity("known");
        kith::entity dead = world.entity();
        dead.destruct();
        auto fail = [](kith::entity) { throw std::runtime_error("no"); };
        auto failing = [&](const char* name) {
            CHECK_THROWS_AS(build(name).yield_existing().each(fail), std::runtime_error);
        };
        auto check_all = [&] {
            auto refused = [&](auto&& make) { return refusal(world, all_values(), make); };
            CHECK(refused([&] { failing(nullptr); }) == std::nullopt);
            CHECK(refused([&] { failing("known"); }) == std::nullopt);
            CHECK(refused([&] { failing("a::b::one"); }) == std::nullopt);
            CHECK(!world.lookup("a"));
            CHECK(refused([&] { world.scope(scope, [&] { failing("one"); }); }) == std::nullopt);
            CHECK(refused([&] { build("first").yield_existing().each(fail); }) ==
                  errc::already_exists);
            CHECK(refused([&] { build("a::new").with(dead).each(fail); }) != std::nullopt);
            CHECK(refused([&] { world.observer("a::new").event(kith::OnAdd).each(fail); }) ==
                  errc::invalid_operation);
            CHECK(refused([&] { e.observe(dead, [] {}); }) == errc::invalid_entity);
            CHECK(refused([&] {
                      world.observer("a::new").event(kith::OnAdd).with<Hot>().optional().each(fail);
                  }) == errc::invalid_operation);
        };
        SUBCASE("at once") {
            check_all();
        }
        SUBCASE("deferred") {
            world.defer(check_all);
        }
        SUBCASE("among observers") {
            among_observers(check_all);
        }
        SUBCASE("among observers, deferred") {
            world.defer([&] { among_observers(check_all); });
        }
        SUBCASE("among observers that wait") {
            among_observers([&] {
                make("before");
                check_all();
                make("after");
            });
            CHECK(world.lookup("before").has(kith::Observer));
            CHECK(world.lookup("after").has(kith::Observer));
            world.lookup("before").destruct();
            world.lookup("after").destruct();
        }
        CHECK(world.count(kith::Observer) == 1);
        CHECK(!known.has(kith::Observer));
        CHECK(!world.lookup("a"));
        CHECK(!world.lookup("scope::one"));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "what a failing callback made stays") {
        e.add<Hot>();
        among_observers([&] {
            auto fail = [&](kith::entity) {
                make("a::inner");
                throw std::runtime_error("no");
            };
            CHECK_THROWS_AS(build("a::outer").yield_existing().each(fail), std::runtime_error);
        });
        CHECK(world.lookup("a::inner").has(kith::Observer));
        CHECK(!world.lookup("a::outer"));
        CHECK(world.count(kith::Observer) == 2);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an iteration that fails leaves what was made in it") {
        auto run = [&] {
            world.each(kith::Observer, [&](kith::entity) {
                make("made");
                throw std::runtime_error("no");
            });
        };
        CHECK_THROWS_AS(run(), std::runtime_error);
        CHECK(world.lookup("made").has(kith::Observer));
        CHECK(told() == told_once);
    }

    TEST_CASE_FIXTURE(fixture, "several iterations are waited for") {
        kith::observer inner;
        kith::observer outer;
        world.each(world.id<Label>(), [](kith::entity) {});
        e.add<Label>();
        world.each(world.id<Label>(), [&](kith::entity) {
            among_observers([&] {
                inner = make("inner");
                among_observers([&] { CHECK(!make().has(kith::Observer)); });
                CHECK(!inner.has(kith::Observer));
            });
            outer = make("outer");
        });
        CHECK(inner.has(kith::Observer));
        CHECK(outer.has(kith::Observer));
        CHECK(world.count(kith::Observer) == 4);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an iteration of another world is not in the way") {
        kith::world other;
        other.entity();
        int count = 0;
        other.query_builder().without<Cold>().build().each([&](kith::entity) {
            CHECK(make().has(kith::Observer));
            ++count;
        });
        CHECK(count > 0);
        among_observers([&] {
            kith::observer made =
                other.observer().event(kith::OnAdd).with<Hot>().each([](kith::entity) {});
            CHECK(made.has(kith::Observer));
        });
    }

    TEST_CASE_FIXTURE(fixture, "parents and links that are visited are waited for") {
        kith::entity scope = world.entity("scope");
        world.entity().child_of(scope);
        kith::entity target = world.entity("target");
        target.observe<Clicked>([] {});
        kith::observer made;
        SUBCASE("children") {
            scope.children([&](kith::entity) {
                world.scope(scope, [&] { made = make("one"); });
                CHECK(!made.has(kith::Observer));
            });
            CHECK(made.path() == "::scope::one");
        }
        SUBCASE("all pairs") {
            world.each(kith::Wildcard, kith::Wildcard, [&](kith::entity) {
                if (!made) {
                    world.scope(scope, [&] { made = make(); });
                    target.observe<Clicked>([&] { log += "clicked "; });
                }
            });
            CHECK(made.parent() == scope);
        }
        SUBCASE("all pairs of a query") {
            auto pairs = world.query_builder().with(kith::Wildcard, kith::Wildcard).build();
            pairs.each([&](kith::entity) {
                if (!made) {
                    world.scope(scope, [&] { made = make(); });
                    target.observe<Clicked>([&] { log += "clicked "; });
                }
            });
            CHECK(made.parent() == scope);
        }
        SUBCASE("children of a prefab") {
            scope.add(kith::Prefab);
            auto prefabs = world.query_builder().with(kith::Prefab).build();
            prefabs.each([&](kith::entity) {
                if (!made) {
                    world.scope(scope, [&] { made = make(); });
                }
            });
            CHECK(made.parent() == scope);
            CHECK(made.has(kith::Prefab));
        }
        SUBCASE("parents in tables") {
            world.entity(kith::ChildOf).remove(kith::Sparse);
            auto children = world.query_builder().with(kith::ChildOf, scope).build();
            children.each([&](kith::entity) {
                world.scope(scope, [&] { made = make("one"); });
                CHECK(!made.has(kith::Observer));
            });
            CHECK(made.path() == "::scope::one");
        }
        CHECK(made.has(kith::Observer));
        CHECK(told() == told_once);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "those who are told of the tag may change the world") {
        world.observer().event(kith::OnAdd).with(kith::Observer).each([&](kith::entity one) {
            one.add<Label>();
            e.add<Cold>();
        });
        e.remove<Cold>();
        kith::observer made;
        SUBCASE("at once") {
            made = make();
        }
        SUBCASE("after an iteration") {
            among_observers([&] { made = make(); });
        }
        SUBCASE("in a deferred part") {
            world.defer([&] {
                among_observers([&] { made = make(); });
                CHECK(made.has(kith::Observer));
                CHECK(!made.has<Label>());
            });
        }
        SUBCASE("with others that they make") {
            bool armed = false;
            world.observer().event(kith::OnAdd).with<Label>().each([&](kith::entity one) {
                if (std::exchange(armed, false)) {
                    among_observers([&] { make("more"); });
                    CHECK(one == made);
                }
            });
            SUBCASE("alone") {
                armed = true;
                among_observers([&] { made = make(); });
            }
            SUBCASE("in a deferred part") {
                armed = true;
                world.defer([&] { among_observers([&] { made = make(); }); });
            }
            CHECK(!armed);
            CHECK(world.lookup("more").has(kith::Observer));
        }
        CHECK(made.has<Label>());
        CHECK(e.has<Cold>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "those who are told of the tag may end the query that was run") {
        std::optional<kith::query<>> all = world.query_builder().with(kith::Observer).build();
        SUBCASE("cached") {
            all = world.query_builder().with(kith::Observer).cached().build();
        }
        SUBCASE("not cached") {}
        world.observer().event(kith::OnAdd).with(kith::Observer).each([&](kith::entity) {
            all.reset();
        });
        all = world.query_builder().with(kith::Observer).build();
        bool done = false;
        all->each([&](kith::entity) {
            if (!std::exchange(done, true)) {
                make();
            }
        });
        CHECK(!all);
        CHECK(world.count(kith::Observer) == 3);
    }

    TEST_CASE_FIXTURE(fixture, "one that always makes another is stopped") {
        bool armed = false;  // it is told of its own tag, too
        world.observer().event(kith::OnAdd).with(kith::Observer).each([&](kith::entity) {
            if (armed) {
                among_observers([&] { make(); });
            }
        });
        armed = true;
        auto run = [&] { world.defer([&] { among_observers([&] { make(); }); }); };
        CHECK(error_of(run) == errc::limit);
        const auto count = world.count(kith::Observer);
        touch();
        CHECK(taken().size() ==
              static_cast<std::size_t>(count - 2) * std::string(told_once).size());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "hooks and observers that fail do not keep it from its tag") {
        bool armed = false;
        world.observer().event(kith::OnAdd).with(kith::Observer).each([&](kith::entity) {
            if (armed) {
                throw std::runtime_error("no");
            }
        });
        armed = true;
        kith::observer made;
        SUBCASE("at the end of an iteration") {
            kith::set_log([](const char*, void*) {});
            among_observers([&] { made = make(); });
            kith::set_log(nullptr);
        }
        SUBCASE("in a deferred part") {
            auto run = [&] { world.defer([&] { among_observers([&] { made = make(); }); }); };
            CHECK_THROWS_AS(run(), std::runtime_error);
        }
        CHECK(made.has(kith::Observer));
        CHECK(told() == told_once);
        world.check();
    }

    TEST_CASE("memory may run out at any time") {
        auto owned = std::make_shared<int>(0);
        kith::set_log([](const char*, void*) {});
        bool failed = true;
        for (std::size_t n = 1; failed; ++n) {
            CAPTURE(n);
            counting_resource memory;
            std::size_t before = 0;  // allocations
            {
                kith::world world(kith::use_memory(memory));
                register_all(world);
                kith::entity target = world.entity("target").add<Hot>();
                world.observer("first").event(kith::OnAdd).with<Cold>().each([](kith::entity) {});
                bool thrown = false;
                world.each(kith::Observer, [&](kith::entity) {
                    before = memory.allocations();
                    memory.fail_in(n);
                    try {
                        auto build = world.observer("a::b").event(kith::OnAdd).with<Hot>();
                        build.yield_existing().each([owned](kith::entity) {});
                        world.scope(target, [&] { target.observe<Clicked>([owned] {}); });
                    } catch (const std::bad_alloc&) {
                        thrown = true;
                    }
                });
                failed = memory.allocations() - before >= n;
                memory.work_again();
                world.check();
                // Who observes has the tag.
                CHECK(world.count(kith::Observer) == owned.use_count());
                CHECK((thrown || failed || owned.use_count() == 3));
                target.add<Cold>();
            }
            CHECK(owned.use_count() == 1);
        }
        kith::set_log(nullptr);
    }

    TEST_CASE("a world may end with the iteration") {
        auto owned = std::make_shared<int>(0);
        {
            std::optional<kith::world> world(std::in_place);
            world->observer().event(kith::OnAdd).with<Cold>().each([](kith::entity) {});
            auto run = [&] {
                world->each(kith::Observer, [&](kith::entity) {
                    world->observer("a::b")
                        .event(kith::OnAdd)
                        .with<Hot>()
                        .each([owned](kith::entity) {});
                    world->entity().observe<Clicked>([owned] {});
                    CHECK(error_of([&] { world->reset(); }) == errc::invalid_operation);
                });
            };
            run();
            CHECK(owned.use_count() == 3);
            world.reset();
            CHECK(owned.use_count() == 1);
        }
    }
}
