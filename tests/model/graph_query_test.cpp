// Random queries with variables, scopes and comparisons over random graphs: asked now and before
// the graph was changed, cached and not, with their terms in another order, with variables set and
// arguments given. All give what the oracle says. Where one does not, world and query are shrunk
// and printed with their seed; random_programs.hpp and query_model/shrinking.hpp say what can be
// changed from outside.
#include "support/query_model/graph_generator.hpp"
#include "support/query_model/shrinking.hpp"
#include "support/query_model/text.hpp"
#include "support/sanitized.hpp"

#include <doctest/doctest.h>

namespace {

using namespace query_model;
using oracle::term_kind;

void run_seed(std::uint64_t seed, statistics& counts) {
    graph_generator random(seed);
    run_random(
        random, counts, {.queries = 5, .changes = 6, .checks_between = false},
        [&](const stage& on) { return random.make_graph_query(on); },
        [&] { return random.graph_change(); });
}

// -- terms by hand

query_term of(query_term one, word source, kith::oper_kind_t oper = kith::And) {
    one.source = source;
    one.oper = oper;
    return one;
}
query_term tag(word id, word source = nothing, kith::oper_kind_t oper = kith::And) {
    return of({.id = {id}}, source, oper);
}
query_term pair(word first, word second, word source = nothing,
                kith::oper_kind_t oper = kith::And) {
    return of({.id = {first, second, true}}, source, oper);
}
query_term compared(term_kind kind, word source, word second, const std::string& name = {}) {
    query_term one = pair(nothing, second, source);
    one.kind = kind;
    one.name = name;
    return one;
}
query_term open(kith::oper_kind_t oper) {
    query_term one = tag(nothing, nothing, oper);
    one.kind = term_kind::open;
    return one;
}
query_term close(kith::oper_kind_t oper = kith::And) {
    query_term one = tag(nothing, nothing, oper);
    one.kind = term_kind::close;
    return one;
}

class known_world {
public:
    known_world() {
        for (std::size_t i = 0; i < slot_count; ++i) {
            REQUIRE(on_.run({step_kind::create, slot(i), {}, 0}));
        }
    }
    void add(std::size_t e, phrase id) { REQUIRE(on_.run({step_kind::add, slot(e), id, 0})); }
    void name(std::size_t e, int number) {
        REQUIRE(on_.run({step_kind::rename, slot(e), {}, number}));
    }
    // What the oracle says.
    std::string said(const query_terms& terms) const {
        std::vector<oracle::term> resolved;
        REQUIRE(resolve(on_, terms, resolved));
        oracle::reader world(on_.world);
        return text_of(on_, oracle::evaluate(world, resolved).results, 1000);
    }

private:
    stage on_;
};

constexpr word self = variable(0);
constexpr word a = variable(1);
constexpr word b = variable(2);

}  // namespace

TEST_SUITE("model.graph_query") {
    TEST_CASE("the oracle knows simple cases: variables") {
        known_world world;
        for (std::size_t ship : {0, 1, 2}) {
            world.add(ship, {cold});
        }
        world.add(0, {likes, slot(3), true});
        world.add(0, {likes, slot(4), true});
        world.add(1, {likes, slot(4), true});
        world.add(3, {hot});
        CHECK(world.said({pair(likes, a)}) ==
              "e0 $a=e3: (Likes, e3); e0 $a=e4: (Likes, e4); e1 $a=e4: (Likes, e4)");
        CHECK(world.said({pair(likes, a), tag(hot, a)}) == "e0 $a=e3: (Likes, e3) Hot@e3");
        CHECK(world.said({pair(likes, self, a), tag(hot)}) == "e3 $a=e0: (Likes, e3)@e0 Hot");
        CHECK(world.said({pair(likes, a, b), tag(hot, a)}) ==
              "- $a=e3 $b=e0: (Likes, e3)@e0 Hot@e3");
        CHECK(world.said({tag(cold), pair(likes, a, nothing, kith::Not)}) == "e2 $a=-: Cold -");
        CHECK(world.said({tag(cold), pair(likes, a, nothing, kith::Optional), tag(hot, a)}) ==
              "e0 $a=e3: Cold (Likes, e3) Hot@e3; e2 $a=-: Cold - -");
        CHECK(world.said({tag(cold), tag(likes, a, kith::Optional), tag(hot, a)}) ==
              "e0 $a=e3: Cold - Hot@e3; e1 $a=e3: Cold - Hot@e3; e2 $a=e3: Cold - Hot@e3");
        CHECK(world.said({tag(cold), pair(b, a)}) ==
              "e0 $a=e3 $b=Likes: Cold (Likes, e3); e0 $a=e4 $b=Likes: Cold (Likes, e4); "
              "e1 $a=e4 $b=Likes: Cold (Likes, e4)");
        CHECK(world.said({tag(a), pair(likes, self, b)}) == "e3 $a=Hot $b=e0: Hot (Likes, e3)@e0");
        CHECK(world.said({tag(cold), pair(likes, a, nothing, kith::Or), pair(likes, a, slot(0))}) ==
              "e0 $a=e3: Cold (Likes, e3); e0 $a=e4: Cold (Likes, e4); "
              "e1 $a=e3: Cold (Likes, e3)@e0; e1 $a=e4: Cold (Likes, e4); "
              "e2 $a=e3: Cold (Likes, e3)@e0; e2 $a=e4: Cold (Likes, e4)@e0");
    }

    TEST_CASE("the oracle knows simple cases: scopes and comparisons") {
        known_world world;
        for (std::size_t child : {1, 2, 3}) {
            world.add(child, {child_of, slot(child == 3 ? 4 : 0), true});
        }
        world.name(0, 10);
        world.name(4, 11);
        world.add(1, {hot});
        query_terms parents = {pair(child_of, self, a), compared(term_kind::differ, a, slot(2))};
        CHECK(world.said(parents).ends_with(
            "e0 $a=e1: (ChildOf, e0)@e1 -; e4 $a=e3: (ChildOf, e4)@e3 -"));
        CHECK(world.said({compared(term_kind::contain, nothing, nothing, "1"), open(kith::Not),
                          pair(child_of, self, a), tag(hot, a), close()}) == "e4 $a=-: - - -");
        CHECK(world.said({compared(term_kind::contain, nothing, nothing, "n1"),
                          open(kith::Optional), pair(child_of, self, a), tag(hot, a), close()}) ==
              "e0 $a=e1: - (ChildOf, e0)@e1 Hot@e1; e4 $a=-: - - -");
        CHECK(world.said({open(kith::And), tag(hot), close(kith::Or), open(kith::And),
                          pair(child_of, slot(4)), close()}) == "e1: Hot -; e3: - (ChildOf, e4)");
        CHECK(world.said({compared(term_kind::equal, nothing, nothing, "n11")}) == "e4: -");
        CHECK(world.said({compared(term_kind::equal, a, slot(0)), pair(child_of, a)}) ==
              "e1 $a=e0: - (ChildOf, e0); e2 $a=e0: - (ChildOf, e0)");
        CHECK(world.said({tag(hot), compared(term_kind::equal, a, self)}) == "e1 $a=e1: Hot -");
        CHECK(world.said({tag(hot), compared(term_kind::equal, nothing, nothing, "n12")}) == "");
        CHECK(world.said({tag(hot), compared(term_kind::differ, nothing, nothing, "n12")}) ==
              "e1: Hot -");
    }

    TEST_CASE("the oracle knows simple cases: closures, inheritance, substitution") {
        known_world world;
        world.add(0, {located_in, slot(1), true});
        world.add(1, {located_in, slot(2), true});
        world.add(3, {is_a, slot(0), true});
        world.add(2, {hot});
        CHECK(world.said({pair(located_in, slot(2))}) ==
              "e0: (LocatedIn, e2)@?; e1: (LocatedIn, e2); e3: (LocatedIn, e2)@?");
        CHECK(world.said({pair(located_in, star, slot(0))}) ==
              "-: (LocatedIn, e1)@e0; -: (LocatedIn, e2)@?");
        CHECK(world.said({pair(located_in, a), tag(hot, a, kith::Not)}) ==
              "e0 $a=e1: (LocatedIn, e1) -; e3 $a=e1: (LocatedIn, e1)@e0 -");
        CHECK(world.said({tag(hot), pair(located_in, any_one, nothing, kith::Not)}) == "e2: Hot -");
        CHECK(world.said({pair(is_a, slot(0))}) == "e0: (IsA, e0)@?; e3: (IsA, e0)");

        world.add(4, {near_to, slot(5), true});
        CHECK(world.said({pair(near_to, a)}) ==
              "e4 $a=e4: (NearTo, e4)@?; e4 $a=e5: (NearTo, e5); e5 $a=e5: (NearTo, e5)@?");
        CHECK(world.said({pair(near_to, slot(6))}) == "e6: (NearTo, e6)@?");
        CHECK(world.said({pair(near_to, star)}) == "e4: (NearTo, e5)");

        world.add(6, {is_a, hot, true});
        world.add(7, {slot(6)});
        CHECK(world.said({tag(hot)}) == "e2: Hot; e7: e6");
        CHECK(world.said({tag(hot), tag(hot, nothing, kith::Not)}) == "");
        CHECK(world.said({tag(a), tag(hot)}).ends_with("e7 $a=e6: e6 e6"));
        world.add(8, {likes, slot(3), true});
        CHECK(world.said({pair(likes, slot(0))}) == "e8: (Likes, e3)");

        query_term up = pair(likes, slot(1));
        up.second = {kith::Down, located_in, 0, 0};
        CHECK(world.said({up}) == "");
        world.add(9, {likes, slot(0), true});
        CHECK(world.said({up}) == "e9: (Likes, e0)");
        up.id.second = slot(2);
        up.second.max_depth = 1;
        CHECK(world.said({up}) == "");
    }

    TEST_CASE("queries of graphs give what the oracle says") {
        constexpr std::size_t usual = kith_test::is_sanitized ? 10 : 190;
        std::vector<std::uint64_t> seeds = random_programs::chosen_seeds(
            random_programs::number_from_environment("KITH_QUERY_SEEDS", usual));
        statistics counts;
        counts.graph = true;
        std::string found = find_differences("model.graph_query", seeds,
                                             [&](std::uint64_t seed) { run_seed(seed, counts); });
        CHECK_MESSAGE(found.empty(), found);
        std::string too_rare;
        std::string table = histogram(counts, 100, too_rare);
        std::size_t change_view_scope = counts.cases - counts.empty - counts.everything;
        if (found.empty() && seeds.size() >= 100) {
            CHECK_MESSAGE(too_rare.empty(), too_rare);
            CHECK_MESSAGE(change_view_scope * 10 >= counts.cases * 4, change_view_scope, " of ",
                          counts.cases, " results say something");
            CHECK_MESSAGE(counts.refused * 20 < counts.cases, counts.refused,
                          " queries could not be made");
        }
        MESSAGE(table);
    }
}
