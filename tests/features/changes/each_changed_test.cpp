// Visiting the rows that changed, and nothing else.
#include <kith/kith.hpp>

#include "base/counters.hpp"
#include "support/types.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct Place {
    int x = 0;
};
struct World {
    int x = 0;
};

// Entities that a run over changed rows visits, in order.
template <class Query>
std::vector<kith::entity_t> visited(const Query& query) {
    std::vector<kith::entity_t> found;
    query.each_changed(
        [&](kith::iter& it, std::size_t row, auto&...) { found.push_back(it.entity(row)); });
    return found;
}
using entities = std::vector<kith::entity_t>;

// Where things are in the world follows from where they are in their parents.
struct tree {
    kith::entity add(kith::entity parent) {
        kith::entity made = world.entity().set(Place{1}).set(World{});
        return parent ? made.child_of(parent) : made;
    }
    int update() {
        int count = 0;
        query.each_changed([&](const Place& own, World& placed, const World* above) {
            placed.x = own.x + (above ? above->x : 0);
            ++count;
        });
        return count;
    }

    kith::world world;
    kith::query<const Place, World, const World*> query =
        world.query_builder<const Place, World, const World*>()
            .arg(3)
            .parent()
            .cascade()
            .optional()
            .build();
};

}  // namespace

TEST_SUITE("features.changes.each_changed") {
    TEST_CASE("rows that came or were written are visited once") {
        kith::world world;
        kith::entity a = world.entity().set(Position{});
        kith::entity b = world.entity().set(Position{});
        auto query = world.query<const Position>();
        CHECK(visited(query) == entities{a, b});
        CHECK(visited(query).empty());
        CHECK_FALSE(query.changed());
        b.set(Position{1, 1});
        CHECK(query.changed());
        CHECK(visited(query) == entities{b});
        CHECK_FALSE(query.changed());
        kith::entity c = world.entity().set(Position{});
        a.modified<Position>();
        CHECK(visited(query) == entities{a, c});
        b.add<Hot>();  // comes to another table
        CHECK(visited(query) == entities{b});
        c.destruct();
        CHECK(query.changed());
        CHECK(visited(query).empty());
        CHECK_FALSE(query.changed());
    }

    TEST_CASE("callbacks take what those of each take, and end a run by false") {
        kith::world world;
        kith::entity a = world.entity().set(Position{1, 0}).set(Velocity{2, 0});
        kith::entity b = world.entity().set(Position{3, 0});
        auto query = world.query<const Position, const Velocity*>();
        int sum = 0;
        query.each_changed(
            [&](const Position& p, const Velocity* v) { sum += p.x + (v ? v->x : 0); });
        CHECK(sum == 6);
        a.set(Velocity{5, 0});
        query.each_changed([&](kith::entity e, const Position&, const Velocity* v) {
            CHECK(e == a);
            CHECK(v->x == 5);
        });
        a.set(Position{});
        b.set(Position{});
        int calls = 0;
        query.each_changed([&](const Position&, const Velocity*) {
            ++calls;
            return false;
        });
        CHECK(calls == 1);
        // What was left out is still new.
        CHECK(visited(query).size() == 2);
        CHECK(visited(query).empty());
    }

    TEST_CASE("other runs of the query count as having seen") {
        kith::world world;
        kith::entity a = world.entity().set(Position{});
        auto query = world.query<const Position>();
        visited(query);
        a.set(Position{1, 1});
        query.each([](const Position&) {});
        CHECK(visited(query).empty());
    }

    TEST_CASE("own writes do not count, those of others do") {
        kith::world world;
        kith::entity a = world.entity().set(Position{});
        auto query = world.query<Position>();
        auto other = world.query<const Position>();
        query.each_changed([](Position& p) { p.x = 1; });
        visited(other);
        CHECK(visited(query).empty());
        CHECK_FALSE(query.changed());
        a.set(Position{2, 0});
        query.each_changed([](Position& p) { p.x = 3; });
        CHECK(visited(query).empty());
        CHECK(visited(other) == entities{a});
    }

    TEST_CASE("sparse values, links and switched components count by row") {
        kith::world world;
        world.component<Velocity>().add(kith::Sparse);
        kith::entity likes = world.relation("likes", {.storage = kith::storage::sparse});
        kith::entity a = world.entity().set(Position{}).set(Velocity{}).add(likes, likes);
        kith::entity b = world.entity().set(Position{}).set(Velocity{}).add(likes, likes);
        auto query = world.query_builder<const Position, const Velocity>()
                         .with(likes, kith::Wildcard)
                         .build();
        CHECK(visited(query).size() == 2);
        b.set(Velocity{1, 1});
        CHECK(visited(query) == entities{b});
        a.add(likes, b);
        CHECK(visited(query) == entities{a, a});  // once for each pair
        a.disable<Position>();
        CHECK(query.changed());
        CHECK(visited(query).empty());
        a.enable<Position>();
        CHECK(visited(query) == entities{a, a});
    }

    TEST_CASE("a child changes with what it sees in its parent") {
        kith::world world;
        kith::entity left = world.entity().set(Position{});
        kith::entity right = world.entity().set(Position{});
        kith::entity mid = world.entity().child_of(right);
        kith::entity a = world.entity().set(Velocity{}).child_of(left);
        kith::entity b = world.entity().set(Velocity{}).child_of(mid);
        auto query =
            world.query_builder<const Velocity>().with<Position>().up(kith::ChildOf).build();
        CHECK(visited(query).size() == 2);
        right.set(Position{1, 1});
        CHECK(visited(query) == entities{b});
        mid.set(Position{});  // hides that of the one above
        CHECK(visited(query) == entities{b});
        right.set(Position{2, 2});
        CHECK(visited(query).empty());
        mid.remove<Position>();
        CHECK(visited(query) == entities{b});
        mid.child_of(left);
        CHECK(visited(query) == entities{b});
        left.remove<Position>();
        CHECK(query.changed());
        CHECK(visited(query).empty());
        left.set(Position{});
        CHECK(visited(query) == entities{a, b});
    }

    TEST_CASE("a child elsewhere changes nothing here") {
        kith::world world;
        kith::entity parent = world.entity().set(Position{});
        kith::entity a = world.entity().set(Position{}).child_of(parent);
        auto query = world.query_builder<const Position>()
                         .with<Position>()
                         .parent()
                         .cascade()
                         .optional()
                         .track_rows()
                         .build();
        visited(query);
        kith::entity fresh = world.entity().set(Position{}).child_of(a);
        CHECK(visited(query) == entities{fresh});
        world.entity().child_of(a);  // does not match
        CHECK(visited(query).empty());
        CHECK_FALSE(query.changed());
        int changed = 0;
        fresh.child_of(parent);
        query.iter([&](kith::iter& it) {
            for (auto row : it) {
                changed += it.changed(row);
            }
        });
        CHECK(changed == 1);
    }

    TEST_CASE("rows are missed that leave a table which only each_changed has visited") {
        kith::world world;
        for (int i = 0; i < 40; ++i) {
            world.entity().set(Position{i, 0});
        }
        auto query = world.query<const Position>();
        kith::entity ship = world.entity().set(Position{1, 2});
        visited(query);
        ship.add(world.entity());  // into a table that is new
        CHECK(visited(query) == entities{ship.id()});
        CHECK_FALSE(query.changed());
        ship.remove<Position>();
        CHECK(query.changed());
        CHECK(visited(query).empty());
        CHECK_FALSE(query.changed());
    }

    TEST_CASE("a cascade works out what moved, and all that is below it") {
        tree data;
        kith::entity root = data.add({});
        kith::entity arm = data.add(root);
        kith::entity hand = data.add(arm);
        kith::entity other = data.add(root);
        CHECK(data.update() == 4);
        CHECK(hand.get<World>()->x == 3);
        CHECK(data.update() == 0);
        CHECK_FALSE(data.query.changed());
        arm.set(Place{5});
        CHECK(data.update() == 2);
        CHECK(hand.get<World>()->x == 7);
        CHECK(data.update() == 0);
        root.set(Place{10});
        hand.set(Place{0});
        CHECK(data.update() == 4);
        CHECK(hand.get<World>()->x == 15);
        CHECK(other.get<World>()->x == 11);
        hand.child_of(other);
        CHECK(data.update() == 1);
        CHECK(hand.get<World>()->x == 11);
        other.destruct();
        CHECK(data.update() == 0);
    }

#if defined(KITH_ASSERTS) && KITH_ASSERTS
    TEST_CASE("the work follows the change, in a tree of any size") {
        using kith::base::work;
        std::vector<std::uint64_t> taken;
        for (const int count : {2000, 20000}) {
            tree data;
            kith::entity root = data.add({});
            kith::entity last = root;
            for (int i = 1; i < count; ++i) {
                kith::entity parent = i % 10 ? last : root;
                kith::entity made = data.add(parent);
                last = i % 10 ? last : made;
            }
            CHECK(data.update() == count);
            const std::uint64_t before = work.rows + work.steps + work.lookups;
            for (int i = 0; i < 10; ++i) {
                last.set(Place{i});
                data.world.entity().child_of(root);
                CHECK(data.query.changed());
                CHECK(data.update() >= 1);
                CHECK_FALSE(data.query.changed());
            }
            taken.push_back(work.rows + work.steps + work.lookups - before);
        }
        CHECK(taken[1] <= 2 * taken[0]);
    }
#endif
}
