/* Ids and pairs. */
#define SUITE "ids"
#include "harness.h"

/* A constant expression. */
static const kith_id_t child_of_any = kith_pair(KithChildOf, KithWildcard);

/* spec 405 */
TEST(pairs, "pairs are numbers; their elements come back alive") {
    kith_world_t* world = kith_init();
    kith_entity_t old = kith_new(world);
    kith_delete(world, old);
    kith_entity_t likes = kith_new(world), bob = kith_new(world);
    CHECK(kith_index_of(likes) == kith_index_of(old));
    CHECK(kith_generation_of(likes) == kith_generation_of(old) + 1);
    CHECK(kith_strip_generation(likes) == kith_index_of(likes));
    const kith_id_t pair = kith_pair(likes, bob);
    CHECK(KITH_IS_PAIR(pair) && !KITH_IS_PAIR(likes));
    CHECK(kith_pair_first(world, pair) == likes && kith_pair_second(world, pair) == bob);
    CHECK(kith_make_pair(world, likes, bob) == pair);
    CHECK_FAILS(kith_make_pair(world, old, bob), KITH_INVALID_ID);
    CHECK_FAILS(kith_make_pair(world, likes, 0), KITH_INVALID_ID);
    CHECK_FAILS(kith_make_pair(world, pair, bob), KITH_INVALID_ID);
    CHECK_ABSENT(kith_pair_first(world, likes));
    kith_delete(world, bob);
    CHECK_ABSENT(kith_pair_second(world, pair));
    CHECK(kith_isa(bob) == kith_pair(KithIsA, bob));
    CHECK(kith_childof(bob) == kith_pair(KithChildOf, bob));
    CHECK(kith_dependson(bob) == kith_pair(KithDependsOn, bob));
    CHECK_OK(kith_fini(world));
}

TEST(patterns, "wildcards match ids") {
    CHECK(kith_id_is_wildcard(KithWildcard) && kith_id_is_wildcard(KithAny));
    CHECK(kith_id_is_wildcard(child_of_any) && !kith_id_is_wildcard(KithChildOf));
    CHECK(!kith_id_is_wildcard(kith_pair(KithChildOf, 5000)));
    CHECK(kith_id_match(kith_pair(KithChildOf, 5000), child_of_any));
    CHECK(!kith_id_match(kith_pair(KithIsA, 5000), child_of_any));
    CHECK(kith_id_match(5000, KithWildcard) && !kith_id_match(child_of_any, KithWildcard));
}

TEST(kinds, "an id is valid, a tag, in use, of a type") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    KITH_TAG(world, Ship);
    kith_entity_t e = kith_new(world), gone = kith_new(world);
    kith_delete(world, gone);
    CHECK(kith_id_is_valid(world, kith_id(Position)) && kith_id_is_valid(world, Ship));
    CHECK(kith_id_is_valid(world, kith_pair(Ship, e)));
    CHECK_ABSENT(kith_id_is_valid(world, 0));
    CHECK_ABSENT(kith_id_is_valid(world, gone));
    CHECK_ABSENT(kith_id_is_valid(world, child_of_any));
    CHECK_ABSENT(kith_id_is_valid(world, UINT64_MAX));
    CHECK(kith_id_is_tag(world, Ship) && !kith_id_is_tag(world, kith_id(Position)));
    CHECK(!kith_id_is_tag(world, kith_pair(kith_id(Position), e)));
    CHECK_ABSENT(kith_id_in_use(world, Ship));
    kith_add_id(world, e, Ship);
    CHECK(kith_id_in_use(world, Ship));
    CHECK(kith_get_typeid(world, kith_pair(Ship, kith_id(Position))) == kith_id(Position));
    CHECK_ABSENT(kith_get_typeid(world, Ship));
    kith_type_info_t info;
    CHECK(kith_get_type_info(world, kith_id(Position), &info));
    CHECK(info.size == sizeof(Position) && info.component == kith_id(Position));
    CHECK_TEXT(info.name, "Position");
    CHECK_ABSENT(kith_get_type_info(world, Ship, &info));
    CHECK_FAILS(kith_get_type_info(world, Ship, NULL), KITH_INVALID_ARGUMENT);
    CHECK_OK(kith_fini(world));
}

TEST(texts, "ids are written and read as text") {
    kith_world_t* world = kith_init();
    KITH_COMPONENT(world, Position);
    kith_entity_t likes = kith_new_entity(world, "Likes");
    kith_entity_t alice = kith_new_entity(world, "Alice");
    kith_entity_t bob = kith_new_entity(world, "Team::Bob");
    kith_add_pair(world, bob, likes, alice);
    CHECK_OWNED_TEXT(kith_id_str(world, kith_pair(likes, alice)), "(Likes,Alice)");
    CHECK_OWNED_TEXT(kith_type_str(world, bob), "(Identifier,Name), (ChildOf,Team), (Likes,Alice)");
    CHECK_OWNED_TEXT(kith_entity_str(world, bob),
                     "::Team::Bob [(Identifier,Name), (ChildOf,Team), (Likes,Alice)]");
    CHECK(kith_id_from_str(world, "Likes") == likes);
    CHECK(kith_id_from_str(world, "(Likes, Alice)") == kith_pair(likes, alice));
    CHECK(kith_id_from_str(world, "(Likes, *)") == kith_pair(likes, KithWildcard));
    CHECK(kith_id_from_str(world, "Team.Bob") == bob);
    CHECK_FAILS(kith_id_from_str(world, "Nobody"), KITH_INVALID_QUERY);
    CHECK_FAILS(kith_id_from_str(world, "!Likes"), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_id_from_str(world, "Likes, Alice"), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_id_from_str(world, "$x"), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_id_from_str(world, "(("), KITH_INVALID_QUERY);
    CHECK_FAILS(kith_id_from_str(world, NULL), KITH_INVALID_ARGUMENT);
    CHECK_FAILS(kith_type_str(world, 0), KITH_INVALID_ENTITY);
    CHECK_OK(kith_fini(world));
}
