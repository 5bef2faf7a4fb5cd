#include "storage/component_index.hpp"

#include <set>

#include <doctest/doctest.h>

using namespace kith;
using storage::component_index;
using storage::id_record;

namespace {

std::set<kith::id_t> with_target(const component_index& index, std::uint32_t target) {
    std::set<kith::id_t> found;
    for (const id_record* pair = index.first_with_target(target); pair;
         pair = index.next_with_target(*pair)) {
        found.insert(pair->id);
    }
    return found;
}

}  // namespace

TEST_SUITE("unit.storage.component_index") {
    TEST_CASE("ids of all kinds are found again, others not") {
        containers::memory mem(nullptr);
        component_index index(mem);
        const kith::id_t ids[] = {
            5, 255, 256, 5000, make_entity_id(5000, 1), make_pair(300, 5000), make_pair(5000, 300)};
        for (kith::id_t id : ids) {
            CHECK(index.find(id) == nullptr);
            id_record& record = index.ensure(id);
            CHECK(record.id == id);
            CHECK(index.find(id) == &record);
            CHECK(&index.ensure(id) == &record);
        }
        CHECK(index.find(6) == nullptr);
        CHECK(index.find(make_pair(300, 5001)) == nullptr);
    }

    TEST_CASE("wildcards list the pairs of a relation, and those with a target") {
        containers::memory mem(nullptr);
        component_index index(mem);
        id_record& a = index.ensure(make_pair(300, 5000));
        id_record& b = index.ensure(make_pair(300, 5001));
        id_record& c = index.ensure(make_pair(301, 5000));
        const id_record* relation = index.find(make_pair(300, Wildcard));
        REQUIRE(relation);
        CHECK(std::set<id_record*>(relation->pairs.begin(), relation->pairs.end()) ==
              std::set<id_record*>{&a, &b});
        CHECK(with_target(index, 5000) == std::set<kith::id_t>{a.id, c.id});
        CHECK(with_target(index, 5001) == std::set<kith::id_t>{b.id});
        index.remove(a);
        CHECK(with_target(index, 5000) == std::set<kith::id_t>{make_pair(301, 5000)});
        index.remove(b);
        CHECK(index.find(make_pair(300, Wildcard)) == nullptr);
        CHECK(with_target(index, 5001).empty());
        CHECK(index.find(make_pair(301, Wildcard)) != nullptr);
    }

    TEST_CASE("many targets come and go") {
        containers::memory mem(nullptr);
        component_index index(mem);
        for (int round = 0; round < 3; ++round) {
            for (std::uint32_t target = 5000; target < 6000; ++target) {
                index.ensure(make_pair(300, target));
                index.ensure(make_pair(301, target));
            }
            CHECK(index.find(make_pair(300, Wildcard))->pairs.size() == 1000);
            for (std::uint32_t target = 5000; target < 6000; ++target) {
                CHECK(with_target(index, target).size() == 2);
                index.remove(*index.find(make_pair(300, target)));
                index.remove(*index.find(make_pair(301, target)));
                CHECK(with_target(index, target).empty());
            }
        }
        CHECK(index.count() == 0);
    }
}
