// spec 157: a text is loaded as a whole or not at all.
#include <kith/world_text.hpp>

#include "support/types.hpp"
#include "support/world_text.hpp"

#include <stdexcept>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

// Loads `before`; then `text`, which the world refuses in the end.
void check_undone(kith::world& world, const std::string& text) {
    const std::string before = dump_all(world);
    CAPTURE(text);
    CHECK_THROWS_AS(kith::load_text(world, text), kith::error);
    CHECK(dump_all(world) == before);
    world.check();
}
void check_undone(const char* before, const std::string& text) {
    kith::world world;
    kith::load_text(world, before);
    check_undone(world, text + "\nWildcard(Refused)\n");
}

}  // namespace

TEST_SUITE("dsl.world_text_undo") {
    TEST_CASE("entities that were made are gone") {
        check_undone("A {}", "A { B { C: D } }\nE: (F, A)");
    }
    TEST_CASE("tags and pairs of entities that were there are removed") {
        check_undone("A {}\nB {}\nT {}", "A: T, (T, B)\nT(B)");
    }
    TEST_CASE("a target that was replaced is back") {
        check_undone("R: Exclusive\nA: (R, B)\nC {}", "A: (R, C)\nA: (R, D)");
    }
    TEST_CASE("a parent that was replaced is back, and the order of its children") {
        check_undone("P { A {} B {} C {} }\nA {}\nQ {}", "P.A: (ChildOf, Q)\nP.C: (ChildOf, P.B)");
    }
    TEST_CASE("partners of a symmetric exclusive relationship are together again") {
        check_undone("R: Symmetric, Exclusive\nR(A, B)\nR(C, D)", "R(A, C)\nR(B, D)\nR(A, E)");
    }
    TEST_CASE("what came along is removed") {
        check_undone("R: (With, S)\nS: (With, T)\nA {}", "R(A, B)\nA: R");
    }
    TEST_CASE("what came along in a circle is removed") {
        check_undone("R: (With, S)\nS: (With, R)\nA {}", "R(A, B)\nS(A, C)");
    }
    TEST_CASE("properties are taken back, also if pairs moved for them") {
        check_undone("R(A, B)\nR(C, B)", "R: Sparse, Exclusive, Acyclic, (With, S)\n");
        check_undone("R(A, B)", "R: Transitive, Final, Reflexive\nR: Union");
    }
    TEST_CASE("copies of a prefab's children are gone") {
        check_undone("Ship: Prefab { Bridge: (SlotOf, Ship) { Captain {} } }\nA { B {} }",
                     "A: (IsA, Ship)\nC: (IsA, Ship)");
    }
    TEST_CASE("a child of a prefab is no prefab any more") {
        check_undone("Ship: Prefab\nA { B {} }", "A: (ChildOf, Ship)");
    }
    TEST_CASE("facts about builtin entities are taken back") {
        check_undone("", "ChildOf: (OnDeleteTarget, Remove), A\nDependsOn: Sparse");
    }
    TEST_CASE("sources are not deleted with a target that is taken back") {
        check_undone("R: (OnDeleteTarget, Delete)\nA {}", "A: (R, B)\nC: (R, D)\nD: (R, C)");
    }
    TEST_CASE("a target that must not be deleted is taken back all the same") {
        check_undone("R: (OnDeleteTarget, Panic)\nA {}", "A: (R, B)\nC: (R, D)\nD: (R, C)");
    }
    TEST_CASE("values of pairs that were replaced are back") {
        kith::world world;
        kith::entity a = world.entity("A");
        const kith::entity b = world.entity("B");
        world.component<Position>().add(kith::Exclusive);
        world.component<Label>().add(kith::Exclusive);
        a.set<Position>(b, {1, 2}).set<Label>(b, {"a long text that is on the heap"});
        a.disable<Position>(b);
        world.use<Position>("Pos");
        check_undone(world, "A: (Pos, C)\nA: (kith_test.Label, C)\nWildcard(A)");
        REQUIRE(a.get<Position>(b));
        CHECK(a.get<Position>(b)->y == 2);
        CHECK(a.get<Label>(b)->text == "a long text that is on the heap");
        CHECK(!a.enabled<Position>(b));
    }
    TEST_CASE("giving up leaves nothing") {
        kith::world world;
        std::string text;
        for (int i = 0; i < 20'000; ++i) {
            text += "E" + std::to_string(i) + ": T\n";
        }
        const std::string before = dump_all(world);
        kith::load_options options;
        std::size_t limit = text.size() / 2;
        SUBCASE("while it is checked") {}
        SUBCASE("while facts are added") {
            limit = text.size() * 3 / 2;
        }
        options.context = &limit;
        options.progress = [](void* context, std::size_t done, std::size_t size) {
            CHECK(done <= size);
            return done < *static_cast<std::size_t*>(context);
        };
        CHECK_THROWS_AS(kith::load_text(world, text, options), kith::error);
        CHECK(dump_all(world) == before);
    }
    TEST_CASE("an exception of a hook leaves nothing") {
        kith::world world;
        world.component<Position>("Bomb").on_add(
            [](kith::entity, Position&) { throw std::runtime_error("no"); });
        const std::string before = dump_all(world);
        CHECK_THROWS_AS(kith::load_text(world, "A: B\nC: Bomb"), std::runtime_error);
        CHECK(dump_all(world) == before);
    }
    TEST_CASE("random texts with a fact that is refused change nothing") {
        for (std::uint64_t seed = 0; seed < 300; ++seed) {
            CAPTURE(seed);
            random_facts random(seed);
            kith::world world;
            random.grow(world, 10 + static_cast<int>(seed % 60));
            std::string text = random.text(static_cast<int>(random.below(20)));
            text += "Wildcard(e0)\n" + random.text(2);
            check_undone(world, text);
        }
    }
}
