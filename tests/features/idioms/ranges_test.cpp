// Results, fields, children and targets as ranges.
#include <kith/kith.hpp>

#include <algorithm>
#include <ranges>
#include <set>
#include <string>
#include <vector>

namespace {

struct Position {
    int x;
};
struct Velocity {
    int x;
};
struct Frozen {};
struct Eats {
    int amount;
};
struct Apples {};
struct Likes {};

struct fixture {
    fixture() { world.component<Likes>(); }

    kith::world world;
    kith::entity a = world.entity("a").set(Position{1}).set(Velocity{10});
    kith::entity b = world.entity("b").set(Position{2}).set(Velocity{20}).add<Frozen>();
    kith::entity c = world.entity("c").set(Position{3});

    int x(kith::entity e) const { return e.get<Position>()->x; }
    bool is_locked(kith::entity e) {
        try {
            e.add<Apples>();
            e.remove<Apples>();
        } catch (const kith::error& error) {
            return error.code() == kith::errc::locked;
        }
        return false;
    }
};

std::string text(const kith::entity& e) {
    return e.name().c_str();
}

// The concepts hold for programs that include <ranges>; <kith/kith.hpp> does not.
static_assert(std::ranges::input_range<kith::query<Position, const Velocity>>);
static_assert(std::ranges::input_range<const kith::filter<>>);
static_assert(std::ranges::input_range<kith::source_range>);
static_assert(std::ranges::forward_range<kith::target_range>);
static_assert(std::ranges::random_access_range<kith::column<Position>>);
static_assert(std::ranges::sized_range<kith::column<const Position>>);
static_assert(std::ranges::random_access_range<kith::entity_column>);
static_assert(std::ranges::random_access_range<kith::iter>);

}  // namespace

TEST_SUITE("features.idioms.ranges") {
    TEST_CASE_FIXTURE(fixture, "a loop over a query binds the entity and its values") {
        std::set<std::string> names;
        for (auto [e, p, v] : world.query<Position, const Velocity>()) {
            static_assert(std::is_same_v<decltype(p), Position&>);
            static_assert(std::is_same_v<decltype(v), const Velocity&>);
            p.x += v.x;
            names.insert(text(e));
        }
        CHECK(names == std::set<std::string>{"a", "b"});
        CHECK(x(a) == 11);
        CHECK(x(b) == 22);
        CHECK(x(c) == 3);
    }

    TEST_CASE_FIXTURE(fixture, "optional values are pointers, tags and pairs have their forms") {
        a.set<Eats, Apples>({3});
        int found = 0;
        for (auto [e, p, v, tag, meal] :
             world.filter<Position, Velocity*, Frozen, kith::pair<Eats, Apples>>()) {
            found += p.x;
        }
        CHECK(found == 0);
        b.set<Eats, Apples>({4});
        for (auto [e, v, tag, meal] : world.filter<Velocity*, Frozen, kith::pair<Eats, Apples>>()) {
            found += v->x + meal->amount;
        }
        CHECK(found == 24);
        for (auto [e, meal] : world.query<kith::rel<Eats>>()) {
            CHECK(meal.target() == world.id<Apples>());
        }
        for (auto [e, p, v] : world.query<Position, Velocity*>()) {
            CHECK((v != nullptr) == e.has<Velocity>());
        }
    }

    TEST_CASE_FIXTURE(fixture, "rows of a text query convert to their entity, and know variables") {
        a.add<Likes>(b).add<Likes>(c);
        std::set<std::string> seen;
        for (kith::entity e : world.query("Position")) {
            seen.insert(text(e));
        }
        CHECK(seen == std::set<std::string>{"a", "b", "c"});
        seen.clear();
        for (auto row : world.query("(Likes, $who), Position")) {
            seen.insert(text(row.entity()) + text(row.var("who")) +
                        std::to_string(row.field<const Position>(2)->x));
        }
        CHECK(seen == std::set<std::string>{"ab1", "ac1"});
        seen.clear();
        for (auto row : world.query("Likes(a, $who)")) {
            CHECK_FALSE(row.entity());
            seen.insert(text(row.var("who")));
        }
        CHECK(seen == std::set<std::string>{"b", "c"});
    }

    TEST_CASE_FIXTURE(fixture, "parts of a query are ranges as well") {
        int rows = 0;
        for (auto [e, p] : world.query<Position>().page(1, 1)) {
            rows += p.x != 0;
        }
        CHECK(rows == 1);
        auto likes = world.query("(Likes, $who)");
        a.add<Likes>(b);
        c.add<Likes>(a);
        auto run = likes.iter().set_var("who", b);
        for (kith::entity e : run) {
            CHECK(e == a);
            ++rows;
        }
        CHECK(rows == 2);
    }

    TEST_CASE_FIXTURE(fixture, "a loop that is left early leaves no lock") {
        auto query = world.query<Position>();
        for (auto [e, p] : query) {
            CHECK(is_locked(e));
            break;
        }
        CHECK_FALSE(is_locked(a));
        try {
            for (auto row : query) {
                throw row.entity().id();
            }
        } catch (kith::entity_t) {}
        CHECK_FALSE(is_locked(a));
        auto first = query.begin();
        const kith::entity visited = *first;
        CHECK(is_locked(visited));
        auto moved = std::move(first);
        CHECK(is_locked(visited));
        moved = query.begin();
        while (moved != query.end()) {
            ++moved;
        }
        CHECK_FALSE(is_locked(visited));
    }

    TEST_CASE_FIXTURE(fixture, "a loop keeps its query") {
        int rows = 0;
        auto at = world.query<Position>().begin();
        for (; at != kith::query<Position>().end(); ++at) {
            ++rows;
        }
        CHECK(rows == 3);
    }

    TEST_CASE_FIXTURE(fixture,
                      "a loop with write access counts as a change, a reading one does not") {
        auto watching = world.query<const Position>();
        watching.changed();
        watching.each([](const Position&) {});
        for (auto [e, p] : world.query<const Position>()) {
            CHECK(p.x != 0);
        }
        CHECK_FALSE(watching.changed());
        for (auto [e, p] : world.query<Position>()) {
            ++p.x;
        }
        CHECK(watching.changed());
    }

    TEST_CASE_FIXTURE(fixture, "algorithms take queries") {
        auto query = world.query<const Position>();
        CHECK(std::ranges::count_if(query, [](auto row) { return row.template get<1>().x > 1; }) ==
              2);
        auto found = std::ranges::find_if(query, [&](auto row) { return row.entity() == b; });
        REQUIRE(found != query.end());
        CHECK((*found).entity() == b);
        CHECK(std::ranges::distance(world.query<Velocity>()) == 2);
        std::vector<kith::entity> all;
        std::ranges::copy(world.query("Velocity"), std::back_inserter(all));
        CHECK(all == std::vector<kith::entity>{a, b});
    }

    TEST_CASE_FIXTURE(fixture, "an iterator, its fields and its entities are ranges") {
        c.set(Velocity{5});
        std::vector<kith::entity> seen;
        std::size_t rows = 0;
        world.query<Position, Velocity>().iter([&](kith::iter& it) {
            for (auto row : it) {
                CHECK(row < it.count());
                ++rows;
            }
            for (kith::entity e : it.entities()) {
                seen.push_back(e);
            }
            for (Position& p : it.field<Position>(1)) {
                p.x += 100;
            }
            auto speeds = it.field<const Velocity>(2);
            CHECK(std::ranges::all_of(speeds, [](const Velocity& v) { return v.x > 0; }));
            CHECK(speeds.end() - speeds.begin() == static_cast<std::ptrdiff_t>(it.count()));
            auto entities = it.entities();
            CHECK(std::ranges::find(entities, it.entity(0)) == entities.begin());
        });
        CHECK(rows == 3);
        CHECK(seen.size() == 3);
        CHECK(x(c) == 103);
    }

    TEST_CASE_FIXTURE(fixture, "values of a field can be sorted") {
        c.set(Velocity{5});
        world.query_builder<Position>().without<Frozen>().build().iter([](kith::iter& it) {
            auto values = it.field<Position>(1);
            std::ranges::sort(values, {}, &Position::x);
            std::sort(values.begin(), values.end(),
                      [](const Position& p, const Position& q) { return p.x > q.x; });
            CHECK(std::ranges::max_element(values, {}, &Position::x)->x == values.begin()->x);
        });
        CHECK(x(a) == 3);
        CHECK(x(c) == 1);
    }

    TEST_CASE_FIXTURE(fixture, "a shared value is there for each row, an unset field for none") {
        kith::entity parent = world.entity().set(Velocity{7});
        a.remove<Velocity>().child_of(parent);
        c.child_of(parent);
        int shared = 0;
        world.query_builder<const Position, const Velocity>()
            .term_at(2)
            .up(kith::ChildOf)
            .instanced()
            .build()
            .iter([&](kith::iter& it) {
                for (const Velocity& v : it.field<const Velocity>(2)) {
                    shared += v.x;
                }
            });
        CHECK(shared == 14);
        world.query<Frozen, Velocity*>().iter(
            [](kith::iter& it) { CHECK(std::ranges::distance(it.field<Velocity>(2)) == 1); });
        b.remove<Velocity>();
        world.query<Frozen, Velocity*>().iter(
            [](kith::iter& it) { CHECK(std::ranges::distance(it.field<Velocity>(2)) == 0); });
    }

    TEST_CASE_FIXTURE(fixture, "children are a range, and locked while it is visited") {
        kith::entity parent = world.entity("parent");
        a.child_of(parent);
        b.child_of(parent);
        std::vector<kith::entity> seen;
        for (kith::entity child : parent.children()) {
            seen.push_back(child);
        }
        CHECK(seen == std::vector<kith::entity>{a, b});
        CHECK(std::ranges::distance(parent.children()) == 2);
        auto children = parent.children();
        CHECK(std::ranges::find(children, b) != children.end());
        CHECK(std::ranges::distance(c.children()) == 0);
        for (kith::entity child : parent.children()) {
            CHECK_THROWS_AS(child.destruct(), kith::error);
            break;
        }
        CHECK_NOTHROW(b.destruct());
        CHECK(std::ranges::distance(parent.children()) == 1);
    }

    TEST_CASE_FIXTURE(fixture, "children of any relationship, and roots, are ranges") {
        a.add<Likes>(c);
        b.add<Likes>(c);
        std::vector<kith::entity> seen;
        for (kith::entity fan : c.children<Likes>()) {
            seen.push_back(fan);
        }
        CHECK(seen == std::vector<kith::entity>{a, b});
        CHECK(std::ranges::distance(c.children(world.id<Likes>())) == 2);
        a.child_of(b);
        std::set<std::string> roots;
        for (kith::entity root : world.children()) {
            roots.insert(text(root));
        }
        CHECK(roots.count("b") == 1);
        CHECK(roots.count("a") == 0);
    }

    TEST_CASE_FIXTURE(fixture, "targets are a range, and may be removed in the loop") {
        a.add<Likes>(b).add<Likes>(c);
        std::vector<kith::entity> seen;
        for (kith::entity target : a.targets<Likes>()) {
            seen.push_back(target);
            a.remove<Likes>(target);
        }
        CHECK(seen == std::vector<kith::entity>{b, c});
        CHECK_FALSE(a.has<Likes>(kith::Wildcard));
        b.add<Likes>(c);
        CHECK(std::ranges::count(b.targets(world.id<Likes>()), c) == 1);
        auto targets = b.targets<Likes>();
        CHECK(std::ranges::max_element(targets) == targets.begin());
    }
}
