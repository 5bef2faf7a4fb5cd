// Entities with many ids, and the tables that they pass through.
#include <kith/kith.hpp>
#include <kith/log.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Owes {
    int amount = 0;
};

// Collects warnings while it is there.
struct warnings {
    warnings() { kith::set_log(take, &messages); }
    ~warnings() { kith::set_log(nullptr); }
    static void take(const char* message, void* context) {
        static_cast<std::vector<std::string>*>(context)->push_back(message);
    }
    std::vector<std::string> messages;
};

struct fixture {
    warnings log;
    kith::world world;
    kith::entity e = world.entity("e");
    kith::entity relation = world.entity("Knows");
    std::vector<kith::entity> others = make(300);

    std::vector<kith::entity> make(int count) {
        std::vector<kith::entity> made;
        for (int i = 0; i < count; ++i) {
            made.push_back(world.entity());
        }
        return made;
    }
};

}  // namespace

TEST_SUITE("features.entities.wide_tables") {
    // The tables on the way that nobody is in are given back.
    TEST_CASE_FIXTURE(fixture, "an entity leaves few tables behind when it gets many ids") {
        SUBCASE("pairs") {
            for (kith::entity other : others) {
                e.add(relation, other);
            }
        }
        SUBCASE("tags") {
            for (kith::entity other : others) {
                e.add(other);
            }
        }
        SUBCASE("values") {
            for (kith::entity other : others) {
                e.set<Owes>(other, {1});
            }
        }
        SUBCASE("one by one, deferred") {
            for (kith::entity other : others) {
                world.defer([&] { e.add(relation, other); });
            }
        }
        SUBCASE("with an observer") {
            int calls = 0;
            world.observer()
                .with(relation, kith::Wildcard)
                .event(kith::OnAdd)
                .each([&](kith::entity) { ++calls; });
            for (kith::entity other : others) {
                e.add(relation, other);
            }
            CHECK(calls == 300);
        }
        CHECK(world.stats().empty_tables < 80);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an entity leaves few tables behind when it loses many ids") {
        for (kith::entity other : others) {
            e.add(relation, other);
        }
        for (kith::entity other : others) {
            e.remove(relation, other);
        }
        CHECK(world.stats().empty_tables < 160);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "tables that others are in stay") {
        std::vector<kith::entity> holders;
        for (std::size_t i = 0; i < 100; ++i) {
            e.add(others[i]);
            holders.push_back(e.clone());
        }
        for (std::size_t i = 0; i < 100; ++i) {
            CHECK(holders[i].has(others[i]));
            CHECK((i + 1 == 100 || !holders[i].has(others[i + 1])));
        }
        world.check();
    }

    // A table that was dropped and is needed again is not dropped a second time.
    TEST_CASE_FIXTURE(fixture, "an id that comes and goes makes no tables in the long run") {
        for (std::size_t i = 0; i < 100; ++i) {
            e.add(others[i]);
        }
        int made = 0;
        auto toggle = [&] { e.add(others[200]).remove(others[200]); };
        toggle();
        toggle();
        world.observer().with(others[0]).event(kith::OnTableCreate).iter([&](kith::iter&) {
            ++made;
        });
        for (int i = 0; i < 10; ++i) {
            toggle();
        }
        CHECK(made == 0);
    }

    TEST_CASE_FIXTURE(fixture, "a relationship with many targets per entity is warned of once") {
        SUBCASE("one by one") {
            for (kith::entity other : others) {
                e.add(relation, other);
            }
            auto second = world.entity();
            for (kith::entity other : others) {
                second.add(relation, other);
            }
        }
        SUBCASE("in one move") {
            world.defer([&] {
                for (kith::entity other : others) {
                    e.add(relation, other);
                }
            });
        }
        REQUIRE(log.messages.size() == 1);
        CHECK(log.messages[0].find("Knows") != std::string::npos);
        CHECK(log.messages[0].find("Sparse") != std::string::npos);
    }

    TEST_CASE_FIXTURE(fixture, "a sparse relationship is not warned of") {
        relation.add(kith::Sparse);
        for (kith::entity other : others) {
            e.add(relation, other);
        }
        CHECK(log.messages.empty());
    }
}
