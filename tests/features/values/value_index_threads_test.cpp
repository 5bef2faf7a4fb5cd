// Indexes while several threads read a world, and write the values that they are handed out.
#include <kith/kith.hpp>
#include <kith/reflect.hpp>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Health {
    std::int32_t points = 0;
};
struct Doctor {
    kith::entity_t patient;
};

struct hospital {
    hospital() {
        world.component<Health>().reflect().index(&Health::points);
        for (int i = 0; i < 600; ++i) {
            patients.push_back(world.entity().set(Health{i}));
        }
    }
    int count(std::int32_t points) const {
        int found = 0;
        for (const kith::entity& one : patients) {
            found += one.get<Health>()->points == points;
        }
        return found;
    }
    template <class Work>
    void in_threads(Work&& work) {
        std::vector<std::thread> threads;
        for (int number = 0; number < 3; ++number) {
            threads.emplace_back([&work, number] { work(number); });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
    }

    kith::world world;
    std::vector<kith::entity> patients;
};

}  // namespace

TEST_SUITE("features.values.value_index_threads") {
    // spec 561
    TEST_CASE_FIXTURE(hospital, "threads read through references, loop and ask an index") {
        const auto dead = world.query("Health.points == 7");
        REQUIRE(dead.count() == 1);
        for (int round = 0; round < 4; ++round) {
            std::atomic<int> sum = 0;
            in_threads([&](int) {
                for (std::size_t i = 0; i < patients.size(); i += 3) {
                    sum += patients[i].get_ref<Health>()->points;
                }
                world.each([&](Health& health) { sum += health.points; });
                sum += dead.count();
            });
            patients[static_cast<std::size_t>(round)].set(Health{7});
            CHECK(dead.count() == count(7));
        }
    }

    // spec 561
    TEST_CASE_FIXTURE(hospital, "threads write the values of their own entities") {
        const auto dead = world.query("Health.points == 1000");
        REQUIRE(dead.count() == 0);
        in_threads([&](int number) {
            for (std::size_t i = static_cast<std::size_t>(number); i < 30; i += 3) {
                patients[i].try_get_mut<Health>()->points = 1000;
                patients[i + 30].get([](Health& health) { health.points = 1000; });
                patients[i + 60].get_ref<Health>()->points = 1000;
            }
        });
        CHECK(dead.count() == 90);
        CHECK(dead.count() == 90);
    }

    // spec 561
    TEST_CASE_FIXTURE(hospital, "a part of a frame writes values of other entities") {
        world.entity().set(Doctor{patients[3]});
        world.entity().set(Doctor{patients[4]});
        world.set_threads(2);
        world.system<const Doctor>().modify<Health>().parallel().each(
            [](kith::iter& it, std::size_t, const Doctor& doctor) {
                kith::entity(it.world(), doctor.patient).get_mut<Health>()->points = 1000;
            });
        const auto healthy = world.query("Health.points == 1000");
        REQUIRE(healthy.count() == 0);
        world.progress(1);
        CHECK(healthy.count() == 2);
        CHECK(healthy.count() == 2);
    }
}
