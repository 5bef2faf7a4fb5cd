#include <kith/kith.hpp>

#include "base/counters.hpp"
#include "support/types.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace {

using entity_list = std::vector<kith::entity_t>;

entity_list ask(const kith::query<>& query, kith::entity_t first, kith::entity_t second) {
    entity_list found;
    query.each(first, second, [&](kith::entity e) { found.push_back(e); });
    std::sort(found.begin(), found.end());
    return found;
}

// Relationships of one storage, with entities and targets to change at random.
struct random_pairs {
    kith::world world;
    kith::entity on_team, in_vehicle;
    entity_list sources, targets;
    std::mt19937 random{7};

    explicit random_pairs(kith::storage_kind storage, bool exclusive = false) {
        on_team = world.relation("OnTeam", {.exclusive = exclusive, .storage = storage});
        in_vehicle = world.relation("InVehicle", {.storage = storage});
        for (int i = 0; i < 12; ++i) {
            sources.push_back(world.entity());
        }
        for (int i = 0; i < 5; ++i) {
            targets.push_back(world.entity());
        }
    }
    kith::entity_t pick(const entity_list& from) { return from[random() % from.size()]; }
    void replace(entity_list& from) {
        kith::entity_t& gone = from[random() % from.size()];
        kith::entity(world, gone).destruct();
        gone = world.entity();
    }
    void change() {
        const kith::entity relation = random() % 2 ? on_team : in_vehicle;
        kith::entity source(world, pick(sources));
        const std::uint32_t what = random() % 16;
        if (what < 9) {
            source.add(relation, pick(targets));
        } else if (what < 13) {
            source.remove(relation, pick(targets));
        } else if (what == 13) {
            source.remove(relation, kith::Wildcard);
        } else {
            replace(what == 14 ? sources : targets);
        }
    }
    entity_list expected(kith::entity_t first, kith::entity_t second) const {
        entity_list found;
        for (kith::entity_t source : sources) {
            if (kith::entity(world, source).has(on_team, first) &&
                kith::entity(world, source).has(in_vehicle, second)) {
                found.push_back(source);
            }
        }
        std::sort(found.begin(), found.end());
        return found;
    }
};

void check_lists_follow(random_pairs& all) {
    kith::query<> query = all.world.query_builder<>()
                              .with(all.on_team, kith::Wildcard)
                              .with(all.in_vehicle, kith::Wildcard)
                              .build();
    for (int step = 0; step < 1500; ++step) {
        CAPTURE(step);
        if (step % 7 == 0) {
            all.world.defer([&] {
                all.change();
                all.change();
            });
        } else {
            all.change();
        }
        for (kith::entity_t first : all.targets) {
            for (kith::entity_t second : all.targets) {
                REQUIRE(ask(query, first, second) == all.expected(first, second));
            }
        }
    }
    all.world.check();
}

// Every entity has two targets of many: lists of single targets are long, those of two are short.
struct crowd {
    kith::world world;
    kith::entity on_team, in_vehicle;
    entity_list teams, vehicles;
    kith::query<> query;

    crowd(kith::storage_kind storage, int side) {
        on_team = world.relation("OnTeam", {.storage = storage});
        in_vehicle = world.relation("InVehicle", {.storage = storage});
        for (int i = 0; i < side; ++i) {
            teams.push_back(world.entity());
            vehicles.push_back(world.entity());
        }
        for (kith::entity_t team : teams) {
            for (kith::entity_t vehicle : vehicles) {
                world.entity().add(on_team, team).add(in_vehicle, vehicle);
            }
        }
        query = world.query_builder<>()
                    .with(on_team, kith::Wildcard)
                    .with(in_vehicle, kith::Wildcard)
                    .build();
    }
#if KITH_ASSERTS
    std::uint64_t work_of_call() {
        ask(query, teams[0], vehicles[0]);
        kith::base::work.steps = 0;
        CHECK(ask(query, teams.back(), vehicles.back()).size() == 1);
        return kith::base::work.steps;
    }
#endif
};

}  // namespace

TEST_SUITE("unit.query.parameter_index") {
    // spec 326
    TEST_CASE("lists follow all changes of pairs in tables") {
        random_pairs all(kith::storage::dense);
        check_lists_follow(all);
    }

    // spec 326
    TEST_CASE("lists follow all changes of pairs beside tables") {
        random_pairs all(kith::storage::sparse);
        check_lists_follow(all);
    }

    TEST_CASE("lists follow replacements of exclusive targets") {
        random_pairs dense(kith::storage::dense, true);
        check_lists_follow(dense);
        random_pairs sparse(kith::storage::sparse, true);
        check_lists_follow(sparse);
    }

    TEST_CASE("lists are made anew when the storage of a relationship changes") {
        random_pairs all(kith::storage::dense);
        kith::query<> query = all.world.query_builder<>()
                                  .with(all.on_team, kith::Wildcard)
                                  .with(all.in_vehicle, kith::Wildcard)
                                  .build();
        for (bool sparse : {false, true, false, true}) {
            for (kith::entity relation : {all.on_team, all.in_vehicle}) {
                // In between, one is dense and the other is not.
                if (sparse) {
                    relation.add(kith::Sparse);
                } else {
                    relation.remove(kith::Sparse);
                }
                for (int i = 0; i < 60; ++i) {
                    all.change();
                    const kith::entity_t first = all.pick(all.targets);
                    const kith::entity_t second = all.pick(all.targets);
                    REQUIRE(ask(query, first, second) == all.expected(first, second));
                }
            }
        }
    }

    TEST_CASE("of one relationship twice, the order of targets does not matter") {
        for (auto storage : {kith::storage::dense, kith::storage::sparse}) {
            kith::world world;
            kith::entity on_team = world.relation("OnTeam", {.storage = storage});
            kith::entity red = world.entity(), blue = world.entity(), green = world.entity();
            kith::entity spy = world.entity().add(on_team, red).add(on_team, blue);
            kith::query<> query = world.query_builder<>()
                                      .with(on_team, kith::Wildcard)
                                      .with(on_team, kith::Wildcard)
                                      .build();
            CHECK(ask(query, red, blue) == entity_list{spy});
            CHECK(ask(query, blue, red) == entity_list{spy});
            CHECK(ask(query, red, red).empty());
            CHECK(ask(query, red, green).empty());
            spy.add(on_team, green);
            CHECK(ask(query, green, red) == entity_list{spy});
            spy.remove(on_team, red);
            CHECK(ask(query, red, green).empty());
            CHECK(ask(query, green, blue) == entity_list{spy});
        }
    }

    TEST_CASE("entities with very many targets are found without lists") {
        kith::world world;
        kith::entity first = world.relation("First", {.storage = kith::storage::sparse});
        kith::entity second = world.relation("Second", {.storage = kith::storage::sparse});
        kith::entity busy = world.entity();
        entity_list targets;
        for (int i = 0; i < 100; ++i) {
            targets.push_back(world.entity());
            busy.add(first, targets.back()).add(second, targets.back());
        }
        kith::query<> query = world.query_builder<>()
                                  .with(first, kith::Wildcard)
                                  .with(second, kith::Wildcard)
                                  .build();
        CHECK(ask(query, targets[3], targets[70]) == entity_list{busy});
        busy.remove(second, targets[70]);
        CHECK(ask(query, targets[3], targets[70]).empty());
    }

    TEST_CASE("tables that callbacks make do not disturb the list that is walked") {
        kith::world world;
        kith::entity likes = world.entity(), eats = world.entity();
        kith::entity a = world.entity(), b = world.entity();
        for (int i = 0; i < 3; ++i) {
            world.entity().add(likes, a).add(eats, b).add(world.entity());
        }
        kith::query<> query =
            world.query_builder<>().with(likes, kith::Wildcard).with(eats, kith::Wildcard).build();
        int calls = 0;
        query.each(a, b, [&](kith::entity) {
            ++calls;
            for (int i = 0; i < 50; ++i) {
                world.entity().add(likes, a).add(world.entity()).add(eats, b);
            }
        });
        CHECK(calls == 3);
        CHECK(ask(query, a, b).size() == 153);
    }

    TEST_CASE("a query with lists may outlive its world, and end before it") {
        kith::query<> query;
        {
            crowd all(kith::storage::sparse, 2);
            query = all.query;
            ask(query, all.teams[0], all.vehicles[0]);
        }
        query = {};
        crowd all(kith::storage::sparse, 2);
        ask(all.query, all.teams[0], all.vehicles[0]);
        all.query = {};
        all.world.entity().add(all.on_team, all.teams[0]);
        all.world.check();
    }

#if KITH_ASSERTS
    TEST_CASE("a call costs what it finds, not what each target has") {
        for (auto storage : {kith::storage::dense, kith::storage::sparse}) {
            crowd few(storage, 4);
            crowd many(storage, 64);
            CHECK(many.work_of_call() == few.work_of_call());
        }
    }
#endif
}
