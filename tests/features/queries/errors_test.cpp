// Queries that cannot be made are refused with an error that names the term, and leave nothing
// behind.
#include "support/errors.hpp"

#include <kith/kith.hpp>

#include "support/queries.hpp"
#include "support/query_fixture.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::ChildOf;
using kith::errc;
using kith::Wildcard;

namespace {

struct fixture : query_fixture {
    fixture() { register_all(world); }

    kith::entity tag = world.entity("Tag");
    kith::entity likes = world.entity("Likes");
    kith::entity bob = world.entity("bob");
};

}  // namespace

TEST_SUITE("features.queries.errors") {
    TEST_CASE_FIXTURE(fixture, "a term that names nothing") {
        CHECK(refused(build().term()) == errc::invalid_query);
        CHECK(refused(build().with(tag).term().not_()) == errc::invalid_query);
        CHECK(refusal(world, [&] { build().with(kith::entity_t{0}); }) == errc::invalid_query);
        CHECK(refused(build().term().second(bob)) == errc::invalid_query);
        CHECK(refused(build().term().src(bob)) == errc::invalid_query);
        CHECK(contains(message(build().with(tag).term()), "2"));
    }

    TEST_CASE_FIXTURE(fixture, "a query without terms is the same, cached or not") {
        CHECK_NOTHROW(found_by(build()));
        CHECK(world.query(kith::query_desc{}).count() == world.filter(kith::query_desc{}).count());
    }

    TEST_CASE_FIXTURE(fixture, "names that nobody has") {
        CHECK(refused(build().with("nobody")) == errc::invalid_query);
        CHECK(refused(build().with("Likes", "nobody")) == errc::invalid_query);
        CHECK(refused(build().with(tag).src("nobody")) == errc::invalid_query);
        CHECK(refused(build().term().first("Likes").second("no::body")) == errc::invalid_query);
        CHECK(contains(message(build().with("nobody")), "nobody"));
        CHECK(contains(message(build().with(tag).src("nowhere")), "nowhere"));
    }

    TEST_CASE_FIXTURE(fixture, "entities that are dead when the query is made") {
        kith::entity dead = world.entity();
        dead.destruct();
        CHECK(refused(build().with(dead)).has_value());
        CHECK(refused(build().with(likes, dead)).has_value());
        CHECK(refused(build().with(dead, bob)).has_value());
        CHECK(refused(build().with(tag).src(dead)).has_value());
        CHECK(refused(build().with(tag).up(dead)).has_value());
    }

    TEST_CASE_FIXTURE(fixture, "relationships that may be cyclic cannot be followed") {
        CHECK(refused(build().with(tag).up(likes)) == errc::invalid_query);
        CHECK(refused(build().with(tag).down(likes)) == errc::invalid_query);
        CHECK(refused(build().with(tag).cascade(likes)) == errc::invalid_query);
        CHECK(refused(build().with(tag).src(bob).up(likes)) == errc::invalid_query);
        const std::string text = message(build().with(tag).up(likes));
        CHECK(contains(text, "Likes"));
        CHECK(contains(text, "Traversable"));
    }

    TEST_CASE_FIXTURE(fixture, "flags that exclude each other") {
        CHECK(refused(build().with(tag).up(ChildOf).down(ChildOf)) == errc::invalid_query);
        CHECK(refused(build().with(tag).cascade(ChildOf).down(ChildOf)) == errc::invalid_query);
        CHECK(refused(build().with(tag).parent().up(kith::IsA)) == errc::invalid_query);
        CHECK(refused(build().with(tag).desc()) == errc::invalid_query);
        CHECK(refused(build().with(tag).up(ChildOf).desc()) == errc::invalid_query);
        CHECK(refused(build().with(tag).up(ChildOf).min_depth(3).max_depth(2)) ==
              errc::invalid_query);
        CHECK(refused(build().with(tag).self().max_depth(2)) == errc::invalid_query);
    }

    TEST_CASE_FIXTURE(fixture, "an order by the depth of something else than the results") {
        CHECK(refused(build().with<Position>().with(tag).src(bob).cascade(ChildOf)) ==
              errc::invalid_query);
    }

    TEST_CASE_FIXTURE(fixture, "cascade by two terms") {
        CHECK(refused(build().with(tag).cascade(ChildOf).with(likes).cascade(ChildOf)) ==
              errc::invalid_query);
    }

    TEST_CASE_FIXTURE(fixture, "Or with nothing to join") {
        CHECK(refused(build().with(tag).or_().without(likes)) == errc::invalid_query);
        CHECK(refused(build().with(tag).or_().with(likes).optional()) == errc::invalid_query);
        CHECK(refused(build().with(tag).or_().with(bob).and_from()) == errc::invalid_query);
    }

    TEST_CASE_FIXTURE(fixture, "lists that are no entity") {
        CHECK(refused(build().with(likes, bob).and_from()) == errc::invalid_query);
        CHECK(refused(build().with(Wildcard).or_from()) == errc::invalid_query);
        CHECK(refused(build().with(kith::Any).not_from()) == errc::invalid_query);
    }

    // spec 132
    TEST_CASE_FIXTURE(fixture, "what has no meaning is refused with a message, never ignored") {
        CHECK(refused(build().with(tag).src(Wildcard)) == errc::invalid_query);
        CHECK_FALSE(message(build().with(tag).src(Wildcard)).empty());
    }

    TEST_CASE_FIXTURE(fixture, "every operator with every way of searching, cached or not") {
        kith::entity part_of = world.entity("PartOf").add(kith::Traversable);
        kith::entity sparse = world.entity("InsideOf").add(kith::Traversable).add(kith::Sparse);
        kith::entity top = world.entity("top").add(tag).add(likes, bob);
        kith::entity e = world.entity("e").add(tag).add(part_of, top).add(sparse, top);
        CHECK(e.is_alive());
        for (kith::entity relation : {part_of, sparse}) {
            for (kith::oper_kind_t oper : {kith::And, kith::Not, kith::Optional}) {
                for (std::uint32_t flags :
                     {kith::Self, kith::Up, kith::Self | kith::Up, kith::Down,
                      kith::Self | kith::Down, kith::Cascade, kith::Self | kith::Cascade,
                      kith::Cascade | kith::Desc, kith::Up | kith::TraverseAll}) {
                    for (kith::entity_t source : {kith::entity_t{0}, e.id()}) {
                        for (kith::entity_t second : {bob.id(), kith::Wildcard, kith::Any}) {
                            auto builder = build().with(tag).with(likes, second).oper(oper);
                            builder.flags(flags);
                            if (flags != kith::Self) {
                                builder.trav(relation);
                            }
                            if (source) {
                                if (flags & kith::Cascade) {
                                    continue;
                                }
                                builder.src(source);
                            }
                            CAPTURE(std::string(builder.build().str().c_str()));
                            CHECK_NOTHROW(results_of(builder));
                        }
                    }
                }
            }
        }
    }

    TEST_CASE_FIXTURE(fixture, "a name that is taken by something else") {
        CHECK_NOTHROW(world.query<Position>("one"));
        auto again = refusal(world, [&] { world.query<Position>("bob::"); });
        CHECK(again.has_value());
    }

    TEST_CASE_FIXTURE(fixture, "a worker that does not exist") {
        auto query = world.query<Position>();
        CHECK(error_of([&] { query.worker(-1, 2); }).has_value());
        CHECK(error_of([&] { query.worker(2, 2); }).has_value());
        CHECK(error_of([&] { query.worker(0, 0); }).has_value());
    }

    TEST_CASE_FIXTURE(fixture, "a page that begins before the first row or has less than none") {
        auto query = world.query<Position>();
        CHECK(error_of([&] { query.page(-1, 2); }) == errc::invalid_query);
        CHECK(error_of([&] { query.page(0, -1); }) == errc::invalid_query);
        CHECK(error_of([&] { query.iter().page(-3, -4); }) == errc::invalid_query);
        CHECK_NOTHROW(query.page(0, 0));
    }

    TEST_CASE_FIXTURE(fixture, "a failed builder can be repaired") {
        auto builder = build().with(tag).up(likes);
        CHECK(error_of([&] { builder.build(); }) == errc::invalid_query);
        likes.add(kith::Traversable);
        CHECK_NOTHROW(builder.build());
    }

    TEST_CASE_FIXTURE(fixture, "64 terms are the most") {
        auto with_terms = [&](int count) {
            auto builder = build();
            kith::entity e = world.entity();
            for (int i = 0; i < count; ++i) {
                kith::entity one = world.entity();
                e.add(one);
                builder.with(one);
            }
            return builder;
        };
        CHECK(found_by(with_terms(33)).size() == 1);
        CHECK(found_by(with_terms(64)).size() == 1);
        auto code = error_of([&] { with_terms(65).build(); });
        CHECK((code == errc::limit || code == errc::invalid_query));
        code = error_of([&] { with_terms(300).build(); });
        CHECK((code == errc::limit || code == errc::invalid_query));
    }
}
