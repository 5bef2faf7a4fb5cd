#include <kith/kith.hpp>

#include "support/queries.hpp"
#include "support/world_fixture.hpp"

using namespace kith_test;
using kith::errc;
using kith::Wildcard;

namespace {

struct fixture : world_fixture {
    kith::entity tag = world.entity("Tag");
    kith::entity apple = world.entity("apple");
    kith::entity plain = world.entity("plain").set(Position{1, 2});
    kith::entity mover = world.entity("mover").set(Position{3, 4}).set(Velocity{5, 6});
    kith::entity hot = world.entity("hot").set(Position{7, 8}).add<Hot>();
    kith::entity eater = world.entity("eater").set<Eats>(apple, {9});
};

template <class Query>
const kith::term term_of(const Query& query, int index) {
    return query.term(index);
}

}  // namespace

TEST_SUITE("features.queries.builder") {
    // spec 140
    TEST_CASE_FIXTURE(fixture, "template arguments are the terms") {
        auto query = world.query<Position, const Velocity>();
        CHECK(rows_of(query) == entity_list{mover});
        CHECK(term_of(query, 0).id() == world.id<Position>());
        CHECK(term_of(query, 1).id() == world.id<Velocity>());
        CHECK(term_of(query, 1).inout() == kith::In);
        query.each([](Position& p, const Velocity& v) { CHECK(p.x + v.x == 8); });
    }

    // spec 141
    TEST_CASE_FIXTURE(fixture, "terms are added one by one, then the query is built") {
        for (bool only_hot : {false, true}) {
            auto builder = world.query_builder<Position>();
            if (only_hot) {
                builder.with<Hot>();
            }
            builder.without<Velocity>();
            CHECK(found_by(builder) == (only_hot ? entity_list{hot} : entity_list{plain, hot}));
        }
    }

    TEST_CASE_FIXTURE(fixture, "a builder may be copied, and used again after it built") {
        auto builder = world.filter_builder<Position>();
        auto copy = builder;
        copy.without("Tag").with("kith_test.Hot");
        auto second = copy;
        CHECK(builder.build().count() == 3);
        CHECK(rows_of(copy.build()) == entity_list{hot});
        CHECK(rows_of(second.build()) == entity_list{hot});
        builder.with<Velocity>();
        CHECK(builder.build().count() == 1);
        auto moved = std::move(second);
        CHECK(rows_of(moved.build()) == entity_list{hot});
    }

    // spec 142
    TEST_CASE_FIXTURE(fixture, "terms of the builder do not change what callbacks take") {
        auto query = world.query_builder<Position>().with<Velocity>().term<Label>().optional();
        int calls = 0;
        query.build().each([&](Position& p) {
            CHECK(p.x == 3);
            ++calls;
        });
        query.build().iter([&](kith::iter& it, Position* p) {
            CHECK(p->y == 4);
            CHECK(it.id(2) == world.id<Velocity>());
            CHECK(it.field_count() == 3);
            ++calls;
        });
        CHECK(calls == 2);
    }

    // spec 143
    TEST_CASE_FIXTURE(fixture, "a term is given by type, id, pair, type and id, or name") {
        CHECK(found_by(world.filter_builder().term<Velocity>()) == entity_list{mover});
        CHECK(found_by(world.filter_builder().term(world.id<Velocity>())) == entity_list{mover});
        CHECK(found_by(world.filter_builder().term("kith_test::Velocity")) == entity_list{mover});
        const entity_list eats{eater};
        CHECK(found_by(world.filter_builder().term<Eats>(apple)) == eats);
        CHECK(found_by(world.filter_builder().term<Eats>("apple")) == eats);
        CHECK(found_by(world.filter_builder().term(world.component<Eats>(), apple)) == eats);
        CHECK(found_by(world.filter_builder().term(world.component<Eats>(), "apple")) == eats);
        CHECK(found_by(world.filter_builder().term(world.pair<Eats>(apple))) == eats);
        CHECK(found_by(world.filter_builder().term("kith_test.Eats", "apple")) == eats);
        CHECK(found_by(world.filter_builder().term("kith_test.Eats", apple)) == eats);
        eater.add<Eats, Hot>();
        CHECK(found_by(world.filter_builder().term<Eats, Hot>()) == eats);
        CHECK(found_by(world.filter_builder().term<kith::pair<Eats, Hot>>()) == eats);
    }

    TEST_CASE_FIXTURE(fixture, "an enum constant is a term, and so is any constant") {
        plain.add(Color::Red);
        hot.add(Color::Blue);
        CHECK(found_by(world.filter_builder().term(Color::Red)) == entity_list{plain});
        CHECK(found_by(world.filter_builder().with(Color::Green)).empty());
        CHECK(found_by(world.filter_builder().with<Color>()) == sorted({plain, hot}));
        plain.add<Likes>(Color::Green);
        CHECK(found_by(world.filter_builder().with<Likes>(Color::Green)) == entity_list{plain});
    }

    // spec 144
    TEST_CASE_FIXTURE(fixture, "with, without, read and write are short for term and modifiers") {
        CHECK(found_by(world.filter_builder<Position>().with<Velocity>()) ==
              found_by(world.filter_builder<Position>().term<Velocity>()));
        CHECK(found_by(world.filter_builder<Position>().without<Velocity>()) ==
              found_by(world.filter_builder<Position>().term<Velocity>().not_()));
        CHECK(found_by(world.filter_builder<Position>().without<Eats>(Wildcard).without(tag)) ==
              entity_list{plain, mover, hot});
        CHECK(found_by(world.filter_builder().with<Eats>("apple")) == entity_list{eater});
        CHECK(found_by(world.filter_builder().with<Eats, Hot>()).empty());
        CHECK(found_by(world.filter_builder<Position>().without<Eats, Hot>()).size() == 3);
        auto query =
            world.filter_builder().term<Position>().read().term<Velocity>().write().build();
        CHECK(term_of(query, 0).inout() == kith::In);
        CHECK(term_of(query, 1).inout() == kith::Out);
    }

    // spec 145
    TEST_CASE_FIXTURE(fixture, "first, second and src set the parts of the last term") {
        const entity_list eats{eater};
        auto build = [&] { return world.filter_builder(); };
        CHECK(found_by(build().term().first<Eats>().second(apple)) == eats);
        CHECK(found_by(build().term().first("kith_test.Eats").second("apple")) == eats);
        CHECK(found_by(build().term().first(world.component<Eats>()).second(Wildcard)) == eats);
        CHECK(found_by(build().with<Eats>().second(apple)) == eats);
        CHECK(found_by(build().with<Eats>(tag).second(apple)) == eats);
        CHECK(found_by(build().term().first().id(world.component<Eats>()).second().name("apple")) ==
              eats);
        CHECK(build().with<Eats>(apple).src(eater).build().is_true());
        CHECK(build().with<Eats>(apple).src("eater").build().is_true());
        CHECK(build().with<Eats>(apple).src().name("eater").build().is_true());
        CHECK_FALSE(build().with<Eats>(apple).src(hot).build().is_true());
    }

    TEST_CASE_FIXTURE(fixture, "the parts have their older names, too") {
        const entity_list eats{eater};
        auto build = [&] { return world.filter_builder(); };
        CHECK(found_by(build().term().pred(world.component<Eats>()).obj(apple)) == eats);
        CHECK(found_by(build().term().pred("kith_test.Eats").object("apple")) == eats);
        CHECK(build().with<Eats>(apple).subj(eater).build().is_true());
    }

    // spec 146
    TEST_CASE_FIXTURE(fixture, "arg and term_at go back to an earlier term, counted from 1") {
        auto query = world.filter_builder<Position, Velocity>()
                         .with<Hot>()
                         .optional()
                         .arg(2)
                         .src(mover)
                         .term_at(1)
                         .in()
                         .build();
        CHECK(query.count() == 3);
        CHECK(term_of(query, 0).inout() == kith::In);
        CHECK(term_of(query, 1).get_src() == mover);
        CHECK(found_by(world.filter_builder<Position>().with<Hot>().term_at(2).not_()) ==
              entity_list{plain, mover});
    }

    TEST_CASE_FIXTURE(fixture, "arg beyond the template arguments is refused") {
        for (int index : {-1, 0, 3, 4}) {
            CHECK(error_of([&] {
                      world.filter_builder<Position, Velocity>().with<Hot>().arg(index);
                  }) == errc::invalid_query);
        }
        for (int index : {-1, 0, 4}) {
            CHECK(error_of([&] {
                      world.filter_builder<Position, Velocity>().with<Hot>().term_at(index);
                  }) == errc::invalid_query);
        }
        CHECK(error_of([&] { world.filter_builder().arg(1); }) == errc::invalid_query);
    }

    TEST_CASE_FIXTURE(fixture, "a modifier without a term is refused") {
        CHECK(error_of([&] { world.filter_builder().not_(); }) == errc::invalid_query);
        CHECK(error_of([&] { world.filter_builder().src(mover); }) == errc::invalid_query);
        CHECK(error_of([&] { world.filter_builder().up(kith::ChildOf); }) == errc::invalid_query);
        CHECK(error_of([&] { world.query_builder().in(); }) == errc::invalid_query);
    }

    // spec 159
    TEST_CASE_FIXTURE(fixture, "include and exclude take lists") {
        mover.add(tag);
        CHECK(found_by(world.filter_builder().include<Position, Velocity>()) == entity_list{mover});
        CHECK(found_by(world.filter_builder().include(tag, world.id<Position>())) ==
              entity_list{mover});
        CHECK(found_by(world.filter_builder().include<Position>().exclude<Velocity, Hot>()) ==
              entity_list{plain});
        CHECK(found_by(world.filter_builder<Position>().exclude(tag, world.id<Hot>())) ==
              entity_list{plain});
        CHECK(found_by(world.filter_builder<Position>().exclude(
                  world.pair(kith::ChildOf, Wildcard))) == entity_list{plain, mover, hot});
    }

    TEST_CASE_FIXTURE(fixture, "a term is prepared by itself and handed to a builder") {
        kith::term velocity = world.term<Velocity>();
        velocity.not_();
        CHECK(found_by(world.filter_builder<Position>().term(std::move(velocity))) ==
              entity_list{plain, hot});
        kith::term eats = world.term(world.component<Eats>(), apple);
        CHECK(eats.id() == world.pair<Eats>(apple));
        CHECK(rows_of(world.filter_builder().term(std::move(eats)).build()) == entity_list{eater});
        kith::term named = world.term<Velocity>();
        named.src("mover");
        CHECK(world.filter_builder().term(std::move(named)).build().is_true());
        kith::term pair = world.term<Eats, Hot>();
        CHECK(pair.get_first() == world.component<Eats>());
        CHECK(pair.get_second() == world.component<Hot>());
    }

    TEST_CASE_FIXTURE(fixture, "a query tells its terms") {
        auto query = world.filter_builder<Position>()
                         .with<Eats>(apple)
                         .not_()
                         .with<Hot>()
                         .or_()
                         .with(tag)
                         .with<Velocity>()
                         .src(mover)
                         .build();
        std::vector<kith::oper_kind_t> operators;
        std::vector<kith::id_t> ids;
        query.each_term([&](const kith::term& term) {
            operators.push_back(term.oper());
            ids.push_back(term.id());
        });
        CHECK(operators ==
              std::vector<kith::oper_kind_t>{kith::And, kith::Not, kith::Or, kith::And, kith::And});
        CHECK(ids == std::vector<kith::id_t>{world.id<Position>(), world.pair<Eats>(apple),
                                             world.id<Hot>(), tag, world.id<Velocity>()});
        CHECK(term_of(query, 0).get_src() == kith::This);
        CHECK(term_of(query, 0).get_first() == world.component<Position>());
        CHECK(term_of(query, 0).get_second() == 0);
        CHECK(term_of(query, 1).get_first() == world.component<Eats>());
        CHECK(term_of(query, 1).get_second() == apple);
        CHECK(term_of(query, 4).get_src() == mover);
        CHECK(query.field_count() == 4);
        CHECK(error_of([&] { query.term(5); }) == errc::invalid_query);
        CHECK(error_of([&] { query.term(-1); }) == errc::invalid_query);
    }

    TEST_CASE_FIXTURE(fixture, "the text of a query has its terms") {
        auto query = world.filter_builder<Position>()
                         .with<Velocity>()
                         .not_()
                         .with(world.entity("Likes"), apple)
                         .optional()
                         .build();
        const std::string text = query.str().c_str();
        CHECK(contains(text, "kith_test.Position"));
        CHECK(contains(text, "!kith_test.Velocity"));
        CHECK(contains(text, "?(Likes,apple)"));
        kith::string converted = query;
        CHECK(text == converted.c_str());
    }

    TEST_CASE_FIXTURE(fixture, "names are copied: the caller's may change") {
        std::string name = "apple";
        auto builder = world.filter_builder().term<Eats>(name.c_str());
        name.assign("xxxxx");
        CHECK(found_by(builder) == entity_list{eater});
    }

    TEST_CASE_FIXTURE(fixture, "more terms than fit in place, with names") {
        auto builder = world.filter_builder<Position>();
        for (int i = 0; i < 12; ++i) {
            std::string name = "n" + std::to_string(i);
            mover.add(world.entity(name.c_str()));
            builder.with(name.c_str());
        }
        auto copy = builder;
        CHECK(found_by(copy) == entity_list{mover});
        CHECK(builder.build().field_count() == 13);
    }

    TEST_CASE_FIXTURE(fixture, "a copy of a builder has the name of its query") {
        auto copy = [&] {
            auto builder = world.query_builder<Position>(std::string("movers").c_str());
            auto made = builder;
            return made;
        }();
        const kith::query<Position> made = copy.build();
        CHECK(made.entity() == world.lookup("movers"));
        CHECK(made.entity());
    }
}
