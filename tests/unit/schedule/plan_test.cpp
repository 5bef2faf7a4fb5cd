// Sync points as a function of declared access.
#include "plan/plan.hpp"

#include <doctest/doctest.h>

namespace {

using kith::run_way;
using namespace kith::scheduling;

planned_system system_with(access_list access) {
    planned_system made;
    made.access = std::move(access);
    return made;
}

std::vector<sync_cause> causes(const std::vector<planned_system>& systems,
                               kith::sync points = kith::sync::declared) {
    std::vector<sync_cause> found;
    for (const plan_entry& entry : make_plan(systems, points)) {
        found.push_back(entry.sync.cause);
    }
    return found;
}

constexpr kith::id_t health = 20;
constexpr kith::id_t armor = 21;
using list = std::vector<sync_cause>;
constexpr sync_cause none = sync_cause::none;

}  // namespace

TEST_SUITE("unit.schedule.plan") {
    TEST_CASE("a sync point is put in front of the first reader only") {
        const auto plan = make_plan(
            {system_with({{health, access_queue}}), system_with({{armor, access_match}}),
             system_with({{health, access_any_read}}), system_with({{health, access_own_read}})},
            kith::sync::declared);
        CHECK(plan[1].sync.cause == none);
        CHECK(plan[2].sync.cause == sync_cause::access);
        CHECK(plan[2].sync.id == health);
        CHECK(plan[2].sync.system == 0);
        CHECK(plan[3].sync.cause == none);
        CHECK(plan[3].stretch == 1);
    }
    TEST_CASE("a system that only queues needs no sync point") {
        CHECK(causes({system_with({{health, access_queue}}),
                      system_with({{health, access_queue}})}) == list{none, none});
    }
    TEST_CASE("patterns of pairs overlap") {
        const kith::id_t pair = kith::make_pair(5000, 6000);
        auto syncs = [](kith::id_t queued, kith::id_t read) {
            return causes({system_with({{queued, access_queue}}),
                           system_with({{read, access_any_read}})})[1] != none;
        };
        CHECK(syncs(pair, pair));
        CHECK(syncs(kith::make_pair(5000, kith::Wildcard), pair));
        CHECK(syncs(pair, kith::make_pair(kith::Wildcard, 6000)));
        CHECK(syncs(kith::make_pair(5000, kith::Wildcard), kith::make_pair(kith::Wildcard, 6000)));
        CHECK(syncs(kith::Wildcard, health));
        CHECK(!syncs(pair, kith::make_pair(5000, 6001)));
        CHECK(!syncs(health, armor));
    }
    TEST_CASE("barriers, immediate systems and pipelines ask for sync points") {
        planned_system barrier = system_with({});
        barrier.barrier = true;
        planned_system immediate = system_with({});
        immediate.way = run_way::immediate;
        CHECK(causes({system_with({}), barrier, system_with({})}) ==
              list{none, sync_cause::barrier, none});
        CHECK(causes({system_with({}), immediate, system_with({})}) ==
              list{none, sync_cause::immediate, sync_cause::immediate});
        planned_system later = system_with({});
        later.phase = 7000;
        CHECK(causes({system_with({}), system_with({}), later}, kith::sync::phases) ==
              list{none, none, sync_cause::phase});
        CHECK(causes({system_with({}), system_with({})}, kith::sync::systems) ==
              list{none, sync_cause::pipeline});
    }
    TEST_CASE("conflicts are writes and commands against any access") {
        CHECK(find_conflict({{health, access_own_write}}, {{health, access_own_read}}) == health);
        CHECK(find_conflict({{health, access_own_read}}, {{health, access_own_read}}) == 0);
        CHECK(find_conflict({{health, access_queue}}, {{health, access_match}}) == health);
        CHECK(find_conflict({{health, access_own_write}}, {{armor, access_own_write}}) == 0);
    }
}
