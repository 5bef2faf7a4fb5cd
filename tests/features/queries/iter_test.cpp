// What the iterator tells about a result.
#include <kith/kith.hpp>

#include "support/queries.hpp"
#include "support/world_fixture.hpp"

#include <cstring>

using namespace kith_test;
using kith::errc;
using kith::Wildcard;

namespace {

struct fixture : world_fixture {
    kith::entity tag = world.entity("Tag");
    kith::entity e1 = world.entity("e1").set(Position{1, 2}).set(Velocity{3, 4});
    kith::entity e2 = world.entity("e2").set(Position{5, 6}).set(Velocity{7, 8});
    kith::entity e3 = world.entity("e3").set(Position{9, 10}).set(Velocity{11, 12}).add(tag);
};

// Works for whatever can be stepped through.
template <class Run>
int count_rows(Run run) {
    int rows = 0;
    while (run.next()) {
        rows += static_cast<int>(run->count());
        CHECK((*run).field_count() == run->field_count());
    }
    return rows;
}

}  // namespace

TEST_SUITE("features.queries.iter") {
    // spec 162
    TEST_CASE_FIXTURE(fixture, "results are tables, with arrays that lie side by side") {
        std::vector<std::size_t> sizes;
        world.query<Position, Velocity>().iter([&](kith::iter& it, Position* p, Velocity* v) {
            sizes.push_back(it.count());
            for (std::size_t row = 0; row < it.count(); ++row) {
                CHECK(p + row == it.entity(row).get<Position>());
                CHECK(v + row == it.entity(row).get<Velocity>());
            }
        });
        CHECK(sizes == std::vector<std::size_t>{2, 1});
    }

    // spec 163
    TEST_CASE_FIXTURE(fixture, "next steps through every kind of run") {
        CHECK(count_rows(world.filter<Position>().iter()) == 3);
        CHECK(count_rows(world.query<Position>().iter()) == 3);
        CHECK(count_rows(world.rule<Position>().iter()) == 3);
        CHECK(count_rows(world.query<Position>().page(1, 2)) == 2);
        CHECK(count_rows(world.query<Position>().worker(0, 2)) == 2);
        auto run = world.query<Position>().iter();
        REQUIRE(run.next());
        CHECK(run->field<Position>(1)->x == 1);
        CHECK((*run).entity(1) == e2);
    }

    TEST_CASE_FIXTURE(fixture, "a run that is left early unlocks its table") {
        {
            auto run = world.query<Position>().iter();
            REQUIRE(run.next());
            CHECK(error_of([&] { e1.add(tag); }) == errc::locked);
        }
        CHECK_NOTHROW(e1.add(tag));
        {
            auto run = world.query<Position>().iter();
            while (run.next()) {}
            CHECK_NOTHROW(e2.add(tag));
        }
    }

    // spec 164
    TEST_CASE_FIXTURE(fixture, "fields count from 1, and the entities stand apart") {
        int results = 0;
        world.query<Position, Velocity>().iter([&](kith::iter& it) {
            ++results;
            CHECK(it.field_count() == 2);
            CHECK(it.id(1) == world.id<Position>());
            CHECK(it.id(2) == world.id<Velocity>());
            for (auto row : it) {
                CHECK(it.entities()[row] == it.entity(row));
            }
            CHECK(error_of([&] { it.id(3); }) == errc::invalid_query);
            CHECK(error_of([&] { it.id(-1); }) == errc::invalid_query);
        });
        CHECK(results == 2);
    }

    TEST_CASE_FIXTURE(fixture, "field 0 is the entities") {
        world.query<Position>().iter([&](kith::iter& it) {
            auto ids = it.field<const kith::entity_t>(0);
            for (auto row : it) {
                CHECK(ids[row] == it.entity(row).id());
            }
        });
    }

    // spec 170
    TEST_CASE_FIXTURE(fixture, "iter is called once per table, and may leave values out") {
        int calls = 0;
        auto query = world.query<Position, const Velocity>();
        query.iter([&](kith::iter& it, Position* p, const Velocity* v) {
            ++calls;
            for (auto row : it) {
                p[row].x += v[row].x;
            }
        });
        CHECK(calls == 2);
        CHECK(e2.get<Position>()->x == 12);
        query.iter([&](kith::iter&) { ++calls; });
        query.iter([&](kith::iter) { ++calls; });
        query.run([&](kith::iter&) { ++calls; });
        CHECK(calls == 8);
    }

    TEST_CASE_FIXTURE(fixture, "tags may be pointers, and optional ones null") {
        struct flag {};
        e3.add<flag>();
        world.query<Position, flag>().iter([&](kith::iter& it, Position* p, flag*) {
            CHECK(it.count() == 1);
            CHECK(p->x == 9);
        });
        int set = 0;
        world.query<Position, Label*>().iter(
            [&](kith::iter&, Position*, Label* l) { set += l != nullptr; });
        CHECK(set == 0);
    }

    // spec 171
    TEST_CASE_FIXTURE(fixture, "fields are read with their type, or without") {
        world.query<Position, const Velocity>().iter([&](kith::iter& it) {
            auto p = it.field<Position>(1);
            auto v = it.field<const Velocity>(2);
            CHECK(p.size() == it.count());
            CHECK(it.field(1) == &p[0]);
            CHECK(it.field(2) == &v[0]);
            CHECK(it.term<Position>(1)->x == p->x);
            CHECK(it.term(1) == it.field(1));
            CHECK(it.field<const Velocity>()->x == v->x);
            kith::column<const Velocity> built(it, 2);
            CHECK(&*built == &v[0]);
        });
    }

    TEST_CASE_FIXTURE(fixture, "a field is read by the type of its pair") {
        e1.set<Eats, Hot>({4});
        int sum = 0;
        world.query<kith::pair<Eats, Hot>>().iter([&](kith::iter& it) {
            sum += it.field<kith::pair<Eats, Hot>>(1)->amount;
            sum += it.field<const Eats>(1)->amount;
            sum += it.range().get<Eats, Hot>()->amount;
        });
        CHECK(sum == 12);
    }

    TEST_CASE_FIXTURE(fixture, "a run that is over stays over, and its copy starts anew") {
        auto run = world.query<Position>().iter();
        CHECK(run.next());
        auto copy = run;
        CHECK(run.next());
        CHECK_FALSE(run.next());
        CHECK_FALSE(run.next());
        CHECK(count_rows(copy) == 3);
    }

    TEST_CASE_FIXTURE(fixture, "a field without index must be the only one of its type") {
        world.query_builder<Position>().term<Position>().build().iter([&](kith::iter& it) {
            CHECK(error_of([&] { it.field<Position>(); }) == errc::invalid_query);
            CHECK(error_of([&] { it.field<Label>(); }) == errc::invalid_query);
        });
    }

    // spec 172
    TEST_CASE_FIXTURE(fixture, "ids, pairs, entities and sources of a result") {
        kith::entity likes = world.entity("Likes");
        kith::entity base = world.prefab("base").set(Label{"x"});
        kith::entity e = world.entity("e").is_a(base).add(likes, e1);
        int calls = 0;
        world.filter_builder<Label>().with(likes, Wildcard).build().iter([&](kith::iter& it) {
            ++calls;
            CHECK(it.entity(0) == e);
            CHECK(it.id(1) == world.id<Label>());
            CHECK(it.id(2) == world.pair(likes, e1));
            CHECK(it.pair(2).second() == e1);
            CHECK(it.src(1) == base);
            CHECK(it.src(2) == 0);
            CHECK(error_of([&] { it.pair(1); }).has_value());
            CHECK(it.world().c_ptr() == world.c_ptr());
        });
        CHECK(calls == 1);
        world.filter_builder().with(likes, Wildcard).build().iter([&](kith::iter& it) {
            CHECK(it.pair().first() == likes);
        });
    }

    // spec 173
    TEST_CASE_FIXTURE(fixture, "is_set and is_self") {
        kith::entity base = world.prefab().set(Label{"x"});
        world.entity("inst").is_a(base).set(Position{0, 0});
        e3.set(Label{"own"});
        std::string text;
        world.query_builder().with<Position>().with<Label>().optional().build().iter(
            [&](kith::iter& it) {
                for (auto row : it) {
                    text += it.entity(row).name().c_str();
                    text += it.is_set(2) ? (it.is_self(2) ? " own;" : " shared;") : " none;";
                }
            });
        CHECK(contains(text, "e1 none;"));
        CHECK(contains(text, "e3 own;"));
        CHECK(contains(text, "inst shared;"));
    }

    // spec 174
    TEST_CASE_FIXTURE(fixture, "range gives any column of the table, from the result's first row") {
        kith::entity likes = world.entity();
        e1.set<Eats>(likes, {5});
        world.query_builder().with<Position>().build().iter([&](kith::iter& it) {
            CHECK(it.range().count() == static_cast<std::int32_t>(it.count()));
            CHECK(it.range().get<Velocity>() == it.entity(0).get<Velocity>());
            CHECK(it.range().get<Label>() == nullptr);
            CHECK(it.table().has<Velocity>());
            CHECK(it.type().count() == it.table().type().count());
        });
        world.query<Position>().page(1, 1).iter([&](kith::iter& it) {
            CHECK(it.range().get<Position>() == it.entity(0).get<Position>());
        });
    }

    // spec 175
    TEST_CASE_FIXTURE(fixture, "a loop over fields needs no types") {
        std::size_t bytes = 0;
        int values = 0;
        int sum = 0;
        world.query_builder<Position>().term<Velocity>().with(tag).optional().build().iter(
            [&](kith::iter& it) {
                for (std::int32_t field = 1; field <= it.field_count(); ++field) {
                    bytes += it.size(field) * it.count();
                    if (it.size(field) == 0) {
                        CHECK(it.field(field) == nullptr);
                        continue;
                    }
                    const auto* data = static_cast<const char*>(it.field(field));
                    for (auto row : it) {
                        int first = 0;
                        std::memcpy(&first, data + row * it.size(field), sizeof first);
                        sum += first;
                        ++values;
                    }
                }
            });
        CHECK(values == 6);
        CHECK(bytes == 6 * sizeof(Position));
        CHECK(sum == 1 + 3 + 5 + 7 + 9 + 11);
    }

    // spec 130
    TEST_CASE_FIXTURE(fixture, "a result describes itself") {
        kith::entity likes = world.entity("Likes");
        e3.add(likes, e1);
        std::string text;
        auto query = world.query_builder<Position>()
                         .term(likes, Wildcard)
                         .term<Velocity>()
                         .src(e2)
                         .term<Label>()
                         .optional()
                         .build();
        query.iter([&](kith::iter& it) {
            for (std::int32_t i = 1; i <= it.field_count(); ++i) {
                text += it.is_set(i) ? it.id(i).str().c_str() : "none";
                text += " size " + std::to_string(it.is_set(i) ? it.size(i) : 0);
                text +=
                    it.is_self(i) ? "\n" : std::string(" of ") + it.src(i).name().c_str() + "\n";
            }
        });
        CHECK(text ==
              "kith_test.Position size 8\n(Likes,e1) size 0\nkith_test.Velocity size 8 of e2\n"
              "none size 0\n");
    }

    // spec 176
    TEST_CASE_FIXTURE(fixture, "a field of another type is refused, and says what is there") {
        world.query<Position, Velocity>().iter([&](kith::iter& it) {
            CHECK(error_of([&] { it.field<Velocity>(1); }) == errc::invalid_query);
            CHECK(error_of([&] { it.field<const Label>(2); }) == errc::invalid_query);
            const std::string message = message_of([&] { it.field<Label>(1); });
            CHECK(contains(message, "Position"));
            CHECK(contains(message, "Label"));
        });
    }

    TEST_CASE_FIXTURE(fixture, "a field that does not exist is refused, and says how many do") {
        world.query<Position, Velocity>().iter([&](kith::iter& it) {
            for (int index : {-1, 3, 100}) {
                CHECK(error_of([&] { it.field<Position>(index); }) == errc::invalid_query);
                CHECK(error_of([&] { it.field(index); }) == errc::invalid_query);
                CHECK(error_of([&] { it.is_set(index); }) == errc::invalid_query);
                CHECK(error_of([&] { it.is_self(index); }) == errc::invalid_query);
                CHECK(error_of([&] { it.src(index); }) == errc::invalid_query);
                CHECK(error_of([&] { it.size(index); }) == errc::invalid_query);
                CHECK(error_of([&] { it.is_readonly(index); }) == errc::invalid_query);
            }
            CHECK(contains(message_of([&] { it.field<Position>(3); }), "2"));
        });
    }

    TEST_CASE_FIXTURE(fixture, "a tag has no values to read") {
        struct flag {};
        e3.add<flag>();
        world.query_builder().with<flag>().build().iter([&](kith::iter& it) {
            CHECK(it.field(1) == nullptr);
            CHECK(it.size(1) == 0);
            CHECK(error_of([&] { it.field<Position>(1); }) == errc::invalid_query);
        });
    }

    // spec 181
    TEST_CASE_FIXTURE(fixture, "the edges of one row are visited inside of a query") {
        const bool sparse = for_both_storages();
        kith::entity eats = make_relation<Eats>(world, sparse);
        kith::entity apple = world.entity("apple");
        kith::entity pear = world.entity("pear");
        e1.set<Eats>(apple, {1}).set<Eats>(pear, {2});
        e2.set<Eats>(pear, {3});
        std::string text;
        world.query<Position>().iter([&](kith::iter& it) {
            for (auto row : it) {
                it.each_pair(eats, row, [&](kith::entity target, const void* value) {
                    text += it.entity(row).name().c_str() + std::string(" ") +
                            target.name().c_str() + " " +
                            std::to_string(static_cast<const Eats*>(value)->amount) + "\n";
                });
            }
        });
        CHECK(contains(text, "e1 apple 1\n"));
        CHECK(contains(text, "e1 pear 2\n"));
        CHECK(contains(text, "e2 pear 3\n"));
        CHECK_FALSE(contains(text, "e3"));
    }

    // spec 183
    TEST_CASE_FIXTURE(fixture, "a column is bound once and indexed by row") {
        for (int i = 0; i < 100; ++i) {
            world.entity().set(Position{i, 0}).set(Velocity{1, 0});
        }
        world.query<Position, Velocity>().iter([](kith::iter& it) {
            auto p = it.field<Position>(1);
            Position* first = &p[0];
            for (auto row : it) {
                CHECK(&p[row] == first + row);
            }
            CHECK_FALSE(p.is_shared());
        });
    }
}
