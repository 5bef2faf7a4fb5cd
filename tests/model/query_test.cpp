// Random queries over random worlds, made now and before the world was changed, cached and not:
// all give what the oracle says. Where one does not, world and query are shrunk and printed with
// their seed. KITH_SEED=n takes a seed of your own, KITH_SEEDS=n as many that follow it,
// KITH_FAILURES=n goes on after differences, and KITH_SHRINK=n changes how many seconds are spent
// on shrinking.
#include "support/query_model/generator.hpp"
#include "support/query_model/shrinking.hpp"
#include "support/sanitized.hpp"

#include <doctest/doctest.h>

namespace {

using namespace query_model;

void run_seed(std::uint64_t seed, statistics& counts) {
    generator random(seed);
    run_random(
        random, counts, {.queries = 4, .changes = 8, .checks_between = true},
        [&](const stage& on) { return random.make_query(on); }, [&] { return random.change(); });
}

// What the oracle says, as text: `entity: field field, ...`, sorted by entity.
std::string said(const stage& on, const query_terms& terms) {
    std::vector<oracle::term> resolved;
    REQUIRE(resolve(on, terms, resolved));
    oracle::reader world(on.world);
    auto text = [&](entity_t e) { return text_of(on.word_of(e)); };
    std::string all;
    for (const oracle::result& one :
         oracle::evaluate(world, oracle::understood(world, resolved)).results) {
        all += (all.empty() ? "" : ", ") + (one.entity() ? text(one.entity()) : "-") + ":";
        for (const oracle::field& what : one.fields) {
            phrase id;
            bool known = on.phrase_of(what.id, id);
            all += !what.set ? " none" : known ? " " + text_of(id) : " any";
            all += what.source ? "@" + text(what.source) : "";
        }
    }
    return all;
}

}  // namespace

TEST_SUITE("model.query") {
    TEST_CASE("the oracle knows simple cases") {
        stage on;
        word base = slot(0);
        word instance = slot(1);
        word parent = slot(2);
        word child = slot(3);
        for (word e : {base, instance, parent, child}) {
            on.run({step_kind::create, e, {}, 0});
        }
        auto add = [&](word e, phrase id) { REQUIRE(on.run({step_kind::add, e, id, 0})); };
        add(base, {hot});
        add(base, {in_room, parent, true});
        add(base, {likes, parent, true});
        add(base, {likes, child, true});
        add(instance, {is_a, base, true});
        add(instance, {in_room, child, true});
        add(child, {child_of, parent, true});
        add(parent, {is_a, base, true});
        add(parent, {cold});

        CHECK(said(on, {{{hot}}}) == "e0: Hot, e1: Hot@e0, e2: Hot@e0");
        CHECK(said(on, {{{hot}, nothing, kith::And, kith::Self}}) == "e0: Hot");
        CHECK(said(on, {{{hot}, nothing, kith::And, kith::Up}}) == "e1: Hot@e0, e2: Hot@e0");
        CHECK(said(on, {{{hot}, nothing, kith::And, kith::Parent}}) == "e3: Hot@e0");
        CHECK(said(on, {{{cold}, nothing, kith::And, kith::Down, child_of}}) == "");
        CHECK(said(on, {{{in_room, star, true}, nothing, kith::And, kith::Down, child_of}}) == "");
        CHECK(said(on,
                   {{{child_of, any_one, true}, nothing, kith::And, kith::Self}, {{cold}, parent}})
                  .ends_with("e3: ChildOf, e2 Cold@e2"));
        CHECK(said(on, {{{in_room, star, true}}}) ==
              "e0: InRoom, e2, e1: InRoom, e3, e2: InRoom, e2@e0");
        CHECK(said(on, {{{likes, star, true}}, {{cold}}}) ==
              "e2: Likes, e2@e0 Cold, e2: Likes, e3@e0 Cold");
        CHECK(said(on, {{{hot}}, {{cold}, nothing, kith::Not}}) == "e0: Hot none, e1: Hot@e0 none");
        CHECK(said(on, {{{hot}}, {{cold}, nothing, kith::Optional}}) ==
              "e0: Hot none, e1: Hot@e0 none, e2: Hot@e0 Cold");
        CHECK(said(on, {{{cold}, nothing, kith::Or}, {{hot}}}) == "e0: Hot, e1: Hot@e0, e2: Cold");
        CHECK(said(on, {{{base}, nothing, kith::AndFrom}}) == "e0: none, e2: none");
        CHECK(said(on, {{{parent}, nothing, kith::OrFrom}, {{likes, star, true}, child}}) == "");
        CHECK(said(on, {{{hot}, instance}}) == "-: Hot@e0");

        REQUIRE(on.run({step_kind::switch_off, base, {hot}, 0}));
        CHECK(said(on, {{{hot}}}) == "");
        add(child, {prefab});
        CHECK(said(on, {{{hot}, nothing, kith::And, kith::Parent}}) == "");
        CHECK(said(on, {{{prefab}}}) == "e3: Prefab");
    }

    TEST_CASE("queries of every kind give what the oracle says") {
        constexpr std::size_t usual = kith_test::is_sanitized ? 15 : 140;
        std::vector<std::uint64_t> seeds = random_programs::chosen_seeds(
            random_programs::number_from_environment("KITH_QUERY_SEEDS", usual));
        statistics counts;
        std::string found = find_differences("model.query", seeds,
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
