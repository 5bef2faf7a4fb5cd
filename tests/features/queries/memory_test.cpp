// What queries allocate: nothing, once they are warm.
#include <kith/kith.hpp>

#include "support/counting_resource.hpp"
#include "support/queries.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::ChildOf;
using kith::Wildcard;

namespace {

struct fixture {
    fixture() {
        register_all(world);
        kith::entity parent = world.entity().add(tag);
        kith::entity base = world.prefab().set(Label{"shared"});
        for (int i = 0; i < 20; ++i) {
            kith::entity e = world.entity().set(Position{i, 0});
            e.add_if(i % 2 == 0, tag).add_if(i % 3 == 0, likes, parent);
            if (i % 4 == 0) {
                e.set(Velocity{i, 0});
            }
            if (i % 5 == 0) {
                e.child_of(parent);
            }
            if (i % 6 == 0) {
                e.is_a(base);
            }
            if (i % 7 == 0) {
                e.add(sparse, parent);
            }
        }
    }

    // Allocations of a third run, the first having made what is made lazily.
    template <class Func>
    std::size_t allocations_of(Func func) {
        func();
        func();
        const std::size_t before = memory.allocations();
        func();
        return memory.allocations() - before;
    }
    template <class Query>
    std::size_t allocations_of_runs(const Query& query) {
        return allocations_of([&] {
            query.iter([](kith::iter&) {});
            query.each([](kith::iter&, std::size_t) {});
            query.count();
            query.is_true();
            query.first();
        });
    }

    counting_resource memory;
    kith::world world{kith::use_memory(memory, false)};
    kith::entity tag = world.entity("Tag");
    kith::entity likes = world.entity("Likes");
    kith::entity sparse = world.entity("Sparse1").add(kith::Sparse);
};

}  // namespace

TEST_SUITE("features.queries.memory") {
    TEST_CASE_FIXTURE(fixture, "warm runs of cached queries allocate nothing") {
        auto typed = world.query<Position, const Velocity>();
        CHECK(allocations_of([&] { typed.each([](Position&, const Velocity&) {}); }) == 0);
        CHECK(allocations_of(
                  [&] { typed.each([](kith::entity, Position&, const Velocity&) {}); }) == 0);
        CHECK(allocations_of([&] { typed.page(1, 3).each([](Position&, const Velocity&) {}); }) ==
              0);
        auto build = [&] { return world.query_builder(); };
        CHECK(allocations_of_runs(build().with<Position>().without(tag).build()) == 0);
        CHECK(allocations_of_runs(build().with(tag).with(likes, Wildcard).optional().build()) == 0);
        CHECK(allocations_of_runs(build().with<Position>().with<Label>().build()) == 0);
        CHECK(allocations_of_runs(build().with<Position>().with(tag).up(ChildOf).build()) == 0);
        CHECK(allocations_of_runs(build().with<Position>().with(sparse, Wildcard).build()) == 0);
    }

    TEST_CASE_FIXTURE(fixture, "warm runs of uncached queries allocate nothing") {
        auto typed = world.filter<Position, const Velocity>();
        CHECK(allocations_of([&] { typed.each([](Position&, const Velocity&) {}); }) == 0);
        auto build = [&] { return world.filter_builder(); };
        CHECK(allocations_of_runs(build().with<Position>().without(tag).build()) == 0);
        CHECK(allocations_of_runs(build().with(tag).with(likes, Wildcard).optional().build()) == 0);
        CHECK(allocations_of_runs(build().with<Position>().with<Label>().build()) == 0);
        CHECK(allocations_of_runs(build().with<Position>().with(tag).up(ChildOf).build()) == 0);
        CHECK(allocations_of_runs(build().with<Position>().with(sparse, Wildcard).build()) == 0);
        CHECK(allocations_of_runs(build().with<Position>().or_().with(tag).build()) == 0);
    }

    // spec 131
    TEST_CASE_FIXTURE(fixture, "making a small filter again and again allocates nothing") {
        CHECK(allocations_of([&] { world.filter<Position>(); }) == 0);
        CHECK(allocations_of([&] { world.filter<Position, const Velocity>().count(); }) == 0);
        CHECK(allocations_of([&] {
                  world.filter_builder<Position>().with(tag).without(likes, Wildcard).build();
              }) == 0);
        CHECK(allocations_of([&] {
                  world.filter_builder<Position>().with(tag).up(ChildOf).build().count();
              }) == 0);
    }

    // spec 134
    TEST_CASE_FIXTURE(fixture, "a cached query pays when tables come, not when it runs") {
        auto query = world.query<Position>();
        query.count();
        entity_list tags;
        for (int i = 0; i < 50; ++i) {
            tags.push_back(world.entity());
            world.entity().add(tags.back()).set(Label{"other"});
        }
        // Tables that it does not match cost its runs nothing.
        const std::size_t before = memory.allocations();
        CHECK(query.count() == 20);
        CHECK(memory.allocations() == before);
    }

    TEST_CASE_FIXTURE(fixture, "values that come and go in known tables allocate nothing in runs") {
        auto query = world.query<Position, Velocity>();
        kith::entity e = world.entity().set(Position{1, 2});
        e.set(Velocity{1, 2});
        query.count();
        e.remove<Velocity>();
        const std::size_t before = memory.allocations();
        CHECK(query.count() == 5);
        CHECK(memory.allocations() == before);
    }

    TEST_CASE("queries give back all that they took") {
        counting_resource memory;
        kith::world world(kith::use_memory(memory, false));
        kith::entity tag = world.entity();
        kith::entity e = world.entity().add(tag).set(Position{1, 2});
        auto use = [&] {
            auto query = world.query_builder<Position>().with(tag).with<Velocity>().optional();
            CHECK(query.build().count() == 1);
            auto filter = world.filter_builder().with(tag).up(ChildOf).optional().build();
            CHECK(filter.is_true());
        };
        use();
        use();
        const std::size_t blocks = memory.blocks();
        for (int i = 0; i < 20; ++i) {
            use();
        }
        CHECK(memory.blocks() == blocks);
        CHECK(e.is_alive());
    }

    TEST_CASE("making and running queries without memory fails cleanly") {
        counting_resource memory;
        kith::world world(kith::use_memory(memory, false));
        register_all(world);
        kith::entity tag = world.entity("Tag");
        kith::entity parent = world.entity("parent").add(tag);
        world.entity("child").child_of(parent).set(Position{1, 2});
        int done = 0;
        for (std::size_t n = 1; n < 200; ++n) {
            memory.fail_in(n);
            bool failed = false;
            try {
                auto query = world.query_builder<Position>()
                                 .with("Tag")
                                 .up(ChildOf)
                                 .with<Velocity>()
                                 .optional()
                                 .build();
                CHECK(query.count() == 1);
            } catch (const std::bad_alloc&) {
                failed = true;
            }
            memory.work_again();
            world.check();
            CHECK(world.query_builder<Position>().with(tag).up(ChildOf).build().count() == 1);
            if (!failed) {
                ++done;
                break;
            }
        }
        CHECK(done == 1);
    }
}
