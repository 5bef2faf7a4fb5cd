#include "storage/subscription_counts.hpp"

#include <doctest/doctest.h>

using namespace kith;
using storage::subscription_counts;

TEST_SUITE("unit.storage.subscription_counts") {
    TEST_CASE("an id is heard through each pattern that it is like") {
        containers::memory mem(nullptr);
        subscription_counts all(mem);
        const kith::id_t pair = make_pair(300, 400);
        CHECK(all.event_mask(pair) == 0);
        all.add(pair, storage::event_add);
        all.add(make_pair(300, Wildcard), storage::event_set);
        all.add(make_pair(Wildcard, 400), storage::event_remove);
        all.add(make_pair(Wildcard, Wildcard), storage::event_before);
        CHECK(all.event_mask(pair) == (storage::event_add | storage::event_set |
                                       storage::event_remove | storage::event_before));
        CHECK(all.event_mask(make_pair(300, 401)) == (storage::event_set | storage::event_before));
        CHECK(all.event_mask(make_pair(301, 400)) ==
              (storage::event_remove | storage::event_before));
        CHECK(all.event_mask(500) == 0);
    }

    TEST_CASE("a wildcard hears plain ids, and no pairs") {
        containers::memory mem(nullptr);
        subscription_counts all(mem);
        all.add(Wildcard, storage::event_add);
        CHECK(all.event_mask(500) == storage::event_add);
        CHECK(all.event_mask(make_pair(300, 400)) == 0);
    }

    TEST_CASE("of a relationship is heard what is heard of any of its pairs") {
        containers::memory mem(nullptr);
        subscription_counts all(mem);
        const kith::id_t any = make_pair(300, Wildcard);
        all.add(make_pair(300, 400), storage::event_add);
        CHECK(all.event_mask(any) == storage::event_add);
        all.add(make_pair(Wildcard, 401), storage::event_set);
        CHECK(all.event_mask(any) == (storage::event_add | storage::event_set));
        CHECK(all.event_mask(make_pair(301, Wildcard)) == storage::event_set);
        all.remove(make_pair(300, 400), storage::event_add);
        CHECK(all.event_mask(any) == storage::event_set);
    }

    TEST_CASE("the first that comes and the last that goes are news") {
        containers::memory mem(nullptr);
        subscription_counts all(mem);
        CHECK(all.add(500, storage::event_add));
        CHECK(!all.add(500, storage::event_add));
        CHECK(all.add(500, storage::event_set));
        CHECK(!all.remove(500, storage::event_add));
        CHECK(all.remove(500, storage::event_add));
        CHECK(all.event_mask(500) == storage::event_set);
    }

    TEST_CASE("marks are not heard") {
        containers::memory mem(nullptr);
        subscription_counts all(mem);
        all.add(500, storage::event_add);
        CHECK(all.event_mask(Override | 500) == 0);
    }
}
