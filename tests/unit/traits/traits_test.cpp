#include "traits/traits.hpp"

#include <doctest/doctest.h>

using namespace kith;
using namespace kith::traits;

TEST_SUITE("unit.traits.traits") {
    TEST_CASE("properties set the bit that they stand for") {
        CHECK(trait_of(Exclusive) == trait_exclusive);
        CHECK(trait_of(Tag) == trait_tag);
        CHECK(trait_of(Sparse) == trait_sparse);
        CHECK(trait_of(make_pair(OnDelete, Delete)) == trait_delete_holders);
        CHECK(trait_of(make_pair(OnDeleteTarget, Delete)) == trait_delete_sources);
        CHECK(trait_of(make_pair(OnDeleteTarget, Panic)) == trait_panic_sources);
        CHECK(trait_of(5000) == 0);
        CHECK(trait_of(make_pair(ChildOf, 5000)) == 0);
    }

    TEST_CASE("properties are known as such, other ids are not") {
        CHECK(is_property(Exclusive));
        CHECK(is_property(make_pair(OnDelete, Panic)));
        CHECK_FALSE(is_property(ChildOf));
        CHECK_FALSE(is_property(make_pair(ChildOf, Exclusive)));
        CHECK_FALSE(is_property(5000));
    }
}
