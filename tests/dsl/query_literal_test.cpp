#include <kith/kith.hpp>
#include <kith/query_literal.hpp>

#include <doctest/doctest.h>

namespace {

struct Position {
    float x = 0;
};

// The numbers that the compiler gives to variables are those of the query.
template <class Query>
void check_variables(const Query& query) {
    CHECK(static_cast<std::int32_t>(Query::variable_count) == query.var_count());
    for (std::size_t i = 0; i < Query::variable_count; ++i) {
        CHECK(Query::variable_name(i) == query.var_name(static_cast<std::int32_t>(i)));
    }
}

struct small_world {
    small_world() {
        world.component<Position>("Position");
        for (const char* name : {"Likes", "Npc", "Alice", "Bob"}) {
            world.entity(name);
        }
        world.lookup("Bob").add(world.lookup("Likes"), world.lookup("Alice"));
    }
    kith::world world;
};

}  // namespace

TEST_SUITE("dsl.query_literal") {
    TEST_CASE_FIXTURE(small_world, "a literal is a query like any other") {
        world.lookup("Alice").set<Position>({5});
        auto query = world.query<"[in] Position, !Npc">();
        CHECK(query.count() == 1);
        CHECK(query.first() == world.lookup("Alice"));
        CHECK(world.filter<"Position">().count() == 1);
        kith::query<> plain = query;
        CHECK(plain.count() == 1);
    }

    TEST_CASE_FIXTURE(small_world, "variables are known when the program is compiled") {
        auto query = world.query<"(Likes, $whom), !{ Npc($other), $other != $this }">();
        static_assert(query.variable_count == 3);
        static_assert(query.variable_name(1) == "whom");
        static_assert(query.var<"this">() == 0);
        static_assert(query.var<"other">() == 2);
        int results = 0;
        query.iter()
            .set_var(query.var<"whom">(), world.lookup("Alice"))
            .each([&](kith::iter& it, std::size_t row) {
                CHECK(it.entity(row) == world.lookup("Bob"));
                CHECK(it.get_var(query.var<"whom">()) == world.lookup("Alice"));
                ++results;
            });
        CHECK(results == 1);
    }

    TEST_CASE_FIXTURE(small_world, "variables have the same numbers in every position") {
        check_variables(world.filter<"$r($s, $t), $t == $u, $This($v)">());
        check_variables(world.filter<"$a($b), ($c, $d)($a), $e != $d, Npc($e)">());
        check_variables(world.filter<"?{ (Likes, $x) }, { (Likes, $y)($x) } || { Npc($z) }">());
        check_variables(
            world.filter<"Npc($x), Likes($x, $y[up(ChildOf)]), $x[self|up], $y == $x">());
    }
}
