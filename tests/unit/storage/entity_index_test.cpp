#include "storage/entity_index.hpp"

#include "support/errors.hpp"

#include <algorithm>
#include <random>
#include <vector>

using namespace kith;
using storage::entity_index;

namespace {

struct fixture {
    containers::memory mem{nullptr};
    detail::store_head head{};
    entity_index index{mem, head};
};

}  // namespace

TEST_SUITE("unit.storage.entity_index") {
    TEST_CASE_FIXTURE(fixture, "fresh indices ascend from the first entity") {
        CHECK(index_of(index.create()) == first_entity);
        CHECK(index_of(index.create()) == first_entity + 1);
        CHECK(index.count() == 2);
        CHECK(index.check_invariants() == nullptr);
    }

    TEST_CASE_FIXTURE(fixture, "a freed index comes back first, with the next generation") {
        const entity_t a = index.create();
        index.create();
        index.free(index_of(a));
        CHECK(index.find(a) == nullptr);
        CHECK(index.alive_at(index_of(a)) == 0);
        CHECK(index.was_issued(index_of(a)));
        const entity_t again = index.create();
        CHECK(again == make_entity_id(index_of(a), 1));
        CHECK(index.find(again) != nullptr);
        CHECK(index.find(a) == nullptr);
    }

    TEST_CASE_FIXTURE(fixture, "many indices are freed as one after the other") {
        containers::memory other_mem{nullptr};
        detail::store_head other_head{};
        entity_index other(other_mem, other_head);
        std::mt19937 random(9);
        std::vector<entity_t> alive;
        for (int turn = 0; turn < 300; ++turn) {
            for (auto i = random() % 40; i-- > 0;) {
                alive.push_back(index.create());
                REQUIRE(other.create() == alive.back());
            }
            std::shuffle(alive.begin(), alive.end(), random);
            if (turn % 50 == 25) {
                // Some of the indices lie outside of the range.
                index.set_range(first_entity + 20, turn == 25 ? first_entity + 9000 : 0);
                other.set_range(first_entity + 20, turn == 25 ? first_entity + 9000 : 0);
            }
            const std::size_t count = std::min<std::size_t>(alive.size(), random() % 40);
            const std::vector<entity_t> ending(alive.end() - static_cast<std::ptrdiff_t>(count),
                                               alive.end());
            alive.resize(alive.size() - count);
            index.free(ending.data(), count);
            for (const entity_t entity : ending) {
                other.free(index_of(entity));
            }
            REQUIRE(index.check_invariants() == nullptr);
            REQUIRE(index.count() == other.count());
            if (turn == 40) {
                index.set_range(first_entity, 0);
                other.set_range(first_entity, 0);
            }
        }
    }

    TEST_CASE_FIXTURE(fixture, "random creation and deletion keep all lists sound") {
        auto random = [engine = std::mt19937(3)]() mutable {
            return static_cast<std::uint32_t>(engine());
        };
        std::vector<entity_t> alive;
        for (int step = 0; step < 20000; ++step) {
            const std::uint32_t choice = random() % 10;
            if (choice < 5 || alive.empty()) {
                alive.push_back(index.create());
            } else if (choice < 9) {
                const std::size_t at = random() % alive.size();
                index.free(index_of(alive[at]));
                CHECK(index.find(alive[at]) == nullptr);
                alive[at] = alive.back();
                alive.pop_back();
            } else {
                const entity_t wanted = make_entity_id(first_entity + random() % 20000,
                                                       static_cast<std::uint16_t>(random() % 5));
                if (!index.alive_at(index_of(wanted))) {
                    index.make_alive(wanted);
                    alive.push_back(wanted);
                }
            }
            if (step % 1000 == 0) {
                REQUIRE(index.check_invariants() == nullptr);
            }
        }
        CHECK(index.count() == alive.size());
        for (entity_t e : alive) {
            REQUIRE(index.find(e) != nullptr);
        }
        CHECK(index.check_invariants() == nullptr);
    }

    TEST_CASE_FIXTURE(fixture, "an index is retired after its last generation") {
        const entity_t last = make_entity_id(first_entity, 0xFFFF);
        index.make_alive(last);
        index.free(index_of(last));
        for (int i = 0; i < 10; ++i) {
            CHECK(index_of(index.create()) != first_entity);
        }
        CHECK(index.check_invariants() == nullptr);
    }

    TEST_CASE_FIXTURE(fixture, "a range that is used up is an error") {
        index.set_range(5000, 5002);
        index.create();
        index.create();
        CHECK(kith_test::error_of([&] { index.create(); }) == errc::limit);
        index.free(5000);
        CHECK(index_of(index.create()) == 5000);
        CHECK(index.check_invariants() == nullptr);
    }
}
