// What str() writes is read back as the same query: by hand for each form, and for random queries
// of the builder.
#include "query/compiled_query.hpp"
#include "support/errors.hpp"
#include "support/query_model/calls.hpp"
#include "support/query_model/graph_generator.hpp"
#include "support/random_programs.hpp"

#include <doctest/doctest.h>

namespace {

using checked_query = kith::queries::query_model;
using kith::queries::substitution;
using kith::queries::term;

const checked_query& model_of(const kith::iterable<>& query) {
    return static_cast<const kith::queries::compiled_query&>(*query.ref().get()).model;
}

bool same(const substitution& a, const substitution& b) {
    return a.relation == b.relation && a.trav == b.trav && a.flags == b.flags &&
           a.min_depth == b.min_depth && a.max_depth == b.max_depth;
}
bool same_text(const char* a, const char* b) {
    return a && b ? std::string_view(a) == b : a == b;
}
std::string variable_of(const checked_query& model, std::uint8_t number) {
    return number == kith::queries::no_variable ? "" : model.variables[number];
}
bool same(const checked_query& model_a, const term& a, const checked_query& model_b,
          const term& b) {
    return a.id == b.id && a.first == b.first && a.second == b.second && a.source == b.source &&
           a.relation == b.relation && a.trav == b.trav && a.min_depth == b.min_depth &&
           a.max_depth == b.max_depth && a.flags == b.flags && a.from == b.from &&
           a.oper == b.oper && a.access == b.access && a.field == b.field &&
           a.in_chain == b.in_chain && a.at_most_one == b.at_most_one && a.kind == b.kind &&
           variable_of(model_a, a.source_variable) == variable_of(model_b, b.source_variable) &&
           variable_of(model_a, a.first_variable) == variable_of(model_b, b.first_variable) &&
           variable_of(model_a, a.second_variable) == variable_of(model_b, b.second_variable) &&
           same_text(a.text, b.text) && same(a.first_by, b.first_by) &&
           same(a.second_by, b.second_by);
}
// The first term that differs, -1 if none does.
int first_difference(const checked_query& a, const checked_query& b) {
    for (std::uint32_t i = 0; i < a.count || i < b.count; ++i) {
        if (i >= a.count || i >= b.count || !same(a, a.terms[i], b, b.terms[i])) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

void check_round_trip(const kith::world& world, const kith::iterable<>& query) {
    const std::string text = query.str().c_str();
    CAPTURE(text);
    const kith::filter<> read = world.filter(text.c_str());
    CHECK(std::string(read.str().c_str()) == text);
    CHECK(first_difference(model_of(query), model_of(read)) == -1);
}

std::string printed(const kith::world& world, const char* text) {
    const kith::filter<> query = world.filter(text);
    check_round_trip(world, query);
    return query.str().c_str();
}

}  // namespace

TEST_SUITE("dsl.printing") {
    TEST_CASE("every form has one way to be written") {
        kith::world world;
        struct Position {
            int x;
        };
        world.component<Position>("Position");
        for (const char* name : {"Likes", "Alice", "Bob", "Npc", "Window", "list", "my_widget"}) {
            world.entity(name);
        }
        const std::pair<const char*, const char*> forms[] = {
            {"Npc,Position", "Npc, Position"},
            {"[in]Position", "[in] Position"},
            {"[none] Position, [none] Npc", "[none] Position, Npc"},
            {"Likes($this, Alice)", "(Likes,Alice)"},
            {"(Likes, Alice)(Bob)", "Likes(Bob,Alice)"},
            {"Npc(Npc), Npc($)", "Npc(Npc), Npc(Npc)"},
            {"Position(parent)", "Position(up(ChildOf))"},
            {"Position(super(ChildOf))", "Position(up(ChildOf))"},
            {"Position(self|superset)", "Position"},
            {"Position(self)", "Position(self)"},
            {"Position(up)", "Position(up(IsA))"},
            {"Window(parent:my_widget)", "Window(up(ChildOf):my_widget)"},
            {"Window(my_widget[parent])", "Window(up(ChildOf):my_widget)"},
            {"Position(up(ChildOf, 3))", "Position(up(ChildOf,3))"},
            {"Position(up(ChildOf, 2, 3))", "Position(up(ChildOf,2,3))"},
            {"Position(up(ChildOf, 2, *))", "Position(up(ChildOf,2,*))"},
            {"?Position(parent|cascade|desc)", "?Position(cascade|desc|up(ChildOf))"},
            {"Npc[self|all|subset]", "Npc[self|all|down(IsA)]"},
            {"(Likes, Alice[super(ChildOf)])", "(Likes,Alice[up(ChildOf)])"},
            {"{Npc}||{Bob,Alice}", "{ Npc } || { Bob, Alice }"},
            {"!Npc || Bob", "{ !Npc } || Bob"},
            {"Npc || !{Bob}", "Npc || { !{ Bob } }"},
            {"?{ (Likes, $x), Npc($x) }", "?{ (Likes,$x), Npc($x) }"},
            {"$x", "$x($this)"},
            {"and|list, Or | list, NOT|list", "AND | list, OR | list, NOT | list"},
            {"Npc, $this!=Bob", "Npc, $this != Bob"},
            {"Npc, !$this != Bob", "Npc, $this == Bob"},
            {"Npc, !$this ~= \"o\"", "Npc, !$this ~= \"o\""},
            {"$this == \"A.B\"", "$this == \"A.B\""},
            {"(*,_), *", "(*,_), *"},
            {"Position(), [out] Npc()", "Position(), [out] Npc()"},
            {"(Likes,Alice)()", "(Likes,Alice)()"},
        };
        for (auto [text, written] : forms) {
            CHECK(printed(world, text) == written);
        }
    }

    TEST_CASE("names are quoted where they need it") {
        kith::world world;
        for (const char* name : {"my tag", "12", "parent", "_", "a\"b", "tab\t", "plain", "ß"}) {
            world.entity().set_name(name);
        }
        CHECK(printed(world, R"("my tag", "12"("parent"))") == R"("my tag", "12"("parent"))");
        CHECK(printed(world, R"("_", "a\"b", "tab\t")") == R"("_", "a\"b", "tab\t")");
        CHECK(printed(world, R"("plain", "ß")") == "plain, ß");
    }

    TEST_CASE("a name that somebody nearer has is written from the root") {
        kith::world world;
        kith::entity outer = world.entity("Tag");
        kith::entity scope = world.entity("Scope");
        kith::entity inner = world.scope(scope).entity("Tag");
        kith::entity mine = world.entity("ChildOf");
        scope.scope([&] {
            CHECK(printed(world, "Tag, ::Tag") == "Scope.Tag, ::Tag");
            CHECK(printed(world, "::ChildOf, ::kith::ChildOf") == "ChildOf, (::kith.ChildOf,*)");
        });
        CHECK(inner != outer);
        CHECK(mine != kith::ChildOf);
    }

    TEST_CASE("an entity without a name is written by its number") {
        kith::world world;
        kith::entity tag = world.entity();
        const kith::filter<> query = world.filter_builder().with(tag).build();
        CHECK(std::string(query.str().c_str()) == "#" + std::to_string(tag.id()));
        check_round_trip(world, query);
    }

    TEST_CASE("with() does without the value, and says so") {
        kith::world world;
        struct Position {
            int x;
        };
        world.component<Position>("Position");
        const kith::filter<> query = world.filter_builder()
                                         .with<Position>()
                                         .with(kith::ChildOf, kith::Wildcard)
                                         .without<Position>()
                                         .build();
        CHECK(std::string(query.str().c_str()) == "[none] Position, [none] (ChildOf,*), !Position");
        check_round_trip(world, query);
    }

    TEST_CASE("random queries of the builder are read back as they were") {
        using namespace query_model;
        std::size_t queries = 0;
        for (std::uint64_t seed : random_programs::chosen_seeds(40)) {
            CAPTURE(seed);
            graph_generator random(seed);
            stage on;
            for (const step& one : random.make_world()) {
                on.run(one);
            }
            for (int i = 0; i < 50; ++i) {
                std::vector<oracle::term> terms;
                if (!resolve(on, random.make_graph_query(on), terms)) {
                    continue;
                }
                kith::filter_builder<> builder = on.world.filter_builder();
                for (const oracle::term& one : terms) {
                    say(builder, one);
                }
                if (kith_test::error_of([&] { builder.build(); })) {
                    continue;
                }
                check_round_trip(on.world, builder.build());
                ++queries;
            }
        }
        CHECK(queries > 100);
    }
}
