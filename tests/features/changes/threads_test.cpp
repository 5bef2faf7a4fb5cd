// Any number of threads may ask what changed, and write by iterating, while nobody else changes the
// world.
#include <kith/kith.hpp>

#include "support/changes.hpp"
#include "support/types.hpp"

#include <thread>

#include <doctest/doctest.h>

using namespace kith_test;

TEST_SUITE("features.changes.threads") {
    TEST_CASE("the shares of a run see a change together") {
        kith::world world;
        kith::entity e = world.entity().set<Position>({});
        world.entity().set<Position>({});
        auto query = world.query<const Position>();
        query.changed();
        auto shares = [&] {
            seen found[3];
            std::thread threads[3];
            for (int i = 0; i < 3; ++i) {
                threads[i] = std::thread([&, i] { found[i] = look(query.worker(i, 3)); });
            }
            for (std::thread& thread : threads) {
                thread.join();
            }
            return seen{found[0].changed + found[1].changed + found[2].changed,
                        found[0].all + found[1].all + found[2].all};
        };
        CHECK(shares() == seen{2, 2});
        CHECK(shares() == seen{0, 2});
        CHECK_FALSE(query.changed());
        e.set<Position>({1, 1});
        CHECK(query.changed());
        CHECK(shares() == seen{2, 2});
        CHECK_FALSE(query.changed());
    }

    TEST_CASE("threads may run queries that write and ask, while nobody else writes") {
        kith::world world;
        for (int i = 0; i < 100; ++i) {
            world.entity().set<Position>({}).set<Velocity>({}).add(world.entity());
        }
        auto reader = world.query<const Position>();
        auto writer = world.query<Position>();
        auto other = world.query<Velocity>();
        reader.changed();
        writer.changed();
        look(reader);
        std::thread threads[4];
        for (int i = 0; i < 4; ++i) {
            threads[i] = std::thread([&, i] {
                for (int round = 0; round < 20; ++round) {
                    if (i == 0) {
                        look(reader);
                        reader.changed();
                    } else if (i == 1) {
                        writer.iter([](kith::iter& it) { it.changed(); });
                    } else {
                        other.iter([](kith::iter&) {});
                    }
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        look(reader);
        CHECK_FALSE(reader.changed());
        look(writer);
        CHECK(reader.changed());
    }
}
