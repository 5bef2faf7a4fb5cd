// Hooks that look at a value before an entity gets it, and may refuse it.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Follows {
    double delay = 0;
};
struct Health {
    int points = 100;
};
struct Reserved {};

struct invalid : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <class Action>
bool is_refused(Action&& action) {
    try {
        action();
    } catch (const invalid&) {
        return true;
    }
    return false;
}

struct fixture {
    fixture() {
        world.component<Health>().on_validate([](const Health& health) {
            if (health.points < 0) {
                throw invalid("health is below zero");
            }
        });
        world.relation<Follows>().on_validate(
            [this](kith::entity follower, kith::entity followed, Follows& value) {
                seen.push_back({follower, followed});
                if (value.delay < 0) {
                    throw invalid("a delay is below zero");
                }
            });
    }
    struct call {
        kith::entity follower;
        kith::entity leader;
    };
    std::vector<call> seen;
    kith::world world;
    kith::entity e = world.entity("e");
    kith::entity leader = world.entity("leader");
};

}  // namespace

TEST_SUITE("features.hooks.validate") {
    TEST_CASE_FIXTURE(fixture, "the hook gets entity, target and value") {
        e.set<Follows>(leader, {2});
        REQUIRE(seen.size() == 1);
        CHECK(seen[0].follower == e);
        CHECK(seen[0].leader == leader);
        CHECK(e.get<Follows>(leader)->delay == 2);
    }

    TEST_CASE_FIXTURE(fixture, "a value that is refused is not there") {
        SUBCASE("set") {
            CHECK(is_refused([&] { e.set<Follows>(leader, {-1}); }));
        }
        SUBCASE("emplace") {
            CHECK(is_refused([&] { e.emplace<Health>(-1); }));
        }
        SUBCASE("sparse") {
            world.component<Follows>().add(kith::Sparse);
            CHECK(is_refused([&] { e.set<Follows>(leader, {-1}); }));
        }
        SUBCASE("a sparse component") {
            world.component<Health>().add(kith::Sparse);
            CHECK(is_refused([&] { e.set(Health{-1}); }));
        }
        SUBCASE("deferred") {
            CHECK(is_refused([&] {
                world.defer([&] {
                    e.set<Follows>(leader, {-1});
                    e.set(Health{-1});
                    e.add<Reserved>();
                });
            }));
            CHECK(e.has<Reserved>());
        }
        SUBCASE("a symmetric pair") {
            world.component<Follows>().add(kith::Symmetric);
            CHECK(is_refused([&] { e.set<Follows>(leader, {-1}); }));
            CHECK_FALSE(leader.has<Follows>(e));
        }
        CHECK_FALSE(e.has<Follows>(leader));
        CHECK_FALSE(e.has<Health>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a value that is refused leaves the one that is there") {
        e.set(Health{5});
        e.set<Follows>(leader, {1});
        SUBCASE("set") {
            CHECK(is_refused([&] { e.set(Health{-1}); }));
            CHECK(is_refused([&] { e.set<Follows>(leader, {-1}); }));
        }
        SUBCASE("deferred") {
            CHECK(is_refused([&] { world.defer([&] { e.set(Health{-1}); }); }));
            CHECK(is_refused([&] {
                world.defer([&] {
                    e.add<Reserved>();
                    e.set<Follows>(leader, {-1});
                });
            }));
        }
        CHECK(e.get<Health>()->points == 5);
        CHECK(e.get<Follows>(leader)->delay == 1);
    }

    TEST_CASE_FIXTURE(fixture, "observers hear nothing of a value that is refused") {
        int calls = 0;
        world.observer<Health>().event(kith::OnAdd).event(kith::OnSet).each([&](Health&) {
            ++calls;
        });
        CHECK(is_refused([&] { e.set(Health{-1}); }));
        CHECK(calls == 0);
        e.set(Health{1});
        CHECK(calls == 2);
    }

    TEST_CASE_FIXTURE(fixture, "what was written is shown to the hook by modified") {
        e.set(Health{5});
        int calls = 0;
        world.observer<Health>().event(kith::OnSet).each([&](Health&) { ++calls; });
        e.get_mut<Health>()->points = -3;
        CHECK(is_refused([&] { e.modified<Health>(); }));
        CHECK(calls == 0);
    }

    TEST_CASE_FIXTURE(fixture, "entities with values that are refused are not made") {
        const auto before = world.stats().entities;
        SUBCASE("in bulk") {
            const Health values[] = {{1}, {-1}, {3}};
            CHECK(is_refused([&] { world.bulk(3, values); }));
        }
        SUBCASE("with their values") {
            CHECK(is_refused([&] { world.entity(Health{-1}); }));
        }
        SUBCASE("as clones") {
            e.set(Health{5});
            e.get_mut<Health>()->points = -1;
            CHECK(is_refused([&] { e.clone(); }));
        }
        CHECK(world.stats().entities == before);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "nobody is notified of entities that are refused in bulk") {
        int calls = 0;
        world.component<Health>().on_add([&](Health&) { ++calls; });
        world.observer<Health>().event(kith::OnSet).each([&](Health&) { ++calls; });
        for (int refused = 0; refused < 3; ++refused) {
            Health values[] = {{1}, {2}, {3}};
            values[refused].points = -1;
            CHECK(is_refused([&] { world.bulk(3, values); }));
        }
        CHECK(calls == 0);
        CHECK(world.count<Health>() == 0);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a default value is validated, too") {
        world.component<Health>().on_validate([](kith::entity, const Health& health) {
            if (health.points == Health{}.points) {
                throw invalid("say how healthy");
            }
        });
        CHECK(is_refused([&] { e.add<Health>(); }));
        CHECK(is_refused([&] { e.ensure<Health>(); }));
        CHECK_FALSE(e.has<Health>());
        e.set(Health{1});
        CHECK(e.get<Health>()->points == 1);
    }

    TEST_CASE_FIXTURE(fixture, "a hook may refine the value") {
        world.component<Health>().on_validate(
            [](Health& health) { health.points = health.points > 100 ? 100 : health.points; });
        e.set(Health{250});
        CHECK(e.get<Health>()->points == 100);
        e.set(Health{300});
        CHECK(e.get<Health>()->points == 100);
        world.defer([&] { e.set(Health{400}); });
        CHECK(e.get<Health>()->points == 100);
    }

    TEST_CASE_FIXTURE(fixture, "a tag can be refused") {
        world.component<Reserved>().on_validate([&](kith::entity holder) {
            if (holder != leader) {
                throw invalid("not for everybody");
            }
        });
        leader.add<Reserved>();
        CHECK(leader.has<Reserved>());
        CHECK(is_refused([&] { e.add<Reserved>(); }));
        CHECK_FALSE(e.has<Reserved>());
    }

    TEST_CASE_FIXTURE(fixture, "what must come with a value that is refused does not come") {
        world.component<Health>().add(kith::With, world.component<Reserved>());
        CHECK(is_refused([&] { e.set(Health{-1}); }));
        CHECK_FALSE(e.has<Reserved>());
    }
}
