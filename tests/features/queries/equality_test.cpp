// Comparing variables with entities, names and each other.
#include <kith/kith.hpp>

#include "support/bindings.hpp"
#include "support/errors.hpp"
#include "support/queries.hpp"
#include "support/query_fixture.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;
using kith::IsName;
using kith::PredEq;
using kith::PredMatch;
using kith::PredNeq;

namespace {

struct fixture : query_fixture {
    fixture() { register_all(world); }

    bool sparse = for_both_storages();
    kith::entity tag = world.entity("Tag");
    kith::entity likes = make_relation(world, sparse, "Likes");
    kith::entity hates = make_relation(world, sparse, "Hates");
    kith::entity foo = world.entity("Foo").add(tag);
    kith::entity bar = world.entity("Bar").add(tag);
    kith::entity food = world.entity("Food").add(tag);
    kith::entity nameless = world.entity().add(tag);
};

}  // namespace

TEST_SUITE("features.queries.equality") {
    // spec 201
    TEST_CASE_FIXTURE(fixture, "$this is, or is not, an entity") {
        CHECK(answer(world, {[&](auto& q) { q.with(PredEq, foo); }}) == "Foo");
        CHECK(found_by(build().with(PredEq, nameless)) == entity_list{nameless});
        CHECK(found_by(build().with(tag).without(PredEq, foo)) == sorted({bar, food, nameless}));
        CHECK(found_by(build().with(tag).with(PredNeq, foo)) == sorted({bar, food, nameless}));
        CHECK(found_by(build().without(PredEq, foo).with(tag)) == sorted({bar, food, nameless}));
        CHECK(found_by(build().with(tag).without(PredNeq, foo)) == entity_list{foo});
    }

    TEST_CASE_FIXTURE(fixture, "another variable is, or is not, an entity") {
        foo.add(likes, bar).add(likes, food);
        bar.add(likes, foo);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); },
                      [&](auto& q) { q.with(PredEq).src("$x").second(bar); }},
                     {"x"}) == "Foo x=Bar");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); },
                      [&](auto& q) { q.without(PredEq).src("$x").second(bar); }},
                     {"x"}) == "Bar x=Foo; Foo x=Food");
    }

    TEST_CASE_FIXTURE(fixture, "two variables are, or are not, the same") {
        foo.add(likes, bar).add(likes, food).add(hates, bar);
        bar.add(likes, bar);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); }, [&](auto& q) { q.with(hates, "$y"); },
                      [&](auto& q) { q.with(PredEq).src("$x").second("$y"); }},
                     {"x", "y"}) == "Foo x=Bar y=Bar");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); }, [&](auto& q) { q.with(hates, "$y"); },
                      [&](auto& q) { q.without(PredEq).src("$x").second("$y"); }},
                     {"x", "y"}) == "Foo x=Food y=Bar");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); },
                      [&](auto& q) { q.with(PredEq).src("$this").second("$x"); }},
                     {"x"}) == "Bar x=Bar");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); },
                      [&](auto& q) { q.with(PredNeq).src("$x").second("$this"); }},
                     {"x"}) == "Foo x=Bar; Foo x=Food");
    }

    // spec 202
    TEST_CASE_FIXTURE(fixture, "a name is looked up when the query runs") {
        question is_later(world, {[&](auto& q) { q.with(tag); },
                                  [&](auto& q) { q.with(PredEq).second("Later").flags(IsName); }});
        question is_not_later(world,
                              {[&](auto& q) { q.with(tag); },
                               [&](auto& q) { q.without(PredEq).second("Later").flags(IsName); },
                               [&](auto& q) { q.without(PredEq, nameless); }});
        CHECK(is_later.answer() == "");
        CHECK(is_not_later.answer() == "Bar; Foo; Food");
        kith::entity later = world.entity("Later").add(tag);
        CHECK(is_later.answer() == "Later");
        CHECK(is_not_later.answer() == "Bar; Foo; Food");
        later.set_name("Never");
        CHECK(is_later.answer() == "");
        CHECK(is_not_later.answer() == "Bar; Foo; Food; Never");
        bar.set_name("Later");
        CHECK(is_later.answer() == "Later");
        CHECK(is_not_later.answer() == "Foo; Food; Never");
        bar.destruct();
        CHECK(is_later.answer() == "");
    }

    TEST_CASE_FIXTURE(fixture, "a name is a path from the root") {
        world.entity("Foo::Inner").add(tag);
        world.entity("Inner").add(tag).add(likes, foo);
        CHECK(found_by(build().with(PredEq).second("Foo::Inner").flags(IsName)) ==
              entity_list{world.lookup("Foo::Inner")});
        CHECK(found_by(build().with(PredEq).second("Inner").flags(IsName)) ==
              entity_list{world.lookup("Inner")});
    }

    TEST_CASE_FIXTURE(fixture, "a name compares variables other than $this") {
        foo.add(likes, bar).add(likes, food);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); },
                      [&](auto& q) { q.with(PredEq).src("$x").second("Bar").flags(IsName); }},
                     {"x"}) == "Foo x=Bar");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); },
                      [&](auto& q) { q.without(PredEq).src("$x").second("Bar").flags(IsName); }},
                     {"x"}) == "Foo x=Food");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); },
                      [&](auto& q) { q.with(PredEq).src("$x").second("Nobody").flags(IsName); }},
                     {"x"}) == "");
    }

    // spec 203
    TEST_CASE_FIXTURE(fixture, "a name contains some text, in the same case") {
        auto containing = [&](const char* text) {
            return answer(world, {[&](auto& q) { q.with(tag); },
                                  [&](auto& q) { q.with(PredMatch).second(text).flags(IsName); }});
        };
        CHECK(containing("Fo") == "Foo; Food");
        CHECK(containing("oo") == "Foo; Food");
        CHECK(containing("Food") == "Food");
        CHECK(containing("fo") == "");
        CHECK(containing("FO") == "");
        CHECK(containing("Foods") == "");
        CHECK(containing("") == "Bar; Foo; Food");
    }

    TEST_CASE_FIXTURE(fixture, "what has no name contains nothing") {
        CHECK(found_by(build().with(tag).with(PredMatch).second("").flags(IsName)) ==
              sorted({foo, bar, food}));
        CHECK(found_by(build().with(tag).without(PredMatch).second("Fo").flags(IsName)) ==
              sorted({bar, nameless}));
        CHECK(found_by(build().with(tag).without(PredMatch).second("").flags(IsName)) ==
              entity_list{nameless});
    }

    TEST_CASE_FIXTURE(fixture, "only the own name counts, not the path") {
        world.entity("Foo::child").add(tag);
        CHECK(found_by(build().with(tag).with(PredMatch).second("Fo").flags(IsName)) ==
              sorted({foo, food}));
        CHECK(found_by(build().with(tag).with(PredMatch).second("hil").flags(IsName)) ==
              entity_list{world.lookup("Foo::child")});
    }

    TEST_CASE_FIXTURE(fixture, "a match of names follows renaming") {
        question with_fo(world, {[&](auto& q) { q.with(tag); },
                                 [&](auto& q) { q.with(PredMatch).second("Fo").flags(IsName); }});
        CHECK(with_fo.answer() == "Foo; Food");
        foo.set_name("Gnu");
        CHECK(with_fo.answer() == "Food");
        bar.set_name("Foal");
        CHECK(with_fo.answer() == "Foal; Food");
    }

    TEST_CASE_FIXTURE(fixture, "a match of the name of another variable") {
        foo.add(likes, bar).add(likes, food);
        bar.add(likes, nameless);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); },
                      [&](auto& q) { q.with(PredMatch).src("$x").second("oo").flags(IsName); }},
                     {"x"}) == "Foo x=Food");
        CHECK(found_by(build()
                           .with(likes, "$x")
                           .without(PredMatch)
                           .src("$x")
                           .second("Ba")
                           .flags(IsName)) == sorted({foo, bar}));
    }

    // spec 204
    TEST_CASE_FIXTURE(fixture, "== gives a value to a variable that nothing else binds") {
        foo.add(likes, bar);
        bar.add(hates, food);
        CHECK(answer(world, {[&](auto& q) { q.with(PredEq).src("$x").second(bar); }}, {"x"}) ==
              "() x=Bar");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(PredEq).src("$x").second("Bar").flags(IsName); }},
                     {"x"}) == "() x=Bar");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(PredEq).src("$x").second("Nobody").flags(IsName); }},
                     {"x"}) == "");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); },
                      [&](auto& q) { q.with(PredEq).src("$y").second("$x"); }},
                     {"x", "y"}) == "Foo x=Bar y=Bar");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); },
                      [&](auto& q) { q.with(PredEq).src("$x").second("$y"); },
                      [&](auto& q) { q.with(hates, "$z").src("$y"); }},
                     {"y", "z"}) == "Foo y=Bar z=Food");
    }

    TEST_CASE_FIXTURE(fixture, "== passes a value on along several variables") {
        foo.add(likes, bar);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(PredEq).src("$a").second("$b"); },
                      [&](auto& q) { q.with(PredEq).src("$b").second("$c"); },
                      [&](auto& q) { q.with(PredEq).src("$c").second(bar); },
                      [&](auto& q) { q.with(likes, "$a"); }},
                     {"a", "b", "c"}) == "Foo a=Bar b=Bar c=Bar");
    }

    // spec 205
    TEST_CASE_FIXTURE(fixture, "comparisons combine with Or") {
        CHECK(answer(world, {[&](auto& q) { q.with(PredEq, foo).or_().with(PredEq, bar); }}) ==
              "Bar; Foo");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(tag); },
                      [&](auto& q) {
                          q.with(PredEq, bar).or_().with(PredMatch).second("Food").flags(IsName);
                      }}) == "Bar; Food");
        CHECK(answer(world, {[&](auto& q) {
                         q.with(PredEq).src("$x").second(foo).or_().with(PredEq).src("$x").second(
                             bar);
                     }},
                     {"x"}) == "() x=Bar; () x=Foo");
    }

    TEST_CASE_FIXTURE(fixture, "comparisons stand in scopes") {
        foo.add(likes, bar);
        bar.add(likes, bar);
        // Those that like something other than themselves.
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$any"); },
                      [&](auto& q) {
                          q.scope_open()
                              .not_()
                              .with(likes, "$x")
                              .with(PredEq)
                              .src("$x")
                              .second("$this")
                              .scope_close();
                      }},
                     {"any"}) == "Foo any=Bar");
    }

    TEST_CASE_FIXTURE(fixture, "the field of a comparison exists and is never set") {
        auto query = build().with(tag).with(PredEq, foo).without(PredEq, bar).build();
        CHECK(query.field_count() == 3);
        CHECK(results_of(query) == "Foo: Tag, -, -\n");
    }

    TEST_CASE_FIXTURE(fixture, "prefabs are no results of a comparison, but values of variables") {
        kith::entity fab = world.prefab("Fab").add(tag);
        CHECK(found_by(build().with(PredEq, fab)).empty());
        CHECK(answer(world, {[&](auto& q) { q.with(PredEq).src("$x").second(fab); }}, {"x"}) ==
              "() x=Fab");
    }

    TEST_CASE_FIXTURE(fixture, "comparisons that contradict each other find nothing") {
        CHECK(found_by(build().with(PredEq, foo).with(PredEq, bar)).empty());
        CHECK(found_by(build().with(PredEq, foo).without(PredEq, foo)).empty());
        CHECK(found_by(build().with(PredEq, foo).with(PredMatch).second("Bar").flags(IsName))
                  .empty());
    }

    TEST_CASE_FIXTURE(fixture, "$this alone in != and ~= goes through all entities") {
        const entity_list others = found_by(build().without(PredEq, foo));
        CHECK(std::find(others.begin(), others.end(), foo) == others.end());
        CHECK(std::find(others.begin(), others.end(), bar) != others.end());
        CHECK(std::find(others.begin(), others.end(), nameless) != others.end());
        CHECK(found_by(build().with(PredMatch).second("Foo").flags(IsName)) == sorted({foo, food}));
    }

    TEST_CASE_FIXTURE(fixture, "a comparison with a dead entity") {
        auto query = world.query_builder().with(tag).with(PredEq, foo).build();
        auto other = world.query_builder().with(tag).without(PredEq, foo).build();
        foo.destruct();
        CHECK(query.count() == 0);
        CHECK(other.count() == 3);
        // Its number is given to somebody else.
        world.entity("Next").add(tag);
        CHECK(query.count() == 0);
        CHECK(other.count() == 4);
        CHECK(refused(build().with(PredEq, foo)).has_value());
        CHECK(refused(build().with(tag).without(PredEq, foo)).has_value());
    }

    TEST_CASE_FIXTURE(fixture, "variables that a comparison needs and nothing binds") {
        CHECK(refused(build().with(tag).without(PredEq).src("$x").second(foo)) ==
              errc::invalid_query);
        CHECK(refused(build().with(tag).with(PredNeq).src("$x").second(foo)) ==
              errc::invalid_query);
        CHECK(refused(build().with(tag).with(PredMatch).src("$x").second("Fo").flags(IsName)) ==
              errc::invalid_query);
        CHECK(refused(build().with(tag).with(PredEq).src("$x").second("$y")) ==
              errc::invalid_query);
        CHECK(refused(build().with(tag).without(PredEq).second("$x")) == errc::invalid_query);
        CHECK(contains(message(build().with(tag).without(PredEq).src("$who").second(foo)), "who"));
    }

    TEST_CASE_FIXTURE(fixture, "comparisons that say nothing") {
        CHECK(refused(build().with(tag).with(PredEq)) == errc::invalid_query);
        CHECK(refused(build().with(tag).with(PredMatch)) == errc::invalid_query);
        CHECK(refused(build().with(tag).with(PredEq).second("Nobody")) == errc::invalid_query);
        CHECK(refused(build().with(tag).with(PredMatch, foo)) == errc::invalid_query);
        CHECK(refused(build().with(tag).with(PredEq, foo).src(bar).up(kith::ChildOf)) ==
              errc::invalid_query);
    }
}
