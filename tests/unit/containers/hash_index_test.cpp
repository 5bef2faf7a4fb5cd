#include "containers/hash_index.hpp"

#include <map>
#include <random>

#include <doctest/doctest.h>

using namespace kith::containers;

namespace {

struct fixture {
    ~fixture() { index.release(mem, purpose::index); }

    void insert(std::uint64_t hash, std::uint32_t number) {
        index.reserve_one(mem, purpose::index);
        index.insert_reserved(hash, number);
    }
    std::uint32_t find(std::uint64_t hash, std::uint32_t number) const {
        return index.find(hash, [&](std::uint32_t found) { return found == number; });
    }

    memory mem{nullptr};
    hash_index index;
};

}  // namespace

TEST_SUITE("unit.containers.hash_index") {
    TEST_CASE_FIXTURE(fixture, "an empty index finds nothing") {
        CHECK(find(5, 1) == 0);
        CHECK(index.count() == 0);
    }

    TEST_CASE_FIXTURE(fixture, "keys with the same hash are told apart") {
        for (std::uint32_t number = 1; number <= 50; ++number) {
            insert(7, number);
        }
        for (std::uint32_t number = 1; number <= 50; ++number) {
            CHECK(find(7, number) == number);
        }
        CHECK(find(7, 51) == 0);
        index.erase(7, 25);
        CHECK(find(7, 25) == 0);
        CHECK(find(7, 50) == 50);
    }

    TEST_CASE_FIXTURE(fixture, "random insertions and deletions agree with a map") {
        auto random = [engine = std::mt19937(1)]() mutable {
            return static_cast<std::uint32_t>(engine());
        };
        std::map<std::uint32_t, std::uint64_t> model;
        for (int step = 0; step < 20000; ++step) {
            const std::uint32_t number = random() % 300 + 1;
            auto found = model.find(number);
            if (found == model.end()) {
                const std::uint64_t hash = random() % 64 * 0x100000001ull;
                insert(hash, number);
                model[number] = hash;
            } else {
                REQUIRE(find(found->second, number) == number);
                index.erase(found->second, number);
                REQUIRE(find(found->second, number) == 0);
                model.erase(found);
            }
            REQUIRE(index.count() == model.size());
        }
        std::uint32_t visited = 0;
        index.each([&](std::uint32_t number) {
            ++visited;
            CHECK(model.count(number) == 1);
        });
        CHECK(visited == model.size());
    }
}
