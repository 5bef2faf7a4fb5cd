// Terms for pairs, by types, ids, parts and names: the programs of the queries document, completed.
#include <kith/kith.hpp>

#include <sstream>

#include <doctest/doctest.h>

namespace flecs = kith;

namespace {

struct Eats {
    float value = 0;
};
struct Apples {};
struct Pears {};
// Alias to save typing
using EatsApples = flecs::pair<Eats, Apples>;

struct fixture {
    flecs::world world;
    flecs::entity eater = world.entity("eater").set<Eats, Apples>({1});
    flecs::entity other = world.entity("other").set<Eats, Pears>({5});
    flecs::entity eats = world.component<Eats>();
    flecs::entity apples = world.component<Apples>();
};

}  // namespace

TEST_SUITE("seeds.queries_pairs") {
    TEST_CASE_FIXTURE(fixture, "a pair is handed to each by value, and points to its value") {
        flecs::filter<EatsApples> f = world.filter<EatsApples>();

        // Do not use reference argument for pair
        f.each([](EatsApples v) {
            // Use -> operator to access value of pair
            v->value++;
        });
        CHECK(eater.get<Eats, Apples>()->value == 2);
        CHECK(other.get<Eats, Pears>()->value == 5);
    }

    TEST_CASE_FIXTURE(fixture, "a pair is handed to iter as an array of its values") {
        flecs::filter<EatsApples> f = world.filter<EatsApples>();

        f.iter([](flecs::iter& it, Eats* v) {
            for (auto i : it) {
                v[i].value++;
            }
        });
        CHECK(eater.get<Eats, Apples>()->value == 2);
        CHECK(other.get<Eats, Pears>()->value == 5);
    }

    TEST_CASE_FIXTURE(fixture, "types and entities spell the same pair") {
        flecs::filter<> f_1 = world.filter_builder().term<Eats, Apples>().build();
        flecs::filter<> f_2 = world.filter_builder().term<Eats>(apples).build();
        flecs::filter<> f_3 = world.filter_builder().term(eats, apples).build();

        for (const flecs::filter<>& f : {f_1, f_2, f_3}) {
            CHECK(f.count() == 1);
            CHECK(f.first() == eater);
            CHECK(f.term(0).id() == world.pair<Eats, Apples>());
        }
    }

    TEST_CASE_FIXTURE(fixture, "the parts of a pair are given one by one") {
        flecs::filter<> f = world.filter_builder().term().first<Eats>().second(apples).build();
        CHECK(f.count() == 1);
        CHECK(f.first() == eater);
    }

    TEST_CASE_FIXTURE(fixture, "the parts of a pair are given by name") {
        flecs::filter<> f = world.filter_builder().term().first("Eats").second("Apples").build();
        CHECK(f.count() == 1);
        CHECK(f.first() == eater);
    }

    TEST_CASE_FIXTURE(fixture, "the iterator tells which pair a wildcard matched") {
        std::ostringstream cout;
        flecs::filter<> f = world.filter_builder().term<Eats>(flecs::Wildcard).build();

        f.each([&](flecs::iter& it, size_t index) {
            flecs::entity second = it.pair(1).second();
            flecs::entity e = it.entity(index);

            cout << "entity " << e.name() << " likes " << second.name() << std::endl;
        });
        const std::string text = cout.str();
        CHECK(text.find("entity eater likes Apples\n") != std::string::npos);
        CHECK(text.find("entity other likes Pears\n") != std::string::npos);
        CHECK(f.count() == 2);
    }
}
