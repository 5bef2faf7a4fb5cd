// Queries that exist while the world around them changes.
#include <kith/kith.hpp>
#include <kith/memory_resource.hpp>

#include "support/errors.hpp"
#include "support/queries.hpp"
#include "support/types.hpp"

#include <memory>
#include <memory_resource>

using namespace kith_test;
using kith::ChildOf;
using kith::Wildcard;

namespace {

struct fixture {
    fixture() { register_all(world); }

    // Without pools, so that sanitizers see what is used after its end.
    kith::world world{kith::use_memory(*std::pmr::new_delete_resource(), false)};
    kith::entity tag = world.entity("Tag");
    kith::entity e = world.entity("e").set(Position{1, 2});
};

template <class Query>
std::string order_of(const Query& query) {
    std::string text;
    query.each([&](kith::entity e) { text += e.name().c_str(); });
    return text;
}

}  // namespace

TEST_SUITE("features.queries.changes") {
    TEST_CASE_FIXTURE(fixture, "bases that get, lose, switch and pass on a component") {
        kith::entity base = world.entity("base");
        kith::entity inst = world.entity("inst").is_a(base);
        auto query = world.query<Position>();
        auto sum = [&] {
            int x = 0;
            query.each([&](Position& p) { x += p.x; });
            return x;
        };
        CHECK(rows_of(query) == entity_list{e});
        base.set(Position{5, 5});
        CHECK(sorted(rows_of(query)) == sorted({e, base, inst}));
        inst.set(Position{6, 6});
        CHECK(sum() == 1 + 5 + 6);
        inst.remove<Position>();
        CHECK(sum() == 1 + 5 + 5);
        base.disable<Position>();
        CHECK(sum() == 1);
        base.enable<Position>();
        kith::entity middle = world.entity("middle").is_a(base);
        inst.remove(kith::IsA, base);
        CHECK(sum() == 1 + 5 + 5);
        inst.is_a(middle);
        CHECK(sum() == 1 + 5 + 5 + 5);
        base.remove<Position>();
        CHECK(rows_of(query) == entity_list{e});
    }

    TEST_CASE_FIXTURE(fixture, "shared values are found where they are now") {
        kith::entity owner = world.entity("owner").set(Position{5, 5});
        world.entity("inst").is_a(owner).add(tag);
        world.entity("child").child_of(owner).add<Cold>();
        auto inherited = world.query_builder<Position>().with(tag).build();
        auto parental = world.query_builder<Position>().arg(1).parent().with<Cold>().build();
        auto fixed = world.query_builder<Position>().arg(1).src(owner).build();
        auto check = [&] {
            int calls = 0;
            auto is_owners = [&](Position& p) {
                CHECK(&p == owner.get<Position>());
                ++calls;
            };
            inherited.each(is_owners);
            parental.each(is_owners);
            fixed.each(is_owners);
            CHECK(calls == 3);
        };
        check();
        owner.add<Hot>();
        check();
        for (int i = 0; i < 1000; ++i) {
            world.entity().set(Position{i, i}).add<Hot>();
        }
        check();
        owner.remove<Hot>();
        check();
    }

    TEST_CASE_FIXTURE(fixture, "components that become sparse, and dense again") {
        auto query = world.query<Position, Velocity>();
        auto filter = world.filter<Position, Velocity>();
        e.set(Velocity{3, 4});
        auto check = [&] {
            int calls = 0;
            auto look = [&](Position& p, Velocity& v) {
                CHECK(p.x == 1);
                CHECK(v.x == 3);
                ++calls;
            };
            query.each(look);
            filter.each(look);
            query.iter([&](kith::iter& it) {
                for (auto row : it) {
                    look(it.field<Position>(1)[row], it.field<Velocity>(2)[row]);
                }
            });
            CHECK(calls == 3);
        };
        check();
        world.component<Velocity>().add(kith::Sparse);
        check();
        world.component<Position>().add(kith::Sparse);
        check();
        world.component<Velocity>().remove(kith::Sparse);
        check();
        world.component<Position>().remove(kith::Sparse);
        check();
    }

    TEST_CASE_FIXTURE(fixture, "an id that stops being inherited, and is again") {
        kith::entity base = world.entity("base").add(tag);
        world.entity("inst").is_a(base);
        auto query = world.query_builder().with(tag).build();
        auto filter = world.filter_builder().with(tag).build();
        CHECK(query.count() == 2);
        tag.add(kith::DontInherit);
        CHECK(query.count() == 1);
        CHECK(filter.count() == 1);
        tag.remove(kith::DontInherit);
        CHECK(query.count() == 2);
        CHECK(filter.count() == 2);
    }

    TEST_CASE(
        "cascade follows moves, in both storages of the hierarchy, and from one to the other") {
        const bool sparse = for_both_storages();
        kith::world world;
        set_hierarchy(world, sparse);
        kith::entity tag = world.entity();
        kith::entity a = world.entity("a").add(tag);
        kith::entity b = world.entity("b").child_of(a).add(tag);
        kith::entity c = world.entity("c").child_of(b).add(tag);
        auto down = world.query_builder().with(tag).with(tag).cascade(ChildOf).optional().build();
        auto up =
            world.query_builder().with(tag).with(tag).cascade(ChildOf).desc().optional().build();
        CHECK(order_of(down) == "abc");
        CHECK(order_of(up) == "cba");
        c.child_of(a);
        b.child_of(c);
        CHECK(order_of(down) == "acb");
        CHECK(order_of(up) == "bca");
        set_hierarchy(world, !sparse);
        CHECK(order_of(down) == "acb");
        CHECK(order_of(up) == "bca");
    }

    TEST_CASE_FIXTURE(fixture, "a relationship that stops being traversable hangs nothing") {
        kith::entity relation = world.entity("R").add(kith::Traversable);
        kith::entity other = world.entity("other").add(tag);
        e.add(relation, other);
        auto query = world.query_builder().with(tag).up(relation).build();
        CHECK(query.count() == 1);
        error_of([&] {
            relation.remove(kith::Traversable).remove(kith::Acyclic);
            other.add(relation, e);
        });
        error_of([&] { CHECK(query.count() <= 2); });
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "ids that die: their terms match nothing from then on") {
        kith::entity component = world.entity("C");
        e.add(component);
        auto query = world.query_builder().with(component).build();
        auto filter = world.filter_builder().with(component).build();
        auto lacking = world.query_builder<Position>().without(component).build();
        CHECK(query.count() == 1);
        component.destruct();
        CHECK(query.count() == 0);
        CHECK(filter.count() == 0);
        CHECK(lacking.count() == 1);
        kith::entity reused = world.entity("C");
        e.add(reused);
        CHECK(query.count() == 0);
        CHECK(filter.count() == 0);
        CHECK(lacking.count() == 1);
        CHECK(query.str().size() > 0);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a list that dies upsets nothing") {
        kith::entity list = world.prefab().add(tag);
        auto query = world.query_builder<Position>().with(list).and_from().build();
        CHECK(query.count() == 0);
        list.destruct();
        CHECK_NOTHROW(query.count());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "queries that end do not disturb the others") {
        std::vector<kith::query<Position>> queries;
        for (int i = 0; i < 50; ++i) {
            queries.push_back(world.query<Position>());
        }
        for (std::size_t i = 0; i < queries.size(); i += 2) {
            queries[i] = {};
        }
        world.entity().add(world.entity()).set(Position{1, 1});
        int rows = 0;
        for (std::size_t i = 1; i < queries.size(); i += 2) {
            rows += queries[i].count();
        }
        CHECK(rows == 50);
    }

    TEST_CASE_FIXTURE(fixture, "a run goes on when the last handle is gone") {
        auto run = world.query<Position>().iter();
        REQUIRE(run.next());
        CHECK(run->field<Position>(1)->x == 1);
        CHECK_FALSE(run.next());
    }

    TEST_CASE_FIXTURE(fixture, "a callback that drops the last handle") {
        world.entity().set(Position{3, 4}).add(tag);
        auto check = [&](auto query) {
            auto held = std::make_unique<decltype(query)>(std::move(query));
            int calls = 0;
            held->each([&](Position&) {
                ++calls;
                held.reset();
            });
            CHECK(calls == 2);
        };
        check(world.query<Position>());
        check(world.filter<Position>());
    }

    TEST_CASE_FIXTURE(fixture, "chains look at sources and upwards as they change") {
        kith::entity game = world.entity("game");
        kith::entity parent = world.entity("parent").add(tag);
        e.child_of(parent);
        auto builder =
            world.filter_builder().with<Position>().with(tag).src(game).or_().with(tag).up(ChildOf);
        auto query = builder.cached().build();
        CHECK(results_of(query) == "e: kith_test.Position, Tag@parent\n");
        game.add(tag);
        CHECK(results_of(query) == "e: kith_test.Position, Tag@game\n");
        CHECK(results_of(builder) == "e: kith_test.Position, Tag@game\n");
        game.remove(tag);
        parent.remove(tag);
        CHECK(results_of(query) == "");
    }

    TEST_CASE_FIXTURE(fixture, "deletions in bulk are seen") {
        auto query = world.query_builder<Position>().with(tag).build();
        for (int i = 0; i < 100; ++i) {
            world.entity()
                .set(Position{i, 0})
                .add_if(i % 2 == 0, tag)
                .add_if(i % 3 == 0, world.component<Hot>());
        }
        CHECK(query.count() == 50);
        world.delete_with<Hot>();
        CHECK(query.count() == 33);
        world.remove_all(tag);
        CHECK(query.count() == 0);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "hundreds of tables for one query") {
        auto query = world.query_builder<Position>().without<Hot>().build();
        for (int i = 0; i < 600; ++i) {
            world.entity()
                .set(Position{1, 0})
                .add(world.entity())
                .add_if(i % 2 == 0, world.component<Hot>());
        }
        int sum = 0;
        query.each([&](Position& p) { sum += p.x; });
        CHECK(sum == 301);
        CHECK(world.filter_builder<Position>().without<Hot>().build().count() == 301);
    }
}
