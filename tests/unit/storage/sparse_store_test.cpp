#include "storage/sparse_store.hpp"

#include <kith/kith.hpp>

#include "support/counted.hpp"

#include <map>
#include <random>

using kith::storage::sparse_store;
using value = kith_test::counted<5>;

namespace {

void put(sparse_store& store, kith::entity_t entity, int number) {
    ::new (store.prepare(kith::index_of(entity))) value(number);
    store.commit(entity);
}

}  // namespace

TEST_SUITE("unit.storage.sparse_store") {
    TEST_CASE("random use agrees with a map, and addresses are stable") {
        kith_test::balance_check<value> balance;
        kith::containers::memory mem(nullptr);
        const kith::type_info info = kith::detail::make_type_info<value>();
        sparse_store store(mem, &info);
        auto random = [engine = std::mt19937(5)]() mutable {
            return static_cast<std::uint32_t>(engine());
        };
        std::map<std::uint32_t, std::pair<int, const void*>> model;
        for (int step = 0; step < 5000; ++step) {
            const std::uint32_t index = random() % 3000;
            auto found = model.find(index);
            if (found == model.end()) {
                put(store, index, step);
                model[index] = {step, store.find(index)};
            } else {
                CHECK(store.find(index) == found->second.second);
                CHECK(static_cast<value*>(store.find(index))->number() == found->second.first);
                store.remove(index);
                CHECK_FALSE(store.has(index));
                model.erase(found);
            }
        }
        CHECK(store.count() == model.size());
        CHECK(store.is_consistent());
        store.shrink();
        CHECK(store.is_consistent());
        for (const auto& [index, known] : model) {
            CHECK(static_cast<value*>(store.find(index))->number() == known.first);
        }
    }

    TEST_CASE("a store without values keeps a list") {
        kith::containers::memory mem(nullptr);
        sparse_store store(mem, nullptr);
        CHECK(store.prepare(5) == nullptr);
        CHECK_FALSE(store.has(5));
        store.commit(5);
        CHECK(store.has(5));
        CHECK(store.find(5) == nullptr);
        CHECK(store.entity_at(0) == 5);
        store.remove(5);
        CHECK(store.count() == 0);
    }
}
