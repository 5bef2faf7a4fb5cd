// Kinds of queries, their life, and the questions that they answer besides going through results.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/queries.hpp"
#include "support/types.hpp"

#include <stop_token>

using namespace kith_test;
using kith::errc;

namespace {

struct fixture {
    kith::world world;
    kith::entity tag = world.entity("Tag");

    entity_list make(int count) {
        entity_list made;
        for (int i = 0; i < count; ++i) {
            made.push_back(world.entity().set(Position{i, 0}));
        }
        return made;
    }
};

struct Holder {
    kith::query<Position> query;
};

}  // namespace

TEST_SUITE("features.queries.query") {
    // spec 120
    TEST_CASE_FIXTURE(fixture, "a filter finds what there is when it runs") {
        auto filter = world.filter<Position, Velocity>();
        CHECK(filter.count() == 0);
        kith::entity e = world.entity().set(Position{1, 2}).set(Velocity{3, 4});
        CHECK(rows_of(filter) == entity_list{e});
        e.remove<Velocity>();
        CHECK(filter.count() == 0);
    }

    // spec 121
    TEST_CASE_FIXTURE(fixture, "a cached query says that it keeps its tables; a filter does not") {
        make(3);
        auto query = world.query<Position>();
        auto filter = world.filter<Position>();
        CHECK(query.count() == 3);
        CHECK(contains(query.explain().c_str(), "cached"));
        CHECK_FALSE(contains(filter.explain().c_str(), "cached"));
        CHECK(contains(world.filter_builder<Position>().cached().build().explain().c_str(),
                       "cached"));
        CHECK_FALSE(contains(world.query_builder<Position>().uncached().build().explain().c_str(),
                             "cached"));
    }

    TEST_CASE_FIXTURE(fixture, "a rule answers as a filter does") {
        make(3);
        CHECK(world.rule<Position>().count() == 3);
        CHECK(world.rule_builder().with<Position>().without(tag).build().count() == 3);
    }

    // spec 123
    TEST_CASE_FIXTURE(fixture,
                      "queries are described at run time, over what was made at run time") {
        kith::entity component = world.entity("Mana");
        kith::entity e = world.entity().add(component).add(tag);
        world.entity().add(component);
        kith::term_desc terms[2];
        terms[0].id = component;
        terms[1].first.name = "Tag";
        kith::query_desc desc;
        desc.terms = terms;
        desc.count = 2;
        CHECK(rows_of(world.filter(desc)) == entity_list{e});
        CHECK(rows_of(world.query(desc)) == entity_list{e});
        terms[1].oper = kith::Not;
        CHECK(world.filter(desc).count() == 1);
        CHECK(world.filter(desc).first() != e);
    }

    // spec 124
    TEST_CASE_FIXTURE(fixture, "a cached query follows the tables that come and go") {
        auto query = world.query<Position>();
        CHECK(query.count() == 0);
        kith::entity e1 = world.entity().set(Position{1, 0});
        CHECK(rows_of(query) == entity_list{e1});
        entity_list tags;
        for (int i = 0; i < 20; ++i) {
            tags.push_back(world.entity());
            world.entity().set(Position{i, 0}).add(tags.back());
        }
        CHECK(query.count() == 21);
        for (kith::entity one : tags) {
            one.destruct();
        }
        CHECK(query.count() == 21);
        world.delete_with<Position>();
        CHECK(query.count() == 0);
        world.entity().set(Position{1, 0}).add(tag);
        CHECK(query.count() == 1);
    }

    TEST_CASE_FIXTURE(fixture, "a query made before its components are used") {
        auto query = world.query_builder().with(tag).without<Velocity>().build();
        auto filter = world.filter_builder().with(tag).without<Velocity>().build();
        kith::entity e = world.entity().add(tag);
        CHECK(rows_of(query) == entity_list{e});
        CHECK(rows_of(filter) == entity_list{e});
    }

    TEST_CASE_FIXTURE(fixture, "queries may be made while others run, or say why not") {
        make(2);
        int made = 0;
        world.filter<Position>().each([&](Position&) {
            // Filters may be made anywhere; a cached query either is, and right, or is refused.
            made += world.filter<Position>().count();
            const auto code = error_of([&] { made += world.query<Position>().count(); });
            CHECK((!code || code == errc::locked || code == errc::invalid_operation));
        });
        CHECK(made >= 4);
        CHECK(world.query<Position>().count() == 2);
    }

    // spec 126
    TEST_CASE_FIXTURE(fixture, "tables without rows are no results") {
        entity_list all = make(2);
        kith::entity other = world.entity().set(Position{9, 0}).add(tag);
        auto check = [&](const auto& query, int expected) {
            int results = 0;
            query.iter([&](kith::iter& it) {
                CHECK(it.count() > 0);
                ++results;
            });
            CHECK(results == expected);
        };
        auto query = world.query<Position>();
        auto filter = world.filter<Position>();
        check(query, 2);
        other.remove(tag);
        check(query, 1);
        check(filter, 1);
        for (kith::entity e : all) {
            e.destruct();
        }
        other.destruct();
        check(query, 0);
        check(filter, 0);
        world.entity().set(Position{1, 1}).add(tag);
        check(query, 1);
    }

    // spec 127
    TEST_CASE_FIXTURE(fixture, "a query tells whether one entity matches") {
        kith::entity yes = world.entity().set(Position{1, 0});
        kith::entity no = world.entity().set(Position{1, 0}).add(tag);
        auto check = [&](const auto& query) {
            CHECK(query.matches(yes));
            CHECK_FALSE(query.matches(no));
            CHECK_FALSE(query.matches(tag));
        };
        check(world.filter_builder<Position>().without(tag).build());
        check(world.query_builder<Position>().without(tag).build());
        auto query = world.query<Position>();
        yes.destruct();
        CHECK_FALSE(query.matches(yes));
        CHECK_FALSE(query.matches(0));
    }

    TEST_CASE_FIXTURE(fixture, "matches looks up, down and at sources as a run does") {
        kith::entity parent = world.entity().add(tag);
        kith::entity child = world.entity().child_of(parent);
        auto query = world.filter_builder().with(tag).up(kith::ChildOf).build();
        CHECK(query.matches(child));
        CHECK_FALSE(query.matches(parent));
    }

    // spec 128
    TEST_CASE_FIXTURE(fixture, "the results of one query are filtered by another") {
        entity_list all = make(4);
        all[1].add(tag).set(Velocity{1, 0});
        all[2].add(tag);
        all[3].set(Velocity{1, 0});
        auto tagged = world.query_builder().with(tag).build();
        auto moving = world.filter<Position, Velocity>();
        entity_list found;
        moving.each_of(tagged, [&](kith::entity e, Position& p, Velocity&) {
            CHECK(p.x == 1);
            found.push_back(e);
        });
        CHECK(found == entity_list{all[1]});
        found.clear();
        tagged.each_of(moving, [&](kith::entity e) { found.push_back(e); });
        CHECK(found == entity_list{all[1]});
    }

    TEST_CASE_FIXTURE(fixture,
                      "chained queries agree row by row where values are sparse or shared") {
        kith::entity likes = world.entity().add(kith::Sparse);
        entity_list all = make(5);
        all[1].add(likes, tag);
        all[3].add(likes, tag);
        auto liking = world.filter_builder().with(likes, tag).build();
        entity_list found;
        world.query<Position>().each_of(liking,
                                        [&](kith::entity e, Position&) { found.push_back(e); });
        CHECK(found == entity_list{all[1], all[3]});
    }

    TEST_CASE_FIXTURE(fixture, "count, is_true and first") {
        auto query = world.query<Position>();
        CHECK(query.count() == 0);
        CHECK_FALSE(query.is_true());
        CHECK_FALSE(query.first());
        entity_list all = make(3);
        CHECK(query.count() == 3);
        CHECK(query.is_true());
        CHECK(query.first() == all[0]);
        CHECK(query.iter().count() == 3);
        CHECK(query.iter().is_true());
        CHECK(query.iter().first() == all[0]);
    }

    TEST_CASE_FIXTURE(fixture, "find gives the first entity that the callback accepts") {
        entity_list all = make(5);
        all[3].add(tag);
        auto check = [&](const auto& query) {
            CHECK(query.find([](Position& p) { return p.x == 2; }) == all[2]);
            CHECK(query.find([](Position& p) { return p.x == 3; }) == all[3]);
            CHECK(query.find([&](kith::entity e, Position&) { return e == all[4]; }) == all[4]);
            CHECK(query.find([](kith::iter& it, std::size_t row, Position&) {
                return it.entity(row).template get<Position>()->x == 1;
            }) == all[1]);
            CHECK_FALSE(query.find([](Position&) { return false; }));
        };
        check(world.filter<Position>());
        check(world.query<Position>());
    }

    TEST_CASE_FIXTURE(fixture, "page gives some rows, across tables") {
        entity_list all = make(6);
        all[4].add(tag);
        all[5].add(tag);
        auto check = [&](const auto& query) {
            entity_list rows;
            auto add = [&](kith::entity e, Position&) { rows.push_back(e); };
            query.page(1, 2).each(add);
            CHECK(rows == entity_list{all[1], all[2]});
            rows.clear();
            query.page(3, 2).each(add);
            CHECK(rows == entity_list{all[3], all[4]});
            rows.clear();
            query.page(5, 10).each(add);
            CHECK(rows == entity_list{all[5]});
            rows.clear();
            query.page(6, 10).each(add);
            query.page(2, 0).each(add);
            CHECK(rows.empty());
            CHECK(query.page(1, 4).count() == 4);
        };
        check(world.filter<Position>());
        check(world.query<Position>());
    }

    TEST_CASE_FIXTURE(fixture, "pages put together are everything, once") {
        entity_list all = make(17);
        for (int i = 0; i < 17; i += 3) {
            all[static_cast<std::size_t>(i)].add(tag);
        }
        auto query = world.query<Position>();
        for (int size : {1, 2, 5, 17, 100}) {
            entity_list rows;
            for (int offset = 0; offset < 17; offset += size) {
                query.page(offset, size).iter([&](kith::iter& it) {
                    for (auto row : it) {
                        rows.push_back(it.entity(row));
                    }
                });
            }
            CHECK(rows == rows_of(query));
        }
    }

    TEST_CASE_FIXTURE(fixture, "workers share each table, what is left over goes to them in turn") {
        make(8);
        for (kith::entity e : make(4)) {
            e.add(tag);
        }
        auto query = world.query<Position>();
        std::vector<std::vector<std::size_t>> shares;
        entity_list rows;
        for (int i = 0; i < 3; ++i) {
            shares.emplace_back();
            query.worker(i, 3).iter([&](kith::iter& it) {
                shares.back().push_back(it.count());
                for (auto row : it) {
                    rows.push_back(it.entity(row));
                }
            });
        }
        CHECK(shares == std::vector<std::vector<std::size_t>>{{3, 1}, {3, 1}, {2, 2}});
        CHECK(sorted(rows) == sorted(rows_of(query)));
        CHECK(query.worker(0, 1).count() == 12);
        int values = 0;
        query.worker(1, 3).each([&](Position&) { ++values; });
        CHECK(values == 4);
    }

    TEST_CASE_FIXTURE(fixture, "a run ends when its token says so, before the next table") {
        make(2);
        for (kith::entity e : make(2)) {
            e.add(tag);
        }
        std::stop_source source;
        const std::stop_token token = source.get_token();
        int rows = 0;
        auto query = world.query<Position>();
        query.iter().stop_on(token).each([&](Position&) {
            ++rows;
            source.request_stop();
        });
        CHECK(rows == 2);
        CHECK(query.iter().stop_on(token).count() == 0);
        CHECK(query.count() == 4);
    }

    TEST_CASE_FIXTURE(fixture, "a search without results ends when its token says so") {
        // 40 to the power of 5 ways to try, all in vain.
        for (kith::entity e : make(40)) {
            e.add(tag);
        }
        auto query = world.filter_builder();
        for (const char* variable : {"$a", "$b", "$c", "$d", "$e"}) {
            query.with(tag).src(variable);
        }
        for (const char* variable : {"$b", "$c", "$d", "$e"}) {
            query.with(kith::PredNeq).src("$a").second(variable);
        }
        query.none([&](auto& scope) {
            for (const char* variable : {"$a", "$b", "$c", "$d", "$e"}) {
                scope.with(tag).src(variable);
            }
        });
        struct countdown {
            mutable int left = 10;
            bool stop_requested() const { return left-- <= 0; }
        } token;
        CHECK(query.build().iter().stop_on(token).count() == 0);
        CHECK(token.left < 0);
    }

    TEST_CASE_FIXTURE(fixture, "a callback that returns false ends the run") {
        make(5);
        int rows = 0;
        world.query<Position>().each([&](Position& p) {
            ++rows;
            return p.x < 2;
        });
        CHECK(rows == 3);
        rows = 0;
        world.filter<Position>().each([&](kith::entity, Position& p) {
            ++rows;
            return p.x < 2;
        });
        CHECK(rows == 3);
    }

    TEST_CASE_FIXTURE(fixture, "handles share the query, and any of them may go first") {
        make(2);
        kith::query<Position> second;
        CHECK_FALSE(second.is_valid());
        {
            kith::query<Position> first = world.query<Position>();
            second = first;
            kith::query<Position> third(std::move(first));
            CHECK(third.count() == 2);
        }
        CHECK(second.is_valid());
        CHECK(second.count() == 2);
        second.destruct();
        CHECK_FALSE(second);
    }

    TEST_CASE_FIXTURE(fixture, "a typed handle becomes one without types") {
        make(2);
        kith::filter<> filter = world.filter<Position>();
        kith::query<> query = world.query<Position>();
        CHECK(filter.count() == 2);
        int rows = 0;
        query.each([&](kith::entity) { ++rows; });
        CHECK(rows == 2);
    }

    TEST_CASE_FIXTURE(fixture, "a named query is an entity, in its scope") {
        auto query = world.query<Position>("queries::moving");
        CHECK(query.entity() == world.lookup("queries::moving"));
        CHECK(query.entity().path() == "::queries::moving");
        CHECK_FALSE(world.query<Position>().entity());
        auto filter = world.filter_builder<Position>("still").without<Velocity>().build();
        CHECK(filter.entity().name() == "still");
    }

    TEST_CASE("a query may outlive its world, but not be used then") {
        kith::query<Position> query;
        kith::filter<Position> filter;
        {
            kith::world world;
            query = world.query<Position>();
            filter = world.filter<Position>();
            world.entity().set(Position{1, 2});
            CHECK(query.count() == 1);
        }
        auto used = [](auto&& use) { return error_of(use).has_value(); };
        CHECK(used([&] { query.each([](Position&) {}); }));
        CHECK(used([&] { query.iter([](kith::iter&) {}); }));
        CHECK(used([&] { filter.each([](Position&) {}); }));
        CHECK(used([&] { filter.count(); }));
        CHECK(used([&] { query.is_true(); }));
        CHECK(used([&] { query.first(); }));
        CHECK(used([&] { query.iter(); }));
        CHECK(used([&] { query.page(0, 1); }));
        CHECK(used([&] { query.matches(300); }));
        CHECK(used([&] { query.term(0); }));
        CHECK(used([&] { query.field_count(); }));
        CHECK(used([&] { query.entity(); }));
        CHECK(used([&] { query.str(); }));
        CHECK(used([&] { query.explain(); }));
        kith::query<Position> copy = query;
        query = {};
        CHECK(copy.is_valid());
    }

    TEST_CASE("a handle without a query says so") {
        kith::query<Position> none;
        CHECK(error_of([&] { none.each([](Position&) {}); }).has_value());
        CHECK(error_of([&] { none.count(); }).has_value());
        CHECK(error_of([&] { none.iter(); }).has_value());
        CHECK(error_of([&] { none.field_count(); }).has_value());
    }

    TEST_CASE("a component may hold a query of its world") {
        kith::world world;
        kith::entity keeper = world.entity();
        keeper.set(Holder{world.query<Position>()});
        world.entity().set(Position{1, 2});
        CHECK(keeper.get<Holder>()->query.count() == 1);
        world.entity().set(Holder{keeper.get<Holder>()->query});
        keeper.destruct();
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an id of a term that dies matches nothing") {
        kith::entity likes = world.entity();
        kith::entity friendly = world.entity();
        kith::entity e = world.entity().add(tag).add(likes, friendly);
        auto query = world.query_builder().with(tag).with(likes, friendly).build();
        auto filter = world.filter_builder().with(tag).with(likes, friendly).build();
        auto lacking = world.query_builder().with(tag).without(likes, friendly).build();
        CHECK(query.count() == 1);
        CHECK(lacking.count() == 0);
        friendly.destruct();
        CHECK(query.count() == 0);
        CHECK(filter.count() == 0);
        CHECK(rows_of(lacking) == entity_list{e});
        kith::entity reused = world.entity();
        e.add(likes, reused);
        CHECK(query.count() == 0);
        CHECK(filter.count() == 0);
        CHECK(rows_of(lacking) == entity_list{e});
    }

    TEST_CASE_FIXTURE(fixture, "deleted entities are in no result") {
        entity_list all = make(4);
        auto query = world.query<Position>();
        auto filter = world.filter<Position>();
        all[0].destruct();
        all[2].destruct();
        CHECK(sorted(rows_of(query)) == entity_list{all[1], all[3]});
        CHECK(sorted(rows_of(filter)) == entity_list{all[1], all[3]});
    }

    TEST_CASE_FIXTURE(fixture, "queries have room for 32 terms") {
        kith::entity e = world.entity();
        auto builder = world.query_builder();
        for (int i = 0; i < 32; ++i) {
            kith::entity one = world.entity();
            e.add(one);
            builder.with(one);
        }
        CHECK(found_by(builder) == entity_list{e});
        CHECK(builder.build().field_count() == 32);
    }

    TEST_CASE_FIXTURE(fixture, "constant queries can be iterated") {
        make(2);
        const auto query = world.query<Position>();
        const auto filter = world.filter<Position>();
        int rows = 0;
        query.each([&](Position&) { ++rows; });
        filter.iter([&](kith::iter& it) { rows += static_cast<int>(it.count()); });
        CHECK(rows == 4);
    }

    TEST_CASE_FIXTURE(fixture, "a run may be given its context: world, entity, iterator") {
        entity_list all = make(2);
        auto query = world.query<Position>();
        int rows = 0;
        auto count = [&](Position&) { ++rows; };
        query.each(world, count);
        query.each(all[0], count);
        query.iter([&](kith::iter& it) { query.each(it, count); });
        CHECK(rows == 6);
        query.iter(world, [&](kith::iter& it) {
            CHECK(it.world().c_ptr() == world.c_ptr());
            rows += static_cast<int>(it.count());
        });
        CHECK(rows == 8);
    }

    TEST_CASE("queries of two worlds do not mix") {
        kith::world a;
        kith::world b;
        a.entity().set(Position{1, 0});
        b.entity().set(Position{2, 0});
        b.entity().set(Position{3, 0});
        auto in_a = a.query<Position>();
        auto in_b = b.query<Position>();
        CHECK(in_a.count() == 1);
        CHECK(in_b.count() == 2);
    }
}
