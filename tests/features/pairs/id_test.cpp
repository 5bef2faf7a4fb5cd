#include <kith/id.hpp>

#include <doctest/doctest.h>

using namespace kith;

TEST_SUITE("features.pairs.id") {
    TEST_CASE("an entity id holds index and generation") {
        const entity_t id = make_entity_id(0xFFFFFFFF, 0xFFFF);
        CHECK(index_of(id) == 0xFFFFFFFF);
        CHECK(generation_of(id) == 0xFFFF);
        CHECK(strip_generation(id) == 0xFFFFFFFF);
        CHECK_FALSE(is_pair(id));
    }

    TEST_CASE("a pair holds two indices without generations") {
        const kith::id_t pair = make_pair(make_entity_id(5, 9), make_entity_id(0xFFFFFFFF, 3));
        CHECK(is_pair(pair));
        CHECK(pair_first(pair) == 5);
        CHECK(pair_second(pair) == 0xFFFFFFFF);
        CHECK(make_pair(max_relation_index, 1) != make_pair(max_relation_index - 1, 1));
    }

    TEST_CASE("wildcards are known alone and in pairs") {
        CHECK(is_wildcard(Wildcard));
        CHECK(is_wildcard(Any));
        CHECK(is_wildcard(make_pair(Wildcard, 5)));
        CHECK(is_wildcard(make_pair(5, Any)));
        CHECK_FALSE(is_wildcard(5));
        CHECK_FALSE(is_wildcard(make_pair(5, 6)));
    }

    TEST_CASE("a pattern matches what it stands for") {
        struct match_case {
            const char* why;
            kith::id_t pattern;
            kith::id_t id;
            bool matches;
        };
        const match_case cases[] = {
            {"itself", 5, 5, true},
            {"not another", 5, 6, false},
            {"a lone wildcard stands for plain ids", Wildcard, 5, true},
            {"but not for pairs", Wildcard, make_pair(5, 6), false},
            {"any target", make_pair(5, Wildcard), make_pair(5, 6), true},
            {"any target of this relation only", make_pair(5, Wildcard), make_pair(6, 6), false},
            {"any relation", make_pair(Wildcard, 6), make_pair(5, 6), true},
            {"any pair", make_pair(Wildcard, Wildcard), make_pair(5, 6), true},
            {"a pair is no plain id", make_pair(Wildcard, Wildcard), 5, false},
            {"exact pair", make_pair(5, 6), make_pair(5, 6), true},
            {"other target", make_pair(5, 6), make_pair(5, 7), false},
            {"a mark by itself", Override | 5, Override | 5, true},
            {"no mark of a plain id", Wildcard, Override | 5, false},
            {"no mark of a pair", make_pair(5, 6), Override | make_pair(5, 6), false},
            {"a mark is not what it marks", Override | 5, 5, false},
            {"nor the pair that it marks", Override | make_pair(5, 6), make_pair(5, 6), false},
            {"nor many", Override | make_pair(5, Wildcard), make_pair(5, 6), false},
        };
        for (const match_case& c : cases) {
            CAPTURE(c.why);
            CHECK(matches_id(c.pattern, c.id) == c.matches);
        }
    }
}
