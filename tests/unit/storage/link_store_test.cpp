#include "storage/link_store.hpp"

#include <kith/kith.hpp>

#include "support/counted.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

using kith::entity_t;
using kith::storage::link_store;
using value = kith_test::counted<6>;

namespace {

// A store, and what it should hold: values by source and target, sources by target as they came.
struct links_and_model {
    explicit links_and_model(bool exclusive, bool values)
        : store(mem, exclusive), with_values(values) {
        for (std::uint32_t i = 0; i < entity_count; ++i) {
            ids.push_back(entities.create());
        }
    }

    void add(entity_t source, entity_t target, int number) {
        void* place = store.prepare(kith::index_of(source), kith::index_of(target),
                                    with_values ? &info : nullptr);
        if (with_values) {
            ::new (place) value(number);
        }
        if (store.is_exclusive() && !targets[source].empty()) {
            remove(source, targets[source].begin()->first);
        }
        store.commit(source, target);
        targets[source][target] = number;
        sources[target].push_back(source);
    }
    void remove(entity_t source, entity_t target) {
        store.remove(kith::index_of(source), kith::index_of(target));
        targets[source].erase(target);
        std::erase(sources[target], source);
    }
    void check(entity_t source) const {
        auto found = targets.find(source);
        std::size_t count = found == targets.end() ? 0 : found->second.size();
        CHECK(store.target_count(kith::index_of(source)) == count);
        for (std::uint32_t i = 0; i < count; ++i) {
            entity_t target = entities.alive_at(store.target_at(kith::index_of(source), i));
            REQUIRE(found->second.count(target) == 1);
            if (with_values) {
                const void* held = store.value(kith::index_of(source), kith::index_of(target));
                CHECK(static_cast<const value*>(held)->number() == found->second.at(target));
            }
        }
    }
    std::vector<entity_t> sources_of(entity_t target) const {
        std::vector<entity_t> listed;
        kith::storage::source_span span = store.sources(kith::index_of(target));
        std::copy_if(span.items, span.items + span.size, std::back_inserter(listed),
                     [](entity_t source) { return source != 0; });
        return listed;
    }

    static constexpr std::uint32_t entity_count = 700;
    kith::containers::memory mem{nullptr};
    kith::detail::store_head head{};
    kith::storage::entity_index entities{mem, head};
    const kith::type_info info = kith::detail::make_type_info<value>();
    std::vector<entity_t> ids;
    link_store store;
    bool with_values;
    std::map<entity_t, std::map<entity_t, int>> targets;
    std::map<entity_t, std::vector<entity_t>> sources;
};

}  // namespace

TEST_SUITE("unit.storage.link_store") {
    TEST_CASE("random use agrees with maps, and sources keep their order") {
        for (bool exclusive : {false, true}) {
            for (bool values : {false, true}) {
                CAPTURE(exclusive);
                CAPTURE(values);
                kith_test::balance_check<value> balance;
                links_and_model both(exclusive, values);
                auto random = [engine = std::mt19937(7)](std::size_t limit) mutable {
                    return engine() % limit;
                };
                for (int step = 0; step < 20000; ++step) {
                    // Few targets, so that there are long lists on both sides.
                    entity_t source = both.ids[random(both.ids.size())];
                    entity_t target = both.ids[random(step % 3 ? 40 : both.ids.size())];
                    source = step % 5 == 0 ? both.ids[random(3)] : source;
                    if (both.store.has(kith::index_of(source), kith::index_of(target))) {
                        both.remove(source, target);
                    } else {
                        both.add(source, target, step);
                    }
                    both.check(source);
                    REQUIRE(both.sources_of(target) == both.sources[target]);
                }
                CHECK(both.store.check_invariants(both.entities) == nullptr);
            }
        }
    }

    TEST_CASE("the short ways do the same as the long ones, or nothing") {
        links_and_model both(true, false);
        auto random = [engine = std::mt19937(8)](std::size_t limit) mutable {
            return engine() % limit;
        };
        int short_ways = 0;
        for (int step = 0; step < 20000; ++step) {
            entity_t source = both.ids[random(both.ids.size())];
            entity_t target = both.ids[random(30)];
            if (step % 200 == 0) {
                std::vector<entity_t> unlinked;
                both.store.unlink_sources(kith::index_of(target),
                                          [&](entity_t ended) { unlinked.push_back(ended); });
                REQUIRE(unlinked == both.sources[target]);
                for (entity_t ended : unlinked) {
                    both.targets[ended].clear();
                }
                both.sources[target].clear();
            } else if (both.targets[source].count(target) != 0) {
                if (both.store.try_unlink(kith::index_of(source))) {
                    both.targets[source].clear();
                    std::erase(both.sources[target], source);
                    ++short_ways;
                } else {
                    both.remove(source, target);
                }
            } else if (both.store.try_link(source, target)) {
                if (!both.targets[source].empty()) {
                    std::erase(both.sources[both.targets[source].begin()->first], source);
                }
                both.targets[source] = {{target, 0}};
                both.sources[target].push_back(source);
                ++short_ways;
            } else {
                both.add(source, target, 0);
            }
            both.check(source);
            REQUIRE(both.sources_of(target) == both.sources[target]);
        }
        CHECK(short_ways > 10000);
        CHECK(both.store.check_invariants(both.entities) == nullptr);
    }

    TEST_CASE("memory goes back when nothing is linked") {
        links_and_model both(false, true);
        both.store.shrink();
        const std::size_t before = both.mem.bytes(kith::containers::purpose::sparse);
        for (entity_t source : both.ids) {
            for (std::uint32_t i = 0; i < 20; ++i) {
                both.add(source, both.ids[i], 1);
            }
        }
        for (entity_t source : both.ids) {
            for (std::uint32_t i = 0; i < 20; ++i) {
                both.remove(source, both.ids[i]);
            }
        }
        CHECK(both.store.pair_count() == 0);
        both.store.shrink();
        // What is left is the pool of the type itself, without values.
        CHECK(both.mem.bytes(kith::containers::purpose::sparse) <= before + 256);
    }
}
