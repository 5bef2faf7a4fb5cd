// Template arguments of queries and what their callbacks get: optional tags, read-only
// relationships, runs that are read too early.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

#include <set>
#include <string>

using namespace kith_test;
using kith::errc;

namespace {

struct fixture {
    fixture() {
        world.entity("burning").set(Position{1, 1}).add<Hot>();
        world.entity("cool").set(Position{2, 2});
        world.entity("feverish").set(Position{3, 3}).add<Hot>().add<Cold>();
    }
    // The names of what burns, of what a query gave out.
    template <class Query>
    std::string burning(const Query& query) {
        std::set<std::string> names;
        query.each([&](kith::entity e, const Position&, const Hot* hot) {
            names.insert(hot ? e.name().c_str() : "-");
        });
        std::string all;
        for (const std::string& name : names) {
            all += name + " ";
        }
        return all;
    }

    kith::world world;
};

}  // namespace

TEST_SUITE("features.queries.arguments") {
    TEST_CASE_FIXTURE(fixture, "an optional tag is a pointer that tells whether it is there") {
        auto cached = world.query<const Position, Hot*>();
        CHECK(burning(cached) == "- burning feverish ");
        CHECK(burning(world.filter<const Position, Hot*>()) == "- burning feverish ");
        CHECK(burning(world.query<const Position, const Hot*>()) == "- burning feverish ");
        world.lookup("cool").add<Hot>();
        world.lookup("burning").remove<Hot>();
        int hot = 0;
        cached.each([&](const Position& p, Hot* found) { hot += found ? p.x : 0; });
        CHECK(hot == 5);
        cached.iter([&](kith::iter& it, const Position*, Hot* found) {
            CHECK((found != nullptr) == it.is_set(2));
        });
    }

    TEST_CASE_FIXTURE(fixture, "an optional tag of a sorted, a grouped and a bound run") {
        auto sorted =
            world.query_builder<const Position, Hot*>()
                .order_by_desc<Position>([](kith::entity_t, const Position* a, kith::entity_t,
                                            const Position* b) { return a->x - b->x; })
                .build();
        CHECK(burning(sorted) == "- burning feverish ");
        int hot = 0;
        world.query<const Position, Hot*>()
            .iter()
            .set_var(0, world.lookup("feverish"))
            .each([&](const Position&, Hot* found) { hot += found != nullptr; });
        CHECK(hot == 1);
    }

    TEST_CASE_FIXTURE(fixture, "an optional tag that is sparse, or inherited") {
        world.component<Cold>().add(kith::Sparse);
        int cold = 0;
        world.query<const Position, Cold*>().each(
            [&](const Position&, Cold* found) { cold += found != nullptr; });
        CHECK(cold == 1);
        kith::entity base = world.prefab().add<Hot>();
        world.entity("child").is_a(base).set(Position{4, 4});
        CHECK(burning(world.query<const Position, Hot*>()) == "- burning child feverish ");
    }

    TEST_CASE_FIXTURE(fixture, "an optional pair of tags is a pointer, too") {
        world.lookup("cool").add<Likes, Hot>();
        int found = 0;
        world.query<const Position, kith::pair<Likes, Hot>*>().each(
            [&](const Position& p, Likes* likes) { found += likes ? p.x : 0; });
        CHECK(found == 2);
    }

    TEST_CASE_FIXTURE(fixture, "a tag that must be there is a pointer that is set") {
        int hot = 0;
        world.query<const Position, Hot>().each(
            [&](const Position&, Hot* found) { hot += found != nullptr; });
        CHECK(hot == 2);
    }

    TEST_CASE_FIXTURE(fixture, "a reference to an optional tag that is not there is an error") {
        auto query = world.query<const Position, Hot*>();
        CHECK(error_of([&] { query.each([](const Position&, Hot&) {}); }) == errc::invalid_query);
    }

    TEST_CASE("a relationship that is only read matches as one that is written") {
        kith::world world;
        kith::entity apple = world.entity("apple");
        world.entity("a").set<Eats>(apple, {3});
        CHECK(world.query<kith::rel<Eats>>().count() == 1);
        CHECK(world.query<kith::rel<const Eats>>().count() == 1);
        auto query = world.query<const kith::rel<Eats>>();
        CHECK(query.count() == 1);
        CHECK(query.str() == world.query<kith::rel<const Eats>>().str());
        CHECK(query.term(0).inout() == kith::In);
        CHECK(world.query<kith::rel<Eats>>().term(0).inout() == kith::InOutDefault);
        int amount = 0;
        query.each([&](const kith::rel<Eats>& eats) {
            CHECK(eats.target() == apple);
            amount += eats->amount;
        });
        query.each([&](kith::entity, kith::rel<const Eats> eats) { amount += (*eats).amount; });
        CHECK(amount == 6);
    }

    TEST_CASE("reading a relationship does not count as a change") {
        kith::world world;
        world.entity().set<Eats>(world.entity(), {3});
        auto watch = world.query<const kith::rel<Eats>>();
        auto changed = world.query<kith::rel<const Eats>>();
        changed.changed();
        changed.each([](kith::rel<const Eats>) {});
        CHECK_FALSE(changed.changed());
        watch.each([](const kith::rel<Eats>&) {});
        CHECK_FALSE(changed.changed());
        world.query<kith::rel<Eats>>().each([](kith::rel<Eats> eats) { eats->amount = 4; });
        CHECK(changed.changed());
    }

    TEST_CASE_FIXTURE(fixture, "what iter writes through a pointer counts as written") {
        auto reader = world.query<const Position>();
        auto watch = world.query<const Position>();
        watch.changed();
        auto look = [&] { watch.iter([](kith::iter&, const Position*) {}); };
        look();
        reader.iter([](kith::iter&, const Position*) {});
        CHECK_FALSE(watch.changed());
        // The query says that it only reads; the callback takes the values to write them.
        reader.iter([](kith::iter&, Position* p) { p->x = 9; });
        CHECK(watch.changed());
        look();
        world.query<const Position, const Hot>().iter([](kith::iter&, const Position*, Hot*) {});
        CHECK_FALSE(watch.changed());
    }

    TEST_CASE_FIXTURE(fixture, "a run has no result before next, and none behind the last") {
        auto it = world.query<Position>().iter();
        CHECK(error_of([&] { it->count(); }) == errc::invalid_query);
        CHECK(error_of([&] { (*it).count(); }) == errc::invalid_query);
        CHECK(message_of([&] { it->count(); }).find("call next()") != std::string::npos);
        std::size_t rows = 0;
        while (it.next()) {
            rows += it->count();
        }
        CHECK(rows == 3);
        CHECK(message_of([&] { it->count(); }).find("no more results") != std::string::npos);
    }
}
