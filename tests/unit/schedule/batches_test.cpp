// Batches of a plan: which systems wait for which others. Systems that conflict, or have an edge or
// a phase between them, must be connected by waits.
#include "plan/batches.hpp"

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

using namespace kith::scheduling;
using kith::run_way;

namespace {

constexpr kith::id_t first_id = 1000;

planned_system parallel_system(const access_list& list, kith::entity_t phase = 1) {
    planned_system made;
    made.way = run_way::parallel;
    made.phase = phase;
    made.access = list;
    return made;
}

std::vector<batch> batches_of(const std::vector<planned_system>& systems,
                              const std::vector<plan_edge>& edges = {}) {
    return make_batches(systems, make_plan(systems, kith::sync::declared), edges);
}

// True if the system at `after` waits for that at `before`, perhaps by way of others.
class connections {
public:
    explicit connections(const batch& made) : count_(made.nodes.size()), begin_(made.begin) {
        reached_.resize(count_ * count_);
        for (std::size_t i = 0; i < count_; ++i) {
            if (made.nodes[i].entry != no_entry) {
                node_of_.push_back(i);
            }
            for (const auto* list : {&made.nodes[i].waits_for, &made.nodes[i].waits_in_rows}) {
                for (const std::uint32_t before : *list) {
                    REQUIRE(before < i);
                    reached_[i * count_ + before] = true;
                    for (std::size_t other = 0; other < before; ++other) {
                        reached_[i * count_ + other] =
                            reached_[i * count_ + other] || reached_[before * count_ + other];
                    }
                }
            }
        }
    }
    bool operator()(std::uint32_t before, std::uint32_t after) const {
        return reached_[node_of_[after - begin_] * count_ + node_of_[before - begin_]];
    }

private:
    std::size_t count_;
    std::uint32_t begin_;
    std::vector<std::size_t> node_of_;
    std::vector<bool> reached_;
};

std::uint32_t next_random(std::uint32_t& state) {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

kith::id_t random_id(std::uint32_t& state) {
    const kith::id_t first = first_id + next_random(state) % 4;
    const kith::id_t second = first_id + next_random(state) % 4;
    switch (next_random(state) % 8) {
        case 0:
            return kith::make_pair(first, kith::Wildcard);
        case 1:
            return kith::make_pair(kith::Wildcard, second);
        case 2:
        case 3:
            return kith::make_pair(first, second);
        default:
            return first_id + 10 + next_random(state) % 30;
    }
}

}  // namespace

TEST_SUITE("unit.schedule.batches") {
    TEST_CASE("neighbouring parallel systems of a stretch are a batch; others end it") {
        std::vector<planned_system> systems(5);
        for (const std::size_t i : {0u, 1u, 3u, 4u}) {
            systems[i].way = i == 3 ? run_way::split : run_way::parallel;
        }
        const std::vector<batch> found = batches_of(systems);
        REQUIRE(found.size() == 2);
        CHECK(found[0].begin == 0);
        CHECK(found[0].end == 2);
        CHECK(found[1].begin == 3);
        CHECK(found[1].end == 5);
        systems[1].begins_batch = true;
        systems[4].barrier = true;
        CHECK(batches_of(systems).size() == 4);
    }
    TEST_CASE("systems that conflict in own rows only wait unless they match other tables") {
        const std::vector<batch> found =
            batches_of({parallel_system({{first_id, access_own_write}}),
                        parallel_system({{first_id, access_own_read}}),
                        parallel_system({{first_id, access_any_read}})});
        REQUIRE(found.size() == 1);
        CHECK(found[0].nodes[1].waits_in_rows == std::vector<std::uint32_t>{0});
        CHECK(found[0].nodes[1].waits_for.empty());
        CHECK(found[0].nodes[2].waits_for == std::vector<std::uint32_t>{0});
    }
    TEST_CASE("a gate lies between phases, except for systems that know none") {
        std::vector<planned_system> systems{parallel_system({}, 1), parallel_system({}, 1),
                                            parallel_system({}, 2), parallel_system({}, 3),
                                            parallel_system({}, 2)};
        systems[2].chosen = true;
        const batch made = batches_of(systems).at(0);
        const connections waits(made);
        CHECK_FALSE(waits(0, 1));
        CHECK(waits(0, 3));
        CHECK(waits(1, 3));
        CHECK(waits(3, 4));
        CHECK(waits(0, 4));
        CHECK_FALSE(waits(0, 2));
        CHECK_FALSE(waits(2, 3));
    }
    TEST_CASE("an edge holds for all systems on both sides") {
        const std::vector<planned_system> systems(6, parallel_system({}));
        const batch made = batches_of(systems, {{{0, 1, 2}, {4, 5}}, {{3}, {5}}}).at(0);
        const connections waits(made);
        for (const std::uint32_t before : {0u, 1u, 2u}) {
            CHECK(waits(before, 4));
            CHECK(waits(before, 5));
            CHECK_FALSE(waits(before, 3));
        }
        CHECK(waits(3, 5));
        CHECK_FALSE(waits(3, 4));
    }
    // spec 376
    TEST_CASE("systems that conflict are connected, in small and in large batches") {
        constexpr std::uint32_t kinds[] = {access_match, access_own_read, access_own_write,
                                           access_any_read, access_any_write};
        for (const std::size_t count : {20u, 400u}) {
            std::uint32_t state = 17;
            std::vector<planned_system> systems;
            for (std::size_t i = 0; i < count; ++i) {
                access_list list;
                for (std::uint32_t k = 0; k < 1 + next_random(state) % 3; ++k) {
                    add_access(list, random_id(state), kinds[next_random(state) % 5]);
                }
                if (i % 97 == 50) {
                    add_access(list, kith::Wildcard, access_any_read);
                }
                systems.push_back(parallel_system(list));
            }
            const batch made = batches_of(systems).at(0);
            REQUIRE(made.end == count);
            const connections waits(made);
            std::size_t missing = 0;
            for (std::uint32_t after = 0; after < count; ++after) {
                for (std::uint32_t before = 0; before < after; ++before) {
                    const bool conflicts =
                        find_conflict(systems[before].access, systems[after].access) != 0;
                    missing += conflicts && !waits(before, after);
                }
            }
            CHECK(missing == 0);
        }
    }
    // spec 376
    TEST_CASE("the number of waits is linear in the access of thousands of systems") {
        std::vector<planned_system> systems;
        for (std::uint32_t i = 0; i < 6000; ++i) {
            const std::uint32_t how = i % 50 == 0 ? access_own_write : access_own_read;
            systems.push_back(parallel_system({{first_id, how}, {first_id + 1 + i % 100, how}}));
        }
        std::size_t waits = 0;
        const batch made = batches_of(systems).at(0);
        for (const batch_node& node : made.nodes) {
            waits += node.waits_for.size();
        }
        CHECK(waits < 5 * systems.size());
    }
}
