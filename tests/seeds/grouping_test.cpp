// Groups: the programs of the queries document, completed. What they say in C is written with the
// classes.
#include <kith/kith.hpp>

#include <vector>

#include <doctest/doctest.h>

namespace flecs = kith;

namespace {

struct Region {};
struct Unit {};

struct fixture {
    flecs::world world;
    flecs::entity Region_01 = world.entity();
    flecs::entity Region_02 = world.entity();

    // Example of entities created in different regions
    flecs::entity unit_02 = world.entity().add<Unit>().add<Region>(Region_02);
    flecs::entity unit_01 = world.entity().add<Unit>().add<Region>(Region_01);

    static std::vector<flecs::entity> found_by(const auto& q) {
        std::vector<flecs::entity> found;
        q.each([&](flecs::entity e) { found.push_back(e); });
        return found;
    }
};

}  // namespace

TEST_SUITE("seeds.grouping") {
    TEST_CASE_FIXTURE(fixture, "entities that are in the same region") {
        // Create query that groups entities that are in the same region
        flecs::query<> q =
            world.query_builder()
                .term<Unit>()
                .group_by<Region>([](flecs::world_t* stage, flecs::table_t* table, flecs::id_t id,
                                     void*) {
                    flecs::entity_t result = 0;
                    flecs::table type(stage, table);

                    // Use id (Region) to find target for relationship
                    const int at = type.search(flecs::make_pair(id, flecs::Wildcard));
                    if (at != -1) {
                        result = type.type().get(at).second();  // Return second element (target)
                    }

                    return result;
                })
                .build();
        CHECK(found_by(q) == std::vector{unit_01, unit_02});
        q.iter([&](flecs::iter& it) {
            CHECK(it.group_id() == (it.entity(0) == unit_01 ? Region_01 : Region_02));
        });
    }

    TEST_CASE_FIXTURE(fixture, "a group iterator iterates over a single group") {
        auto q = world.query_builder().term<Unit>().group_by<Region>().build();
        CHECK(found_by(q.iter().set_group(Region_01)) == std::vector{unit_01});
        CHECK(found_by(q.iter().set_group(Region_02)) == std::vector{unit_02});
    }

    TEST_CASE_FIXTURE(fixture, "a description groups as a builder does") {
        flecs::term_desc term;
        term.id = world.component<Unit>();
        flecs::query_desc desc;
        desc.terms = &term;
        desc.count = 1;
        desc.group_by_id = world.component<Region>();
        auto q = world.query(desc);
        CHECK(found_by(q) == std::vector{unit_01, unit_02});
    }

    TEST_CASE_FIXTURE(fixture, "groups are sorted individually") {
        flecs::entity unit_03 = world.entity().add<Unit>().add<Region>(Region_01);
        auto q = world.query_builder()
                     .term<Unit>()
                     .group_by<Region>()
                     .order_by(0, [](flecs::entity_t e1, const void*, flecs::entity_t e2,
                                     const void*) { return (e1 < e2) - (e1 > e2); })
                     .build();
        CHECK(found_by(q) == std::vector{unit_03, unit_01, unit_02});
    }
}
