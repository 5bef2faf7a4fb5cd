// Terms that say what callbacks read or write without the query matching it, and the access that
// template arguments have.
#include <kith/kith.hpp>

#include "support/queries.hpp"
#include "support/types.hpp"

using namespace kith_test;

namespace {

struct fixture {
    kith::world world;
    kith::entity a = world.entity("a").set(Position{1, 2});
    kith::entity b = world.entity("b").set(Position{3, 4}).set(Velocity{5, 6});
};

}  // namespace

TEST_SUITE("features.queries.access_of_terms") {
    TEST_CASE_FIXTURE(fixture, "read and write behind a term are the same as with the type") {
        auto build = [&] { return world.filter_builder().with<Position>(); };
        CHECK(found_by(build().term<Velocity>().read()) == sorted({a, b}));
        CHECK(found_by(build().term<Velocity>().write()) == sorted({a, b}));
        CHECK(found_by(build().with<Velocity>().read()) == sorted({a, b}));
        CHECK(found_by(build().read<Velocity>()) == sorted({a, b}));
        const std::string text = build().read<Velocity>().build().str().c_str();
        CHECK(std::string(build().term<Velocity>().read().build().str().c_str()) == text);
        CHECK(std::string(build().term<Velocity>().write().build().str().c_str()) ==
              std::string(build().write<Velocity>().build().str().c_str()));
    }

    TEST_CASE_FIXTURE(fixture, "a declaration has no source unless one is given behind it") {
        auto build = [&] { return world.filter_builder().with<Position>(); };
        CHECK(found_by(build().term<Velocity>().src(b).read()) == sorted({a, b}));
        CHECK(found_by(build().term<Velocity>().src(a).read()) == sorted({a, b}));
        CHECK(found_by(build().term<Velocity>().src(a).read_write()) == sorted({a, b}));
        CHECK(found_by(build().term<Velocity>().src(a).inout_stage(kith::Out)) == sorted({a, b}));
        CHECK(found_by(build().term<Velocity>().read().src(a)).empty());
        CHECK(found_by(build().term<Velocity>().not_().write()) == entity_list{a});
        auto query = build().term<Velocity>().src(b).read().build();
        CHECK(query.term(1).inout() == kith::In);
    }

    TEST_CASE_FIXTURE(fixture, "template arguments are matched, whatever their access is") {
        CHECK(found_by(world.filter_builder<Position, Velocity>().arg(2).read()) == entity_list{b});
        auto query = world.query<Position, const Velocity>();
        CHECK(query.term(0).inout() == kith::InOutDefault);
        CHECK(query.term(1).inout() == kith::In);
        CHECK(std::string(query.str().c_str()) == "kith_test.Position, [in] kith_test.Velocity");
        auto stated = world.query_builder<Position>().arg(1).inout().build();
        CHECK(stated.term(0).inout() == kith::InOut);
        CHECK(std::string(stated.str().c_str()) == "[inout] kith_test.Position");
    }

    TEST_CASE_FIXTURE(fixture, "callbacks write template arguments that are inherited") {
        kith::entity inst = world.entity("inst").is_a(a);
        int shared = 0;
        world.query<Position>().iter([&](kith::iter& it) {
            if (!it.is_self(1)) {
                CHECK_FALSE(it.is_readonly(1));
                it.field<Position>(1)->x = 9;
                ++shared;
            }
        });
        CHECK(shared == 1);
        CHECK(inst.get<Position>()->x == 9);
    }

    TEST_CASE_FIXTURE(fixture, "fields are read by row without their type") {
        int rows = 0;
        world.query_builder().term<Position>().build().iter([&](kith::iter& it) {
            CHECK(it.term_count() == 1);
            for (int t = 0; t < it.term_count() + 1; ++t) {
                const kith::id id = it.id(t);
                auto data = it.term(t);
                CHECK(data.size() == it.count());
                for (auto row : it) {
                    void* value = data[row];
                    if (t == 0) {
                        CHECK(*static_cast<kith::entity_t*>(value) == it.entity(row));
                    } else {
                        CHECK(id == world.component<Position>());
                        CHECK(value == it.entity(row).get<Position>());
                        ++rows;
                    }
                }
            }
        });
        CHECK(rows == 2);
    }

    TEST_CASE_FIXTURE(fixture, "a tag has no values to read by row") {
        a.add<Hot>();
        world.query<Hot>().iter([&](kith::iter& it) {
            auto data = it.field(1);
            CHECK(data == nullptr);
            CHECK(data[0] == nullptr);
        });
    }

    TEST_CASE("a row has its sparse values, as an alternative too") {
        kith::world world;
        world.component<Velocity>().add(kith::Sparse);
        world.component<Eats>().add(kith::Sparse);
        kith::entity apple = world.entity("apple");
        world.entity("v").set(Position{1, 1}).set(Velocity{2, 3}).set<Eats>(apple, {4});
        int calls = 0;
        world.filter_builder().term<Position>().term<Velocity>().or_().term<Label>().build().iter(
            [&](kith::iter& it) {
                REQUIRE(it.range().get<Velocity>());
                CHECK(it.range().get<Velocity>()->x == 2);
                CHECK(it.range().get<Position>()->x == 1);
                REQUIRE(it.range().get<Eats>(apple));
                CHECK(it.range().get<Eats>(apple)->amount == 4);
                CHECK(it.range().get<Label>() == nullptr);
                CHECK(it.range().get<Eats>() == nullptr);
                ++calls;
            });
        CHECK(calls == 1);
    }
}
