#include "storage/listening.hpp"

#include <doctest/doctest.h>

using namespace kith;
using storage::listening;

TEST_SUITE("storage.listening") {
    TEST_CASE("an id is heard through each pattern that it is like") {
        containers::memory mem(nullptr);
        listening all(mem);
        const kith::id_t pair = make_pair(300, 400);
        CHECK(all.heard(pair) == 0);
        all.add(pair, storage::heard_add);
        all.add(make_pair(300, Wildcard), storage::heard_set);
        all.add(make_pair(Wildcard, 400), storage::heard_remove);
        all.add(make_pair(Wildcard, Wildcard), storage::heard_before);
        CHECK(all.heard(pair) == (storage::heard_add | storage::heard_set | storage::heard_remove |
                                  storage::heard_before));
        CHECK(all.heard(make_pair(300, 401)) == (storage::heard_set | storage::heard_before));
        CHECK(all.heard(make_pair(301, 400)) == (storage::heard_remove | storage::heard_before));
        CHECK(all.heard(500) == 0);
    }

    TEST_CASE("a wildcard hears plain ids, and no pairs") {
        containers::memory mem(nullptr);
        listening all(mem);
        all.add(Wildcard, storage::heard_add);
        CHECK(all.heard(500) == storage::heard_add);
        CHECK(all.heard(make_pair(300, 400)) == 0);
    }

    TEST_CASE("of a relationship is heard what is heard of any of its pairs") {
        containers::memory mem(nullptr);
        listening all(mem);
        const kith::id_t any = make_pair(300, Wildcard);
        all.add(make_pair(300, 400), storage::heard_add);
        CHECK(all.heard(any) == storage::heard_add);
        all.add(make_pair(Wildcard, 401), storage::heard_set);
        CHECK(all.heard(any) == (storage::heard_add | storage::heard_set));
        CHECK(all.heard(make_pair(301, Wildcard)) == storage::heard_set);
        all.remove(make_pair(300, 400), storage::heard_add);
        CHECK(all.heard(any) == storage::heard_set);
    }

    TEST_CASE("the first that comes and the last that goes are news") {
        containers::memory mem(nullptr);
        listening all(mem);
        CHECK(all.add(500, storage::heard_add));
        CHECK(!all.add(500, storage::heard_add));
        CHECK(all.add(500, storage::heard_set));
        CHECK(!all.remove(500, storage::heard_add));
        CHECK(all.remove(500, storage::heard_add));
        CHECK(all.heard(500) == storage::heard_set);
    }

    TEST_CASE("marks are not heard") {
        containers::memory mem(nullptr);
        listening all(mem);
        all.add(500, storage::heard_add);
        CHECK(all.heard(Override | 500) == 0);
    }
}
