#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/queries.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct fixture {
    kith::world world;
    kith::entity e = world.entity("e").set(Position{1, 2}).set(Velocity{3, 4}).add<Hot>();

    // Whether the first field may be asked for as something to write.
    template <class Query>
    bool may_write(const Query& query, std::int32_t index = 1) const {
        bool allowed = true;
        int results = 0;
        query.iter([&](kith::iter& it) {
            ++results;
            CHECK_NOTHROW(it.field<const Position>(index));
            const auto code = error_of([&] { it.field<Position>(index); });
            CHECK((!code || code == errc::invalid_query));
            CHECK(it.is_readonly(index) == code.has_value());
            allowed = allowed && !code;
        });
        CHECK(results > 0);
        return allowed;
    }
};

template <class Query>
kith::inout_kind_t access_of(const Query& query, int index) {
    const kith::term term = query.term(index);
    return term.inout();
}

}  // namespace

TEST_SUITE("features.queries.access") {
    // spec 184
    TEST_CASE_FIXTURE(fixture, "each term has an access of its own") {
        for (kith::inout_kind_t access :
             {kith::In, kith::Out, kith::InOut, kith::InOutNone, kith::InOutDefault}) {
            auto query =
                world.filter_builder().term<Velocity>().term<Position>().inout(access).build();
            CHECK(access_of(query, 0) == kith::InOutDefault);
            CHECK(access_of(query, 1) == access);
        }
        CHECK_FALSE(may_write(world.filter_builder().term<Position>().inout(kith::In).build()));
        CHECK(may_write(world.filter_builder().term<Position>().inout(kith::Out).build()));
        CHECK(may_write(world.filter_builder().term<Position>().inout(kith::InOut).build()));
    }

    // spec 185
    TEST_CASE_FIXTURE(fixture, "const means In, for template arguments and for terms") {
        auto query = world.query<const Position, Velocity, const Velocity*>();
        CHECK(access_of(query, 0) == kith::In);
        CHECK(access_of(query, 1) != kith::In);
        CHECK(access_of(query, 2) == kith::In);
        CHECK_FALSE(may_write(query));
        CHECK(access_of(world.filter_builder().term<const Position>().build(), 0) == kith::In);
        CHECK(may_write(world.query<Position>()));
    }

    // spec 186
    TEST_CASE_FIXTURE(fixture, "the default depends on who has the value") {
        CHECK(may_write(world.filter_builder().term<Position>().build()));
        CHECK_FALSE(may_write(world.filter_builder().term<Position>().src(e).build()));
        kith::entity child = world.entity().child_of(e);
        CHECK_FALSE(may_write(world.filter_builder().term<Position>().up(kith::ChildOf).build()));
        // A tag has nothing to write, and nothing that may not be.
        world.filter_builder().term<Hot>().build().iter(
            [](kith::iter& it) { CHECK(it.field(1) == nullptr); });
        CHECK(child.is_alive());
    }

    TEST_CASE_FIXTURE(fixture, "a field is write-only if the access of its term is Out") {
        for (kith::inout_kind_t access :
             {kith::In, kith::Out, kith::InOut, kith::InOutNone, kith::InOutDefault}) {
            int results = 0;
            auto look = [&](kith::iter& it) {
                CHECK_FALSE(it.is_writeonly(1));
                CHECK(it.is_writeonly(2) == (access == kith::Out));
                CHECK(error_of([&] { it.is_writeonly(3); }) == errc::invalid_query);
                ++results;
            };
            world.filter_builder().term<Velocity>().term<Position>().inout(access).build().iter(
                look);
            world.query_builder().term<Velocity>().term<Position>().inout(access).build().iter(
                look);
            CHECK(results == 2);
        }
    }

    // spec 187
    TEST_CASE_FIXTURE(fixture, "what is shared is read only where it is shared") {
        kith::entity inst = world.entity("inst").is_a(e);
        kith::entity owner = world.entity("owner").set(Position{5, 6});
        int shared = 0;
        int owned = 0;
        world.filter_builder().term<Position>().build().iter([&](kith::iter& it) {
            const auto code = error_of([&] { it.field<Position>(1); });
            for (auto row : it) {
                if (it.entity(row) == inst) {
                    CHECK(code == errc::invalid_query);
                    CHECK(it.is_readonly(1));
                    ++shared;
                } else {
                    CHECK_FALSE(code);
                    CHECK_FALSE(it.is_readonly(1));
                    ++owned;
                }
            }
        });
        CHECK(shared == 1);
        CHECK(owned == 2);
        CHECK(owner.is_alive());
    }

    // spec 188
    TEST_CASE_FIXTURE(fixture,
                      "writing through a field that is In is refused, and says how not to") {
        auto query = world.filter_builder().term<Velocity>().term<Position>().in().build();
        query.iter([](kith::iter& it) {
            const std::string message = message_of([&] { it.field<Position>(2); });
            CHECK(contains(message, "Position"));
            CHECK(contains(message, "const"));
        });
        CHECK_FALSE(may_write(query, 2));
    }

    TEST_CASE_FIXTURE(fixture, "what is stated explicitly wins over the default") {
        CHECK(may_write(world.filter_builder().term<Position>().src(e).inout().build()));
        CHECK(may_write(world.filter_builder().term<Position>().src(e).out().build()));
        world.entity("inst").is_a(e);
        CHECK(may_write(world.filter_builder().term<Position>().inout().build()));
    }

    TEST_CASE_FIXTURE(fixture, "template arguments that are not const may be written") {
        CHECK(may_write(world.filter_builder<Position>().arg(1).src(e).build()));
    }

    // spec 191
    TEST_CASE_FIXTURE(fixture, "each access has a modifier without arguments") {
        auto query = world.filter_builder()
                         .term<Position>()
                         .in()
                         .term<Position>()
                         .out()
                         .term<Position>()
                         .inout()
                         .term<Position>()
                         .inout_none()
                         .term<Position>()
                         .filter()
                         .build();
        CHECK(access_of(query, 0) == kith::In);
        CHECK(access_of(query, 1) == kith::Out);
        CHECK(access_of(query, 2) == kith::InOut);
        CHECK(access_of(query, 3) == kith::InOutNone);
        CHECK(access_of(query, 4) == kith::InOutNone);
    }

    TEST_CASE_FIXTURE(fixture, "a term tells its access") {
        auto query = world.filter<const Position, Velocity>();
        CHECK(query.term(0).inout() == kith::In);
        std::vector<kith::inout_kind_t> seen;
        query.each_term([&](kith::term& term) { seen.push_back(term.inout()); });
        CHECK(seen[0] == kith::In);
    }

    TEST_CASE_FIXTURE(fixture, "terms added by with have no access, and can be read all the same") {
        auto query = world.filter_builder().with<Position>().build();
        CHECK(access_of(query, 0) == kith::InOutNone);
        int calls = 0;
        query.iter([&](kith::iter& it) {
            CHECK(it.field<const Position>(1)->x == 1);
            ++calls;
        });
        CHECK(calls == 1);
        auto stated = world.filter_builder().with<Position>().inout().build();
        CHECK(access_of(stated, 0) == kith::InOut);
    }

    TEST_CASE_FIXTURE(fixture, "parameters of each and iter are never refused") {
        auto query = world.filter<const Position>();
        int calls = 0;
        query.iter([&](kith::iter&, Position*) { ++calls; });
        query.each([&](const Position&) { ++calls; });
        CHECK(calls == 2);
    }

    // spec 192
    TEST_CASE_FIXTURE(fixture, "read and write terms say what is used beside the query") {
        auto query = world.filter_builder<Position>().read<Label>().write<Velocity>().build();
        CHECK(access_of(query, 1) == kith::In);
        CHECK(access_of(query, 2) == kith::Out);
        kith::entity bare = world.entity().set(Position{7, 8});
        CHECK(found_by(world.filter_builder<Position>().read<Label>().write<Velocity>()) ==
              sorted({e, bare}));
        const kith::term term = query.term(1);
        CHECK(term.id() == world.id<Label>());
        CHECK(term.get_src() == 0);
    }

    TEST_CASE_FIXTURE(fixture, "read and write on Not terms are about the matched entity") {
        kith::entity bare = world.entity().set(Position{7, 8});
        CHECK(found_by(world.filter_builder<Position>().write<Velocity>().not_()) ==
              entity_list{bare});
        CHECK(found_by(world.filter_builder<Position>().without<Velocity>().write()) ==
              entity_list{bare});
    }
}
