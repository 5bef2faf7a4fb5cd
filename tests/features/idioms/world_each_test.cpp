// What a program writes first: all entities that have what a callback takes.
#include <kith/kith.hpp>

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
struct Mass {
    int kilograms;
};
struct Frozen {};
struct Eats {
    int amount;
};
struct Apples {};
struct Pears {};
struct Knows {};

struct fixture {
    kith::world world;
    kith::entity a = world.entity("a").set(Position{1}).set(Velocity{10});
    kith::entity b = world.entity("b").set(Position{2}).set(Velocity{20}).add<Frozen>();
    kith::entity c = world.entity("c").set(Position{3});

    int x(kith::entity e) const { return e.get<Position>()->x; }
};

int sum = 0;
void add_both(const Position& p, const Velocity& v) {
    sum += p.x + v.x;
}

}  // namespace

TEST_SUITE("features.idioms.world_each") {
    TEST_CASE_FIXTURE(fixture, "a callback takes several components") {
        world.each([](Position& p, const Velocity& v) { p.x += v.x; });
        CHECK(x(a) == 11);
        CHECK(x(b) == 22);
        CHECK(x(c) == 3);
    }

    TEST_CASE_FIXTURE(fixture, "an entity stands before the components") {
        std::set<std::string> names;
        world.each([&](kith::entity e, Position&, Velocity&) { names.insert(e.name().c_str()); });
        CHECK(names == std::set<std::string>{"a", "b"});
        names.clear();
        world.each([&](const kith::entity& e, const Position&) { names.insert(e.name().c_str()); });
        CHECK(names == std::set<std::string>{"a", "b", "c"});
    }

    TEST_CASE_FIXTURE(fixture, "an iterator and the number of the row stand before them too") {
        std::set<std::string> names;
        world.each([&](kith::iter& it, std::size_t row, const Velocity&) {
            names.insert(it.entity(row).name().c_str());
        });
        CHECK(names == std::set<std::string>{"a", "b"});
    }

    TEST_CASE_FIXTURE(fixture, "a component by value is a copy") {
        world.each([](Position p, Velocity v) { p.x += v.x; });
        CHECK(x(a) == 1);
    }

    TEST_CASE_FIXTURE(fixture, "a pointer is an optional component") {
        int with = 0;
        int without = 0;
        world.each([&](Position& p, const Velocity* v) {
            p.x += v ? v->x : 0;
            ++(v ? with : without);
        });
        CHECK(with == 2);
        CHECK(without == 1);
        CHECK(x(a) == 11);
        CHECK(x(c) == 3);
    }

    TEST_CASE_FIXTURE(fixture, "a tag is asked for by a parameter of its type") {
        std::vector<kith::entity> frozen;
        world.each([&](kith::entity e, Position&, Frozen) { frozen.push_back(e); });
        CHECK(frozen == std::vector<kith::entity>{b});
        frozen.clear();
        world.each([&](kith::entity e, const Frozen&) { frozen.push_back(e); });
        CHECK(frozen == std::vector<kith::entity>{b});
    }

    TEST_CASE_FIXTURE(fixture, "a pair of types is a parameter as any component is") {
        a.set<Eats, Apples>({3});
        b.set<Eats, Pears>({4});
        int eaten = 0;
        world.each([&](kith::entity e, kith::pair<Eats, Apples> meal, const Position& p) {
            CHECK(e == a);
            eaten += meal->amount * p.x;
            meal->amount = 0;
        });
        CHECK(eaten == 3);
        CHECK(a.get<Eats, Apples>()->amount == 0);
        world.each([&](const kith::pair<Eats, Pears>& meal) { eaten += meal->amount; });
        CHECK(eaten == 7);
    }

    TEST_CASE_FIXTURE(fixture, "a relationship with any target is a rel") {
        kith::entity tree = world.entity("tree");
        a.set<Eats, Apples>({3}).set<Eats>(tree, {5});
        std::set<std::string> meals;
        world.each([&](kith::entity e, kith::rel<Eats> meal) {
            meals.insert(std::string(e.name().c_str()) + " " + meal.target().name().c_str() + " " +
                         std::to_string(meal->amount));
        });
        CHECK(meals == std::set<std::string>{"a Apples 3", "a tree 5"});
        a.add<Knows>(b);
        int known = 0;
        world.each([&](const Position&, kith::rel<Knows> one) { known += one.target() == b; });
        CHECK(known == 1);
    }

    TEST_CASE_FIXTURE(fixture, "template arguments name the components of a generic callback") {
        world.each<Position, const Velocity>([](auto& p, auto& v) { p.x += v.x; });
        CHECK(x(a) == 11);
        int count = 0;
        world.each<Position, Frozen>([&](kith::entity e) {
            ++count;
            CHECK(e == b);
        });
        world.each<Position, Velocity*>([&](Position&, Velocity*) { ++count; });
        world.each<kith::pair<Eats, Apples>, Position>([&](kith::entity) { count += 100; });
        CHECK(count == 4);
    }

    TEST_CASE_FIXTURE(fixture, "functions and lambdas with a state are callbacks") {
        sum = 0;
        world.each(add_both);
        CHECK(sum == 33);
        int calls = 0;
        auto count = [calls](const Position&, const Velocity&) mutable { ++calls; };
        world.each(count);
        const auto constant = [&](const Position&, const Velocity&) { ++calls; };
        world.each(constant);
        CHECK(calls == 2);
    }

    TEST_CASE_FIXTURE(fixture, "what is only read does not count as changed") {
        auto query = world.query<const Position>();
        query.each([](const Position&) {});
        CHECK_FALSE([&] {
            query.changed();
            query.each([](const Position&) {});
            return query.changed();
        }());
        world.each([](const Position&, const Velocity&) {});
        CHECK_FALSE(query.changed());
        world.each([](Position&, const Velocity&) {});
        CHECK(query.changed());
    }

    TEST_CASE_FIXTURE(fixture, "a callback sees what a query of its types sees") {
        kith::entity base = world.prefab("Heavy").set(Mass{1000});
        a.is_a(base);
        b.set(Mass{5});
        int own = 0;
        world.each([&](const Mass& m) { own += m.kilograms; });
        CHECK(own == 1005);
        int with_position = 0;
        world.each([&](const Position&, const Mass& m) { with_position += m.kilograms; });
        CHECK(with_position == 1005);
    }

    TEST_CASE_FIXTURE(fixture, "a callback that returns false ends the loop") {
        int calls = 0;
        world.each([&](Position&, Velocity&) {
            ++calls;
            return false;
        });
        CHECK(calls == 1);
    }

    TEST_CASE_FIXTURE(fixture, "the tables being visited are locked, and unlocked by exceptions") {
        CHECK_THROWS_AS(world.each([](kith::entity e, Position&, Velocity&) { e.add<Frozen>(); }),
                        kith::error);
        CHECK_THROWS_AS(world.each([](Position&, Velocity&) { throw 1; }), int);
        CHECK_NOTHROW(a.add<Frozen>());
    }
}
